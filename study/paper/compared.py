"""One data set, three relations of it: what figures 3.1 and 3.2 have in common."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from relrbf._typing import Array
from relrbf.tendency import ivat, vat
from study.design import Design
from study.measure import OK
from study.paper import averages, layout, panels
from study.paper.names import DRAWN, SCALINGS
from study.sets import DataSet
from study.splits import SHARES
from study.table import Row
from study.variants import loaded, relate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VARIANTS = {variant: SCALINGS.get(variant, variant) for variant in DRAWN}
MODELS = "medoid", "graph"
COLUMNS = (
    "VAT",
    "iVAT",
    "deviation,\nmedoids",
    "deviation,\nrelational prototypes",
    "confusion,\ntraining",
    "confusion,\ntest",
    "confusion,\nvalidation",
)
GAPS = (0.45, 0.08, 0.45, 0.12, 0.88, 0.1, 0.1)
ROW_GAP, ABOVE = 0.25, 15
LEGEND = (
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
    data = averages.cell_of(fine[0], design).data
    figure, axes = layout.grid(len(VARIANTS), GAPS, ROW_GAP)
    for letter, variant, line in zip("abc", VARIANTS, axes, strict=True):
        _draw(line, fine, data, variant)
        layout.name_row(line[0], letter, VARIANTS[variant])
    for upper, lower in pairwise(axes):
        layout.unlabel([ax for ax, below in zip(upper, lower, strict=True) if below.axison], x=True)
    layout.name_columns(axes[0], COLUMNS, ABOVE)
    layout.footer(figure, f"{note}, {averages.repetitions(shown)}; {LEGEND}")
    return figure


def _is_shown(row: Row) -> bool:
    return row["variant"] in VARIANTS and row["model"] in MODELS


def _draw(line: "list[Axes]", rows: Sequence[Row], data: DataSet, variant: str) -> None:
    D = in_units_of_the_original(data, variant)
    panels.draw_tendency(line[0], vat(D).image)
    panels.draw_tendency(line[1], ivat(D).image)
    line[3].sharey(line[2])  # else medoids would look as good
    medoid, graph = (averages.kept(rows, data.name, variant, model) for model in MODELS)
    panels.draw_deviations(line[2], medoid)
    panels.draw_deviations(line[3], graph)
    classes = panels.short(loaded(data).classes)
    for ax, part in zip(line[4:], SHARES, strict=True):
        panels.draw_confusion(ax, graph, part, classes)
        layout.tilt_names(ax)
    layout.unlabel(line[5:], y=True)
    if medoid:
        layout.unlabel(line[3:4], y=True)


def in_units_of_the_original(data: DataSet, variant: str) -> Array:
    """Return a variant's D; squared, if it stands beside an original that is squared."""
    original = loaded(data)
    related = relate(data, variant, np.arange(len(original.D)), 0)
    D: Array = related.D ** (related.exponent / original.exponent)
    return D
