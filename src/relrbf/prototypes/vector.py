"""Prototypes as points among feature vectors, which prove the relational ones right.

Symbols: X (n × d) objects, V (c × d) prototypes, both relative to the objects' mean.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Direction, Gradients, Prototypes, Space, as_array, row_dots

ROUNDING = 8  # times the precision of a sum of squares: a squared distance below it is zero


@dataclass(frozen=True, eq=False)
class CentredObjects:
    """Feature vectors relative to their mean, which keeps rounding errors small."""

    mean: Array
    vectors: Array
    norms_sq: Array

    @classmethod
    def of(cls, X: Array, mean: Array) -> "CentredObjects":
        """Centre the vectors at a given mean."""
        vectors = X - mean
        return cls(mean, vectors, row_dots(vectors, vectors))


@dataclass(frozen=True, repr=False, eq=False)
class VectorPrototypes(Prototypes):
    """Prototypes given by their positions relative to the objects' mean."""

    centred: Array
    objects: CentredObjects
    ids: np.ndarray | None = None

    row_fields: ClassVar[tuple[str, ...]] = ("centred",)

    @property
    def points(self) -> Array:
        """The prototypes as feature vectors (c × d)."""
        return self.centred + self.objects.mean

    @cached_property
    def distances_sq(self) -> Array:
        """Squared Euclidean distances to the training objects (c × n)."""
        return self._distances_sq(self.objects)

    @cached_property
    def coefficients(self) -> Array:
        """The smallest affine coefficients that give the points (c × n), by a pseudo-inverse."""
        n = len(self.objects.vectors)
        return 1 / n + self.centred @ np.linalg.pinv(self.objects.vectors)

    @property
    def support(self) -> Indices:
        """Empty, since a point needs no training object to be measured from."""
        return np.empty(0, dtype=np.intp)

    def distances_sq_to(self, query: Array) -> Array:
        """Squared distances (c × m) to new feature vectors (m × d)."""
        return self._distances_sq(CentredObjects.of(query, self.objects.mean))

    def compact(self) -> "VectorPrototypes":
        """Return itself: it depends on no training object."""
        return self

    def _distances_sq(self, objects: CentredObjects) -> Array:
        norms_sq = row_dots(self.centred, self.centred)[:, None] + objects.norms_sq
        distances_sq = norms_sq - 2 * (self.centred @ objects.vectors.T)
        # what is left of a zero is rounding, which a root would make large
        noise = ROUNDING * np.finfo(distances_sq.dtype).eps
        return np.where(np.abs(distances_sq) <= noise * norms_sq, 0, distances_sq)


class VectorSpace(Space[VectorPrototypes]):
    """The Euclidean space of feature vectors (n × d).

    Objects may lie off it: ``offsets`` (n) add to their squared distances.
    """

    def __init__(
        self, X: Array, ids: np.ndarray | None = None, offsets: Array | None = None
    ) -> None:
        self.objects = CentredObjects.of(X, X.mean(axis=0))
        if offsets is not None:
            norms_sq = self.objects.norms_sq + offsets.astype(X.dtype)
            self.objects = replace(self.objects, norms_sq=norms_sq)
        self.n_objects = len(X)
        self.dtype: np.dtype[Any] = X.dtype
        self.ids = ids

    def place(self, coefficients: Array) -> VectorPrototypes:
        """Place prototypes at affine combinations of the objects."""
        A = coefficients.astype(self.dtype, copy=False)
        return VectorPrototypes(A @ self.objects.vectors, self.objects, self.ids)

    def place_at(self, objects: Indices) -> VectorPrototypes:
        """Place a prototype on each of the given objects."""
        return VectorPrototypes(self.objects.vectors[objects], self.objects, self.ids)

    def place_layers(self, objects: Indices, n_layers: int) -> VectorPrototypes:
        """Place several prototypes on each of the given objects."""
        return self.place_at(np.tile(objects, n_layers))

    def descent(self, prototypes: VectorPrototypes, gradients: Gradients) -> Direction:
        """Return ``2 sum_i g_ji (x_i - v_j)`` (c × d), the negative latent gradient (theory 4)."""
        g = as_array(gradients)
        sums = g.sum(axis=1)[:, None]
        return (2 * (g @ self.objects.vectors - sums * prototypes.centred),)

    def move(
        self, prototypes: VectorPrototypes, direction: Direction, steps: Array
    ) -> VectorPrototypes:
        """Return the points ``v + eta b``."""
        moved = prototypes.centred + steps[:, None] * direction[0]
        return VectorPrototypes(moved, self.objects, self.ids)

    def inner(self, first: Direction, second: Direction) -> Array:
        """Return the inner products of the rows."""
        return row_dots(first[0], second[0])

    def mean_sq(self, weights: Array) -> float:
        """Return twice the weighted variance, which is the mean over all pairs."""
        mean = weights @ self.objects.vectors
        return float(2 * (weights @ self.objects.norms_sq - mean @ mean))
