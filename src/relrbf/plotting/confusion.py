"""Which classes are taken for which."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.plotting.display import Display
from relrbf.plotting.predictions import check_estimator
from relrbf.plotting.style import INK, default_axes, plain
from relrbf.plotting.ticks import name_ticks, points_per_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARKEST = 130.0  # per cent that would be black: 100 stays a grey on which white can be read
TEXT_TURNS = 68.0  # per cent from which on numbers are white
MANY = 10  # classes from which on there is no room for a decimal, and a zero says nothing
READABLE = 4.0  # points of the smallest numbers


def plot_confusion(counts: Any, classes: Any = None, ax: "Axes | None" = None) -> "Axes":
    """Draw a confusion matrix: of each true class, the per cent that was taken for each class.

    "0" and "100" mean none and all; "0.0" and "100.0" are rounded. A class without objects has an
    empty row. From ten classes on numbers have no decimals, "<1" is more than none, and cells of
    none are empty.

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
    side = max(4.0, 1.5 + 0.3 * len(names))
    ax = default_axes(ax, figsize=(side + 1, side))
    percent = _percent(counts)
    ax.imshow(percent, cmap="Greys", vmin=0, vmax=DARKEST)
    name_ticks(ax, range(len(names)), names, along="x")
    name_ticks(ax, range(len(names)), names, along="y")
    _write(ax, percent)
    plain(ax, "Confusion, % of the true class", "predicted", "true")
    ax.spines[:].set_visible(True)  # white cells end somewhere
    return ax


@dataclass(eq=False, repr=False)
class ConfusionDisplay(Display):
    """The confusion matrix of a classifier, in per cent of the true classes.

    Parameters
    ----------
    counts : ndarray of shape (g, g)
        How many objects; true classes in rows, predicted ones in columns.
    classes : sequence of g names or None, default=None
        Names of the classes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import ConfusionDisplay
    >>> display = ConfusionDisplay.from_predictions(
    ...     ["cat", "cat", "dog"], ["cat", "dog", "dog"], ax=Figure().subplots()
    ... )
    >>> display.counts.tolist()
    [[1, 1], [0, 1]]
    """

    counts: Any
    classes: Any = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: "Axes | None" = None) -> Self:
        """Draw what a fitted classifier takes objects for.

        Parameters
        ----------
        estimator : classifier
            Fitted.
        X, y
            Objects, as the classifier's ``predict`` takes them, and their classes.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        ConfusionDisplay
        """
        check_estimator(estimator, "classifier")
        # a class that is in y alone is a class all the same
        classes = np.union1d(estimator.classes_, np.asarray(y))
        return cls.from_predictions(y, estimator.predict(X), classes=classes, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, classes: Any = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw which classes were taken for which.

        Parameters
        ----------
        y_true, y_pred : sequences of m labels
            Classes, and what was predicted.
        classes : sequence of g labels or None, default=None
            The classes in the order to show them. None: all that there are, sorted.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        ConfusionDisplay
        """
        from sklearn.metrics import confusion_matrix

        there = np.union1d(np.asarray(y_true), np.asarray(y_pred))
        classes = there if classes is None else np.asarray(classes)
        if not np.isin(there, classes).all():
            raise OptionError(
                f"classes does not name {there[~np.isin(there, classes)].tolist()}, which y_true "
                "or y_pred holds; name every class, or leave those objects out."
            )
        return cls(confusion_matrix(y_true, y_pred, labels=classes), classes).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        return plot_confusion(self.counts, self.classes, ax)


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


def _write(ax: "Axes", percent: Array) -> None:
    """Write the numbers into the cells, as large as these allow; none where it is too small."""
    names = max((len(tick.get_text()) for tick in ax.get_yticklabels()), default=0)
    text = _text if len(percent) < MANY else _short_text
    cell = points_per_unit(ax, "x", 6.0 * names, 6.0 * names)
    size = min(10.0, cell / (3.0 if len(percent) < MANY else 2.0))
    if size < READABLE:
        return
    for (i, j), value in np.ndenumerate(percent):
        colour = "white" if value >= TEXT_TURNS else INK
        ax.text(j, i, text(float(value)), color=colour, ha="center", va="center", fontsize=size)


def _text(percent: float) -> str:
    if np.isnan(percent):
        return ""
    return f"{percent:.0f}" if percent in (0, 100) else f"{percent:.1f}"


def _short_text(percent: float) -> str:
    if np.isnan(percent) or percent == 0:
        return ""
    return "<1" if percent < 1 else f"{np.floor(percent):.0f}"  # 100 means all
