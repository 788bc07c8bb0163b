"""Colours that colour-blind readers can tell apart (Okabe & Ito 2008), and plain axes.

The last colour is a dark grey. Okabe and Ito's is black, which is the ink here; a middle grey is
hard to tell from the pink for a reader without green cones.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from relrbf._typing import Indices
from relrbf.exceptions import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#444444")
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*")
INK, PALE = "#222222", "#BBBBBB"
POSITIVE, NEGATIVE = COLOURS[0], COLOURS[5]
SEQUENTIAL = "cividis"  # even steps, for every kind of colour vision
MOST_DRAWN = 2000  # marks of a vector picture; more are drawn as pixels
MOST_NAMED, MOST_LINES = 24, 16  # classes in a legend, and in one of its columns
FEW = 6  # lines of a legend that have their place in the axes
LONGEST = 24  # characters of a name
USUAL_SIZE = (5.0, 4.0)  # inches


def default_axes(
    ax: "Axes | None",
    layout: Literal["constrained", "compressed"] = "constrained",
    figsize: tuple[float, float] = USUAL_SIZE,
) -> "Axes":
    """Return the axes, or new ones."""
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib, which is not installed: pip install 'relrbf[plot]'."
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


def plain(ax: "Axes", title: str, xlabel: str, ylabel: str) -> "Axes":
    """Label the axes and take away what is not data."""
    ax.set_title(title, loc="left", fontsize=11, color=INK)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def mark_of(k: int) -> tuple[str, str]:
    """Return the colour and the marker of the k-th class: 64 pairs before one comes again."""
    n = len(COLOURS)
    return COLOURS[k % n], MARKERS[(k + k // n) % n]


def shortened(name: Any, longest: int = LONGEST) -> str:
    """Return a name that fits: its beginning and its end, for many differ only there."""
    text = str(name)
    n_last = longest // 3
    return text if len(text) <= longest else f"{text[: longest - n_last - 1]}…{text[-n_last:]}"


def check_length(name: str, values: Any, n_objects: int) -> np.ndarray:
    """Return one value for each object, or say how many came."""
    values = np.asarray(values)
    if values.shape != (n_objects,):
        raise OptionError(
            f"{name} has shape {values.shape} for {n_objects} objects; give one for every object."
        )
    return values


def classes_of(labels: Any, n_objects: int) -> tuple[np.ndarray, Indices]:
    """Return the classes and the class of each object; of no labels, no classes."""
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


def draw_legend(ax: "Axes", handles: list[Any], *, title: str | None = None) -> None:
    """Name what is drawn: in the axes where it is little, otherwise beside them."""
    from matplotlib.lines import Line2D

    n_more = len(handles) - MOST_NAMED
    if n_more > 0:
        handles = [*handles[:MOST_NAMED], Line2D([], [], ls="", label=f"and {n_more} more")]
    is_beside = title is not None or len(handles) > FEW
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1, 1.02)} if is_beside else {}
    ax.legend(
        handles=handles,
        labels=[shortened(handle.get_label()) for handle in handles],
        title=title,
        ncols=1 + len(handles) // MOST_LINES,
        framealpha=0.7,  # marks below show, and names can be read all the same
        edgecolor="none",
        fontsize="small",
        title_fontsize="small",
        alignment="left",
        **place,
    )


def with_legend(names: Any, *, beside: bool = False) -> tuple[float, float]:
    """Return the size of a figure in which a legend of these names has its place."""
    texts = [shortened(name) for name in names]
    if not texts or (len(texts) <= FEW and not beside):
        return USUAL_SIZE
    n_columns = 1 + min(len(texts), MOST_NAMED) // MOST_LINES
    column = 0.5 + 0.08 * max(map(len, texts))
    return USUAL_SIZE[0] + n_columns * column, USUAL_SIZE[1]
