"""Panels of figures 3.1, 3.2 and A.1, and where they lie.

Lengths are in inches, text sizes in points, for a picture printed at its own size.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from study.data import Array
from study.evidence import all_deviations, is_wild, mean_accuracy, mean_confusion, mean_deviation
from study.figures.drawing import COLOURS, INK, MARKERS
from study.measure import EDGES
from study.results import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_SIDE = 1.22  # of a panel
TOP, BOTTOM, RIGHT = 0.62, 0.9, 0.1
SMALL_TEXT, PANEL_TEXT = 6.8, 8.0


def grid(n_rows: int, gaps: Sequence[float], row_gap: float) -> "tuple[Figure, list[list[Axes]]]":
    """Return a figure with rows of square panels; ``gaps`` are before each column."""
    from matplotlib.figure import Figure

    width = sum(gaps) + PANEL_SIDE * len(gaps) + RIGHT
    height = TOP + n_rows * PANEL_SIDE + (n_rows - 1) * row_gap + BOTTOM
    figure = Figure(figsize=(width, height))
    lefts = np.cumsum(gaps) + PANEL_SIDE * np.arange(len(gaps))
    floors = height - TOP - PANEL_SIDE - np.arange(n_rows) * (PANEL_SIDE + row_gap)
    size = PANEL_SIDE / width, PANEL_SIDE / height
    rows = [
        [figure.add_axes((left / width, floor / height, *size)) for left in lefts]
        for floor in floors
    ]
    return figure, rows


def name_columns(axes: "Sequence[Axes]", names: Sequence[str], above: float) -> None:
    """Write what the columns show, so many points above the first row."""
    for ax, name in zip(axes, names, strict=True):
        _beside(ax, name, (0.5, 1), (0, above), ha="center", va="bottom", linespacing=1.05)


def name_row(ax: "Axes", letter: str, name: str) -> None:
    """Write the paper's letter, and what the row is of, left of its first panel."""
    _beside(ax, f"({letter})", (0, 1), (-6, 0), ha="right", va="top")
    _beside(ax, name, (0, 0), (-8, 0), ha="right", va="bottom", rotation=90)


def footer(figure: "Figure", text: str) -> None:
    """Write a line or two under all panels."""
    figure.text(0.5, 0.015, text, ha="center", va="bottom", fontsize=SMALL_TEXT, color=INK)


def unlabel(axes: "Sequence[Axes]", *, x: bool = False, y: bool = False) -> None:
    """Take away the labels of an axis that a neighbour already has."""
    for ax in axes:
        if x:
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)
        if y:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)


def tilt_names(ax: "Axes") -> None:
    """Turn the names below a panel, if there are so many that they would overlap."""
    for name in ax.get_xticklabels() if len(ax.get_xticks()) > 2 else ():
        name.set(rotation=30, ha="right", rotation_mode="anchor")


