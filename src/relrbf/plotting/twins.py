"""The responses of two networks against each other."""

from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf.exceptions import OptionError
from relrbf.plotting.style import COLOURS, INK, MOST_DRAWN, default_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_twins(relational: Any, vector: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw each response of the relational network against that of its vector equivalent.

    Parameters
    ----------
    relational, vector : ndarrays of the same shape
        Responses of the two networks to the same objects.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_twins
    >>> ax = plot_twins([0.5, 1.0], [0.5, 0.75], Figure().subplots())
    >>> ax.texts[0].get_text()
    'largest difference 2.5e-01'
    """
    if np.shape(relational) != np.shape(vector):
        raise OptionError(
            f"relational has shape {np.shape(relational)} and vector {np.shape(vector)}; give "
            "responses to the same objects."
        )
    ax = default_axes(ax)
    ax.axline((0, 0), slope=1, color=INK, linewidth=0.8)
    look: Any = {
        "s": 14,
        "alpha": 0.6,
        "color": COLOURS[0],
        "rasterized": np.size(vector) > MOST_DRAWN,
    }
    ax.scatter(np.ravel(vector), np.ravel(relational), **look)
    gap = np.abs(np.ravel(relational) - np.ravel(vector)).max()
    ax.text(0.04, 0.92, f"largest difference {gap:.1e}", transform=ax.transAxes, fontsize=9)
    return plain(ax, "The same responses", "vector network", "relational network")
