"""How far responses are from what was desired."""

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_classifier

from relrbf._options import check_number
from relrbf.exceptions import OptionError
from relrbf.plotting.display import Display
from relrbf.plotting.predictions import check_estimator, check_values
from relrbf.plotting.style import COLOURS, INK, default_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_deviations(counts: Any, edges: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw a histogram of deviations, as shares of all of them, with a line where there is none.

    Parameters
    ----------
    counts : array of b counts
        How many deviations each bin holds; with ``edges``, what ``numpy.histogram`` returns.
        Histograms over the same bins may be added up first.
    edges : array of b + 1 numbers
        Where the bins begin and end.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_deviations
    >>> responses, desired = np.array([0.9, 0.2, 0.1]), np.array([1, 0, 0])
    >>> counts, edges = np.histogram(responses - desired, bins=31, range=(-1.5, 1.5))
    >>> ax = plot_deviations(counts, edges, Figure().subplots())
    >>> ax.get_ylabel()
    'share, %'
    """
    counts, edges = np.asarray(counts, dtype=float), np.asarray(edges, dtype=float)
    if counts.ndim != 1 or edges.shape != (len(counts) + 1,):
        raise OptionError(
            f"counts has shape {counts.shape} and edges {edges.shape}; give one edge more than "
            "counts, as numpy.histogram does."
        )
    if not counts.sum() > 0:
        raise OptionError("counts adds up to nothing; give how many deviations each bin holds.")
    ax = default_axes(ax)
    ax.stairs(100 * counts / counts.sum(), edges, fill=True, color=COLOURS[0])
    ax.axvline(0, color=INK, linewidth=0.6, linestyle=":")
    return plain(ax, "Deviations", "response less desired response", "share, %")


@dataclass(eq=False, repr=False)
class DeviationsDisplay(Display):
    """A histogram of how far responses are from what was desired.

    Parameters
    ----------
    counts, edges : arrays of b counts and b + 1 numbers
        As in ``plot_deviations``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import DeviationsDisplay
    >>> display = DeviationsDisplay.from_predictions(
    ...     [1.0, 2.0, 4.0], [1.5, 2.0, 3.0], n_bins=3, ax=Figure().subplots()
    ... )
    >>> display.counts.tolist(), display.edges.round(2).tolist()
    ([1, 1, 1], [-1.0, -0.33, 0.33, 1.0])
    """

    counts: Any
    edges: Any

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 31, ax: "Axes | None" = None
    ) -> Self:
        """Draw how far a fitted model is from what is true.

        Parameters
        ----------
        estimator : regressor or classifier
            Fitted. The responses of a classifier are its probabilities; 1 is desired of an
            object's own class and 0 of the others.
        X, y
            Objects, as the model's ``predict`` takes them, and their classes or true values.
        n_bins : int, default=31
            Number of bins, even on both sides of zero.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        DeviationsDisplay
        """
        if is_classifier(estimator):
            check_estimator(estimator, "classifier")
            desired = np.asarray(y)[:, None] == estimator.classes_
            return cls.from_predictions(desired, estimator.predict_proba(X), n_bins=n_bins, ax=ax)
        check_estimator(estimator, "regressor")
        return cls.from_predictions(y, estimator.predict(X), n_bins=n_bins, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, n_bins: int = 31, ax: "Axes | None" = None
    ) -> Self:
        """Draw predicted less true values.

        Parameters
        ----------
        y_true, y_pred : arrays of shape (m,) or (m, g)
            Desired and predicted values.
        n_bins : int, default=31
            Number of bins, even on both sides of zero.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        DeviationsDisplay
        """
        check_number("n_bins", n_bins, Integral, 1)
        true, predicted = check_values(y_true, y_pred)
        deviations = predicted - true
        farthest = float(np.abs(deviations).max()) or 1.0
        return cls(*np.histogram(deviations, n_bins, (-farthest, farthest))).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        return plot_deviations(self.counts, self.edges, ax)
