"""Which classes are taken for which."""

from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.plotting.style import INK, default_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARKEST = 130.0  # per cent that would be black: 100 stays a grey on which white can be read
TEXT_TURNS = 68.0  # per cent from which on numbers are white


def plot_confusion(counts: Any, classes: Any = None, ax: "Axes | None" = None) -> "Axes":
    """Draw a confusion matrix: of each true class, the per cent that was taken for each class.

    "0" and "100" mean none and all; "0.0" and "100.0" are rounded. A class without objects has an
    empty row.

    Parameters
    ----------
    counts : array of shape (g, g)
        How many objects, or how many on average; true classes in rows, predicted ones in columns.
    classes : sequence of g names or None, default=None
        Names of the classes; None counts them from 0.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_confusion
    >>> ax = plot_confusion([[8, 2], [0, 5]], ["cat", "dog"], Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['80.0', '20.0', '0', '100']
    """
    counts = _checked(counts)
    names = range(len(counts)) if classes is None else list(classes)
    if len(names) != len(counts):
        raise OptionError(
            f"classes holds {len(names)} names for {len(counts)} classes; give one for each."
        )
    ax = default_axes(ax)
    percent = _percent(counts)
    ax.imshow(percent, cmap="Greys", vmin=0, vmax=DARKEST)
    for (i, j), value in np.ndenumerate(percent):
        colour = "white" if value >= TEXT_TURNS else INK
        ax.text(j, i, _text(float(value)), color=colour, ha="center", va="center")
    ax.set_xticks(range(len(names)), [str(name) for name in names])
    ax.set_yticks(range(len(names)), [str(name) for name in names])
    plain(ax, "Confusion, % of the true class", "predicted", "true")
    ax.spines[:].set_visible(True)  # white cells end somewhere
    return ax


def _checked(counts: Any) -> Array:
    counts = np.asarray(counts, dtype=float)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise OptionError(
            f"counts has shape {counts.shape}; give one row and one column per class."
        )
    if not (counts >= 0).all():
        raise OptionError("counts holds negative or missing values; give numbers of objects.")
    return counts


def _percent(counts: Array) -> Array:
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.full_like(counts, np.nan)
    np.divide(counts, totals, out=shares, where=totals > 0)
    return np.round(100 * shares, 9)  # so that all of them is 100 to the digit


def _text(percent: float) -> str:
    if np.isnan(percent):
        return ""
    return f"{percent:.0f}" if percent in (0, 100) else f"{percent:.1f}"
