"""The base class of displays, and checks of what is to be drawn."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Display(ABC):
    """Holds what a plot shows; ``plot`` draws it, any number of times.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.
    """

    ax_: "Axes"
    figure_: Any

    @abstractmethod
    def _draw(self, ax: "Axes | None") -> "Axes":
        """Draw, and return the axes."""

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw into the axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        self
        """
        self.ax_ = self._draw(ax)
        self.figure_ = self.ax_.figure
        return self


def check_numbers(name: str, values: Any) -> Array:
    """Return an array of finite numbers."""
    try:
        values = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} holds values that are not numbers ({error}).") from error
    if not np.isfinite(values).all():
        raise OptionError(f"{name} holds NaN or infinite values; leave out those objects.")
    return values


def check_predictions(y_true: Any, y_pred: Any) -> tuple[Array, Array]:
    """Return true and predicted values as columns (m × g)."""
    true, predicted = check_numbers("y_true", y_true), check_numbers("y_pred", y_pred)
    if true.shape != predicted.shape or true.ndim not in (1, 2) or not true.size:
        raise OptionError(
            f"y_true has shape {true.shape} and y_pred {predicted.shape}; give one true and one "
            "predicted value for each object and output."
        )
    return true.reshape(len(true), -1), predicted.reshape(len(true), -1)


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
