"""Prototypes as affine coefficients: latent vectors that are never computed.

Symbols (theory 1 to 4 and 6)
-----------------------------
A   c × n   coefficients a_j of the prototypes, rows sum to one
P   c × n   their products A S, kept beside A so that an epoch costs one product
b   c × n   coefficients of a direction, rows sum to zero
g   c × n   derivatives of the objective by the squared distances
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.prototypes.affine_basis import AffineBasis, find_affine_basis
from relrbf.prototypes.base import (
    Direction,
    Gradients,
    Prototypes,
    Space,
    as_array,
    check_n_nearest,
    row_dots,
    scaled,
)
from relrbf.prototypes.on_objects import N_NEAR, ObjectPrototypes
from relrbf.relations.base import Relation

MAX_OBJECTS_PER_SUPPORT = 2  # up to so many per object of the support, all distances are kept
ILL_CONDITIONED_NORM = 10.0  # coefficients of this norm are mostly cancellation
PUBLISHED_PREFACTOR = 1 / 16  # of equation 2.9


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
    """Prototypes that no longer move, by coefficients on a support of m objects and offsets.

    They replace any others after ``compact`` and in a file. Nothing is computed again: a new
    object's distances are the same bits as before.

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
        check_n_nearest(n_nearest, self.near.shape[1])
        return self.near[:, :n_nearest]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} prototypes, {self.n_objects} objects)"


def fixed(prototypes: AffinePrototypes | ObjectPrototypes) -> FixedPrototypes | ObjectPrototypes:
    """Return prototypes of any relational space as they are, no longer to be moved.

    Where the support is a small part of the objects, distances to the others are left out: they
    would take many times the memory of all else.
    """
    if isinstance(prototypes, ObjectPrototypes):
        return prototypes.fixed()
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


@dataclass(frozen=True, repr=False, eq=False)
class RelationalPrototypes(AffinePrototypes):
    """Prototypes given by affine coefficients, which may have any sign."""

    coefficients: Array
    products: Array
    ids: np.ndarray | None = None

    row_fields: ClassVar[tuple[str, ...]] = ("coefficients", "products")

    @cached_property
    def offsets(self) -> Array:
        """``a_j' S a_j / 2`` (c)."""
        return row_dots(self.coefficients, self.products) / 2

    @cached_property
    def distances_sq(self) -> Array:
        """Squared distances to the training objects (c × n), equation 2.5."""
        return self.products - self.offsets[:, None]

    @cached_property
    def support(self) -> Indices:
        """Objects with a nonzero coefficient."""
        return np.flatnonzero(self.coefficients.any(axis=0))

    @property
    def own(self) -> Array:
        """Coefficients on the support (c × m)."""
        return self.coefficients[:, self.support]


