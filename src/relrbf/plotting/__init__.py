"""Pictures, one file each: take data and an Axes, return the Axes."""

from relrbf.plotting.confusion import plot_confusion
from relrbf.plotting.deviations import plot_deviations
from relrbf.plotting.embedding import plot_embedding
from relrbf.plotting.history import plot_history
from relrbf.plotting.matrix import plot_matrix
from relrbf.plotting.tendency import plot_tendency
from relrbf.plotting.twins import plot_twins

__all__ = [
    "plot_confusion",
    "plot_deviations",
    "plot_embedding",
    "plot_history",
    "plot_matrix",
    "plot_tendency",
    "plot_twins",
]
