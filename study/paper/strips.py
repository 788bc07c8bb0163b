"""Small pictures below a plane: what a network computes, object by object."""

from typing import TYPE_CHECKING

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.plotting.style import INK
from study.paper.objects import Objects, Snapshot
from study.paper.signs import PARTS, SMALL, number_objects, thin, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EDGES = np.linspace(-1.05, 1.05, 22)  # of the histograms; what lies outside counts at the ends


def places_of(objects: Objects) -> dict[str, Indices]:
    """Return the positions of each part, by the names that the legend gives them."""
    parts = objects.parts
    return dict(zip(PARTS, (parts.train, parts.test, parts.validation), strict=True))


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
        sign = PARTS[part]
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
    deviations = np.clip(snapshot.deviations(objects), EDGES[0], EDGES[-1])
    below = np.zeros(len(EDGES) - 1)
    for part, where in places_of(objects).items():
        sign, counts = PARTS[part], np.histogram(deviations[where], EDGES)[0]
        ax.bar(
            EDGES[:-1],
            counts,
            np.diff(EDGES),
            below,
            align="edge",
            facecolor=sign["facecolor"],
            hatch=sign["hatch"],
            edgecolor=INK,
            linewidth=0.4,
        )
        below += counts
    ax.set(xlim=(EDGES[0], EDGES[-1]), xticks=[-1, -0.5, 0, 0.5, 1])
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
