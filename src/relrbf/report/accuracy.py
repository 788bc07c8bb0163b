"""The sections on how good the network is on objects held out, and beside others."""

import numpy as np

from relrbf.plotting import plot_calibration
from relrbf.report.about_relation import new_figure
from relrbf.report.folds import Plan
from relrbf.report.held_out import BASELINE, NETWORK, HeldOut
from relrbf.report.page import Picture, Section, Table
from relrbf.report.residuals import residual_pictures
from relrbf.report.rivals import GRIDS, MOST_TUNED
from relrbf.report.scores import Score, lead_over, root_mean_squares
from relrbf.report.summary import FitSummary, in_words, sure_and_right

LEAST = 1e-12  # probability of what came true: a class held out whole has none
UNDEFINED = "none: the target does not vary"
MEANING = "± is the standard deviation over the test parts"


def accuracy_section(held: HeldOut, plan: Plan, summary: FitSummary) -> Section:
    """Return how often it is right, of which classes, and whether its probabilities hold."""
    case = held.case
    text = (
        f"Every number is of objects that the network which answers had not seen: {plan}. "
        f"{MEANING}. {' '.join(plan.notes)}"
    )
    if not case.has_classes:
        r2 = in_words(summary.score, summary.measure) if case.varies else UNDEFINED
        facts = [("R²", r2)]
        if summary.rmse is not None:
            facts.append(("root mean squared error", in_words(summary.rmse)))
        facts.append(("spread of the targets", f"{case.y.std() if case.varies else 0:.4g}"))
        facts += _twins(summary) if case.varies else []
        pictures = residual_pictures(held) if case.varies else []
        return Section("How good it is", text, facts=facts, pictures=pictures)
    facts = [("accuracy", in_words(summary.score, summary.measure)), *_twins(summary)]
    facts += _calibration_facts(held)
    figure = new_figure(4.8, 4)
    ax = figure.subplots()
    truth, _ = held.all_of(NETWORK)
    plot_calibration(case.classes[truth], held.stated, case.classes, ax)
    caption = (
        "Calibration: how often what was predicted with some probability came true. On the line, "
        f"probabilities mean what they say. Counted are {_counted(held)}."
    )
    pictures = [Picture(figure, caption, "calibration", in_ink=True)]
    return Section("How good it is", text, facts=facts, tables=_classes(held), pictures=pictures)


def _twins(summary: FitSummary) -> list[tuple[str, str]]:
    if summary.score_without_twins is None:
        return []
    value = in_words(summary.score_without_twins, summary.measure)
    return [("the same, copies kept together", value)]


def _calibration_facts(held: HeldOut) -> list[tuple[str, str]]:
    truth, _ = held.all_of(NETWORK)
    sure, right = sure_and_right(held)
    loss = -np.log(np.maximum(held.stated[np.arange(len(truth)), truth], LEAST)).mean()
    return [
        ("mean probability of what it says", f"{sure:.3f}, and it is right in {right:.3f}"),
        ("log-loss", f"{loss:.3f}"),
    ]


def _counted(held: HeldOut) -> str:
    """Say what numbers on the page are numbers of."""
    n, times = held.case.n_objects, held.n_repeats
    if times == 1:
        return f"the answers for {n:,} objects"
    # Wilson's interval takes them for independent
    return f"the answers for {n:,} objects, {times} for each, which makes the bars a little short"


def _classes(held: HeldOut) -> list[Table]:
    counts, names = held.confusion, [str(name) for name in held.case.classes]
    totals = counts.sum(axis=1)
    shares = counts / np.maximum(totals, 1)[:, None]
    rows = [
        [name, *(_count(value) for value in row), f"{shares[k, k]:.1%}"]
        for k, (name, row) in enumerate(zip(names, counts, strict=True))
    ]
    shades = [[None, *row, None] for row in shares.tolist()]
    title = "Confusion" if held.n_repeats == 1 else "Confusion, mean of the repetitions"
    return [Table(["true \\ predicted", *names, "right"], rows, title, shades)]


def _count(value: float) -> str:
    return f"{value:.0f}" if np.isclose(value, round(value)) else f"{value:.1f}"


def rivals_section(held: HeldOut, summary: FitSummary) -> Section:
    """Return the network beside k-NN, SVM and what needs no objects at all."""
    case, title = held.case, "Beside k-NN and SVM"
    if not case.varies:
        return Section(title, "The target does not vary: models have nothing to differ in.")
    measure = summary.measure
    header = ["model", measure, "network ahead by", "verdict"]
    if not case.has_classes:
        header.insert(2, "root mean squared error")
    rows = []
    for model in held.models:
        row = [_title(model, case.has_classes), in_words(summary.of(model), measure)]
        if not case.has_classes:
            row.append(f"{Score.of(root_mean_squares(held, model)).mean:.4g}")
        if model == NETWORK:
            row += ["", ""]
        else:
            lead = lead_over(held, model)
            row += [in_words(lead, measure, signed=True), lead.verdict]
        rows.append(row)
    text = (
        "All models learnt from the same objects and answered for the same others. "
        f"{GRIDS}{_weighted(held)} Differences are taken part by part; chance is judged with the "
        "correction of Nadeau and Bengio (2003) for parts that share objects."
    )
    if len(held.models) < 4:
        text = f"With more than {MOST_TUNED:,} objects k-NN and SVM are not tuned beside it."
    return Section(title, text, tables=[Table(header, rows, "On the same parts")])


def _weighted(held: HeldOut) -> str:
    if held.case.class_weight is None:
        return ""
    return " The SVM has the network's class_weight; k-NN knows none."


def _title(model: str, has_classes: bool) -> str:
    if model == BASELINE:
        return "always the largest class" if has_classes else "always the mean"
    return "relrbf network" if model == NETWORK else model
