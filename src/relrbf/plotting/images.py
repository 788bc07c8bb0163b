"""Dissimilarities as images: in the order of VAT, and ordered by class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.plotting.display import check_length, encode_labels
from relrbf.plotting.style import (
    COLOURS,
    default_axes,
    draw_legend,
    label_axes,
    name_ticks,
    size_for_classes,
    size_with_legend,
)
from relrbf.relations.conversion import relation_of
from relrbf.tendency import TendencyImage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CELLS = 1000  # along a side
LANE_WIDTH, MAX_LANES_WIDTH = 0.03, 0.3  # relative to the image: of one class, and of all


def plot_tendency(
    result: TendencyImage,
    labels: Any = None,
    ax: "Axes | None" = None,
    *,
    colours: Sequence[str] | None = None,
) -> "Axes":
    """Draw the image of ``vat`` or ``ivat``; dark is similar, so clusters are dark blocks.

    Classes are shown on the left, each in a lane and a colour of its own. Images of more than 1000
    objects are drawn as means over neighbours.

    Parameters
    ----------
    result : TendencyImage
        What ``vat`` or ``ivat`` returned.
    labels : sequence of n labels or None, default=None
        Classes of all objects, in the order of D.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    colours : sequence of colours or None, default=None
        Of the classes; None: those of Okabe and Ito.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from scipy.spatial.distance import pdist
    >>> from relrbf.plotting import plot_tendency
    >>> from relrbf.tendency import ivat
    >>> result = ivat(pdist([[0.0], [10.0], [1.0], [12.0]]))
    >>> ax = plot_tendency(result, ["a", "b", "a", "b"], Figure().subplots())
    >>> ax.get_xlabel()
    '4 objects in display order'
    """
    if not isinstance(result, TendencyImage):
        raise OptionError(
            f"result is a {type(result).__name__}; pass what relrbf.tendency.vat or ivat returns."
        )
    m, n = len(result.order), len(result.nearest)
    classes, groups = encode_labels(labels, n)
    # "constrained" cuts off what is drawn beside a square
    ax = default_axes(ax, "compressed", size_with_legend(classes, beside=True))
    starts = np.arange(0, m, -(-m // MAX_CELLS))
    cells = block_means(result.image, starts)
    ax.imshow(cells, cmap="gray", vmin=0, extent=(0, m, m, 0))
    ax.locator_params(axis="x", nbins=5)
    if labels is not None:
        _draw_lanes(ax, classes, groups[result.order], starts, colours or COLOURS)
    objects = f"{m:,}" if m == n else f"{m:,} of {n:,}"
    title = "Cluster tendency (dark: similar)"
    return label_axes(ax, title, f"{objects} objects in display order", "")


def _draw_lanes(
    ax: "Axes", classes: np.ndarray, groups: Indices, starts: Indices, colours: Sequence[str]
) -> None:
    """Draw one lane per class; cells that hold several objects are shaded by their share."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    palette = [colours[k % len(colours)] for k in range(len(classes))]
    member = np.eye(len(classes))[groups]
    shares = np.add.reduceat(member, starts) / np.diff(starts, append=len(groups))[:, None]
    width = min(LANE_WIDTH * len(classes), MAX_LANES_WIDTH)
    lanes = ax.inset_axes((-width - 0.02, 0, width, 1), xticks=[], yticks=[])
    paler = 1 - np.array([to_rgb(colour) for colour in palette])
    lanes.imshow(1 - shares[:, :, None] * paler, aspect="auto", interpolation="nearest")
    ax.set_yticks([])
    handles = [Patch(color=c, label=str(name)) for c, name in zip(palette, classes, strict=True)]
    draw_legend(ax, handles, title="left to right")  # the order identifies lanes too


def plot_matrix(dissimilarities: Any, labels: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the matrix with the objects ordered by class; dark is similar.

    Matrices of more than 1000 objects are drawn as means over neighbours.

    Parameters
    ----------
    dissimilarities : array, memmap, frame, condensed vector or Relation
        The relation among n objects.
    labels : sequence of n labels
        Classes.
    ax : matplotlib Axes or None, default=None
        Where to draw.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_matrix
    >>> D = [[0, 9, 1], [9, 0, 9], [1, 9, 0]]
    >>> ax = plot_matrix(D, ["a", "b", "a"], Figure().subplots())
    >>> ax.images[0].get_array().astype(int).tolist()
    [[0, 1, 9], [1, 0, 9], [9, 9, 0]]
    """
    relation = relation_of(dissimilarities)
    n = relation.n_objects
    classes, groups = encode_labels(check_length("labels", labels, n), n)
    ax = default_axes(ax, figsize=size_for_classes(len(classes)))
    order = np.argsort(groups, kind="stable")
    cells = block_means(relation.block(order, order), np.arange(0, n, -(-n // MAX_CELLS)))
    extent = (-0.5, n - 0.5, n - 0.5, -0.5)
    ax.imshow(cells, cmap="gray", interpolation="nearest", extent=extent)
    counts = np.bincount(groups)
    ends = np.cumsum(counts)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color=COLOURS[1], linewidth=1)
        ax.axvline(end - 0.5, color=COLOURS[1], linewidth=1)
    name_ticks(ax, ends - counts / 2 - 0.5, classes, along="x")
    ax.set_yticks([])
    return label_axes(ax, "Dissimilarities, ordered by class", "", f"{n:,} objects")


def block_means(image: Array, starts: Indices) -> Array:
    """Return the means over square blocks that begin at the given positions."""
    if len(starts) == len(image):
        return image
    sizes = np.diff(starts, append=len(image))
    strips = zip(starts, starts + sizes, strict=True)
    sums = [np.add.reduceat(image[a:b].sum(axis=0), starts) for a, b in strips]
    return np.array(sums) / np.outer(sizes, sizes)
