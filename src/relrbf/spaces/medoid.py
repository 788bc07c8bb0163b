"""Prototypes that are objects: distances by look-up, movement by jumps."""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import Relation
from relrbf.spaces.base import Space, tie_of
from relrbf.spaces.relational import LatentRows, RelationalPrototypes, RelationalSpace


@dataclass(frozen=True, repr=False, eq=False)
class MedoidPrototypes(RelationalPrototypes):
    """Relational prototypes whose one coefficient is 1."""

    @property
    def objects(self) -> Indices:
        """The object that each prototype is."""
        return np.argmax(self.coefficients, axis=1)


class MedoidSpace(Space[MedoidPrototypes]):
    """The objects themselves; a prototype jumps to the object nearest to where it is pulled.

    Parameters
    ----------
    relation : Relation
        Dissimilarities between the objects.
    candidates : ndarray of bool of shape (n,) or None, default=None
        Objects that may become prototypes; None means all.
    """

    def __init__(self, relation: Relation, candidates: np.ndarray | None = None) -> None:
        self.relation = relation
        self.latent = RelationalSpace(relation)
        self.n_objects = relation.n_objects
        self.dtype = relation.dtype
        self.candidates = np.ones(self.n_objects, bool) if candidates is None else candidates
        mean = (self.candidates / self.candidates.sum()).astype(self.dtype)
        self.from_mean = self.latent.place(mean[None]).distances_sq[0]

    @property
    def _tie(self) -> float:
        return tie_of(self.dtype) * float(np.abs(self.from_mean).mean())

    def place(self, coefficients: Array) -> MedoidPrototypes:
        """Place prototypes on the objects nearest to affine combinations."""
        return self._nearest_objects(self.latent.place(coefficients))

    def place_at(self, objects: Indices) -> MedoidPrototypes:
        """Place a prototype on each of the given objects."""
        placed = self.latent.place_at(objects)
        return MedoidPrototypes(placed.coefficients, placed.products, placed.ids)

    def descent(self, prototypes: MedoidPrototypes, forces: Array) -> LatentRows:
        """Return the direction of the relational space."""
        return self.latent.descent(prototypes, forces)

    def move(self, prototypes: MedoidPrototypes, direction: LatentRows) -> MedoidPrototypes:
        """Jump to the objects nearest to where the exact update would put the prototypes."""
        return self._nearest_objects(self.latent.move(prototypes, direction))

    def direction(self, rows: tuple[Array, ...]) -> LatentRows:
        """Return the direction of the relational space."""
        return self.latent.direction(rows)

    def inner(self, first: LatentRows, second: LatentRows) -> Array:
        """Return the inner products of the relational space."""
        return self.latent.inner(first, second)

    def mean_sq(self, weights: Array) -> float:
        """Return the mean squared dissimilarity."""
        return self.latent.mean_sq(weights)

    def _nearest_objects(self, latent: RelationalPrototypes) -> MedoidPrototypes:
        """Choose the nearest candidate; of several equally near, the one nearest the mean."""
        distances_sq = np.where(self.candidates, latent.distances_sq, np.inf)
        near = distances_sq <= distances_sq.min(axis=1, keepdims=True) + self._tie
        return self.place_at(np.argmin(np.where(near, self.from_mean, np.inf), axis=1))