def _beside(
    ax: "Axes", text: str, place: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    """Write outside of a panel, so many points away from a place at its edge."""
    ax.annotate(
        text,
        place,
        offset,
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=PANEL_TEXT,
        color=INK,
        annotation_clip=False,
        **style,
    )


MAX_CELLS, GREYS = 200, 64  # along a side of an image: more is neither seen nor cheap to keep
DARKEST_PERCENT = 130  # would be black: 100 stays a grey on which white can be read
WHITE_TEXT_PERCENT = 68
MINUS = "\N{MINUS SIGN}"


def draw_tendency(ax: "Axes", image: Array) -> None:
    """Draw an image of ``vat`` or ``ivat``; black means alike."""
    from matplotlib import colormaps

    ax.imshow(
        _downsampled(image),
        cmap=colormaps["gray"].resampled(GREYS),
        vmin=0,
        interpolation="nearest",
    )
    ax.set(xticks=[], yticks=[])


def _downsampled(image: Array) -> Array:
    """Return means over square cells, at most MAX_CELLS along a side."""
    starts = np.arange(0, len(image), -(-len(image) // MAX_CELLS))
    sizes = np.diff(starts, append=len(image))
    sums = np.add.reduceat(np.add.reduceat(image, starts, axis=0), starts, axis=1)
    return sums / np.outer(sizes, sizes)


def draw_deviations(ax: "Axes", rows: Sequence[Row]) -> None:
    """Draw the deviations of all repetitions, with their mean and spread above."""
    if not rows:
        return blank(ax, "not run")
    counts = all_deviations(rows)
    ax.stairs(100 * counts / max(counts.sum(), 1), EDGES, fill=True, color=COLOURS[0])
    ax.axvline(0, color=INK, linewidth=0.6, linestyle=":")
    ax.set(xlim=(EDGES[0], EDGES[-1]), xticks=[-1, 0, 1])
    ax.spines[["top", "right"]].set_visible(False)
    ax.locator_params(axis="y", nbins=4)
    tame = [row for row in rows if not is_wild(row)]
    summary = []
    if tame:
        mean, spread = mean_deviation(tame)
        summary.append(f"{signed(mean)} ± {spread:.2f}")
    if len(tame) < len(rows):
        summary.append(f"{len(rows) - len(tame)} wild")
    return _small(ax, ", ".join(summary), "deviation", "responses, %")


def draw_confusion(
    ax: "Axes", rows: Sequence[Row], part: str, classes: Sequence[str], beside: str = ""
) -> None:
    """Draw the mean confusion matrix of a part, with its accuracy above."""
    if not rows:
        return blank(ax, "not run")
    _draw_percentages(ax, mean_confusion(rows, part), classes)
    mean, spread = mean_accuracy(rows, part)
    accuracy = f"{mean:.1f} %" if spread is None else f"{mean:.1f} ± {spread:.1f} %"
    return _small(ax, accuracy + beside, "predicted", "true")


def _draw_percentages(ax: "Axes", counts: Array, classes: Sequence[str]) -> None:
    """Draw the percentage of each true class; "0" and "100" are exact."""
    from sklearn.metrics import ConfusionMatrixDisplay

    # so that all objects of a class are 100 to the digit
    percent = np.round(100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300), 9)
    display = ConfusionMatrixDisplay(percent, display_labels=classes)
    display.plot(ax=ax, cmap="Greys", values_format=".1f", colorbar=False)
    ax.images[0].set_clim(0, DARKEST_PERCENT)
    for text, value in zip(display.text_.ravel(), percent.ravel(), strict=True):
        text.set_text(f"{value:.0f}" if value in (0, 100) else f"{value:.1f}")
        text.set_color("white" if value >= WHITE_TEXT_PERCENT else INK)


def draw_scatter(ax: "Axes", places: Array, labels: np.ndarray) -> None:
    """Draw objects in two dimensions by class, with their names below."""
    for name, marker, colour in zip(np.unique(labels), MARKERS, COLOURS, strict=False):
        points = places[labels == name].T
        ax.plot(*points, marker, color=colour, markersize=2.4, alpha=0.75, label=name)
    ax.set(xticks=[], yticks=[])
    ax.set_aspect("equal", adjustable="datalim")
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=2,
        frameon=False,
        fontsize=SMALL_TEXT,
        markerscale=1.5,
        handletextpad=0,
        columnspacing=0.5,
        borderaxespad=0.2,
    )


def draw_both_networks(ax: "Axes", relational: Array, vector: Array, gaps: Sequence[float]) -> None:
    """Draw two networks' responses in a corner of their deviations, and their differences above.

    ``gaps`` are the largest differences, one for each repetition.
    """
    ax.set_ylim(top=1.35 * ax.get_ylim()[1])
    inset = ax.inset_axes((0.63, 0.58, 0.36, 0.36))
    inset.axline((0, 0), slope=1, color=INK, linewidth=0.5)
    inset.plot(np.ravel(vector), np.ravel(relational), ".", color=COLOURS[5], markersize=2)
    inset.set(xticks=[], yticks=[])
    inset.set_xlabel("vector", fontsize=SMALL_TEXT, labelpad=1)
    inset.set_ylabel("graph", fontsize=SMALL_TEXT, labelpad=1)
    apart = f"median {np.median(gaps):.0e}, worst {max(gaps):.0e}"
    _small(ax, f"{ax.get_title()}\n{apart}", "deviation", "responses, %")


def blank(ax: "Axes", note: str) -> None:
    """Write why a panel is empty."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, note, transform=ax.transAxes, ha="center", va="center", fontsize=SMALL_TEXT)


def signed(value: float) -> str:
    """Return three decimals, with a true minus and no negative zero."""
    return f"{round(value, 3) + 0.0:.3f}".replace("-", MINUS)


def short(classes: Iterable[object]) -> list[str]:
    """Return the first word of each class's name, if these differ: panels are small."""
    names = [str(name) for name in classes]
    words = [name.split("_")[0] for name in names]
    return words if len(set(words)) == len(names) else names


def _small(ax: "Axes", title: str, xlabel: str, ylabel: str) -> None:
    """Set title and labels in sizes that fit a panel."""
    ax.set_title("", loc="left")
    ax.set_title(title, fontsize=SMALL_TEXT, color=INK, pad=3, linespacing=1.1)
    ax.set_xlabel(xlabel, fontsize=SMALL_TEXT, labelpad=1.5)
    ax.set_ylabel(ylabel, fontsize=SMALL_TEXT, labelpad=3)
    ax.tick_params(labelsize=SMALL_TEXT, length=2, pad=1.5)
    for text in ax.texts:
        text.set_fontsize(SMALL_TEXT)
