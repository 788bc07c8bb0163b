"""The dissimilarities as an image."""

from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf._typing import Array
from relrbf.plotting.style import INK, default_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_matrix(dissimilarities: Array, labels: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the matrix with the objects ordered by class; dark means alike.

    Parameters
    ----------
    dissimilarities : ndarray of shape (n, n)
        The relation.
    labels : sequence of n labels
        Classes.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes
    """
    ax = default_axes(ax)
    order = np.argsort(np.asarray(labels), kind="stable")
    ax.imshow(dissimilarities[np.ix_(order, order)], cmap="gray", interpolation="nearest")
    classes, counts = np.unique(np.asarray(labels), return_counts=True)
    ends = np.cumsum(counts)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color="#E69F00", linewidth=1)
        ax.axvline(end - 0.5, color="#E69F00", linewidth=1)
    ax.set_xticks(ends - counts / 2, [str(name) for name in classes], color=INK)
    ax.set_yticks([])
    return plain(ax, "Dissimilarities, ordered by class", "", "objects")
