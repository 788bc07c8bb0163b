"""The sections on the relation: what it is like, and whether clusters show."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf.inspection import RelationInspection
from relrbf.inspection.text import percent
from relrbf.plotting import plot_spectrum, plot_tendency
from relrbf.plotting.style import COLOURS
from relrbf.report.case import Case
from relrbf.report.field import STEPS
from relrbf.report.page import Picture, Section
from relrbf.tendency import ivat, vat

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_IN_IMAGE = 1000  # objects, of which more would be smaller than dots
MOST_LANES = 40  # classes beside the image


def relation_section(case: Case | None, found: RelationInspection) -> Section:
    """Return what was found, the conclusions in words, and the spectrum where there is one."""
    pictures = [] if case is None else _spectra(case, found)
    return Section(
        "What the relation is like",
        "\n\n".join(found.conclusions),
        facts=_facts(found),
        pictures=pictures,
    )


def _facts(found: RelationInspection) -> Sequence[tuple[str, str]]:
    """Return the lines of the inspection's text, each with its name."""
    first, *others = found.facts
    lines = [line.partition(": ") for line in others]
    return [("objects", first), *((name, text) for name, _, text in lines)]


def _spectra(case: Case, found: RelationInspection) -> list[Picture]:
    exponent = case.model.exponent_ if case.model is not None else found.suggested_exponent
    if exponent not in (1, 2):
        return []
    figure = new_figure(5.2, 3.1)
    plot_spectrum(case.relation, figure.subplots(), exponent=exponent)
    negative = found.negative_eigenfraction[int(exponent)]
    caption = (
        "Eigenvalues of the centred relation, read as the network reads it. "
        if case.model is not None
        else "Eigenvalues of the centred relation under the suggested reading. "
    )
    caption += (
        "None below zero: vectors with these distances exist."
        if not negative
        else f"{percent(negative)} of them, by size, are below zero: so far it is from vectors."
    )
    return [Picture(figure, caption, "spectrum", in_ink=True)]


def tendency_section(case: Case) -> Section:
    """Return VAT and iVAT, with the classes beside them."""
    n_sample = None if case.n_objects <= MOST_IN_IMAGE else MOST_IN_IMAGE
    labels = _lanes(case)
    captions = {
        "vat": "VAT: the dissimilarities in an order in which near objects follow each other. "
        "Dark blocks along the diagonal are clusters.",
        "ivat": "iVAT: the same order, with minimax path distances. Long and bent clusters are "
        "plain blocks, too.",
    }
    pictures = []
    for (name, caption), look in zip(captions.items(), (vat, ivat), strict=True):
        figure = new_figure(4.2, 3.8, "compressed")
        result = look(case.relation, n_sample=n_sample, random_state=0)
        ax = plot_tendency(result, labels, figure.subplots())
        if not case.has_classes and labels is not None:
            _recolour_lanes(ax)
        if drawn := ax.get_legend():
            drawn.remove()  # the page has its own, which can be as long as it has to be
        ax.set_title(name.upper().replace("IV", "iV"), loc="left", fontsize=10)
        pictures.append(Picture(figure, caption, name, in_ink=True))
    text = "Dark means alike."
    if labels is not None and case.has_classes:
        text += (
            " Beside it the classes, from left to right: a block of one colour is a cluster that "
            "is a class."
        )
    elif labels is not None:
        text += " Beside it the targets, by fifths from left to right."
    if n_sample:
        text += f" Shown are {n_sample:,} of {case.n_objects:,} objects, from all parts of them."
    legend = [] if labels is None else _legend(case)
    return Section("Do clusters show?", text, pictures=pictures, legend=legend)


def _lanes(case: Case) -> Any:
    if case.has_classes:
        return case.labels if len(case.classes) <= MOST_LANES else None
    return case.steps[0] if case.has_targets and case.varies else None


def _legend(case: Case) -> list[tuple[str, str]]:
    colours, names = (COLOURS, case.classes) if case.has_classes else (STEPS, case.steps[1])
    return [(colours[k % len(colours)], str(name)) for k, name in enumerate(names)]


def _recolour_lanes(ax: "Axes") -> None:
    """Give the lanes, which have the colours of classes, those that the map has for numbers."""
    from matplotlib.colors import to_rgb

    [lanes] = ax.child_axes
    [image] = lanes.images
    shown = np.asarray(image.get_array())
    paler, wanted = (
        1 - np.array([to_rgb(colour) for colour in colours[: shown.shape[1]]])
        for colours in (COLOURS, STEPS)
    )
    depth = (1 - shown).max(axis=2) / paler.max(axis=1)
    image.set_data(1 - depth[:, :, None] * wanted)


def new_figure(width: float, height: float, layout: Any = "constrained") -> "Figure":
    """Return a figure that no window knows of."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout=layout)
