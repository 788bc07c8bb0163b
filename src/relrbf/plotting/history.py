"""How training went."""

from typing import TYPE_CHECKING

from relrbf.plotting.style import COLOURS, default_axes, plain
from relrbf.training import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_history(history: History, ax: "Axes | None" = None) -> "Axes":
    """Draw the objective over the epochs.

    Parameters
    ----------
    history : History
        ``model.history_``.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes
    """
    ax = default_axes(ax)
    ax.plot(history.objective, color=COLOURS[0])
    ax.grid(axis="y", alpha=0.3)
    return plain(ax, "Training", "epoch", "objective")
