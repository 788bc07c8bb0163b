"""Objects in two dimensions, with the prototypes among them."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array
from relrbf.embeddings import ClassicalMDS, LandmarkMDS
from relrbf.exceptions import OptionError, RelationWarning
from relrbf.plotting.display import Display, check_length, check_numbers, encode_labels
from relrbf.plotting.style import (
    INK,
    MAX_VECTOR_MARKS,
    SEQUENTIAL,
    colour_and_marker,
    default_axes,
    draw_legend,
    label_axes,
    size_with_legend,
)
from relrbf.relations.base import Relation
from relrbf.relations.conversion import check_relation
from relrbf.relations.properties import NEGLIGIBLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LARGE_RINGS = 40  # prototypes
MAX_CLASSICAL_MDS = 2000  # objects; more are embedded by landmarks


def plot_embedding(
    points: Any,
    labels: Any = None,
    coefficients: Array | None = None,
    ax: "Axes | None" = None,
    *,
    values: Any = None,
) -> "Axes":
    """Draw objects by class, and prototypes as affine combinations of them.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Positions of the objects, from any linear projection of their vectors.
    labels : sequence of n labels or None, default=None
        Classes, shown by colour and marker.
    coefficients : ndarray of shape (c, n) or None, default=None
        ``model.prototypes_.coefficients``.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    values : sequence of n numbers or None, default=None
        Shown by colour in place of classes, such as the targets of a regression.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_embedding
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 4.0]])
    >>> ax = plot_embedding(points, ["a", "a", "b"], [[0.5, 0.5, 0.0]], Figure().subplots())
    >>> ax.lines[-1].get_xydata().tolist()
    [[0.5, 0.0]]
    """
    points, coefficients = _check_points(points, coefficients)
    is_raster = len(points) > MAX_VECTOR_MARKS
    if values is not None:
        values = check_length("values", check_numbers("values", values), len(points))
        ax = default_axes(ax)
        marks: Any = {"s": 16, "alpha": 0.8, "linewidths": 0, "rasterized": is_raster}
        x, y = points.T
        shown = ax.scatter(x, y, c=values, cmap=SEQUENTIAL, **marks)
        ax.figure.colorbar(shown, ax=ax, label="value")
    else:
        labels = np.full(len(points), "objects") if labels is None else labels
        classes, groups = encode_labels(labels, len(points))
        ax = default_axes(ax, figsize=size_with_legend([*classes, "prototypes"]))
        marks = {"ms": 4, "alpha": 0.55, "mew": 0, "rasterized": is_raster}
        for k, name in enumerate(classes):
            colour, marker = colour_and_marker(k)
            ax.plot(*points[groups == k].T, marker, color=colour, label=str(name), **marks)
    if coefficients is not None:
        _draw_prototypes(ax, coefficients @ points)
    if named := [line for line in ax.lines if not str(line.get_label()).startswith("_")]:
        draw_legend(ax, named)
    return label_axes(ax, "Objects and prototypes", "first component", "second component")


def _check_points(points: Any, coefficients: Any) -> tuple[Array, Array | None]:
    points = check_numbers("points", points)
    if points.ndim != 2 or points.shape[1] != 2:
        raise OptionError(f"points has shape {points.shape}; give two coordinates per object.")
    if coefficients is None:
        return points, None
    coefficients = check_numbers("coefficients", coefficients)
    if coefficients.ndim != 2 or coefficients.shape[1] != len(points):
        raise OptionError(
            f"coefficients has shape {coefficients.shape} for {len(points)} points; give one row "
            "per prototype and one column per object."
        )
    return points, coefficients


def _draw_prototypes(ax: "Axes", points: Array) -> None:
    size = 9 if len(points) <= MAX_LARGE_RINGS else 5
    ax.plot(*points.T, "o", ms=size, mfc="none", mec=INK, mew=1.4, label="prototypes")
    ax.plot(*points.T, ".", ms=size / 2.25, color=INK)


def plot_embedding_of(
    model: Any, X: Any, y: Any = None, ax: "Axes | None" = None, *, random_state: Any = 0
) -> "Axes":
    """Draw the objects that a model was fitted to, and its prototypes, by classical MDS.

    If no vectors have these dissimilarities, the negative part of the spectrum is left out and the
    axis label tells how much that is. More than 2,000 objects are embedded by landmarks.

    Parameters
    ----------
    model : network or clusterer
        Fitted.
    X : array, memmap, frame or Relation of shape (n, n)
        What the model was fitted to.
    y : sequence of n labels or numbers, or None, default=None
        Classes, or the targets of a regressor.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    random_state : int, RandomState instance or None, default=0
        Seeds the choice of landmarks.

    Returns
    -------
    Axes
    """
    return EmbeddingDisplay.from_estimator(model, X, y, random_state=random_state, ax=ax).ax_


@dataclass(eq=False, repr=False)
class EmbeddingDisplay(Display):
    """Objects in two dimensions, and prototypes among them.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Positions of the objects.
    labels : sequence of n labels or None, default=None
        Classes.
    coefficients : ndarray of shape (c, n) or None, default=None
        Of the prototypes.
    values : sequence of n numbers or None, default=None
        Shown by colour in place of classes.
    negative_fraction : float, default=0.0
        Share of the spectrum that is negative and left out.
    """

    points: Any
    labels: Any = None
    coefficients: Any = None
    values: Any = None
    negative_fraction: float = 0.0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        random_state: Any = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the objects that a model was fitted to, as ``plot_embedding_of`` does."""
        relation, coefficients = _training_objects(estimator, X)
        points, negative = embed(relation, random_state)
        has_values = y is not None and is_regressor(estimator)
        labels, values = (None, y) if has_values else (y, None)
        return cls(points, labels, coefficients, values, negative).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        ax = plot_embedding(self.points, self.labels, self.coefficients, ax, values=self.values)
        ax.margins(0.08)
        ax.set_aspect("equal", adjustable="datalim")  # distances must not be distorted
        if self.negative_fraction > NEGLIGIBLE:
            share = f"{100 * self.negative_fraction:.1f} %"
            note = f"{share} of the spectrum is negative and not shown"
            ax.set_xlabel(f"{ax.get_xlabel()}\n({note})")
        return ax


