"""What all plots share: colours, axes, legends, tick labels, displays, and checks of their data.

The colours are those of Okabe & Ito (2008), which colour-blind readers can tell apart. The last is
a dark grey: their black is the ink here, and a middle grey is hard to tell from the pink for
readers without green cones.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#444444")
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*")
INK, PALE = "#222222", "#BBBBBB"
POSITIVE, NEGATIVE = COLOURS[0], COLOURS[5]
SEQUENTIAL = "cividis"  # perceptually uniform, also for colour-blind readers
MAX_VECTOR_MARKS = 2000  # more are rasterized
MAX_LEGEND_ENTRIES, MAX_LEGEND_ROWS = 24, 16
MAX_INSIDE_LEGEND = 6  # entries of a legend drawn inside the axes
MAX_NAME_LENGTH = 24  # characters
FIGURE_SIZE = (5.0, 4.0)  # inches
MIN_FONT, MAX_FONT = 6.0, 10.0  # points, of tick labels
LETTER_WIDTH, LINE_HEIGHT, SLANTED_HEIGHT = 0.62, 1.25, 2.3  # relative to the font size
LEGEND: dict[str, Any] = {"framealpha": 0.7, "edgecolor": "none", "alignment": "left"}
LEGEND |= {"fontsize": "small", "title_fontsize": "small"}
SLANTED = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}


def default_axes(
    ax: "Axes | None",
    layout: Literal["constrained", "compressed"] = "constrained",
    figsize: tuple[float, float] = FIGURE_SIZE,
) -> "Axes":
    """Return the axes, or new ones."""
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError(
            "Plots need matplotlib, which is not installed: pip install 'relrbf[plot]'."
        ) from error
    if ax is None:
        from matplotlib import pyplot as plt

        return plt.subplots(figsize=figsize, layout=layout)[1]
    if not isinstance(ax, Axes):
        raise OptionError(
            f"ax is a {type(ax).__name__}; pass one matplotlib Axes, such as figure.subplots() "
            "returns, or None for a new figure."
        )
    return ax


def label_axes(ax: "Axes", title: str, xlabel: str, ylabel: str) -> "Axes":
    """Label the axes and remove the top and right spines."""
    ax.set_title(title, loc="left", fontsize=11, color=INK)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def colour_and_marker(k: int) -> tuple[str, str]:
    """Return the colour and the marker of the k-th class: 64 distinct pairs."""
    n = len(COLOURS)
    return COLOURS[k % n], MARKERS[(k + k // n) % n]


def shorten(name: Any) -> str:
    """Return a name of limited length that keeps its beginning and its end, and is no formula."""
    text, n_last = printable(str(name)).replace(r"\$", "$"), MAX_NAME_LENGTH // 3
    if len(text) > MAX_NAME_LENGTH:
        text = f"{text[: MAX_NAME_LENGTH - n_last - 1]}…{text[-n_last:]}"
    return text.replace("$", r"\$")


def draw_legend(ax: "Axes", handles: list[Any], *, title: str | None = None) -> None:
    """Draw a legend: inside the axes if it is small, otherwise beside them."""
    from matplotlib.lines import Line2D

    n_more = len(handles) - MAX_LEGEND_ENTRIES
    if n_more > 0:
        more = Line2D([], [], ls="", label=f"and {n_more} more")
        handles = [*handles[:MAX_LEGEND_ENTRIES], more]
    place: dict[str, Any] = {}
    if title is not None or len(handles) > MAX_INSIDE_LEGEND:
        place = {"loc": "upper left", "bbox_to_anchor": (1, 1.02)}
    place["ncols"] = 1 + len(handles) // MAX_LEGEND_ROWS
    labels = [shorten(handle.get_label()) for handle in handles]
    ax.legend(handles=handles, labels=labels, title=title, **place, **LEGEND)


def size_with_legend(names: Any, *, beside: bool = False) -> tuple[float, float]:
    """Return the figure size that leaves space for a legend of these names."""
    widths = [len(shorten(name)) for name in names]
    if not widths or (len(widths) <= MAX_INSIDE_LEGEND and not beside):
        return FIGURE_SIZE
    n_columns = 1 + min(len(widths), MAX_LEGEND_ENTRIES) // MAX_LEGEND_ROWS
    return FIGURE_SIZE[0] + n_columns * (0.5 + 0.08 * max(widths)), FIGURE_SIZE[1]


def size_for_classes(n_classes: int) -> tuple[float, float]:
    """Return the figure size of a square image with a tick label for each class."""
    side = max(4.0, 1.5 + 0.3 * n_classes)
    return side + 1, side


def name_ticks(ax: "Axes", positions: Any, names: Any, *, along: str) -> None:
    """Label ticks without overlap: slanted, upright, in a smaller font, or only some of them."""
    positions, texts = np.asarray(positions, dtype=float), [shorten(name) for name in names]
    longest = LETTER_WIDTH * MAX_FONT * max(map(len, texts), default=0)
    nearest = float(np.diff(np.sort(positions)).min()) if len(positions) > 1 else np.inf
    set_ticks = ax.set_xticks if along == "x" else ax.set_yticks
    if along == "x" and longest <= nearest * points_per_unit(ax, along, longest, MAX_FONT):
        set_ticks(positions, texts, fontsize=MAX_FONT, color=INK)
        return
    scale = points_per_unit(ax, along, longest, longest)
    size = float(np.clip(nearest * scale / LINE_HEIGHT, MIN_FONT, MAX_FONT))
    rotation: dict[str, Any] = {}
    if along == "x":
        is_wide = nearest * scale >= SLANTED_HEIGHT * MAX_FONT
        rotation = SLANTED if is_wide else {"rotation": 90}
    kept = spaced(positions * scale, size * LINE_HEIGHT)
    set_ticks(positions[kept], [texts[i] for i in kept], fontsize=size, color=INK, **rotation)


def points_per_unit(ax: "Axes", along: str, beside: float, below: float) -> float:
    """Return the points of one unit of data; tick labels leave at least a third of the axes."""
    box, per_pixel = ax.get_window_extent(), 72 / ax.figure.dpi
    width, height = box.width * per_pixel, box.height * per_pixel
    sides = {"x": max(width - beside, width / 3), "y": max(height - below, height / 3)}
    limits = ax.get_xlim() if along == "x" else ax.get_ylim()
    # images become squares when they are drawn
    side = sides[along] if ax.get_aspect() == "auto" else min(sides.values())
    return float(side / abs(limits[1] - limits[0]))


def spaced(positions: Array, least: float) -> list[int]:
    """Return which positions to keep, from the first on, for all to be this far apart."""
    kept: list[int] = []
    for i in np.argsort(positions):
        if not kept or positions[i] - positions[kept[-1]] >= least:
            kept.append(int(i))
    return kept


class Display(ABC):
    """Holds what a plot shows; ``ax_`` and ``figure_`` are where it was last drawn."""

    ax_: "Axes"
    figure_: Any

    @abstractmethod
    def _draw(self, ax: "Axes | None") -> "Axes":
        """Draw, and return the axes."""

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw into the axes, or into a new figure; return the display."""
        self.ax_ = self._draw(ax)
        self.figure_ = self.ax_.figure
        return self


def check_numbers(name: str, values: Any) -> Array:
    """Return an array of finite numbers."""
    try:
        values = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} holds values that are not numbers ({error!s:.200}).") from error
    if not np.isfinite(values).all():
        raise OptionError(f"{name} holds NaN or infinite values; leave out those objects.")
    return values


def check_length(name: str, values: Any, n_objects: int) -> np.ndarray:
    """Return an array of one value per object."""
    values = np.asarray(values)
    if values.shape != (n_objects,):
        raise OptionError(
            f"{name} has shape {values.shape} for {n_objects} objects; give one value for each "
            "object, in the order of D."
        )
    return values


def encode_labels(labels: Any, n_objects: int) -> tuple[np.ndarray, Indices]:
    """Return the classes, and the class of each object by position; without labels, none."""
    if labels is None:
        return np.empty(0, dtype=object), np.empty(0, dtype=np.intp)
    labels = check_length("labels", labels, n_objects)
    try:
        return np.unique(labels, return_inverse=True)
    except TypeError as error:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise OptionError(
            f"labels holds labels that cannot be ordered ({kinds}); use labels of one type."
        ) from error