class RelationalSpace(Space[RelationalPrototypes]):
    """The latent space of a relation, reached only through products with S.

    Parameters
    ----------
    relation : Relation
        Dissimilarities between the objects.
    candidates : ndarray of bool of shape (n,) or None, default=None
        Objects that may carry coefficients; None means all.
    is_euclidean : bool, default=True
        Whether vectors have these dissimilarities, or nearly have them.
    """

    def __init__(
        self, relation: Relation, candidates: np.ndarray | None = None, is_euclidean: bool = True
    ) -> None:
        self.relation, self.candidates, self.is_euclidean = relation, candidates, is_euclidean
        self.n_objects, self.dtype = relation.n_objects, relation.dtype

    def place(self, coefficients: Array) -> RelationalPrototypes:
        """Place prototypes at affine combinations of the objects, for one product."""
        A = coefficients.astype(self.dtype, copy=False)
        placed = RelationalPrototypes(A, self.relation.product(A), self.relation.ids)
        return self.convert(placed)

    def place_at(self, objects: Indices) -> RelationalPrototypes:
        """Place a prototype on each of the given objects, by look-up."""
        A = np.zeros((len(objects), self.n_objects), dtype=self.dtype)
        A[np.arange(len(objects)), objects] = 1
        placed = RelationalPrototypes(A, self.relation.block_sq(objects), self.relation.ids)
        return self.convert(placed)

    def place_layers(self, objects: Indices, n_layers: int) -> ObjectPrototypes:
        """Place several prototypes on each of the given objects."""
        return ObjectPrototypes.on(objects, n_layers, self.relation)

    def descent(self, prototypes: RelationalPrototypes, gradients: Gradients) -> Direction:
        """Return ``b = h - H a`` with ``h = 2 g``, ``H = sum_i h_i`` (theory 4; for equation 2.9).

        Where the relation is not Euclidean, <b, b> can be negative, and a step along b raises the
        objective (theory 6): such rows are reversed, after which every row descends. The one
        product is with b itself, whose errors do not add to those of earlier products.
        """
        A, g = prototypes.coefficients, as_array(gradients)
        b = g.sum(axis=1)[:, None] * A
        np.subtract(g, b, out=b)
        b -= b.sum(axis=1)[:, None] * A  # a sum of exactly zero, so that no error ever grows
        b *= 2
        products = self.relation.product(b)
        squares = -row_dots(b, products) / 2
        if squares.min() >= 0:
            return b, products
        ascends = squares < -self._rounding(b, prototypes.products)
        return scaled((b, products), np.where(ascends, -1, 1).astype(self.dtype))

    def move(
        self, prototypes: RelationalPrototypes, direction: Direction, steps: Array
    ) -> RelationalPrototypes:
        """Return ``a + eta b``, and its products without another product with S."""
        coefficients, products = scaled(direction, steps)
        coefficients += prototypes.coefficients
        products += prototypes.products
        moved = RelationalPrototypes(coefficients, products, prototypes.ids)
        norms = np.sqrt(row_dots(coefficients, coefficients))
        is_ill_conditioned = (norms > ILL_CONDITIONED_NORM).any() and self._basis is not None
        return self._re_expressed(moved, norms) if is_ill_conditioned else moved

    def inner(self, first: Direction, second: Direction) -> Array:
        """Return ``-b S b' / 2`` (theory 3)."""
        return -row_dots(first[0], second[1]) / 2

    def published(self) -> "RelationalSpace":
        """Return the same space with the printed update (equation 2.9)."""
        return PublishedSpace(self.relation, self.candidates)

    def definite(self) -> Space:
        """Return the same space; without vectors, under the inner product of coefficients."""
        if self.is_euclidean:
            return self
        from relrbf.prototypes.support import SupportSpace

        may_carry = np.ones(self.n_objects, bool) if self.candidates is None else self.candidates
        return SupportSpace(self.relation, np.flatnonzero(may_carry), is_euclidean=False)

    def mean_sq(self, weights: Array) -> float:
        """Return ``w' S w``."""
        row = weights.astype(self.dtype, copy=False)[None]
        return float(self.relation.product(row)[0] @ row[0])

    @cached_property
    def _basis(self) -> AffineBasis | None:
        return find_affine_basis(self.relation, self.candidates)

    def _re_expressed(self, prototypes: RelationalPrototypes, norms: Array) -> RelationalPrototypes:
        """Express the same points with smaller coefficients, where the affine basis allows it."""
        assert self._basis is not None
        which = np.flatnonzero(norms > ILL_CONDITIONED_NORM)
        old = prototypes.with_rows(tuple(rows[which] for rows in prototypes.rows))
        new = old.with_rows(self._basis.re_expressed(old.coefficients))
        errors = np.abs(new.distances_sq - old.distances_sq).max(axis=1)
        # of the old distances, whose a' S a has the square of the coefficients
        rounding = 10 * np.finfo(self.dtype).eps * np.square(norms[which])
        same = errors <= rounding * np.abs(old.distances_sq).max(axis=1)
        better = same & (row_dots(*2 * (new.coefficients,)) < np.square(norms[which] / 2))
        A, P = (rows.copy() for rows in prototypes.rows)
        A[which[better]], P[which[better]] = (rows[better] for rows in new.rows)
        return prototypes.with_rows((A, P))

    def _rounding(self, b: Array, products: Array) -> Array:
        """Bound the rounding error of <b, b>, so that noise reverses no direction."""
        entries = np.abs(products).max(axis=1)  # the size of the entries of S
        sums = np.abs(b).sum(axis=1)
        return 1e3 * np.finfo(self.dtype).eps * sums * (sums * entries)  # in range, in this order


