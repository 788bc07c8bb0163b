"""Plots of relations: VAT images, the matrix ordered by class, and the spectrum."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.plotting import style
from relrbf.plotting.style import COLOURS, INK, NEGATIVE, POSITIVE, Display, label_axes
from relrbf.relations.base import Relation
from relrbf.relations.conversion import check_relation, relation_of
from relrbf.relations.properties import (
    EXPONENT_MEANINGS,
    EXPONENTS,
    NEGLIGIBLE,
    negative_fraction,
    spectrum,
)
from relrbf.relations.validation import check_exponent, check_largest
from relrbf.tendency import TendencyImage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CELLS = 1000  # along a side of an image
LANE_WIDTH, MAX_LANES_WIDTH = 0.03, 0.3  # relative to the image: of one class, and of all
MAX_SPECTRUM_OBJECTS = 1000  # of more, a sample


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
        Where to draw, and what is returned; None: a new figure.
    colours : sequence of colours or None, default=None
        Of the classes; None: those of Okabe and Ito.
    """
    if not isinstance(result, TendencyImage):
        raise OptionError(
            f"result is a {type(result).__name__}; pass what relrbf.tendency.vat or ivat returns."
        )
    m, n = len(result.order), len(result.nearest)
    classes, groups = style.encode_labels(labels, n)
    # "constrained" cuts off what is drawn beside a square
    size = style.size_with_legend(classes, beside=True)
    ax = style.default_axes(ax, "compressed", size)
    starts = np.arange(0, m, -(-m // MAX_CELLS))
    ax.imshow(block_means(result.image, starts), cmap="gray", vmin=0, extent=(0, m, m, 0))
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
    style.draw_legend(ax, handles, title="left to right")  # the order identifies lanes too


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
        Where to draw, and what is returned; None: a new figure.

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
    classes, groups = style.encode_labels(style.check_length("labels", labels, n), n)
    ax = style.default_axes(ax, figsize=style.size_for_classes(len(classes)))
    order = np.argsort(groups, kind="stable")
    cells = block_means(relation.block(order, order), np.arange(0, n, -(-n // MAX_CELLS)))
    extent = (-0.5, n - 0.5, n - 0.5, -0.5)
    ax.imshow(cells, cmap="gray", interpolation="nearest", extent=extent)
    counts = np.bincount(groups)
    ends = np.cumsum(counts)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color=COLOURS[1], linewidth=1)
        ax.axvline(end - 0.5, color=COLOURS[1], linewidth=1)
    style.name_ticks(ax, ends - counts / 2 - 0.5, classes, along="x")
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


def plot_spectrum(
    D: Any,
    ax: "Axes | None" = None,
    *,
    exponent: Any = "auto",
    max_objects: int = MAX_SPECTRUM_OBJECTS,
    random_state: int = 0,
) -> "Axes":
    """Draw the eigenvalues of ``-J S J / 2``, where ``S = D ** exponent`` and J centres.

    Vectors with these dissimilarities exist if none is negative; the title tells how much of the
    spectrum is, as a share of its absolute sum.

    Parameters
    ----------
    D : array, memmap, frame, condensed vector or Relation
        Dissimilarities.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.
    exponent : {2, 1, "auto"}, default="auto"
        2 if dissimilarities are distances, 1 if they are squared distances. "auto": that of a
        ``Relation`` that was given one, else 2 unless 1 is clearly closer to vectors.
    max_objects : int, default=1000
        Of more objects, a random sample of this size is used; the axis label tells.
    random_state : int, default=0
        For the sample.
    """
    options = {"exponent": exponent, "max_objects": max_objects, "random_state": random_state}
    return SpectrumDisplay.from_relation(D, **options, ax=ax).ax_


@dataclass(eq=False, repr=False)
class SpectrumDisplay(Display):
    """The eigenvalues of a relation.

    Parameters
    ----------
    eigenvalues : array
        In any order.
    exponent : float, default=2
        Under which they were computed.
    n_objects : int or None, default=None
        Objects of the relation, if the eigenvalues are those of a sample.
    """

    eigenvalues: Any
    exponent: float = 2
    n_objects: int | None = None

    @property
    def negative_fraction(self) -> float:
        """Share of the absolute sum that is negative by more than rounding."""
        return negative_fraction(_without_rounding(self.eigenvalues))

    @classmethod
    def from_relation(
        cls,
        D: Any,
        *,
        exponent: Any = "auto",
        max_objects: int = MAX_SPECTRUM_OBJECTS,
        random_state: int = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the spectrum of a relation; parameters are those of ``plot_spectrum``."""
        check_number("max_objects", max_objects, Integral, 2)
        sample = relation = relation_of(D)
        if relation.n_objects > max_objects:
            order = np.random.default_rng(random_state).permutation(relation.n_objects)
            sample = relation.restrict(np.sort(order[:max_objects]))
        if not is_auto(exponent):
            check_exponent(exponent)
        if is_auto(exponent) and isinstance(D, Relation) and D.exponent_given:
            exponent = D.exponent
        candidates = EXPONENTS if is_auto(exponent) else (float(exponent),)
        spectra = {e: _spectrum(sample, e) for e in candidates}
        # the rule of fit: 2, which comes first, unless 1 is clearly closer to vectors
        best = min(spectra, key=lambda e: negative_fraction(spectra[e]) + NEGLIGIBLE * (e == 1))
        return cls(spectra[best], best, relation.n_objects).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the spectrum of X, which a model was fitted to, with its exponent; y is ignored."""
        check_is_fitted(estimator)
        relation = check_relation(X, estimator)
        return cls.from_relation(relation, exponent=estimator.exponent_, ax=ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        values = np.sort(_without_rounding(self.eigenvalues))[::-1]
        shown = values[values != 0]
        ax = style.default_axes(ax)
        edges = np.arange(len(shown) + 1)
        ax.stairs(np.maximum(shown, 0), edges, fill=True, color=POSITIVE, label="positive")
        if (shown < 0).any():
            ax.stairs(np.minimum(shown, 0), edges, fill=True, color=NEGATIVE, label="negative")
            ax.legend(frameon=False, fontsize="small")
        ax.axhline(0, color=INK, linewidth=0.6)
        ax.set_xlim(0, max(len(shown), 1))
        ax.locator_params(axis="x", integer=True)
        xlabel = f"{len(shown):,} eigenvalues other than zero, largest first"
        if self.n_objects not in (None, len(values)):
            xlabel += f"\n({len(values):,} of {self.n_objects:,} objects)"
        fraction = negative_fraction(values)
        share = f"{100 * fraction:.1f} %" if fraction else "nothing"
        meaning = EXPONENT_MEANINGS.get(self.exponent, f"exponent {self.exponent:g}")
        return label_axes(ax, f"Spectrum as {meaning}: {share} negative", xlabel, "eigenvalue")


def _without_rounding(eigenvalues: Any, eps: float = 0.0) -> Array:
    """Return eigenvalues with rounding errors set to zero; eps is that of the relation's dtype."""
    values = np.asarray(eigenvalues, dtype=float)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise OptionError(f"eigenvalues has shape {values.shape}; give a vector of finite numbers.")
    tolerance = max(1e-8, len(values) * eps) * float(np.abs(values).max())
    return np.where(np.abs(values) > tolerance, values, 0)


def _spectrum(relation: Relation, exponent: float) -> Array:
    S = np.array(relation.with_exponent(exponent).block_sq(), dtype=np.float64)
    check_largest(S.max(axis=1))
    return _without_rounding(spectrum(S), float(np.finfo(relation.dtype).eps))
