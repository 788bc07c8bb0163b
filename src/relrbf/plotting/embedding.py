"""Objects in two dimensions, with the prototypes among them."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array, Indices
from relrbf.embeddings import ClassicalMDS, LandmarkMDS
from relrbf.exceptions import OptionError, RelationWarning
from relrbf.plotting.display import Display
from relrbf.plotting.predictions import check_numbers
from relrbf.plotting.style import (
    INK,
    MOST_DRAWN,
    SEQUENTIAL,
    check_length,
    classes_of,
    default_axes,
    draw_legend,
    mark_of,
    plain,
    with_legend,
)
from relrbf.relations.base import Relation
from relrbf.relations.inputs import check_relation
from relrbf.relations.properties import NEGLIGIBLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_RINGS = 40  # prototypes that have room for large rings
MOST_SCALED = 2000  # objects; more are placed by their dissimilarities to landmarks


def plot_embedding(
    points: Any,
    labels: Any = None,
    coefficients: Array | None = None,
    ax: "Axes | None" = None,
    *,
    values: Any = None,
) -> "Axes":
    """Draw objects by class and the prototypes that are affine combinations of them.

    Classes differ in colour and marker.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Positions of the objects, from any linear projection of their vectors.
    labels : sequence of n labels or None, default=None
        Classes.
    coefficients : ndarray of shape (c, n) or None, default=None
        ``model.prototypes_.coefficients``.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    values : sequence of n numbers or None, default=None
        Shown by colour in place of classes, such as what a regressor is to predict.

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
    points, weights = _checked(points, coefficients)
    if values is not None:
        values = check_length("values", check_numbers("values", values), len(points))
        ax = default_axes(ax)
        _draw_values(ax, points, values)
    else:
        labels = np.full(len(points), "objects") if labels is None else labels
        classes, groups = classes_of(labels, len(points))
        ax = default_axes(ax, figsize=with_legend([*classes, "prototypes"]))
        _draw_classes(ax, points, classes, groups)
    if weights is not None:
        x, y = (weights @ points).T
        size = 9 if len(weights) <= MOST_RINGS else 5
        ax.plot(x, y, "o", ms=size, mfc="none", mec=INK, mew=1.4, label="prototypes")
        ax.plot(x, y, ".", ms=size / 2.25, color=INK)
    named = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    if named:
        draw_legend(ax, named)
    return plain(ax, "Objects and prototypes", "first component", "second component")


def plot_embedding_of(
    model: Any, X: Any, y: Any = None, ax: "Axes | None" = None, *, random_state: Any = 0
) -> "Axes":
    """Draw the objects that a model was fitted to, and its prototypes, by classical scaling.

    A prototype is an affine combination of objects, and so it is in the picture. Of a relation
    without vectors the negative part is left out; the picture says how much that is. More than
    2,000 objects are placed by their dissimilarities to 200 landmarks.

    Parameters
    ----------
    model : network or clusterer
        Fitted.
    X : array, memmap, frame or Relation of shape (n, n)
        What the model was fitted to.
    y : sequence of n labels or numbers, or None, default=None
        Classes; for a regressor, the values that it is to predict.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    random_state : int, RandomState instance or None, default=0
        Seeds the choice of landmarks.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_iris
    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.plotting import plot_embedding_of
    >>> X, y = load_iris(return_X_y=True)
    >>> D = squareform(pdist(X))
    >>> model = RBFNetworkClassifier(6, random_state=0).fit(D, y)
    >>> ax = plot_embedding_of(model, D, y, Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1', '2', 'prototypes']
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
        Share of the spectrum that is negative and not shown.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import EmbeddingDisplay
    >>> display = EmbeddingDisplay([[0, 0], [1, 2]], ["a", "b"]).plot(Figure().subplots())
    >>> len(display.ax_.lines)
    2
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
        """Draw the objects that a model was fitted to, and its prototypes.

        Parameters
        ----------
        estimator, X, y, random_state, ax
            As in ``plot_embedding_of``.

        Returns
        -------
        EmbeddingDisplay
        """
        relation, coefficients = _training_objects(estimator, X)
        points, negative = scaled(relation, random_state)
        is_value = y is not None and is_regressor(estimator)
        labels, values = (None, y) if is_value else (y, None)
        return cls(points, labels, coefficients, values, negative).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        ax = plot_embedding(self.points, self.labels, self.coefficients, ax, values=self.values)
        ax.margins(0.08)
        ax.set_aspect("equal", adjustable="datalim")  # distances are what this is about
        if self.negative_fraction > NEGLIGIBLE:
            share = f"{100 * self.negative_fraction:.1f} %"
            note = f"{share} of the spectrum is negative and not shown"
            ax.set_xlabel(f"{ax.get_xlabel()}\n({note})")
        return ax


def scaled(relation: Relation, random_state: Any = 0) -> tuple[Array, float]:
    """Return positions of the objects in two dimensions, and the negative share of the spectrum."""
    exponent = relation.exponent
    mds: Any = ClassicalMDS(2, exponent=exponent)
    if relation.n_objects > MOST_SCALED:
        mds = LandmarkMDS(2, exponent=exponent, random_state=random_state)
    with warnings.catch_warnings():  # the picture says what they say
        warnings.simplefilter("ignore", RelationWarning)
        points = mds.fit_transform(relation)
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


def _checked(points: Any, coefficients: Any) -> tuple[Array, Array | None]:
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


def _draw_classes(ax: "Axes", points: Array, classes: np.ndarray, groups: Indices) -> None:
    rasterized = len(points) > MOST_DRAWN
    for k, name in enumerate(classes):
        x, y = points[groups == k].T
        colour, marker = mark_of(k)
        look: dict[str, Any] = {"ms": 4, "alpha": 0.55, "mew": 0, "rasterized": rasterized}
        ax.plot(x, y, marker, color=colour, label=str(name), **look)


def _draw_values(ax: "Axes", points: Array, values: np.ndarray) -> None:
    rasterized = len(points) > MOST_DRAWN
    look: dict[str, Any] = {"s": 16, "alpha": 0.8, "linewidths": 0, "rasterized": rasterized}
    x, y = points.T
    shown = ax.scatter(x, y, c=values, cmap=SEQUENTIAL, **look)
    ax.figure.colorbar(shown, ax=ax, label="value")
