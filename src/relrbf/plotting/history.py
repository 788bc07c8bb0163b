"""The course of training."""

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from relrbf.exceptions import OptionError
from relrbf.plotting.style import COLOURS, INK, default_axes, draw_legend, label_axes
from relrbf.training import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROWTH_COLOUR = COLOURS[2]


def plot_history(history: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the objective and, if there is one, the validation error over the epochs.

    Markers show where prototypes were added and which state was kept; if the number of prototypes
    changes, an axis on the right counts them.

    Parameters
    ----------
    history : History or fitted network
        ``model.history_``, or the model.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_history
    >>> from relrbf.training import History
    >>> history = History(objective=[4.0, 2.0, 1.5], n_prototypes=[2, 2, 3], grown=[(1, 7)])
    >>> ax = plot_history(history, Figure().subplots())
    >>> [line.get_label() for line in ax.lines]
    ['training', 'prototype added']
    """
    history = _check_history(history)
    ax = default_axes(ax)
    ax.plot(history.objective, color=COLOURS[0], label="training")
    _draw_growth(history, ax)
    if history.validation_error:
        _draw_validation(history, ax)
    if len(ax.lines) > 1:
        draw_legend(ax, list(ax.lines))
    ax.grid(axis="y", alpha=0.3)
    ax.locator_params(axis="x", integer=True)
    return label_axes(ax, "Training", "epoch", "objective")


def _check_history(history: Any) -> History:
    if hasattr(history, "fit"):
        check_is_fitted(history)
    history = getattr(history, "history_", history)
    if not isinstance(history, History):
        raise OptionError(
            f"history is a {type(history).__name__}; pass a fitted network, or its history_."
        )
    if not len(history):
        raise OptionError("history has no epochs; there is nothing to draw.")
    return history


def _draw_validation(history: History, ax: "Axes") -> None:
    errors, best = history.validation_error, history.best_epoch
    ax.plot(errors, color=COLOURS[1], linestyle="--", label="validation")
    ax.plot(best, errors[best], "o", color=INK, fillstyle="none", label="state kept")
    if min(min(errors), min(history.objective)) > 0:
        ax.set_yscale("log")  # a random initial state may be a hundred times worse than the last


def _draw_growth(history: History, ax: "Axes") -> None:
    epochs = [epoch for epoch, _ in history.grown]
    if epochs:
        heights = [history.objective[epoch] for epoch in epochs]
        ax.plot(epochs, heights, "^", color=COLOURS[0], markersize=5, label="prototype added")
    if len(set(history.n_prototypes)) > 1:
        right = ax.twinx()
        right.step(
            range(len(history)), history.n_prototypes, where="post", color=GROWTH_COLOUR, lw=1
        )
        right.set_ylabel("prototypes", color=GROWTH_COLOUR)
        right.set_ylim(0, 1.6 * max(history.n_prototypes))  # below the legend
        right.locator_params(axis="y", integer=True)
        right.spines[["top", "left"]].set_visible(False)
