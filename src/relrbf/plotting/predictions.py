"""What a regressor says beside what is true."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_choice
from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.plotting.display import Display
from relrbf.plotting.style import INK, MOST_DRAWN, default_axes, draw_legend, mark_of, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("actual_vs_predicted", "residual_vs_predicted")  # scikit-learn's names


def plot_predictions(
    y_true: Any, y_pred: Any, ax: "Axes | None" = None, *, kind: str = "actual_vs_predicted"
) -> "Axes":
    """Draw true values, or what is left of them, against predicted ones, with a line for no error.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (m,) or (m, g)
        True and predicted values; each output has a colour and a marker of its own.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
        What stands above the predicted value: the true one, or the true less the predicted one.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_predictions
    >>> ax = plot_predictions([1.0, 2.0, 4.0], [1.5, 2.0, 3.0], Figure().subplots())
    >>> ax.lines[0].get_xydata().tolist()
    [[1.5, 1.0], [2.0, 2.0], [3.0, 4.0]]
    """
    check_choice("kind", kind, KINDS)
    true, predicted = check_values(y_true, y_pred)
    ax = default_axes(ax)
    above = true if kind == KINDS[0] else true - predicted
    look: dict[str, Any] = {"ms": 4, "mew": 0, "alpha": 0.6, "ls": ""}
    look["rasterized"] = len(true) > MOST_DRAWN
    for k in range(true.shape[1]):
        colour, marker = mark_of(k)
        ax.plot(predicted[:, k], above[:, k], marker, color=colour, label=f"output {k}", **look)
    if true.shape[1] > 1:
        draw_legend(ax, list(ax.lines))
    if kind == KINDS[0]:
        ax.axline((predicted[0, 0], predicted[0, 0]), slope=1, color=INK, linewidth=0.8)
        return plain(ax, "Predictions", "predicted", "true")
    ax.axhline(0, color=INK, linewidth=0.8)
    return plain(ax, "Residuals", "predicted", "true less predicted")


@dataclass(eq=False, repr=False)
class PredictionsDisplay(Display):
    """True values against those that a regressor predicts.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (m,) or (m, g)
        True and predicted values.
    kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
        As in ``plot_predictions``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import PredictionsDisplay
    >>> display = PredictionsDisplay.from_predictions([1, 2], [1.5, 2], ax=Figure().subplots())
    >>> display.ax_.get_ylabel()
    'true'
    """

    y_true: Any
    y_pred: Any
    kind: str = KINDS[0]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, kind: str = KINDS[0], ax: "Axes | None" = None
    ) -> Self:
        """Draw what a fitted regressor says of objects.

        Parameters
        ----------
        estimator : regressor
            Fitted.
        X, y
            Objects, as the regressor's ``predict`` takes them, and their true values.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            As in ``plot_predictions``.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        PredictionsDisplay
        """
        check_estimator(estimator, "regressor")
        return cls.from_predictions(y, estimator.predict(X), kind=kind, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, kind: str = KINDS[0], ax: "Axes | None" = None
    ) -> Self:
        """Draw values that were predicted.

        Parameters
        ----------
        y_true, y_pred : arrays of shape (m,) or (m, g)
            True and predicted values.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            As in ``plot_predictions``.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        PredictionsDisplay
        """
        return cls(y_true, y_pred, kind).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        return plot_predictions(self.y_true, self.y_pred, ax, kind=self.kind)


def check_estimator(estimator: Any, kind: str) -> None:
    """Refuse what is no classifier, or no regressor, or has not been fitted."""
    is_kind = is_classifier if kind == "classifier" else is_regressor
    if not hasattr(estimator, "fit") or not is_kind(estimator):
        raise OptionError(
            f"estimator is a {type(estimator).__name__}; this picture needs a fitted {kind}."
        )
    check_is_fitted(estimator)


def check_values(y_true: Any, y_pred: Any) -> tuple[Array, Array]:
    """Return true and predicted values as columns; refuse what does not fit or is missing."""
    true, predicted = check_numbers("y_true", y_true), check_numbers("y_pred", y_pred)
    if true.shape != predicted.shape or true.ndim not in (1, 2) or not true.size:
        raise OptionError(
            f"y_true has shape {true.shape} and y_pred {predicted.shape}; give one true and one "
            "predicted value for each object and output."
        )
    return true.reshape(len(true), -1), predicted.reshape(len(true), -1)


def check_numbers(name: str, values: Any) -> Array:
    """Return an array of finite numbers."""
    try:
        values = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} holds what is no number ({error}).") from error
    if not np.isfinite(values).all():
        raise OptionError(f"{name} holds NaN or infinite values; leave out those objects.")
    return values
