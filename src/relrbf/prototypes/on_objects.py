"""Prototypes that lie on objects, several on each: nothing to compute, little to keep."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.prototypes.base import Prototypes, check_n_nearest
from relrbf.relations.base import Relation

N_NEAR = 16  # objects that describe a prototype, where the distances to others are not kept


@dataclass(frozen=True, repr=False, eq=False)
class ObjectPrototypes(Prototypes):
    """One prototype on every object of the support, then another on each, and so on."""

    objects: Indices  # the support (m)
    n_layers: int  # prototypes on each of them
    n_objects: int  # all training objects
    relation: Relation | None = None  # which is left out of files and copies
    near: Indices | None = None  # without a relation: nearest of the support, by position (m × j)
    ids: np.ndarray | None = None

    row_fields = ()

    @classmethod
    def on(cls, objects: Indices, n_layers: int, relation: Relation) -> "ObjectPrototypes":
        """Place several prototypes on each of the given objects.

        A relation that is not in memory is asked for what describes them now, while it is there.
        """
        placed = cls(objects, n_layers, relation.n_objects, relation, ids=relation.ids)
        return placed if relation.is_in_memory else placed.fixed()

    @property
    def coefficients(self) -> Array:
        """Coefficients on all objects (c × n): one is 1, all others are 0."""
        A = np.zeros((len(self), self.n_objects))
        A[np.arange(len(self)), np.tile(self.objects, self.n_layers)] = 1
        return A

    @property
    def distances_sq(self) -> Array:
        """Squared distances to the training objects (c × n), while the relation is known."""
        if self.relation is None:
            raise RelationError(
                "prototypes that lie on objects keep no dissimilarities in a file or a copy: "
                "these are D[support_] ** exponent_, one layer after another."
            )
        return np.tile(self.relation.block_sq(self.objects), (self.n_layers, 1))

    @property
    def support(self) -> Indices:
        """The support's objects."""
        return self.objects

    def distances_sq_to(self, query: Array) -> Array:
        """Return squared distances (c × q) from squared dissimilarities to the support (q × m)."""
        return np.ascontiguousarray(np.tile(query.T, (self.n_layers, 1)))

    def compact(self) -> "ObjectPrototypes":
        """Return the same prototypes on the support alone, with the objects' own names."""
        ids, m = self.objects if self.ids is None else self.ids[self.objects], len(self.objects)
        return ObjectPrototypes(np.arange(m), self.n_layers, m, None, self._near(), ids)

    def fixed(self) -> "ObjectPrototypes":
        """Return the same prototypes without the relation."""
        sizes = self.n_layers, self.n_objects
        return ObjectPrototypes(self.objects, *sizes, None, self._near(), self.ids)

    def nearest_positions(self, n_nearest: int) -> Indices:
        """Return the positions of the support's objects that are nearest (c × n_nearest)."""
        if self.relation is None:
            check_n_nearest(n_nearest, self._near().shape[1])
        near = self._near(n_nearest)[:, :n_nearest]
        return np.tile(self.objects[near], (self.n_layers, 1))

    def _near(self, n_nearest: int = N_NEAR) -> Indices:
        """Return the nearest objects of the support to each (m × j), by position within it."""
        if self.relation is None:
            assert self.near is not None
            return self.near
        near = np.empty((len(self.objects), min(n_nearest, len(self.objects))), dtype=np.intp)
        for rows in self.relation.row_blocks():
            rows = slice(rows.start, min(rows.stop, len(near)))
            S = self.relation.block_sq(self.objects[rows], self.objects)
            near[rows] = np.argsort(S, axis=1, kind="stable")[:, : near.shape[1]]
        return near

    def __getstate__(self) -> dict[str, Any]:
        return vars(self.fixed())

    def __len__(self) -> int:
        return self.n_layers * len(self.objects)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} prototypes, {self.n_objects} objects)"
