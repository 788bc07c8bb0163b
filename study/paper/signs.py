"""The signs that the illustrations share, chosen so that they survive a black-and-white printer."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf.plotting.style import COLOURS, INK, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL, NORMAL = 6.5, 7.5  # points: inside the pictures, and above them
# of the classes: dark, middle, light and black, whatever the colours
FILLS = ("#7A3F63", COLOURS[1], "#CDE8F8", INK)
# of the parts: the paper's blue, green and red, and full, hatched and dotted as well
PARTS: dict[str, dict[str, Any]] = {
    "training": {"facecolor": COLOURS[0], "hatch": None, "marker": "o"},
    "test": {"facecolor": "#BFE7DC", "hatch": "//////", "marker": "D"},
    "validation": {"facecolor": "#F7D6C2", "hatch": "......", "marker": "X"},
}


def name(number: int) -> str:
    """Return an object's name; the first is o_1."""
    return f"$o_{{{number + 1}}}$"


def title(ax: "Axes", text: str, size: float = SMALL) -> None:
    """Say what a picture shows, above it on the left."""
    ax.set_title(text, loc="left", fontsize=size, color=INK, pad=2.5)


def bare(ax: "Axes") -> None:
    """Take away ticks; keep a thin frame."""
    ax.set_xticks([])
    ax.set_yticks([])
    thin(ax)


def thin(ax: "Axes") -> None:
    """Make frame and ticks thin, and their labels small."""
    for spine in ax.spines.values():
        spine.set_linewidth(0.5)
    ax.tick_params(labelsize=SMALL, width=0.5, length=2, pad=1.5)


def number_objects(ax: "Axes", n_objects: int) -> None:
    """Mark every fifth object, and the first, on a horizontal axis of objects."""
    every = np.array([0, *range(4, n_objects, 5)])
    ax.set_xticks(every, [name(number) for number in every])
    ax.set_xlim(-0.6, n_objects - 0.4)


def class_marks(ax: "Axes", points: Any, y: Iterable[int], size: float) -> None:
    """Draw objects as marks of their classes."""
    labels = np.asarray(y)
    for k in np.unique(labels):
        ax.plot(
            *points[labels == k].T,
            MARKERS[k],
            markersize=size,
            markerfacecolor=FILLS[k],
            markeredgecolor=INK,
            markeredgewidth=0.5,
            linestyle="none",
            zorder=3,
        )
