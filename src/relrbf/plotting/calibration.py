"""Whether probabilities are what they say."""

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from relrbf._options import check_number
from relrbf._typing import Array
from relrbf.inspection.triangles import wilson_interval
from relrbf.plotting.display import Display
from relrbf.plotting.predictions import check_estimator
from relrbf.plotting.probabilities import check_probabilities, confidence
from relrbf.plotting.style import COLOURS, INK, PALE, default_axes, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOOR, CEILING = -0.30, -0.13  # where the bars that count objects stand, below the diagram


@dataclass(frozen=True, eq=False)
class Reliability:
    """Probabilities in bins of equal width, and how often they were right; empty bins left out.

    Attributes
    ----------
    starts : ndarray of shape (b,)
        Where each bin begins.
    stated, seen : ndarrays of shape (b,)
        The mean probability in each bin, and the share of its objects for which it came true.
    low, high : ndarrays of shape (b,)
        Wilson's 95 % interval of that share.
    counts : ndarray of shape (b,)
        Objects in each bin.
    """

    starts: Array
    stated: Array
    seen: Array
    low: Array
    high: Array
    counts: np.ndarray

    @property
    def gap(self) -> float:
        """Mean distance of what was stated and what was seen: the expected calibration error."""
        return float(np.average(np.abs(self.stated - self.seen), weights=self.counts))


def reliability(stated: Array, came_true: np.ndarray, n_bins: int) -> Reliability:
    """Sort probabilities (m) into bins and count how often they came true (m, bool)."""
    bins = np.minimum((stated * n_bins).astype(int), n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    filled = counts > 0
    hits = np.bincount(bins, came_true, minlength=n_bins)[filled].astype(int)
    counts, sums = counts[filled], np.bincount(bins, stated, minlength=n_bins)[filled]
    low, high = np.transpose([wilson_interval(*pair) for pair in zip(hits, counts, strict=True)])
    starts = np.flatnonzero(filled) / n_bins
    return Reliability(starts, sums / counts, hits / counts, low, high, counts)


def plot_calibration(
    y_true: Any,
    probabilities: Any,
    classes: Any = None,
    ax: "Axes | None" = None,
    *,
    positive: Any = None,
    n_bins: int = 10,
) -> "Axes":
    """Draw a reliability diagram: how often what was predicted with some probability came true.

    Points on the diagonal are probabilities that mean what they say; above it they are too low,
    below it too high. Bars show Wilson's 95 % interval, and numbers below the diagram how many
    objects a point stands for. The gap in the title is the mean distance from the diagonal, over
    objects (the expected calibration error).

    Parameters
    ----------
    y_true : sequence of m labels
        Classes.
    probabilities : array of shape (m, g), or (m,) for two classes
        Probabilities of the classes; of two, that of the second is enough.
    classes : sequence of g labels or None, default=None
        Classes in the order of the columns. None: those of ``y_true``, sorted.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    positive : label or None, default=None
        The class whose probability is looked at, against all others. None: that of whichever
        class is most probable, so for g classes nothing is below 1 / g.
    n_bins : int, default=10
        Bins of equal width between 0 and 1; those without objects are not drawn.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_calibration
    >>> y, p = ["a", "a", "b", "b"], [0.1, 0.4, 0.4, 0.9]
    >>> ax = plot_calibration(y, p, ax=Figure().subplots(), positive="b")
    >>> ax.get_title(loc="left")
    'Calibration of b, mean gap 0.10'
    """
    check_number("n_bins", n_bins, Integral, 1)
    labels, p, classes = check_probabilities(y_true, probabilities, classes, positive)
    found = reliability(*confidence(labels, p, classes, positive), n_bins)
    ax = default_axes(ax)
    _draw_counts(ax, found, 1 / n_bins)
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.8)
    spread = np.abs([found.seen - found.low, found.high - found.seen])
    ax.errorbar(found.stated, found.seen, spread, fmt="o-", color=COLOURS[0], ms=5, lw=1, capsize=2)
    ax.set(xlim=(0, 1), ylim=(FLOOR, 1.04), yticks=np.linspace(0, 1, 6))
    what = "predicted classes" if positive is None else shortened(positive)
    title = f"Calibration of {what}, mean gap {found.gap:.2f}"
    return plain(ax, title, "probability", "share that came true")


def _draw_counts(ax: "Axes", found: Reliability, width: float) -> None:
    """Draw bars below the diagram that say how many objects each point stands for."""
    heights = (CEILING - FLOOR) * found.counts / found.counts.max()
    ax.bar(found.starts, heights, 0.92 * width, FLOOR, align="edge", color=PALE)
    for start, height, count in zip(found.starts, heights, found.counts, strict=True):
        place = start + width / 2, FLOOR + height + 0.01
        ax.text(*place, f"{count:,}", ha="center", va="bottom", fontsize=7, color=INK)
    ax.axhline(0, color=PALE, linewidth=0.8)


@dataclass(eq=False, repr=False)
class CalibrationDisplay(Display):
    """A reliability diagram: how often predictions of some probability came true.

    scikit-learn's display of this name takes two classes; this one takes any number, and shows
    how many objects each point stands for and how far it can be trusted.

    Parameters
    ----------
    y_true : sequence of m labels
        Classes.
    probabilities : array of shape (m, g), or (m,) for two classes
        Probabilities of the classes.
    classes : sequence of g labels or None, default=None
        Classes in the order of the columns.
    positive : label or None, default=None
        The class whose probability is looked at; None: the most probable one.
    n_bins : int, default=10
        Bins of equal width between 0 and 1.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions(
    ...     ["a", "a", "b", "b"], [0.1, 0.4, 0.4, 0.9], ax=Figure().subplots()
    ... )
    >>> display.reliability.counts.tolist()
    [2, 2]
    """

    y_true: Any
    probabilities: Any
    classes: Any = None
    positive: Any = None
    n_bins: int = 10

    @property
    def reliability(self) -> Reliability:
        """What is drawn, in numbers."""
        given = self.y_true, self.probabilities, self.classes, self.positive
        return reliability(*confidence(*check_probabilities(*given), self.positive), self.n_bins)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        positive: Any = None,
        n_bins: int = 10,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw how far the probabilities of a fitted classifier can be taken at their word.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_proba``.
        X, y
            Objects that it was not fitted to, as ``predict_proba`` takes them, and their classes.
        positive, n_bins, ax
            As in ``plot_calibration``.

        Returns
        -------
        CalibrationDisplay
        """
        check_estimator(estimator, "classifier")
        classes = estimator.classes_
        return cls(y, estimator.predict_proba(X), classes, positive, n_bins).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        probabilities: Any,
        *,
        classes: Any = None,
        positive: Any = None,
        n_bins: int = 10,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw how far probabilities can be taken at their word.

        Parameters
        ----------
        y_true, probabilities, classes, positive, n_bins, ax
            As in ``plot_calibration``.

        Returns
        -------
        CalibrationDisplay
        """
        return cls(y_true, probabilities, classes, positive, n_bins).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        given = self.y_true, self.probabilities, self.classes, ax
        return plot_calibration(*given, positive=self.positive, n_bins=self.n_bins)
