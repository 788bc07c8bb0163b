"""Prototypes as affine coefficients: latent vectors that nobody computes.

Symbols (theory, sections 1-4 and 6)
------------------------------------
A   c × n   coefficients a_j of the prototypes, rows sum to one
P   c × n   their products A S, kept beside A so that an epoch costs one product
b   c × n   coefficients of a direction, rows sum to zero
h   c × n   forces
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.affine_basis import AffineBasis, find_affine_basis
from relrbf.prototypes.base import Direction, Parted, Prototypes, Space, whole
from relrbf.prototypes.fixed import FixedPrototypes, fixed_on_support
from relrbf.relations.base import Relation

ILL_CONDITIONED = 10.0  # coefficients of this norm are mostly cancellation


def row_dots(first: Array, second: Array) -> Array:
    """Return the inner product of each pair of rows (c)."""
    return np.einsum("ji,ji->j", first, second)


class LatentRows(Direction):
    """Latent vectors by their coefficients and the products of those with S."""

    @property
    def coefficients(self) -> Array:
        """Rows that sum to zero (c × n)."""
        return self.rows[0]

    @property
    def products(self) -> Array:
        """Their products with S (c × n)."""
        return self.rows[1]


@dataclass(frozen=True, repr=False, eq=False)
class RelationalPrototypes(Prototypes):
    """Prototypes given by affine coefficients, which may have any sign."""

    coefficients: Array
    products: Array
    ids: np.ndarray | None = None

    @property
    def rows(self) -> tuple[Array, ...]:
        """Coefficients and their products with S."""
        return self.coefficients, self.products

    def with_rows(self, rows: tuple[Array, ...]) -> Self:
        """Return prototypes with these coefficients and products."""
        return replace(self, coefficients=rows[0], products=rows[1])

    @cached_property
    def offsets(self) -> Array:
        """``a_j' S a_j / 2``, the part of a squared distance that no object changes (c)."""
        return row_dots(self.coefficients, self.products) / 2

    @cached_property
    def distances_sq(self) -> Array:
        """Squared distances to the training objects (c × n), equation 2.5."""
        return self.products - self.offsets[:, None]

    @cached_property
    def support(self) -> Indices:
        """Objects with a nonzero coefficient."""
        return np.flatnonzero(self.coefficients.any(axis=0))

    def distances_sq_to(self, query: Array) -> Array:
        """Squared distances (c × m) from squared dissimilarities to the support (theory, 2)."""
        return self.own @ query.T - self.offsets[:, None]

    @property
    def own(self) -> Array:
        """Coefficients on the support (c × m)."""
        return self.coefficients[:, self.support]

    def compact(self) -> FixedPrototypes:
        """Return the same prototypes on the support alone, still under the objects' own names."""
        return fixed_on_support(self)


