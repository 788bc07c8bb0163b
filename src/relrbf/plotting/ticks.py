"""Names along an axis that do not run into each other."""

from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf._typing import Array
from relrbf.plotting.style import INK, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST, SMALLEST = 10.0, 6.0  # points
WIDE, HIGH = 0.62, 1.25  # of the size of letters: what one takes along a line, and what a line does
SLANTED = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
UPRIGHT = {"rotation": 90}
STEEP = 2.3  # of the size of letters: what a slanted line takes along the axis


def name_ticks(ax: "Axes", places: Any, names: Any, *, along: str) -> None:
    """Name places on the x or y axis: slanted or upright where names touch, smaller, or not all."""
    places, texts = np.asarray(places, dtype=float), [shortened(name) for name in names]
    longest = WIDE * LARGEST * max(map(len, texts), default=0)
    nearest = float(np.diff(np.sort(places)).min()) if len(places) > 1 else np.inf
    set_ticks = ax.set_xticks if along == "x" else ax.set_yticks
    if along == "x" and longest <= nearest * points_per_unit(ax, along, longest, LARGEST):
        set_ticks(places, texts, fontsize=LARGEST, color=INK)
        return
    room = points_per_unit(ax, along, longest, longest)
    size = float(np.clip(nearest * room / HIGH, SMALLEST, LARGEST))
    turn: dict[str, Any] = {}
    if along == "x":
        turn = SLANTED if nearest * room >= STEEP * LARGEST else UPRIGHT
    kept = far_apart(places * room, size * HIGH)
    set_ticks(places[kept], [texts[i] for i in kept], fontsize=size, color=INK, **turn)


def points_per_unit(ax: "Axes", along: str, beside: float, below: float) -> float:
    """Return the room of one unit of data, when names beside and below the axes take theirs.

    Names are as long as they are, but they leave at least a third of the axes.
    """
    box, per_pixel = ax.get_window_extent(), 72 / ax.figure.dpi
    width, height = box.width * per_pixel, box.height * per_pixel
    sides = {"x": max(width - beside, width / 3), "y": max(height - below, height / 3)}
    limits = ax.get_xlim() if along == "x" else ax.get_ylim()
    # images are squares, once they are drawn
    room = sides[along] if ax.get_aspect() == "auto" else min(sides.values())
    return float(room / abs(limits[1] - limits[0]))


def far_apart(places: Array, least: float) -> list[int]:
    """Return which places to keep, from the first on, for all to be this far apart."""
    kept: list[int] = []
    for i in np.argsort(places):
        if not kept or places[i] - places[kept[-1]] >= least:
            kept.append(int(i))
    return kept
