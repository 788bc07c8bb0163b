"""The sections on numbers predicted: how far off, and which objects the most."""

import numpy as np

from relrbf.plotting import plot_deviations, plot_predictions
from relrbf.plotting.style import label_axes
from relrbf.report.about_relation import new_figure
from relrbf.report.case import Case
from relrbf.report.held_out import NETWORK, HeldOut
from relrbf.report.mistakes import at_zero, neighbours
from relrbf.report.page import Picture, Section, Table
from relrbf.report.words import count, verb

MOST_LISTED = 20
TINY = 1e-6  # of what targets vary by, or are: a residual below it is rounding
OFF = 2.0  # root mean squared errors from which on an object counts as far off


def residual_pictures(held: HeldOut) -> list[Picture]:
    """Return predictions against the truth, and a histogram of what is between them."""
    y, said = held.all_of(NETWORK)
    times = f", {held.n_repeats} times" if held.n_repeats > 1 else ""
    figure = new_figure(4.8, 4)
    plot_predictions(y, said, figure.subplots())
    second = new_figure(4.8, 4)
    counts, edges = np.histogram(said - y, bins=31)
    ax = plot_deviations(counts, edges, second.subplots())
    label_axes(ax, "Residuals", "predicted less true", "share, %")
    return [
        Picture(
            figure,
            f"Each object as it was predicted when held out{times}; on the line, rightly.",
            "predicted",
            in_ink=True,
        ),
        Picture(
            second,
            "How far predictions are off; a heap beside zero would be a bias.",
            "residuals",
            in_ink=True,
        ),
    ]


def far_off(held: HeldOut) -> np.ndarray:
    """Return the objects that are off by twice the root mean squared error or more.

    The error is that of all answers; an object is as far off as the mean of its answers.
    """
    truth, said = held.all_of(NETWORK)
    error = np.sqrt(np.mean((said - truth) ** 2))
    residuals = np.abs(held.predicted - held.case.y)
    y = held.case.y
    unit = y.std() if held.case.varies else np.abs(y).max() or 1.0
    return np.flatnonzero((residuals >= OFF * error) & (residuals > TINY * unit))


def residuals_section(case: Case, held: HeldOut) -> Section:
    """Return a row for each of the objects that are furthest off."""
    title = "Objects it gets most wrong"
    if not case.varies:
        return Section(title, f"The target does not vary: it is {case.said(0)} for all objects.")
    residuals = held.predicted - case.y
    order = np.argsort(-np.abs(residuals), kind="stable")[:MOST_LISTED]
    rows = [_row(case, held, i) for i in order]
    header = ["object", "true", "predicted", "off by", "nearest objects", "why"]
    n_off = len(far_off(held))
    text = (
        f"{n_off} of {count(case.n_objects, 'object')} {verb(n_off)} off by more than {OFF:g} root "
        f"mean squared errors when held out{held.by_mean}. Listed are the {len(rows)} that are "
        "furthest off."
    )
    table = Table(header, rows, "Furthest off when held out", (), True)
    return Section(title, text, tables=[table])


def _row(case: Case, held: HeldOut, i: int) -> list[str]:
    row = case.relation.block(np.array([i]))[0]
    near = neighbours(row, i)
    return [
        str(case.names[i]),
        case.said(i),
        f"{held.predicted[i]:.4g}",
        f"{held.predicted[i] - case.y[i]:+.4g}",
        ", ".join(f"{case.names[k]} ({case.said(k)}, {row[k]:.3g} away)" for k in near),
        " ".join(_reasons(case, held, i, row, near)),
    ]


def _reasons(case: Case, held: HeldOut, i: int, row: np.ndarray, near: np.ndarray) -> list[str]:
    around, reasons = case.y[near], []
    if around.min() <= case.y[i] <= around.max():
        reasons.append("Its nearest objects differ much among themselves.")
    else:
        side = "above" if case.y[i] > around.max() else "below"
        reasons.append(
            f"Its target is {side} those of all {len(near)} nearest objects "
            f"({around.mean():.4g} on average)."
        )
    if row[near[0]] > case.wide_gap:
        reasons.append("It lies apart from all others.")
    if row[near[0]] == 0:
        reasons.append(f"{at_zero(case, i, near[0])} has {case.said(near[0])}.")
    return reasons
