"""Objects in two dimensions, with the prototypes among them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf._typing import Array
from relrbf.plotting.style import COLOURS, INK, MARKERS, default_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_embedding(
    points: Array, labels: Any, coefficients: Array | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw objects by class and the prototypes that are affine combinations of them.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Positions of the objects, from any linear projection of their vectors.
    labels : sequence of n labels
        Classes.
    coefficients : ndarray of shape (c, n) or None, default=None
        ``model.prototypes_.coefficients``.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes
    """
    ax = default_axes(ax)
    classes, groups = np.unique(np.asarray(labels), return_inverse=True)
    for k, name in enumerate(classes):
        x, y = points[groups == k].T
        colour, marker = COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)]
        ax.plot(x, y, marker, color=colour, ms=4, alpha=0.55, mew=0, label=str(name))
    if coefficients is not None:
        x, y = (coefficients @ points).T
        ax.plot(x, y, "o", ms=9, mfc="none", mec=INK, mew=1.4, label="prototypes")
        ax.plot(x, y, ".", ms=4, color=INK)
    ax.legend(frameon=False, fontsize=9)
    return plain(ax, "Objects and prototypes", "first component", "second component")