@dataclass(frozen=True, repr=False, eq=False)
class PublishedPrototypes(RelationalPrototypes):
    """Prototypes whose distances no point of the space need have.

    ``first_coefficients`` and ``first_products`` are those of the first prototypes;
    ``updated_offsets`` (c) replace ``a' S a / 2``.
    """

    first_coefficients: Array = field(kw_only=True)
    first_products: Array = field(kw_only=True)
    updated_offsets: Array = field(kw_only=True)

    row_fields: ClassVar[tuple[str, ...]] = (
        *RelationalPrototypes.row_fields,
        *("first_coefficients", "first_products", "updated_offsets"),
    )

    @property
    def offsets(self) -> Array:
        """What the printed updates made of ``a' S a / 2`` (c)."""
        return self.updated_offsets


class PublishedSpace(RelationalSpace):
    """The latent space in which prototypes move as equation 2.9 is printed, kept for its readers.

    With coefficients that sum to one, ``(4 sum_r u_r)^-2 u_p u_q`` is ``a_p a_q / 16``: 2.9 reads::

        d_i  <-  d_i + ( eta [S (e - H a)]_i  -  eta² |e|² a' S a ) / 16,      H = sum_y e_y

    where a are the *first* coefficients (the print never changes them) and e the hidden errors.
    The exact change of the same step is ``eta [S b]_i - eta a' S b - eta² b' S b / 2`` with ``b = e
    - H a`` and the present a (theory 4). So the print takes a sixteenth of the first-order term,
    loses the constant ``a' S b`` and has another quadratic term: theory 5 tells why.

    The hidden errors, ``w grad f_1`` in print, are vectors where 2.9 needs numbers and lack the
    output's residual; ``e = 2 df/dd`` takes their place (theory 5), and the sign of the step is
    the one that descends.
    """

    def convert(self, prototypes: Any) -> PublishedPrototypes:
        """Start the printed updates from prototypes of the relational space."""
        if isinstance(prototypes, PublishedPrototypes):
            return prototypes
        A, P = prototypes.rows
        first = {"first_coefficients": A, "first_products": P}
        return PublishedPrototypes(
            A, P, prototypes.ids, **first, updated_offsets=prototypes.offsets
        )

    def descent(self, prototypes: RelationalPrototypes, gradients: Gradients) -> Direction:
        """Return ``e - H a``, its products with S, and the norms ``|e|`` (equation 2.9)."""
        assert isinstance(prototypes, PublishedPrototypes)
        e = 2 * as_array(gradients)
        b = e - e.sum(axis=1)[:, None] * prototypes.first_coefficients
        norms = np.linalg.norm(e.astype(np.float64), axis=1).astype(self.dtype)
        return b, self.relation.product(b), norms

    def move(
        self, prototypes: RelationalPrototypes, direction: Direction, steps: Array
    ) -> PublishedPrototypes:
        """Change the distances by equation 2.9."""
        assert isinstance(prototypes, PublishedPrototypes)
        b, products, norms = scaled(direction, steps)
        first_sq = row_dots(prototypes.first_coefficients, prototypes.first_products)  # a' S a
        change = PUBLISHED_PREFACTOR * norms * (norms * first_sq)
        return replace(
            prototypes,
            coefficients=prototypes.coefficients + PUBLISHED_PREFACTOR * b,
            products=prototypes.products + PUBLISHED_PREFACTOR * products,
            updated_offsets=prototypes.updated_offsets + change,
        )
