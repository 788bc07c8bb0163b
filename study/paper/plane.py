"""Objects and prototypes in the plane of the realisation."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array, Indices
from relrbf.plotting.style import INK
from study.paper.objects import Objects, Snapshot
from study.paper.signs import SMALL, bare, class_marks, name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUPPORT = float(np.sqrt(-2 * np.log(0.1)))  # 2.146 bandwidths hold 90 % of a Gaussian in the plane
BOUNDARY = "0.55"
POINTS, REACH = 154, 11  # that a plane is wide, about, and that a name is away from its mark
AROUND = np.stack([np.cos(np.arange(16) * np.pi / 8), np.sin(np.arange(16) * np.pi / 8)], axis=1)
HALO = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4}


def frame(ax: "Axes", points: Array, margins: Array | float) -> None:
    """Show a square of the plane that holds all points with their margins."""
    wide = np.reshape(margins, (-1, 1))
    low, high = (points - wide).min(axis=0), (points + wide).max(axis=0)
    middle, half = (low + high) / 2, (high - low).max() / 2
    ax.set_xlim(middle[0] - half, middle[0] + half)
    ax.set_ylim(middle[1] - half, middle[1] + half)
    ax.set_aspect("equal")
    bare(ax)


def draw_objects(ax: "Axes", objects: Objects, wrong: Indices) -> None:
    """Draw the objects, with a cross behind those that are misclassified."""
    class_marks(ax, objects.vectors, objects.y, size=5)
    crossed = objects.vectors[wrong].T
    ax.plot(*crossed, "x", markersize=10, color="black", markeredgewidth=1.7, zorder=2.9)


def draw_prototypes(ax: "Axes", places: Array) -> None:
    """Draw prototypes as stars, below the objects: a medoid is a star with an object on it."""
    ax.plot(
        *places.T,
        "*",
        markersize=14,
        markerfacecolor="white",
        markeredgecolor="black",
        markeredgewidth=1,
        zorder=2.8,
    )


def draw_names(ax: "Axes", objects: Objects, places: Array, avoid: Array | None = None) -> None:
    """Write the names of prototypes and objects, each where there is most room beside its mark."""
    points = np.concatenate([places, objects.vectors])
    names = [f"$v_{number + 1}$" for number in range(len(places))]
    names += [name(number) for number in range(len(objects))]
    unit = float(np.diff(ax.get_xlim())[0]) / POINTS
    taken = points if avoid is None else np.concatenate([points, avoid])
    for number, (text, point) in enumerate(zip(names, points, strict=True)):
        size = SMALL + 1.5 if number < len(places) else SMALL
        spots = point + unit * REACH * AROUND
        room = cdist(spots, np.delete(taken, number, axis=0)).min(axis=1)
        spot = spots[np.argmax(room)]
        taken = np.concatenate([taken, [spot]])
        x, y = spot
        ax.text(x, y, text, fontsize=size, ha="center", va="center", bbox=HALO, zorder=2.6)


def draw_boundaries(ax: "Axes", objects: Objects, snapshot: Snapshot) -> None:
    """Draw where another class becomes the largest response, as far as any support reaches."""
    x, y = (np.linspace(*limits, 200) for limits in (ax.get_xlim(), ax.get_ylim()))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    responses = snapshot.respond(objects, grid)
    reached = cdist(grid, snapshot.places(objects)) < SUPPORT * snapshot.bandwidths
    for k in range(responses.shape[1]):
        lead = responses[:, k] - np.delete(responses, k, axis=1).max(axis=1)
        lead[~reached.any(axis=1)] = np.nan
        level = lead.reshape(len(y), len(x))
        ax.contour(x, y, level, [0], colors=[BOUNDARY], linewidths=1.8, zorder=1.5)


def draw_supports(ax: "Axes", places: Array, bandwidths: Array) -> None:
    """Draw the circles that hold 90 % of each Gaussian, each with its own dashes."""
    from matplotlib.patches import Circle

    for place, radius, dashes in zip(
        places, SUPPORT * bandwidths, ("-", "--", "-.", ":"), strict=False
    ):
        ax.add_patch(
            Circle(tuple(place), radius, facecolor="#8888881c", edgecolor=INK, linestyle=dashes)
        )


def draw_moves(ax: "Axes", old: Array, new: Array) -> None:
    """Draw arrows from where prototypes were to where they are."""
    ax.plot(*old.T, "*", markersize=8, markerfacecolor="0.75", markeredgecolor="0.45", zorder=4)
    for tail, head in zip(old, new, strict=True):
        arrow = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.1, "shrinkB": 5}
        ax.annotate("", head, tail, arrowprops=arrow, zorder=4.2)


def draw_rays(ax: "Axes", objects: Objects, snapshot: Snapshot) -> None:
    """Draw the edges from prototypes to objects; dark and wide is near, by the relation."""
    from matplotlib.collections import LineCollection

    places = snapshot.places(objects)
    nearness = np.exp(-snapshot.distances_sq / 2).ravel()
    pairs = [(place, vector) for place in places for vector in objects.vectors]
    ax.add_collection(
        LineCollection(
            pairs, colors=[str(s) for s in 0.92 - 0.6 * nearness], linewidths=0.2 + nearness
        )
    )
