"""Prototypes that are objects: distances by look-up, movement by jumps."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Parted, Space, tie_tolerance
from relrbf.prototypes.relational import LatentRows, RelationalPrototypes, RelationalSpace
from relrbf.relations.base import Relation


@dataclass(frozen=True, repr=False, eq=False)
class MedoidPrototypes(RelationalPrototypes):
    """Relational prototypes whose one coefficient is 1.

    ``wishes`` and ``wish_products`` are the coefficients of where steps have led since the last
    jump, and their products with S: one step rarely leads far enough for a jump.
    """

    wishes: Array = field(kw_only=True)
    wish_products: Array = field(kw_only=True)

    @property
    def objects(self) -> Indices:
        """The object that each prototype is."""
        return np.argmax(self.coefficients, axis=1)

    @property
    def rows(self) -> tuple[Array, ...]:
        """Coefficients and products, of the object and of the wish."""
        return self.coefficients, self.products, self.wishes, self.wish_products

    def with_rows(self, rows: tuple[Array, ...]) -> Self:
        """Return prototypes with these rows."""
        return replace(super().with_rows(rows), wishes=rows[2], wish_products=rows[3])


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
        self.latent = RelationalSpace(relation, candidates)
        self.n_objects = relation.n_objects
        self.dtype = relation.dtype
        self.candidates = np.ones(self.n_objects, bool) if candidates is None else candidates
        mean = (self.candidates / self.candidates.sum()).astype(self.dtype)
        self.from_mean = self.latent.place(mean[None]).distances_sq[0]

    @property
    def _tie(self) -> float:
        return tie_tolerance(self.dtype) * float(np.abs(self.from_mean).mean())

    def place(self, coefficients: Array) -> MedoidPrototypes:
        """Place prototypes on the objects nearest to affine combinations."""
        return self.place_at(self._nearest_objects(self.latent.place(coefficients)))

    def place_at(self, objects: Indices) -> MedoidPrototypes:
        """Place a prototype on each of the given objects."""
        A, P = (placed := self.latent.place_at(objects)).rows
        return MedoidPrototypes(A, P, placed.ids, wishes=A, wish_products=P)

    def descent(self, prototypes: MedoidPrototypes, forces: Array | Parted) -> LatentRows:
        """Return the direction of the relational space."""
        return self.latent.descent(prototypes, forces)

    def move(
        self, prototypes: MedoidPrototypes, direction: LatentRows, steps: Array
    ) -> MedoidPrototypes:
        """Jump to the objects nearest to where the exact updates would have put the prototypes.

        What stays on its object remembers how far it would have gone.
        """
        wishes = RelationalPrototypes(prototypes.wishes, prototypes.wish_products)
        led = self.latent.move(wishes, direction, steps)
        objects = self._nearest_objects(led)
        moved = self.place_at(objects)
        stays = (objects == prototypes.objects)[:, None]
        return replace(
            moved,
            wishes=np.where(stays, led.coefficients, moved.coefficients),
            wish_products=np.where(stays, led.products, moved.products),
        )

    def rest(self, prototypes: MedoidPrototypes) -> MedoidPrototypes:
        """Forget where steps have led: a jump there was no good."""
        A, P = prototypes.rows[:2]
        return prototypes.with_rows((A, P, A, P))

    def direction(self, rows: tuple[Array, ...]) -> LatentRows:
        """Return the direction of the relational space."""
        return self.latent.direction(rows)

    def inner(self, first: LatentRows, second: LatentRows) -> Array:
        """Return zeros: until it jumps, a prototype adds nothing to what a step gains."""
        return np.zeros(len(first.coefficients), dtype=self.dtype)

    def from_mean_sq(self, weights: Array) -> Array:
        """Return the distances of the relational space: the mean need not be an object."""
        return self.latent.from_mean_sq(weights)

    def mean_sq(self, weights: Array) -> float:
        """Return the mean squared dissimilarity."""
        return self.latent.mean_sq(weights)

    def _nearest_objects(self, latent: RelationalPrototypes) -> Indices:
        """Choose the nearest candidate; of several equally near, the one nearest the mean."""
        distances_sq = np.where(self.candidates, latent.distances_sq, np.inf)
        near = distances_sq <= distances_sq.min(axis=1, keepdims=True) + self._tie
        return np.argmin(np.where(near, self.from_mean, np.inf), axis=1)
