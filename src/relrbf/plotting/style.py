"""Colours that colour-blind readers can tell apart (Okabe & Ito 2008), and plain axes."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*")
INK = "#222222"


def default_axes(
    ax: "Axes | None", layout: Literal["constrained", "compressed"] = "constrained"
) -> "Axes":
    """Return the axes, or new ones."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(5, 4), layout=layout)[1]


def plain(ax: "Axes", title: str, xlabel: str, ylabel: str) -> "Axes":
    """Label the axes and take away what is not data."""
    ax.set_title(title, loc="left", fontsize=11, color=INK)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
