"""Figure A.1: where vectors exist, the network on dissimilarities is the network on vectors."""

import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from relrbf._typing import Array
from relrbf.embeddings import ClassicalMDS
from relrbf.exceptions import OptionError
from relrbf.tendency import ivat, vat
from study.design import Cell, Design
from study.measure import OK, task_of
from study.models import graph
from study.paper import averages, layout, panels
from study.paper.accuracies import ACCURACIES
from study.sets import ORIGINAL
from study.splits import SHARES
from study.table import Row
from study.variants import loaded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CAPTION = (
    "(a) BC-569, (b) USC-435 and (c) HD-303: distances, dark where alike, and the first two "
    "principal components. A network on distances and its twin on vectors start alike and learn "
    "from the same parts; the inset has the responses of both to all objects in one repetition, "
    "and over it stands their largest difference, in the median and in the worst of all "
    "repetitions. Both follow the same path up to rounding, which may grow on the way; one "
    "histogram and one set of confusion matrices serve both. Below our accuracies are those of "
    "the paper's appendix A.2; its 93.35 % for the validation part of HD-303 is probably a slip "
    "for 83.35 %."
)
LETTERS = dict(zip(ACCURACIES, "abc", strict=True))
COLUMNS = (
    "VAT",
    "iVAT",
    "principal\ncomponents",
    "deviation; graph\nagainst vector",
    "confusion,\ntraining",
    "confusion,\ntest",
    "confusion,\nvalidation",
)
GAPS = (0.45, 0.08, 0.15, 0.48, 0.8, 0.1, 0.1)
ROW_GAP, ABOVE = 0.62, 22
LEGEND = (
    "over histograms: mean ± spread of all deviations, and the largest difference between the "
    "responses of the twins in the median and in the worst repetition;\nover confusion matrices, "
    "in % of the true class: accuracy, mean ± standard deviation over repetitions, ours and the "
    "paper's."
)


def figure_a_1(rows: Sequence[Row], design: Design | None = None) -> "Figure | None":
    """Draw figure A.1 from the rows of a study; one repetition of each set is trained again.

    Parameters
    ----------
    rows : sequence of dict
        From ``run``, ``load_results`` or ``load_table``. Those that failed are left out.
    design : Design or None, default=None
        The design that gave the rows; None is the paper's study, ``Design()``.

    Returns
    -------
    Figure or None
        With a row for each data set that has been run; None if none has.

    Examples
    --------
    >>> from study import load_results
    >>> from study.paper.figure_a_1 import figure_a_1
    >>> rows = load_results("a-folder-in-which-nothing-was-run")
    >>> figure_a_1(rows) is None
    True
    """
    run = [row for row in rows if (row["variant"], row["model"]) == (ORIGINAL, "graph")]
    ready = {row["data"] for row in run if row["status"] == OK}
    names = [name for name in ACCURACIES if name in ready]
    if not names:
        return None
    figure, axes = layout.grid(len(names), GAPS, ROW_GAP)
    for name, line in zip(names, axes, strict=True):
        _draw(line, averages.kept(run, name, ORIGINAL, "graph"), design or Design())
        layout.name_row(line[0], LETTERS[name], name)
    layout.name_columns(axes[0], COLUMNS, ABOVE)
    said = averages.repetitions([row for row in run if row["data"] in names])
    layout.footer(figure, f"{said}; {LEGEND}")
    return figure


@lru_cache(maxsize=8)
def twin_responses(cell: Cell) -> tuple[Array, Array]:
    """Train a cell's two networks again, as the study did.

    Parameters
    ----------
    cell : Cell
        Of the model "graph", on a data set with vectors.

    Returns
    -------
    tuple of two ndarrays of shape (n, g)
        Responses of the graph network and of the vector network to all objects.
    """
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the study has heard them
        relational, vector = (np.asarray(found.responses) for found in graph(task_of(cell)))
    return relational, vector


def _first_cell(rows: list[Row], design: Design) -> Cell:
    """Return the first repetition, to be trained again; refuse one that would come out another."""
    first = min(rows, key=lambda row: row["repetition"])
    cell = averages.cell_of(first, design)
    if cell.seed != first["seed"]:
        raise OptionError(
            f"{cell.key} has seed {cell.seed} in design and {first['seed']} in rows; pass the "
            "design that gave the rows, or run the study again if it is older than relrbf."
        )
    return cell


def _draw(line: "list[Axes]", rows: list[Row], design: Design) -> None:
    cell = _first_cell(rows, design)
    related = loaded(cell.data)
    panels.draw_tendency(line[0], vat(related.D).image)
    panels.draw_tendency(line[1], ivat(related.D).image)
    places = ClassicalMDS(n_components=2, exponent=related.exponent).fit_transform(related.D)
    panels.draw_objects(line[2], places, related.classes[related.y])
    panels.draw_deviations(line[3], rows)
    panels.draw_twins(line[3], *twin_responses(cell), [row["duality_gap"] for row in rows])
    classes, printed = panels.short(related.classes), ACCURACIES[cell.data.name]
    for ax, part, (theirs, spread) in zip(line[4:], SHARES, printed, strict=True):
        beside = f"\npaper {theirs:.2f} ± {spread:.2f}"
        panels.draw_confusion(ax, rows, part, classes, beside)
    layout.unlabel(line[5:], y=True)
