"""The dissimilarities as an image."""

from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf.plotting.style import COLOURS, check_length, classes_of, default_axes, plain
from relrbf.plotting.tendency import MOST_CELLS, cell_means
from relrbf.plotting.ticks import name_ticks
from relrbf.relations.conversion import relation_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_matrix(dissimilarities: Any, labels: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the matrix with the objects ordered by class; dark means alike.

    Matrices of more than 1000 objects are drawn as means over neighbours.

    Parameters
    ----------
    dissimilarities : array, memmap, frame, condensed vector or Relation
        The relation among n objects.
    labels : sequence of n labels
        Classes.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_matrix
    >>> D = [[0, 9, 1], [9, 0, 9], [1, 9, 0]]
    >>> ax = plot_matrix(D, ["a", "b", "a"], Figure().subplots())
    >>> ax.images[0].get_array().astype(int).tolist()
    [[0, 1, 9], [1, 0, 9], [9, 9, 0]]
    """
    relation = relation_of(dissimilarities)
    n = relation.n_objects
    classes, groups = classes_of(check_length("labels", labels, n), n)
    counts = np.bincount(groups)
    side = max(4.0, 1.5 + 0.3 * len(classes))
    ax = default_axes(ax, figsize=(side + 1, side))
    order = np.argsort(groups, kind="stable")
    starts = np.arange(0, n, -(-n // MOST_CELLS))
    cells = cell_means(relation.block(order, order), starts)
    extent = (-0.5, n - 0.5, n - 0.5, -0.5)
    ax.imshow(cells, cmap="gray", interpolation="nearest", extent=extent)
    ends = np.cumsum(counts)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color=COLOURS[1], linewidth=1)
        ax.axvline(end - 0.5, color=COLOURS[1], linewidth=1)
    name_ticks(ax, ends - counts / 2 - 0.5, classes, along="x")
    ax.set_yticks([])
    return plain(ax, "Dissimilarities, ordered by class", "", f"{n:,} objects")
