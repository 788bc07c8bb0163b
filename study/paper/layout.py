"""Where the panels of a figure are, and what is written around them.

Lengths are in inches, sizes of letters in points, and made for a picture printed as it is.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf.plotting.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 1.22  # of a panel
TOP, BOTTOM, RIGHT = 0.62, 0.9, 0.1
SMALL, LARGE = 6.8, 8.0


def grid(n_rows: int, gaps: Sequence[float], row_gap: float) -> "tuple[Figure, list[list[Axes]]]":
    """Return a figure with rows of square panels; ``gaps`` are before each column."""
    from matplotlib.figure import Figure

    width = sum(gaps) + SIDE * len(gaps) + RIGHT
    height = TOP + n_rows * SIDE + (n_rows - 1) * row_gap + BOTTOM
    figure = Figure(figsize=(width, height))
    lefts = np.cumsum(gaps) + SIDE * np.arange(len(gaps))
    floors = height - TOP - SIDE - np.arange(n_rows) * (SIDE + row_gap)
    size = SIDE / width, SIDE / height
    rows = [
        [figure.add_axes((left / width, floor / height, *size)) for left in lefts]
        for floor in floors
    ]
    return figure, rows


def name_columns(axes: "Sequence[Axes]", names: Sequence[str], above: float) -> None:
    """Write what the columns show, so many points above the first row."""
    for ax, name in zip(axes, names, strict=True):
        _beside(ax, name, (0.5, 1), (0, above), ha="center", va="bottom", linespacing=1.05)


def name_row(ax: "Axes", letter: str, name: str) -> None:
    """Write the paper's letter, and what the row is of, left of its first panel."""
    _beside(ax, f"({letter})", (0, 1), (-6, 0), ha="right", va="top")
    _beside(ax, name, (0, 0), (-8, 0), ha="right", va="bottom", rotation=90)


def footer(figure: "Figure", text: str) -> None:
    """Write a line or two under all panels."""
    figure.text(0.5, 0.015, text, ha="center", va="bottom", fontsize=SMALL, color=INK)


def unlabel(axes: "Sequence[Axes]", *, x: bool = False, y: bool = False) -> None:
    """Take away the labels of an axis that a neighbour already has."""
    for ax in axes:
        if x:
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)
        if y:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)


def tilt_names(ax: "Axes") -> None:
    """Turn the names below a panel, if there are so many that they would overlap."""
    for name in ax.get_xticklabels() if len(ax.get_xticks()) > 2 else ():
        name.set(rotation=30, ha="right", rotation_mode="anchor")


def _beside(
    ax: "Axes", text: str, place: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    """Write outside of a panel, so many points away from a place at its edge."""
    ax.annotate(
        text,
        place,
        offset,
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=LARGE,
        color=INK,
        annotation_clip=False,
        **style,
    )
