"""Two spaces side by side: the same objects, seen in both."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Prototypes, Space
from relrbf.prototypes.vector import VectorSpace


@dataclass(frozen=True, eq=False)
class _Beside:
    """Prototypes of both spaces; squared distances add."""

    pair: tuple[Prototypes, Prototypes]

    @cached_property
    def distances_sq(self) -> Array:
        first, second = self.pair
        return first.distances_sq + second.distances_sq


class ProductSpace:
    """A space and a Euclidean one beside it, for clustering: prototypes are placed, never moved.

    Parameters
    ----------
    space : Space
        Where the objects lie.
    vectors : ndarray of shape (n, g)
        Where they lie in the other space.
    """

    def __init__(self, space: Space, vectors: Array) -> None:
        self.first = space
        self.second = VectorSpace(np.ascontiguousarray(vectors, dtype=space.dtype))
        self.n_objects = space.n_objects
        self.dtype = space.dtype

    def place(self, coefficients: Array) -> _Beside:
        """Place prototypes at the same affine combination of objects in both."""
        return _Beside((self.first.place(coefficients), self.second.place(coefficients)))

    def place_at(self, objects: Indices) -> _Beside:
        """Place a prototype on each of the given objects."""
        return _Beside((self.first.place_at(objects), self.second.place_at(objects)))
