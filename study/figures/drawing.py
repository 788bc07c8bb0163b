"""Parts of figures 2.1 to 2.3: a graph and its matrix, the plane, and numbers for each object."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist

from study.data import Array, Indices
from study.figures.networks import Objects, Snapshot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# colours that colour-blind readers can tell apart (Okabe & Ito 2008), and a dark grey
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#444444")
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "*")
INK = "#222222"
SMALL, NORMAL = 6.5, 7.5  # points: inside the pictures, and above them
# of the classes: dark, middle, light and black, whatever the colours
FILLS = ("#7A3F63", COLOURS[1], "#CDE8F8", INK)
# of the parts: the paper's blue, green and red, and full, hatched and dotted as well
PART_STYLES: dict[str, dict[str, Any]] = {
    "training": {"facecolor": COLOURS[0], "hatch": None, "marker": "o"},
    "test": {"facecolor": "#BFE7DC", "hatch": "//////", "marker": "D"},
    "validation": {"facecolor": "#F7D6C2", "hatch": "......", "marker": "X"},
}


def name(number: int) -> str:
    """Return an object's name; the first is o_1."""
    return f"$o_{{{number + 1}}}$"


def title(ax: "Axes", text: str, size: float = SMALL) -> None:
    """Write a title above a picture, on the left."""
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
    """Write the names of prototypes and objects, each where most space is free beside its mark."""
    points = np.concatenate([places, objects.vectors])
    names = [f"$v_{number + 1}$" for number in range(len(places))]
    names += [name(number) for number in range(len(objects))]
    unit = float(np.diff(ax.get_xlim())[0]) / POINTS
    taken = points if avoid is None else np.concatenate([points, avoid])
    for number, (text, point) in enumerate(zip(names, points, strict=True)):
        size = SMALL + 1.5 if number < len(places) else SMALL
        candidates = point + unit * REACH * AROUND
        clearance = cdist(candidates, np.delete(taken, number, axis=0)).min(axis=1)
        place = candidates[np.argmax(clearance)]
        taken = np.concatenate([taken, [place]])
        x, y = place
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


ERROR_EDGES = np.linspace(
    -1.05, 1.05, 22
)  # of the histograms; what lies outside counts at the ends


def places_of(objects: Objects) -> dict[str, Indices]:
    """Return the positions of each part, by the names that the legend gives them."""
    parts = objects.parts
    return dict(zip(PART_STYLES, (parts.train, parts.test, parts.validation), strict=True))


def draw_output(ax: "Axes", objects: Objects, snapshot: Snapshot) -> None:
    """Draw each object's response of its own class, by part, and the largest of the others."""
    n, responses = len(objects), snapshot.responses
    own = responses[np.arange(n), objects.y]
    others = np.where(objects.targets == 1, -np.inf, responses).max(axis=1)
    for level in (0, 1):
        ax.axhline(level, color="0.6", linewidth=0.5, linestyle=":")
    ax.vlines(np.arange(n), others, own, color="0.65", linewidth=0.7)
    ax.plot(others, "_", color=INK, markersize=5.5, markeredgewidth=1.3)
    for part, where in places_of(objects).items():
        sign = PART_STYLES[part]
        ax.plot(
            where,
            own[where],
            sign["marker"],
            markersize=4,
            markerfacecolor=sign["facecolor"],
            markeredgecolor=INK,
            markeredgewidth=0.5,
        )
    number_objects(ax, n)
    ax.set_yticks([0, 0.5, 1])
    thin(ax)
    title(ax, "model output: own class, largest other (–)")


def draw_histogram(ax: "Axes", objects: Objects, snapshot: Snapshot) -> None:
    """Draw how many responses deviate by how much, the parts on top of one another."""
    deviations = np.clip(snapshot.deviations(objects), ERROR_EDGES[0], ERROR_EDGES[-1])
    below = np.zeros(len(ERROR_EDGES) - 1)
    for part, where in places_of(objects).items():
        sign, counts = PART_STYLES[part], np.histogram(deviations[where], ERROR_EDGES)[0]
        ax.bar(
            ERROR_EDGES[:-1],
            counts,
            np.diff(ERROR_EDGES),
            below,
            align="edge",
            facecolor=sign["facecolor"],
            hatch=sign["hatch"],
            edgecolor=INK,
            linewidth=0.4,
        )
        below += counts
    ax.set(xlim=(ERROR_EDGES[0], ERROR_EDGES[-1]), xticks=[-1, -0.5, 0, 0.5, 1])
    thin(ax)
    title(ax, "errors: response less desired")


def draw_coefficients(ax: "Axes", snapshot: Snapshot, height: float) -> None:
    """Draw relational prototypes as bars, one row of the given height for each."""
    A = snapshot.coefficients
    lines = height * np.arange(len(A))[::-1]
    for line, coefficients in zip(lines, A, strict=True):
        ax.axhline(line, color=INK, linewidth=0.4)
        ax.bar(np.arange(A.shape[1]), coefficients, 0.75, line, color="0.35", linewidth=0)
    ax.set_ylim(-0.5 * height, (len(A) - 0.05) * height)
    _name_prototypes(ax, lines)
    number_objects(ax, A.shape[1])
    title(ax, f"coefficients (rows {height:g} apart)")


def draw_distances(ax: "Axes", objects: Objects, snapshot: Snapshot, farthest: float) -> None:
    """Draw squared distances from prototypes to objects, dark where near.

    They come from the relation alone; the title says how well the plane confirms them.
    """
    _draw_image(ax, snapshot.distances_sq, 0, farthest, "gray")
    _name_prototypes(ax, np.arange(float(len(snapshot.distances_sq))))
    order = int(np.ceil(np.log10(max(snapshot.gap(objects), 1e-16))))
    title(ax, f"squared distances (off the plane by < $10^{{{order}}}$)")


def draw_errors(ax: "Axes", errors: dict[str, list[float]]) -> None:
    """Draw how errors fall from update to update."""
    for curve, dashes in zip(errors, ("-", "--"), strict=False):
        ax.plot(errors[curve], dashes, color=INK, linewidth=1.2, label=curve)
    ax.set_ylim(bottom=0)
    ax.locator_params(axis="y", nbins=4)
    thin(ax)
    ax.legend(fontsize=SMALL, frameon=False, borderpad=0.1, handlelength=1.8)
    title(ax, "update by update")


def draw_responses(ax: "Axes", objects: Objects, snapshot: Snapshot) -> None:
    """Draw responses, dark where large, with a frame where they should be."""
    from matplotlib.patches import Rectangle

    _draw_image(ax, snapshot.responses.T, 0, 1, "gray_r")
    n_classes = snapshot.responses.shape[1]
    for k in range(n_classes):
        members = np.flatnonzero(objects.y == k)
        corner = members[0] - 0.5, k - 0.5
        ax.add_patch(Rectangle(corner, len(members), 1, fill=False, edgecolor=INK, linewidth=1))
    ax.set_yticks(range(n_classes), [str(k + 1) for k in range(n_classes)])
    title(ax, "responses of the classes (frame: desired)")


def _draw_image(ax: "Axes", values: Array, low: float, high: float, colours: str) -> None:
    ax.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="auto", interpolation="nearest")
    number_objects(ax, values.shape[1])
    thin(ax)


def _name_prototypes(ax: "Axes", levels: Array) -> None:
    ax.set_yticks(levels, [f"$v_{row + 1}$" for row in range(len(levels))], fontsize=SMALL)
    thin(ax)
