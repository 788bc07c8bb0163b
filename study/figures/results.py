"""Figures 3.1, 3.2 and A.1: what the study found on its relations."""

import warnings
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from relrbf.embeddings import ClassicalMDS
from relrbf.tendency import ivat, vat
from study.claims.accuracy import ACCURACIES
from study.data import ORIGINAL, PART_SHARES, Array, DataSet, check_choice, loaded, relate
from study.design import Cell, Design
from study.evidence import COMPARED, SCALINGS, cell_of, kept, repetitions
from study.figures.panels import (
    draw_both_networks,
    draw_confusion,
    draw_deviations,
    draw_scatter,
    draw_tendency,
    footer,
    grid,
    name_columns,
    name_row,
    short,
    tilt_names,
    unlabel,
)
from study.measure import input_of
from study.models import graph
from study.results import OK, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COMPARED_VARIANTS = {variant: SCALINGS.get(variant, variant) for variant in COMPARED}
COMPARED_MODELS = "medoid", "graph"
COMPARED_COLUMNS = (
    "VAT",
    "iVAT",
    "deviation,\nmedoids",
    "deviation,\nrelational prototypes",
    "confusion,\ntraining",
    "confusion,\ntest",
    "confusion,\nvalidation",
)
COMPARED_GAPS = (0.45, 0.08, 0.45, 0.12, 0.88, 0.1, 0.1)
COMPARED_ROW_GAP, COMPARED_HEADING = 0.25, 15
COMPARED_LEGEND = (
    "over histograms: mean ± spread of all deviations, and the number of wild runs, whose spread "
    "is above 1;\nover confusion matrices, in % of the true class: accuracy, mean ± standard "
    "deviation over repetitions."
)


def compare(rows: Sequence[Row], name: str, design: Design, note: str) -> "Figure | None":
    """Draw a row of panels for each relation; None where nothing was run on any of them."""
    shown = [row for row in rows if row["data"] == name and _is_shown(row)]
    fine = [row for row in shown if row["status"] == OK]
    if not fine:
        return None
    data = cell_of(fine[0], design).data
    figure, axes = grid(len(COMPARED_VARIANTS), COMPARED_GAPS, COMPARED_ROW_GAP)
    for letter, variant, line in zip("abc", COMPARED_VARIANTS, axes, strict=True):
        _draw_variant(line, fine, data, variant)
        name_row(line[0], letter, COMPARED_VARIANTS[variant])
    for upper, lower in pairwise(axes):
        unlabel([ax for ax, below in zip(upper, lower, strict=True) if below.axison], x=True)
    name_columns(axes[0], COMPARED_COLUMNS, COMPARED_HEADING)
    footer(figure, f"{note}, {repetitions(shown)}; {COMPARED_LEGEND}")
    return figure


def _is_shown(row: Row) -> bool:
    return row["variant"] in COMPARED_VARIANTS and row["model"] in COMPARED_MODELS


def _draw_variant(line: "list[Axes]", rows: Sequence[Row], data: DataSet, variant: str) -> None:
    D = in_units_of_the_original(data, variant)
    draw_tendency(line[0], vat(D).image)
    draw_tendency(line[1], ivat(D).image)
    line[3].sharey(line[2])  # else medoids would look as good
    medoid, graph = (kept(rows, data.name, variant, model) for model in COMPARED_MODELS)
    draw_deviations(line[2], medoid)
    draw_deviations(line[3], graph)
    classes = short(loaded(data).classes)
    for ax, part in zip(line[4:], PART_SHARES, strict=True):
        draw_confusion(ax, graph, part, classes)
        tilt_names(ax)
    unlabel(line[5:], y=True)
    if medoid:
        unlabel(line[3:4], y=True)


def in_units_of_the_original(data: DataSet, variant: str) -> Array:
    """Return a variant's D; squared, if it stands beside an original that is squared."""
    original = loaded(data)
    related = relate(data, variant, np.arange(len(original.D)), 0)
    D: Array = related.D ** (related.exponent / original.exponent)
    return D


CAPTION_3_1 = (
    "HG-194, 194 gene products of three families: the relation (a) as it is, (b) after classical "
    "and (c) after proximal multidimensional scaling, as squared dissimilarities, dark where "
    "alike. A deviation is a response less the desired one, over all objects, outputs and "
    "repetitions; what lies beyond ±1.5 is in the last bins. The 194 rows of this relation hold "
    "only 30 distinct ones, and a random split puts a duplicate of nearly every test object into "
    "training. The paper reports hardly any errors in (a), and accuracies lower by 10 to 14 % in "
    "(b) and by 44 to 48 % in (c)."
)
CAPTION_3_1_GENES = (
    "As figure 3.1, with the same relations, but split by whole genes: no gene, and no duplicate "
    "row, is in two parts. The paper has no such split. There are few genes, so the parts "
    "are of uneven size from one repetition to the next."
)
SPLIT_NOTES = {
    "HG-194": "HG-194, split at random",
    "HG-194-genes": "HG-194, split by whole genes",
}


def figure_3_1(
    rows: Sequence[Row], data: str = "HG-194", design: Design | None = None
) -> "Figure | None":
    """Draw figure 3.1 from the rows of a study, or of HG-194-genes; None where none has run.

    Rows that failed are left out; the design is the one that gave the rows, by default the paper's.
    """
    check_choice("data", data, SPLIT_NOTES)
    return compare(rows, data, design or Design(), SPLIT_NOTES[data])