class RelationalSpace(Space[RelationalPrototypes]):
    """The latent space of a relation, reached only through products with S.

    Parameters
    ----------
    relation : Relation
        Dissimilarities between the objects.
    candidates : ndarray of bool of shape (n,) or None, default=None
        Objects that may carry coefficients; None means all.
    is_euclidean : bool, default=True
        Whether vectors have these dissimilarities, or all but have them.
    """

    def __init__(
        self,
        relation: Relation,
        candidates: np.ndarray | None = None,
        is_euclidean: bool = True,
    ) -> None:
        self.is_euclidean = is_euclidean
        self.relation = relation
        self.candidates = candidates
        self.n_objects = relation.n_objects
        self.dtype = relation.dtype

    def place(self, coefficients: Array) -> RelationalPrototypes:
        """Place prototypes at affine combinations of the objects, for one product."""
        A = coefficients.astype(self.dtype, copy=False)
        return RelationalPrototypes(A, self.relation.product(A), self.relation.ids)

    def place_at(self, objects: Indices) -> RelationalPrototypes:
        """Place a prototype on each of the given objects, by look-up."""
        A = np.zeros((len(objects), self.n_objects), dtype=self.dtype)
        A[np.arange(len(objects)), objects] = 1
        return RelationalPrototypes(A, self.relation.block_sq(objects), self.relation.ids)

    def descent(self, prototypes: RelationalPrototypes, forces: Array | Parted) -> LatentRows:
        """Return ``b = h - H a`` with ``H = sum_i h_i`` (theory 4; replaces equation 2.9).

        Where the relation is not Euclidean, <b, b> can be negative, and a step along b climbs
        (theory 6): such rows are turned round, after which every row descends. The one product is
        with b itself, whose errors do not add to those of earlier products.
        """
        A, forces = prototypes.coefficients, whole(forces)
        b = forces.sum(axis=1)[:, None] * A
        np.subtract(forces, b, out=b)
        b -= b.sum(axis=1)[:, None] * A  # a sum of exactly zero, so that no error ever grows
        rows = LatentRows((b, self.relation.product(b)))
        squares = self.inner(rows, rows)
        if squares.min() >= 0:
            return rows
        climbs = squares < -self._rounding(b, prototypes.products)
        return rows.scaled(np.where(climbs, -1, 1).astype(self.dtype))

    def move(
        self, prototypes: RelationalPrototypes, direction: LatentRows, steps: Array
    ) -> RelationalPrototypes:
        """Return ``a + eta b``, and its products without another look at S."""
        coefficients = steps[:, None] * direction.coefficients
        products = steps[:, None] * direction.products
        coefficients += prototypes.coefficients
        products += prototypes.products
        return self._tidied(RelationalPrototypes(coefficients, products, prototypes.ids))

    def direction(self, rows: tuple[Array, ...]) -> LatentRows:
        """Return the direction that has these rows."""
        return LatentRows(rows)

    def inner(self, first: LatentRows, second: LatentRows) -> Array:
        """Return ``-b S b' / 2`` (theory, section 3)."""
        return -row_dots(first.coefficients, second.products) / 2

    def as_printed(self) -> "RelationalSpace":
        """Return the same space with the printed update (equation 2.9)."""
        from relrbf.prototypes.printed import PrintedSpace

        return PrintedSpace(self.relation, self.candidates)

    def definite(self) -> Space:
        """Return the same space; without vectors, under the inner product of coefficients."""
        if self.is_euclidean:
            return self
        from relrbf.prototypes.support import SupportSpace

        some = np.ones(self.n_objects, bool) if self.candidates is None else self.candidates
        return SupportSpace(self.relation, np.flatnonzero(some), is_euclidean=False)

    def mean_sq(self, weights: Array) -> float:
        """Return ``w' S w``."""
        row = weights.astype(self.dtype, copy=False)[None]
        return float(self.relation.product(row)[0] @ row[0])

    @cached_property
    def _frame(self) -> AffineBasis | None:
        return find_affine_basis(self.relation, self.candidates)

    def _tidied(self, prototypes: RelationalPrototypes) -> RelationalPrototypes:
        """Say the same points with smaller coefficients, where a frame of few objects can."""
        norms = np.sqrt(row_dots(prototypes.coefficients, prototypes.coefficients))
        which = np.flatnonzero(norms > ILL_CONDITIONED)
        if len(which) == 0 or self._frame is None:
            return prototypes
        old = prototypes.with_rows(tuple(rows[which] for rows in prototypes.rows))
        new = old.with_rows(self._frame.re_expressed(old.coefficients))
        errors = np.abs(new.distances_sq - old.distances_sq).max(axis=1)
        # of the old distances, whose a' S a has the square of the coefficients
        rounding = 10 * np.finfo(self.dtype).eps * np.square(norms[which])
        same = errors <= rounding * np.abs(old.distances_sq).max(axis=1)
        better = same & (row_dots(*2 * (new.coefficients,)) < np.square(norms[which] / 2))
        A, P = (rows.copy() for rows in prototypes.rows)
        A[which[better]], P[which[better]] = (rows[better] for rows in new.rows)
        return prototypes.with_rows((A, P))

    def _rounding(self, b: Array, products: Array) -> Array:
        """Bound the rounding error of <b, b>, so that noise turns no direction round."""
        entries = np.abs(products).max(axis=1)  # the size of the entries of S
        sums = np.abs(b).sum(axis=1)
        return 1e3 * np.finfo(self.dtype).eps * sums * (sums * entries)  # in range, in this order
