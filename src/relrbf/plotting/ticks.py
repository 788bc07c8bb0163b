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
    room = points_per_unit(ax, along, longest)
    gap = room * float(np.diff(np.sort(places)).min()) if len(places) > 1 else np.inf
    size = float(np.clip(gap / HIGH, SMALLEST, LARGEST))
    turn: dict[str, Any] = {}
    if along == "x" and longest > gap:
        turn = SLANTED if gap >= STEEP * LARGEST else UPRIGHT
    is_level = along == "x" and not turn
    kept = far_apart(places * room, 0 if is_level else size * HIGH)
    set_ticks = ax.set_xticks if along == "x" else ax.set_yticks
    size = LARGEST if is_level else size
    set_ticks(places[kept], [texts[i] for i in kept], fontsize=size, color=INK, **turn)


def points_per_unit(ax: "Axes", along: str, names: float = 0.0) -> float:
    """Return the room of one unit of data, when names of this length take their part."""
    box = ax.get_window_extent()
    to_points = 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    sides = {"x": box.width * to_points, "y": box.height * to_points}
    limits = {"x": ax.get_xlim(), "y": ax.get_ylim()}
    room = sides[along]
    if ax.get_aspect() != "auto":  # a square, once it is drawn
        room = min(sides.values())
    # names are as long as they are, but they leave at least a third of the axes
    room = max(room - names, room / 3)
    return float(room / abs(limits[along][1] - limits[along][0]))


def far_apart(places: Array, least: float) -> list[int]:
    """Return which places to keep, from the first on, for all to be this far apart."""
    kept: list[int] = []
    for i in np.argsort(places):
        if not kept or places[i] - places[kept[-1]] >= least:
            kept.append(int(i))
    return kept
