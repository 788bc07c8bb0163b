"""How far responses are from what was desired."""

from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf.exceptions import OptionError
from relrbf.plotting.style import COLOURS, INK, default_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_deviations(counts: Any, edges: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw a histogram of deviations, as shares of all of them, with a line where there is none.

    Parameters
    ----------
    counts : array of b counts
        How many deviations each bin holds; with ``edges``, what ``numpy.histogram`` returns.
        Histograms over the same bins may be added up first.
    edges : array of b + 1 numbers
        Where the bins begin and end.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_deviations
    >>> responses, desired = np.array([0.9, 0.2, 0.1]), np.array([1, 0, 0])
    >>> counts, edges = np.histogram(responses - desired, bins=31, range=(-1.5, 1.5))
    >>> ax = plot_deviations(counts, edges, Figure().subplots())
    >>> ax.get_ylabel()
    'share, %'
    """
    counts, edges = np.asarray(counts, dtype=float), np.asarray(edges, dtype=float)
    if counts.ndim != 1 or edges.shape != (len(counts) + 1,):
        raise OptionError(
            f"counts has shape {counts.shape} and edges {edges.shape}; give one edge more than "
            "counts, as numpy.histogram does."
        )
    if not counts.sum() > 0:
        raise OptionError("counts adds up to nothing; give how many deviations each bin holds.")
    ax = default_axes(ax)
    ax.stairs(100 * counts / counts.sum(), edges, fill=True, color=COLOURS[0])
    ax.axvline(0, color=INK, linewidth=0.6, linestyle=":")
    return plain(ax, "Deviations", "response less desired response", "share, %")
