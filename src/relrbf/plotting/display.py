"""Pictures that remember what they show, as scikit-learn's displays do."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Display(ABC):
    """Holds what a picture shows; ``plot`` draws it, as often as asked.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was last drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
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
