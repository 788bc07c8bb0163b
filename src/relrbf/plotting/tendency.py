"""Cluster tendency: the reordered image, and what is known of its objects beside it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.plotting.display import Display
from relrbf.plotting.style import COLOURS, default_axes, draw_legend, plain, with_legend
from relrbf.tendency import TendencyImage, ivat, vat

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CELLS = 1000  # along a side: more than a screen shows, and little to hold
LANE, MOST_WIDTH = 0.03, 0.3  # of the image's width: one class, and all of them


def plot_tendency(result: TendencyImage, labels: Any = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the image of ``vat`` or ``ivat``; dark means alike, so clusters are dark blocks.

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
    names: Any = () if labels is None else np.unique(_checked(labels, n))
    # "constrained" cuts off what stands beside a square
    ax = default_axes(ax, "compressed", with_legend(names, beside=True))
    starts = np.arange(0, m, -(-m // MOST_CELLS))
    extent = (0, m, m, 0)
    ax.imshow(cell_means(result.image, starts), cmap="gray", vmin=0, extent=extent)
    ax.locator_params(axis="x", nbins=5)  # large numbers need room
    if labels is not None:
        _draw_lanes(ax, _checked(labels, n)[result.order], starts)
    shown = f"{m:,}" if m == n else f"{m:,} of {n:,}"
    return plain(ax, "Cluster tendency (dark: alike)", f"{shown} objects in display order", "")


@dataclass(eq=False, repr=False)
class TendencyDisplay(Display):
    """The image of ``vat`` or ``ivat``, with classes beside it.

    Parameters
    ----------
    result : TendencyImage
        What ``vat`` or ``ivat`` returned.
    labels : sequence of n labels or None, default=None
        Classes of all objects, in the order of D.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from scipy.spatial.distance import pdist
    >>> from relrbf.plotting import TendencyDisplay
    >>> D = pdist([[0.0], [10.0], [1.0], [12.0]])
    >>> display = TendencyDisplay.from_relation(D, ax=Figure().subplots())
    >>> display.result.order.tolist()
    [0, 2, 1, 3]
    """

    result: TendencyImage
    labels: Any = None

    @classmethod
    def from_relation(
        cls,
        D: Any,
        labels: Any = None,
        *,
        improved: bool = True,
        n_sample: int | None = None,
        random_state: Any = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Order the objects of a relation and draw the image.

        Parameters
        ----------
        D : array, memmap, frame, condensed vector or Relation
            Dissimilarities.
        labels : sequence of n labels or None, default=None
            Classes.
        improved : bool, default=True
            Whether to show minimax path distances (``ivat``), or D itself (``vat``).
        n_sample : int or None, default=None
            Objects to show, a sample; None: all.
        random_state : int, RandomState instance or None, default=0
            For the sample.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        TendencyDisplay
        """
        assess = ivat if improved else vat
        return cls(assess(D, n_sample=n_sample, random_state=random_state), labels).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        return plot_tendency(self.result, self.labels, ax)


def cell_means(image: Array, starts: Indices) -> Array:
    """Return the means over square cells that start at the given places."""
    if len(starts) == len(image):
        return image
    sizes = np.diff(starts, append=len(image))
    strips = zip(starts, starts + sizes, strict=True)
    sums = [np.add.reduceat(image[a:b].sum(axis=0), starts) for a, b in strips]
    return np.array(sums) / np.outer(sizes, sizes)


def _checked(labels: Any, n_objects: int) -> np.ndarray:
    labels = np.asarray(labels)
    if labels.shape != (n_objects,):
        raise OptionError(
            f"labels has shape {labels.shape} for {n_objects} objects; give one label for every "
            "object of D, in the order of D."
        )
    return labels


def _draw_lanes(ax: "Axes", labels: np.ndarray, starts: Indices) -> None:
    """Draw one lane per class; where neighbours share a cell, as deep as their share in it."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    classes, groups = np.unique(labels, return_inverse=True)
    colours = [COLOURS[k % len(COLOURS)] for k in range(len(classes))]
    member = np.eye(len(classes))[groups]
    shares = np.add.reduceat(member, starts) / np.diff(starts, append=len(labels))[:, None]
    width = min(LANE * len(classes), MOST_WIDTH)
    lanes = ax.inset_axes((-width - 0.02, 0, width, 1), xticks=[], yticks=[])
    paler = 1 - np.array([to_rgb(colour) for colour in colours])
    lanes.imshow(1 - shares[:, :, None] * paler, aspect="auto", interpolation="nearest")
    ax.set_yticks([])
    handles = [Patch(color=c, label=str(name)) for c, name in zip(colours, classes, strict=True)]
    # named in their order, so that colours need not be told apart
    draw_legend(ax, handles, title="left to right")
