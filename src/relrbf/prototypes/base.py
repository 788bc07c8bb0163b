"""The contract of a space: place, measure, move, inner product (theory 3).

Training needs nothing else, and none of it mentions a coordinate. That is why the same trainer,
unchanged, gives the same network on a relation and on the vectors behind it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias, TypeVar

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.network import DistanceGradients

Gradients: TypeAlias = Array | DistanceGradients
"""Derivatives of an objective by the squared distances (c × n)."""

Direction: TypeAlias = tuple[Array, ...]
"""Latent vectors, one per prototype: arrays whose rows add and scale as those vectors do."""


def scaled(direction: Direction, factors: float | Array) -> Direction:
    """Multiply by a number, or each prototype's vector by its own (c)."""
    arrays = []
    for array in direction:
        each = factors[:, None] if isinstance(factors, np.ndarray) and array.ndim > 1 else factors
        arrays.append(array * each)
    return tuple(arrays)


def plus(first: Direction, second: Direction, factor: float) -> Direction:
    """Add a multiple of a second direction to a first."""
    arrays = []
    for one, other in zip(first, second, strict=True):
        arrays.append(one + factor * other)
    return tuple(arrays)


def as_array(gradients: Gradients) -> Array:
    """Return derivatives by the squared distances (c × n) as one array."""
    if isinstance(gradients, np.ndarray):
        return gradients
    chunks = []
    for _, chunk in gradients:
        chunks.append(chunk)
    return np.hstack(chunks)


def row_dots(first: Array, second: Array) -> Array:
    """Return the inner product of each pair of rows (c)."""
    return np.einsum("ji,ji->j", first, second)


def tie_tolerance(dtype: np.dtype[Any]) -> float:
    """Return the relative difference below which two squared distances count as equal.

    A tie must be a tie in every space and every order of the objects, whatever the rounding.
    """
    return max(1e-9, 1e2 * float(np.finfo(dtype).eps))


class Prototypes(ABC):
    """Prototypes placed in a space; never changed, only replaced.

    Attributes
    ----------
    coefficients : ndarray of shape (c, n)
        Affine coefficients on the training objects; each row sums to one.
    ids : ndarray of shape (n,) or None
        Names of the training objects.
    """

    ids: np.ndarray | None

    if TYPE_CHECKING:  # a field in one space, a property in another

        @property
        def coefficients(self) -> Array: ...  # noqa: D102

    @property
    @abstractmethod
    def distances_sq(self) -> Array:
        """Squared distances to the training objects (c × n); some < 0 without a vector dual."""

    @property
    @abstractmethod
    def support(self) -> Indices:
        """The training objects whose dissimilarities to a new object are needed."""

    def distances_sq_at(self, objects: slice) -> Array:
        """Return squared distances to some of the training objects (c × k)."""
        return self.distances_sq[:, objects]

    @abstractmethod
    def distances_sq_to(self, query: Array) -> Array:
        """Return squared distances (c × m) to m new objects.

        ``query`` holds their squared dissimilarities to the support (m × len(support)); in vector
        space, their vectors.
        """

    @abstractmethod
    def compact(self) -> "Prototypes":
        """Return equal prototypes that refer only to the support."""

    @property
    @abstractmethod
    def row_fields(self) -> tuple[str, ...]:
        """Names of the arrays with one row per prototype, which describe them completely."""

    @property
    def rows(self) -> tuple[Array, ...]:
        """Those arrays."""
        return tuple(getattr(self, name) for name in self.row_fields)

    def with_rows(self, rows: tuple[Array, ...]) -> Self:
        """Return prototypes of the same space that have these rows."""
        prototypes: Any = self  # a dataclass in every space
        return replace(prototypes, **dict(zip(self.row_fields, rows, strict=True)))

    def joined(self, more: "Prototypes") -> Self:
        """Return these prototypes followed by more of the same kind."""
        pairs = zip(self.rows, more.rows, strict=True)
        return self.with_rows(tuple(np.concatenate(pair) for pair in pairs))

    def nearest(self, n_nearest: int = 3) -> np.ndarray:
        """Return the training objects nearest to each prototype, by name where they have one.

        Parameters
        ----------
        n_nearest : int, default=3
            Objects per prototype, nearest first.

        Returns
        -------
        ndarray of shape (c, n_nearest)
        """
        order = self.nearest_positions(n_nearest)
        return order if self.ids is None else self.ids[order]

    def nearest_positions(self, n_nearest: int) -> Indices:
        """Return the positions of the nearest training objects (c × n_nearest)."""
        return np.argsort(self.distances_sq, axis=1, kind="stable")[:, :n_nearest]

    def __len__(self) -> int:
        return len(self.rows[0])

    def __repr__(self) -> str:
        n_prototypes, n_objects = self.distances_sq.shape
        return f"{type(self).__name__}({n_prototypes} prototypes, {n_objects} objects)"


