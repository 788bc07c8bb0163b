"""The sheet of an illustration: three columns, a large picture above small ones in each."""

from typing import TYPE_CHECKING, Any

from relrbf.plotting.style import INK, MARKERS
from study.paper.graph import draw_graph, draw_matrix, draw_realisation
from study.paper.objects import Objects
from study.paper.plane import BOUNDARY
from study.paper.signs import FILLS, NORMAL, PARTS, SMALL, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# inches
WIDTH, LARGE, SMALLER, SQUARE = 7.2, 2.2, 0.62, 1.0
HEAD, GAP, FOOT = 0.22, 0.34, 0.2
COLUMN, LEFT = WIDTH / 3, 0.25


def new_sheet(n_small: int) -> "Figure":
    """Return a figure with room for a large picture and some small ones below it."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, HEAD + LARGE + n_small * (SMALLER + GAP) + FOOT))


def column(figure: "Figure", number: int, heading: str, n_small: int) -> list["Axes"]:
    """Return the axes of a column from above: the large one, then the small ones."""
    left, width = number * COLUMN + LEFT, COLUMN - LEFT - 0.06
    large = _axes(figure, left, HEAD, width, LARGE)
    title(large, f"({'abc'[number]}) {heading}", NORMAL)
    tops = [HEAD + LARGE + row * (SMALLER + GAP) + GAP for row in range(n_small)]
    return [large, *(_axes(figure, left, top, width, SMALLER) for top in tops)]


def draw_given(figure: "Figure", objects: Objects, signs: dict[str, Any]) -> None:
    """Draw the first column: graph, adjacency matrix, realisation, and what the signs mean."""
    (graph,) = column(figure, 0, "weighted graph", 0)
    draw_graph(graph, objects)
    top = HEAD + LARGE + GAP
    draw_matrix(_axes(figure, LEFT, top, SQUARE, SQUARE), objects)
    draw_realisation(_axes(figure, LEFT + SQUARE + 0.12, top, SQUARE, SQUARE), objects)
    legend = _axes(figure, LEFT, top + SQUARE + 0.17, COLUMN - LEFT, 0.6)
    legend.set_axis_off()
    _draw_legend(legend, _class_signs(objects) | signs)


def _draw_legend(ax: "Axes", signs: dict[str, Any]) -> None:
    from matplotlib.legend_handler import HandlerTuple

    ax.legend(
        list(signs.values()),
        list(signs),
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.3)},
        loc="upper left",
        bbox_to_anchor=(-0.09, 1),
        ncols=3,
        fontsize=SMALL,
        frameon=False,
        borderpad=0,
        labelspacing=0.3,
        columnspacing=0.6,
        handletextpad=0.4,
        handlelength=1.5,
    )


def corner(figure: "Figure", n_rows: int) -> "Axes":
    """Return axes at the foot of the first column, as high as some small pictures."""
    height = n_rows * SMALLER + (n_rows - 1) * GAP
    top = figure.get_figheight() - FOOT - height
    return _axes(figure, LEFT + 0.1, top, COLUMN - LEFT - 0.16, height)


def part_signs() -> dict[str, Any]:
    """Return what the legend shows for training, test and validation: a bar and a mark."""
    from matplotlib.patches import Patch

    looks: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.4}
    return {
        part: (
            Patch(facecolor=sign["facecolor"], hatch=sign["hatch"], **looks),
            _mark(sign["marker"], 4, sign["facecolor"]),
        )
        for part, sign in PARTS.items()
    }


def network_signs() -> dict[str, Any]:
    """Return what the legend shows for prototypes, supports of kernels and class boundaries."""
    from matplotlib.lines import Line2D

    return {
        **prototype_signs(),
        "90 % support": Line2D([], [], color=INK, linewidth=1, linestyle="--"),
        "boundary": Line2D([], [], color=BOUNDARY, linewidth=1.8),
    }


def prototype_signs() -> dict[str, Any]:
    """Return what the legend shows for misclassified objects and for prototypes."""
    return {"misclassified": _mark("x", 7, "black"), "prototype": _mark("*", 8, "white")}


def _class_signs(objects: Objects) -> dict[str, Any]:
    n_classes = objects.targets.shape[1]
    return {f"class {k + 1}": _mark(MARKERS[k], 5, FILLS[k]) for k in range(n_classes)}


def _mark(marker: str, size: float, fill: str) -> Any:
    from matplotlib.lines import Line2D

    looks: dict[str, Any] = {"markerfacecolor": fill, "markeredgecolor": INK, "linestyle": "none"}
    return Line2D([], [], marker=marker, markersize=size, markeredgewidth=0.7, **looks)


def _axes(figure: "Figure", left: float, top: float, width: float, height: float) -> "Axes":
    """Add axes by inches from the left and from above."""
    across, down = figure.get_size_inches()
    bottom = down - top - height
    return figure.add_axes((left / across, bottom / down, width / across, height / down))
