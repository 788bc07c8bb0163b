"""Prototypes by affine coefficients on a support, and those that no longer move.

``FixedPrototypes`` replace any others after ``compact`` and in a file. Nothing is computed again: a
new object's distances are the same bits as before.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.prototypes.base import Prototypes

MAX_OBJECTS_PER_SUPPORT = 2  # up to so many per object of the support, all distances are kept
N_NEAR = 16  # objects that describe a prototype, where the distances to others are not kept


class AffinePrototypes(Prototypes):
    """Prototypes by affine coefficients ``own`` (c × m) on the m objects of the support.

    ``offsets`` (c) are ``a_j' S a_j / 2``, the part of a squared distance that is the same for all
    objects.
    """

    if TYPE_CHECKING:  # fields or properties

        @property
        def own(self) -> Array: ...  # noqa: D102

        @property
        def offsets(self) -> Array: ...  # noqa: D102

    def distances_sq_to(self, query: Array) -> Array:
        """Return squared distances (c × q) from squared dissimilarities to the support (q × m)."""
        return self.own @ query.T - self.offsets[:, None]

    def compact(self) -> "FixedPrototypes":
        """Return the same prototypes on the support alone, with the objects' own names."""
        objects, m = self.support, len(self.support)
        ids = objects if self.ids is None else self.ids[objects]
        distances_sq = self.support_distances_sq
        return FixedPrototypes(self.own, self.offsets, np.arange(m), m, distances_sq, ids=ids)

    @property
    def support_distances_sq(self) -> Array:
        """Squared distances to the support's objects (c × m)."""
        return self.distances_sq[:, self.support]


@dataclass(frozen=True, repr=False, eq=False)
class FixedPrototypes(AffinePrototypes):
    """Prototypes by their coefficients on a support of m objects, and constant offsets.

    ``known_sq`` holds the squared distances to all objects (c × n), or to the support alone
    (c × m); then ``near`` (c × j) holds the positions of the nearest objects, nearest first.
    """

    own: Array
    offsets: Array
    objects: Indices
    n_objects: int
    known_sq: Array
    near: Indices | None = None
    ids: np.ndarray | None = None

    @property
    def coefficients(self) -> Array:
        """Coefficients on all objects (c × n), zero outside the support."""
        spread = np.zeros((len(self.own), self.n_objects), dtype=self.own.dtype)
        spread[:, self.objects] = self.own
        return spread

    @property
    def support(self) -> Indices:
        """The support's objects."""
        return self.objects

    @property
    def distances_sq(self) -> Array:
        """Squared distances to the training objects (c × n), where they were kept."""
        if self.near is not None:
            raise RelationError(
                f"of these prototypes the squared distances to the {len(self.objects)} objects of "
                f"the support were kept, not those to all {self.n_objects}. compact() has the "
                "first; distances_sq_to computes others from their dissimilarities to the support."
            )
        return self.known_sq

    @property
    def row_fields(self) -> tuple[str, ...]:
        """Coefficients on the support, offsets, distances and nearest objects."""
        return ("own", "offsets", "known_sq", *(() if self.near is None else ("near",)))

    @property
    def support_distances_sq(self) -> Array:
        """Squared distances to the support's objects (c × m)."""
        return self.known_sq if self.near is not None else super().support_distances_sq

    def nearest_positions(self, n_nearest: int) -> Indices:
        """Return the positions of the nearest objects (c × n_nearest), as far as they are known."""
        if self.near is None:
            return super().nearest_positions(n_nearest)
        if n_nearest > self.near.shape[1]:
            raise RelationError(
                f"n_nearest is {n_nearest}; of these prototypes the {self.near.shape[1]} nearest "
                "objects were kept. Ask for at most as many."
            )
        return self.near[:, :n_nearest]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} prototypes, {self.n_objects} objects)"


def fixed(prototypes: AffinePrototypes) -> FixedPrototypes:
    """Return prototypes of any relational space as they are, no longer to be moved.

    Where the support is a small part of the objects, distances to the others are left out: they
    would take many times the memory of all else.
    """
    if isinstance(prototypes, FixedPrototypes):
        return prototypes
    objects, distances_sq = prototypes.support, prototypes.distances_sq
    n_objects = distances_sq.shape[1]
    near = None
    if n_objects > MAX_OBJECTS_PER_SUPPORT * len(objects):
        rows = [np.argsort(row, kind="stable")[:N_NEAR] for row in distances_sq]
        near, distances_sq = np.stack(rows), distances_sq[:, objects]
    own, offsets = prototypes.own, prototypes.offsets
    return FixedPrototypes(own, offsets, objects, n_objects, distances_sq, near, prototypes.ids)
