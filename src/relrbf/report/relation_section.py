"""Sections on the relation: what was found about it, and its cluster tendency."""

from relrbf.inspection import RelationInspection
from relrbf.inspection.text import percent
from relrbf.plotting import plot_spectrum, plot_tendency
from relrbf.report.data import FittedData, RelationData
from relrbf.report.page import Picture, Section, new_figure
from relrbf.tendency import ivat, vat

MAX_TENDENCY_OBJECTS = 1000  # of more, a sample is shown
MAX_CLASS_LANES = 40
VAT_CAPTIONS = {
    "VAT": "VAT: the dissimilarities, ordered so that similar objects are neighbours. Dark blocks "
    "along the diagonal are clusters.",
    "iVAT": "iVAT: the same order, with minimax path distances, which also show elongated clusters "
    "as blocks.",
}


def relation_section(data: RelationData | None, found: RelationInspection) -> Section:
    """Return the facts and conclusions of an inspection, with the spectrum if there is one."""
    first, *others = found.facts
    lines = [line.partition(": ") for line in others]
    facts = [("objects", first), *((name, text) for name, _, text in lines)]
    pictures = [] if data is None else _spectrum(data, found)
    return Section("The relation", "\n\n".join(found.conclusions), facts=facts, pictures=pictures)


def _spectrum(data: RelationData, found: RelationInspection) -> list[Picture]:
    exponent: float | None = found.suggested_exponent
    which = "the suggested"
    if isinstance(data, FittedData):
        exponent, which = data.model.exponent_, "the network's"
    if exponent not in (1, 2):
        return []
    figure = new_figure(5.2, 3.1)
    plot_spectrum(data.relation, figure.subplots(), exponent=exponent)
    negative = found.negative_eigenfraction[int(exponent)]
    caption = f"Eigenvalues of the centred relation, with {which} exponent {exponent:g}. " + (
        f"{percent(negative)} of the spectrum is negative: so far is the relation from vectors."
        if negative
        else "None is negative: vectors with these distances exist."
    )
    return [Picture(figure, caption, "spectrum")]


def tendency_section(data: RelationData) -> Section:
    """Return VAT and iVAT, with classes or quintiles of the targets beside them."""
    n_sample = None if data.n_objects <= MAX_TENDENCY_OBJECTS else MAX_TENDENCY_OBJECTS
    groups, names, colours = data.groups
    has_lanes = 0 < len(names) <= MAX_CLASS_LANES and not data.is_constant
    pictures = []
    for (name, caption), order in zip(VAT_CAPTIONS.items(), (vat, ivat), strict=True):
        figure = new_figure(4.2, 3.8, "compressed")
        result = order(data.relation, n_sample=n_sample, random_state=0)
        labels = groups if has_lanes else None
        ax = plot_tendency(result, labels, figure.subplots(), colours=colours)
        if drawn := ax.get_legend():
            drawn.remove()  # the page has its own
        ax.set_title(name, loc="left", fontsize=10)
        pictures.append(Picture(figure, caption, name.lower()))
    text = "Dark is similar."
    if has_lanes and data.has_classes:
        text += (
            " Beside the image are the classes: a block of one colour is a cluster of one class."
        )
    elif has_lanes:
        text += " Beside the image are the quintiles of the targets."
    if n_sample:
        text += f" Shown is a sample of {n_sample:,} of {data.n_objects:,} objects."
    legend = [(colours[k % len(colours)], name) for k, name in enumerate(names)]
    return Section("Cluster tendency", text, pictures=pictures, legend=legend if has_lanes else [])
