"""Prototypes that move no more: what a prediction needs of them, and what describes them.

They stand in for any others after ``compact`` and in a file. Nothing is computed anew: a new
object's distances are the same bits as before.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.prototypes.base import Prototypes

MANY = 2  # objects for each of the support: of fewer, all distances are kept
N_NEAR = 16  # objects that describe a prototype, where the distances to others are not kept


@dataclass(frozen=True, repr=False, eq=False)
class FixedPrototypes(Prototypes):
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
    def rows(self) -> tuple[Array, ...]:
        """Coefficients on the support, offsets, distances and nearest objects."""
        near: tuple[Any, ...] = () if self.near is None else (self.near,)
        return (self.own, self.offsets, self.known_sq, *near)

    def with_rows(self, rows: tuple[Array, ...]) -> Self:
        """Return prototypes with these rows."""
        near: Any = rows[3] if len(rows) > 3 else None
        return replace(self, own=rows[0], offsets=rows[1], known_sq=rows[2], near=near)

    def distances_sq_to(self, query: Array) -> Array:
        """Squared distances (c × q) from squared dissimilarities to the support (q × m)."""
        return self.own @ query.T - self.offsets[:, None]

    def compact(self) -> Self:
        """Return the same prototypes on the support alone, still under the objects' own names."""
        is_all = self.near is None
        return replace(
            self,
            objects=np.arange(len(self.objects)),
            n_objects=len(self.objects),
            known_sq=self.known_sq[:, self.objects] if is_all else self.known_sq,
            near=None,
            ids=self.objects if self.ids is None else self.ids[self.objects],
        )

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

    def __len__(self) -> int:
        return len(self.own)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} prototypes, {self.n_objects} objects)"


def fixed(prototypes: Any) -> FixedPrototypes:
    """Return prototypes of any relational space as they are, no more to be moved.

    Where the support is a small part of the objects, distances to the others are left out: they
    would take many times the memory of all else.
    """
    if isinstance(prototypes, FixedPrototypes):
        return prototypes
    objects, distances_sq = prototypes.support, prototypes.distances_sq
    n_objects = distances_sq.shape[1]
    near = None
    if n_objects > MANY * len(objects):
        rows = [np.argsort(row, kind="stable")[:N_NEAR] for row in distances_sq]
        near, distances_sq = np.stack(rows), distances_sq[:, objects]
    return FixedPrototypes(
        prototypes.own,
        prototypes.offsets,
        objects,
        n_objects,
        distances_sq,
        near,
        prototypes.ids,
    )


def fixed_on_support(prototypes: Any) -> FixedPrototypes:
    """Return prototypes of any relational space on their support alone."""
    objects = prototypes.support
    return FixedPrototypes(
        prototypes.own,
        prototypes.offsets,
        np.arange(len(objects)),
        len(objects),
        prototypes.distances_sq[:, objects],
        ids=objects if prototypes.ids is None else prototypes.ids[objects],
    )
