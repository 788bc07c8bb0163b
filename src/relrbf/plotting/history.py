"""How training went."""

from typing import TYPE_CHECKING

from relrbf.plotting.style import COLOURS, INK, default_axes, plain
from relrbf.training import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_history(history: History, ax: "Axes | None" = None) -> "Axes":
    """Draw the objective over the epochs; where there is a validation part, its error as well.

    Marks show where prototypes were added and which state was kept.

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
    ax.plot(history.objective, color=COLOURS[0], label="training")
    if history.validation_error:
        _draw_validation(history, ax)
    ax.grid(axis="y", alpha=0.3)
    return plain(ax, "Training", "epoch", "objective")


def _draw_validation(history: History, ax: "Axes") -> None:
    errors, best = history.validation_error, history.best_epoch
    ax.plot(errors, color=COLOURS[1], linestyle="--", label="validation")
    epochs = [epoch for epoch, _ in history.grown]
    if epochs:
        heights = [history.objective[epoch] for epoch in epochs]
        ax.plot(epochs, heights, "^", color=COLOURS[0], markersize=5, label="prototype added")
    ax.plot(best, errors[best], "o", color=INK, fillstyle="none", label="state kept")
    ax.set_yscale("log")  # a drawn start is often a hundred times worse than the end
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize="small")
