"""What is given: a weighted graph, its adjacency matrix, and vectors that have its distances."""

from typing import TYPE_CHECKING

import numpy as np

from relrbf._typing import Array
from relrbf.plotting.style import INK
from study.paper.objects import Objects
from study.paper.signs import SMALL, bare, class_marks, name, thin, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST = 2.2  # points, of the edge between the nearest two


def draw_graph(ax: "Axes", objects: Objects) -> None:
    """Draw nodes on a circle, for a graph has no places, and all edges; wide and dark is near."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(objects)) / len(objects)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    _draw_edges(ax, circle, objects.D)
    class_marks(ax, circle, objects.y, size=6)
    for number, (x, y) in enumerate(1.17 * circle):
        ax.text(x, y, name(number), fontsize=SMALL, ha="center", va="center", color=INK)
    ax.set(xlim=(-1.28, 1.28), ylim=(-1.28, 1.28), aspect="equal")
    ax.set_axis_off()


def _draw_edges(ax: "Axes", nodes: Array, D: Array) -> None:
    from matplotlib.collections import LineCollection

    first, second = np.triu_indices(len(D), 1)
    nearness = np.square(1 - D[first, second] / D.max())
    order = np.argsort(nearness)  # near ones lie on top
    pairs = np.stack([nodes[first], nodes[second]], axis=1)[order]
    shades = [str(shade) for shade in 0.93 - 0.75 * nearness[order]]
    ax.add_collection(
        LineCollection(list(pairs), colors=shades, linewidths=0.2 + WIDEST * nearness[order])
    )


def draw_matrix(ax: "Axes", objects: Objects) -> None:
    """Draw the distances, dark where objects are near, with lines between the classes."""
    ax.imshow(objects.D, cmap="gray", interpolation="nearest")
    for end in np.flatnonzero(np.diff(objects.y)) + 0.5:
        ax.axhline(end, color="white", linewidth=0.8)
        ax.axvline(end, color="white", linewidth=0.8)
    last = len(objects) - 1
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks([0, last], [name(0), name(last)])
    thin(ax)
    title(ax, "adjacency matrix")


def draw_realisation(ax: "Axes", objects: Objects) -> None:
    """Draw the vectors, which no network sees."""
    class_marks(ax, objects.vectors, objects.y, size=3.5)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.1)
    bare(ax)
    title(ax, "realisation")