CAPTION_3_2 = (
    "PC-102, 102 prostate samples: the relation (a) as it is, (b) after classical and (c) after "
    "proximal multidimensional scaling; panels as in figure 3.1. The paper does not say enough of "
    "its relation to rebuild it; this is the common-source relation of the 5,966 genes that vary. "
    "Read as squared distances it is Euclidean already, so that both scalings leave it as it is: "
    "the relations, splits and first networks in (a), (b) and (c) are the same, and only rounding "
    "can tell them apart. The paper reports about one error per test part in (a), and accuracies "
    "lower by 6 to 20 % in (b) and by 36 to 40 % in (c), which cannot be so on this relation."
)


def figure_3_2(rows: Sequence[Row], design: Design | None = None) -> "Figure | None":
    """Draw figure 3.2 from the rows of a study; None where none of PC-102 has run."""
    return compare(rows, "PC-102", design or Design(), "PC-102, split at random")


CAPTION_A_1 = (
    "(a) BC-569, (b) USC-435 and (c) HD-303: distances, dark where alike, and the first two "
    "principal components. A network on distances and its equivalent on vectors start alike and "
    "learn from the same parts; the inset has the responses of both to all objects in one "
    "repetition, and over it stands their largest difference, in the median and in the worst of "
    "all repetitions. Both follow the same path up to rounding, which may grow on the way; one "
    "histogram and one set of confusion matrices serve both. Below our accuracies are those of "
    "the paper's appendix A.2; its 93.35 % for the validation part of HD-303 is probably a slip "
    "for 83.35 %."
)
LETTERS = dict(zip(ACCURACIES, "abc", strict=True))
DUALITY_COLUMNS = (
    "VAT",
    "iVAT",
    "principal\ncomponents",
    "deviation; graph\nagainst vector",
    "confusion,\ntraining",
    "confusion,\ntest",
    "confusion,\nvalidation",
)
DUALITY_GAPS = (0.45, 0.08, 0.15, 0.48, 0.8, 0.1, 0.1)
DUALITY_ROW_GAP, DUALITY_HEADING = 0.62, 22
DUALITY_LEGEND = (
    "over histograms: mean ± spread of all deviations, and the largest difference between the "
    "responses of the two networks in the median and in the worst repetition;\nover confusion "
    "matrices, in % of the true class: accuracy, mean ± standard deviation over repetitions, ours "
    "and the paper's."
)


def figure_a_1(rows: Sequence[Row], design: Design | None = None) -> "Figure | None":
    """Draw figure A.1 from the rows of a study; one repetition of each set is trained again.

    There is a row of panels for each data set that has run; None where none has.
    """
    run = [row for row in rows if (row["variant"], row["model"]) == (ORIGINAL, "graph")]
    ready = {row["data"] for row in run if row["status"] == OK}
    names = [name for name in ACCURACIES if name in ready]
    if not names:
        return None
    figure, axes = grid(len(names), DUALITY_GAPS, DUALITY_ROW_GAP)
    for name, line in zip(names, axes, strict=True):
        _draw_data_set(line, kept(run, name, ORIGINAL, "graph"), design or Design())
        name_row(line[0], LETTERS[name], name)
    name_columns(axes[0], DUALITY_COLUMNS, DUALITY_HEADING)
    runs = repetitions([row for row in run if row["data"] in names])
    footer(figure, f"{runs}; {DUALITY_LEGEND}")
    return figure


@lru_cache(maxsize=8)
def responses_of_both(cell: Cell) -> tuple[Array, Array]:
    """Train a cell's two networks again, as the study did; return their responses (n × g)."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the study has caught them
        relational, vector = (np.asarray(found.responses) for found in graph(input_of(cell)))
    return relational, vector


def _first_cell(rows: list[Row], design: Design) -> Cell:
    """Return the first repetition, to be trained again; refuse one that would come out another."""
    first = min(rows, key=lambda row: row["repetition"])
    cell = cell_of(first, design)
    if cell.seed != first["seed"]:
        raise ValueError(
            f"{cell.key} has seed {cell.seed} in design and {first['seed']} in rows; pass the "
            "design that gave the rows, or run the study again if it is older than relrbf."
        )
    return cell


def _draw_data_set(line: "list[Axes]", rows: list[Row], design: Design) -> None:
    cell = _first_cell(rows, design)
    related = loaded(cell.data)
    draw_tendency(line[0], vat(related.D).image)
    draw_tendency(line[1], ivat(related.D).image)
    places = ClassicalMDS(n_components=2, exponent=related.exponent).fit_transform(related.D)
    draw_scatter(line[2], places, related.classes[related.y])
    draw_deviations(line[3], rows)
    draw_both_networks(line[3], *responses_of_both(cell), [row["duality_gap"] for row in rows])
    classes, printed = short(related.classes), ACCURACIES[cell.data.name]
    for ax, part, (theirs, spread) in zip(line[4:], PART_SHARES, printed, strict=True):
        beside = f"\npaper {theirs:.2f} ± {spread:.2f}"
        draw_confusion(ax, rows, part, classes, beside)
    unlabel(line[5:], y=True)
