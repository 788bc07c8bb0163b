"""The responses of two networks against each other."""

from typing import TYPE_CHECKING

import numpy as np

from relrbf._typing import Array
from relrbf.plotting.style import COLOURS, INK, default_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_twins(relational: Array, vector: Array, ax: "Axes | None" = None) -> "Axes":
    """Draw each response of the relational network against that of its vector twin.

    Parameters
    ----------
    relational, vector : ndarrays of the same shape
        Responses of the two networks to the same objects.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes
    """
    ax = default_axes(ax)
    ax.axline((0, 0), slope=1, color=INK, linewidth=0.8)
    ax.scatter(np.ravel(vector), np.ravel(relational), s=14, alpha=0.6, color=COLOURS[0])
    gap = np.abs(np.ravel(relational) - np.ravel(vector)).max()
    ax.text(0.04, 0.92, f"largest difference {gap:.1e}", transform=ax.transAxes, fontsize=9)
    return plain(ax, "The same responses", "vector network", "relational network")