def check_n_nearest(n_nearest: int, n_kept: int) -> None:
    """Refuse more of the nearest objects than were kept."""
    if n_nearest > n_kept:
        raise RelationError(
            f"n_nearest is {n_nearest}; of these prototypes the {n_kept} nearest objects were "
            "kept. Ask for at most as many."
        )


P = TypeVar("P", bound=Prototypes)


class Space(ABC, Generic[P]):
    """A space of latent vectors in which n objects lie and prototypes move."""

    n_objects: int
    dtype: np.dtype[Any]

    @abstractmethod
    def place(self, coefficients: Array) -> P:
        """Place prototypes at affine combinations of the objects (c × n, rows sum to one)."""

    @abstractmethod
    def place_at(self, objects: Indices) -> P:
        """Place a prototype on each of the given objects."""

    @abstractmethod
    def place_layers(self, objects: Indices, n_layers: int) -> Prototypes:
        """Place a prototype on each of the given objects, then another on each, and so on."""

    @abstractmethod
    def descent(self, prototypes: P, gradients: Gradients) -> Direction:
        """Return a descent direction from the derivatives ``g = df/dd`` by the distances (c × n).

        It is the negative latent gradient ``2 sum_i g_ji (x_i - v_j)`` (theory 4 and 9) wherever
        the space is Euclidean; elsewhere such that, to first order, it never raises the objective.
        This is the one place of an epoch that may cost a product with S.
        """

    @abstractmethod
    def move(self, prototypes: P, direction: Any, steps: Array) -> P:
        """Move each prototype along its direction by its own step (c)."""

    def after_rejection(self, prototypes: P) -> P:
        """Return the prototypes as they are after a step from them was rejected."""
        return prototypes

    @abstractmethod
    def inner(self, first: Any, second: Any) -> Array:
        """Return the latent inner products (c) of two directions, prototype by prototype."""

    def published(self) -> "Space":
        """Return the space in which prototypes move as equation 2.9 is printed.

        That equation is about distances that follow from a relation. Where they are measured
        between points or looked up, it changes nothing.
        """
        return self

    def definite(self) -> "Space":
        """Return the space in which every direction but zero has a positive length.

        That is this one, unless no vectors have the relation's dissimilarities.
        """
        return self

    def convert(self, prototypes: Any) -> P:
        """Return prototypes of the space that this one was derived from as prototypes of this."""
        return prototypes

    def distances_sq_to_mean(self, weights: Array) -> Array:
        """Return the squared distance of every object from the weighted mean (n)."""
        return self.place(weights[None]).distances_sq[0]

    @abstractmethod
    def mean_sq(self, weights: Array) -> float:
        """Return the mean squared dissimilarity under object weights that sum to one."""


@dataclass(frozen=True, eq=False)
class _ProductPrototypes:
    distances_sq: Array


class ProductSpace:
    """A space and, beside it, that of the objects' targets (n × g), for clustering.

    Objects are near that lie near *and* have similar targets. Both count the same: on average, two
    objects are as far apart in the one as in the other, under ``weights`` that sum to one.
    Prototypes are placed, never moved.
    """

    def __init__(self, space: Space, targets: Array, weights: Array) -> None:
        self.space, self.n_objects, self.dtype = space, space.n_objects, space.dtype
        centred = targets - targets.mean(axis=0)
        mean = weights @ centred
        apart = float(2 * (weights @ row_dots(centred, centred) - mean @ mean))
        scale = max(space.mean_sq(weights), 0.0) / apart if apart > 0 else 0.0
        vectors = np.ascontiguousarray(scale**0.5 * targets, dtype=space.dtype)
        self.vectors = vectors - vectors.mean(axis=0)
        self.norms_sq = row_dots(self.vectors, self.vectors)

    def place(self, coefficients: Array) -> _ProductPrototypes:
        """Place prototypes at the same affine combination of objects in both."""
        A = coefficients.astype(self.dtype, copy=False)
        return self._joined(self.space.place(coefficients), A @ self.vectors)

    def place_at(self, objects: Indices) -> _ProductPrototypes:
        """Place a prototype on each of the given objects."""
        return self._joined(self.space.place_at(objects), self.vectors[objects])

    def _joined(self, placed: Prototypes, points: Array) -> _ProductPrototypes:
        """Add the squared distances of both."""
        own = row_dots(points, points)
        points_sq = own[:, None] + self.norms_sq - 2 * (points @ self.vectors.T)
        return _ProductPrototypes(placed.distances_sq + points_sq)