def embed(relation: Relation, random_state: Any = 0) -> tuple[Array, float]:
    """Return positions of the objects (n × 2), and the negative share of the spectrum."""
    mds: Any = ClassicalMDS(2, exponent=relation.exponent)
    if relation.n_objects > MAX_CLASSICAL_MDS:
        mds = LandmarkMDS(2, exponent=relation.exponent, random_state=random_state)
    with warnings.catch_warnings():  # plots and pages tell of the negative share
        warnings.simplefilter("ignore", RelationWarning)
        found = mds.fit_transform(relation)
    points = np.zeros((relation.n_objects, 2), dtype=found.dtype)
    points[:, : found.shape[1]] = found  # equal objects span no dimension
    return points, float(mds.negative_eigenfraction_)


def _training_objects(estimator: Any, X: Any) -> tuple[Relation, Array]:
    """Return the relation that a model was fitted to, and the coefficients of its prototypes."""
    if not hasattr(estimator, "fit"):
        raise OptionError(f"estimator is a {type(estimator).__name__}; pass a fitted model.")
    check_is_fitted(estimator)
    if not hasattr(estimator, "prototypes_"):
        raise OptionError(
            f"estimator is a {type(estimator).__name__}, which has no prototypes; pass points to "
            "plot_embedding instead."
        )
    relation = check_relation(X, estimator).with_exponent(estimator.exponent_)
    coefficients = estimator.prototypes_.coefficients
    if relation.n_objects != coefficients.shape[1]:
        raise OptionError(
            f"X holds {relation.n_objects} objects, and the prototypes are combinations of "
            f"{coefficients.shape[1]}; pass what the model was fitted to (of a compact model, "
            "the support's part of it)."
        )
    return relation, coefficients
