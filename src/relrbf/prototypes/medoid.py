"""Prototypes that are objects: distances by look-up, movement by jumps."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Direction, tie_tolerance
from relrbf.prototypes.relational import RelationalPrototypes, RelationalSpace
from relrbf.relations.base import Relation


@dataclass(frozen=True, repr=False, eq=False)
class MedoidPrototypes(RelationalPrototypes):
    """Relational prototypes whose one coefficient is 1.

    ``latent_coefficients`` and ``latent_products`` are those of the points that steps have reached
    since the last jump: one step rarely leads far enough for a jump.
    """

    latent_coefficients: Array = field(kw_only=True)
    latent_products: Array = field(kw_only=True)

    row_fields: ClassVar[tuple[str, ...]] = (
        *RelationalPrototypes.row_fields,
        *("latent_coefficients", "latent_products"),
    )

    @property
    def objects(self) -> Indices:
        """The object that each prototype is."""
        return np.argmax(self.coefficients, axis=1)


class MedoidSpace(RelationalSpace):
    """The objects themselves; a prototype jumps to the object nearest to its latent point.

    Of ``candidates``, a mask of objects, if only some may become prototypes.
    """

    def __init__(self, relation: Relation, candidates: np.ndarray | None = None) -> None:
        super().__init__(relation, candidates)
        self.latent = RelationalSpace(relation, candidates)
        self._eligible = np.ones(self.n_objects, bool) if candidates is None else candidates
        mean = self._eligible / self._eligible.sum()
        self._to_mean_sq = self.latent.distances_sq_to_mean(mean.astype(self.dtype))

    def place(self, coefficients: Array) -> MedoidPrototypes:
        """Place prototypes on the objects nearest to affine combinations."""
        return self.place_at(self._nearest_objects(self.latent.place(coefficients)))

    def place_at(self, objects: Indices) -> MedoidPrototypes:
        """Place a prototype on each of the given objects."""
        A, P = (placed := self.latent.place_at(objects)).rows
        return MedoidPrototypes(A, P, placed.ids, latent_coefficients=A, latent_products=P)

    def move(
        self, prototypes: RelationalPrototypes, direction: Direction, steps: Array
    ) -> MedoidPrototypes:
        """Jump to the objects nearest to where the exact updates would have put the prototypes.

        A prototype that stays on its object keeps its latent point.
        """
        assert isinstance(prototypes, MedoidPrototypes)
        points = RelationalPrototypes(prototypes.latent_coefficients, prototypes.latent_products)
        reached = self.latent.move(points, direction, steps)
        objects = self._nearest_objects(reached)
        moved = self.place_at(objects)
        stays = (objects == prototypes.objects)[:, None]
        return replace(
            moved,
            latent_coefficients=np.where(stays, reached.coefficients, moved.coefficients),
            latent_products=np.where(stays, reached.products, moved.products),
        )

    def after_rejection(self, prototypes: RelationalPrototypes) -> RelationalPrototypes:
        """Return the latent points to the objects: a jump from where they were was rejected."""
        A, P = prototypes.rows[:2]
        return prototypes.with_rows((A, P, A, P))

    def inner(self, first: Direction, second: Direction) -> Array:
        """Return zeros: until it jumps, a prototype adds nothing to what a step gains."""
        return np.zeros(len(first[0]), dtype=self.dtype)

    def published(self) -> "MedoidSpace":
        """Return this space: its distances are looked up, not updated."""
        return self

    def distances_sq_to_mean(self, weights: Array) -> Array:
        """Return the distances of the relational space: the mean need not be an object."""
        return self.latent.distances_sq_to_mean(weights)

    def _nearest_objects(self, latent: RelationalPrototypes) -> Indices:
        """Choose the nearest eligible object; of several equally near, the one nearest the mean."""
        tie = tie_tolerance(self.dtype) * float(np.abs(self._to_mean_sq).mean())
        distances_sq = np.where(self._eligible, latent.distances_sq, np.inf)
        near = distances_sq <= distances_sq.min(axis=1, keepdims=True) + tie
        return np.argmin(np.where(near, self._to_mean_sq, np.inf), axis=1)
