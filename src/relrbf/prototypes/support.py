"""Prototypes whose coefficients live on some of the objects (theory, section 7).

Training then looks at an m × n block of S, and a prediction at m dissimilarities. The inner product
is positive whatever the relation: the latent one where there are vectors, that of the coefficients
where there are none, in which the coefficient gradient is the steepest way down (theory, 6).

Symbols
-------
a   c × m   coefficients on the support, rows sum to one
T   m × n   squared dissimilarities of the support to all objects
b   c × m   coefficients of a direction, rows sum to zero; with vectors, c × r along axes of K
K   m × m   -J S J / 2 on the support (J centres)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.prototypes.base import Direction, Parted, Prototypes, Space, whole
from relrbf.prototypes.fixed import FixedPrototypes, fixed_on_support
from relrbf.prototypes.relational import row_dots
from relrbf.relations.base import Relation
from relrbf.relations.blocks import row_blocks

FEW_AXES = 0.25  # of the support: with more, a plan saves little
MOST_KEPT = 2**30  # bytes of T, where it can be read again
FLAT = 1e-10  # of the largest eigenvalue of K: smaller ones are no dimension


@dataclass(frozen=True, repr=False, eq=False)
class SupportedPrototypes(Prototypes):
    """Prototypes given by affine coefficients on a support of m objects."""

    own: Array
    products: Array
    objects: Indices
    ids: np.ndarray | None = None

    @property
    def coefficients(self) -> Array:
        """Coefficients on all objects (c × n), zero outside the support."""
        spread = np.zeros(self.products.shape, dtype=self.own.dtype)
        spread[:, self.objects] = self.own
        return spread

    @property
    def rows(self) -> tuple[Array, ...]:
        """Coefficients on the support and their products with S."""
        return self.own, self.products

    def with_rows(self, rows: tuple[Array, ...]) -> Self:
        """Return prototypes with these coefficients and products."""
        return replace(self, own=rows[0], products=rows[1])

    @cached_property
    def offsets(self) -> Array:
        """``a_j' S a_j / 2`` (c)."""
        return row_dots(self.own, self.products[:, self.objects]) / 2

    @property
    def distances_sq(self) -> Array:
        """Squared distances to the training objects (c × n), equation 2.5, made when asked for."""
        return self.products - self.offsets[:, None]

    def distances_sq_at(self, objects: slice) -> Array:
        """Return squared distances to some of the training objects (c × k)."""
        return self.products[:, objects] - self.offsets[:, None]

    @property
    def support(self) -> Indices:
        """The support's objects."""
        return self.objects

    def distances_sq_to(self, query: Array) -> Array:
        """Squared distances (c × q) from squared dissimilarities to the support (q × m)."""
        return self.own @ query.T - self.offsets[:, None]

    def compact(self) -> FixedPrototypes:
        """Return the same prototypes on the support alone, still under the objects' own names."""
        return fixed_on_support(self)


@dataclass(frozen=True, eq=False)
class Plan:
    """Where the support (m × r) and all objects (n × r) lie along the axes of a Euclidean hull.

    ``own`` (m) and ``heights`` (n) are squared distances from the support's mean: then
    ``S_si = own_s + heights_i - 2 <corner_s, place_i>``, whatever lies outside the hull, and a
    product with S costs r, not m, multiplications per object.
    """

    corners: Array
    places: Array
    own: Array
    heights: Array


class SupportSpace(Space[SupportedPrototypes]):
    """The affine hull of some objects in the latent space of a relation.

    Parameters
    ----------
    relation : Relation
        Dissimilarities between all objects.
    support : ndarray of int of shape (m,)
        Objects that may carry coefficients, in ascending order.
    is_euclidean : bool
        Whether vectors have these dissimilarities. Directions are then latent gradients projected
        on the hull; otherwise coefficient gradients.
    """

    def __init__(self, relation: Relation, support: Indices, is_euclidean: bool) -> None:
        self.relation = relation
        self.support = support
        self.is_euclidean = is_euclidean
        self.n_objects = relation.n_objects
        self.dtype = relation.dtype
        self._is_whole = len(support) == self.n_objects

    def place(self, coefficients: Array) -> SupportedPrototypes:
        """Place prototypes at affine combinations of the support's objects."""
        own = coefficients[:, self.support].astype(self.dtype, copy=False)
        return SupportedPrototypes(own, self._spread(own), self.support, self.relation.ids)

    def place_at(self, objects: Indices) -> SupportedPrototypes:
        """Place a prototype on each of the given objects of the support, by look-up."""
        own = (self.support == np.asarray(objects)[:, None]).astype(self.dtype)
        products = self.relation.block_sq(np.asarray(objects))
        return SupportedPrototypes(own, products, self.support, self.relation.ids)

    def descent(self, prototypes: SupportedPrototypes, forces: Array | Parted) -> Direction:
        """Return the steepest way down in this space's inner product (theory, 6 and 7)."""
        at_support = prototypes.products[:, self.support]
        pulls, sums = self._gather(forces)
        gradient = _centred((pulls - sums[:, None] * at_support) / 2)
        if self.is_euclidean:
            V, lengths = self._axes
            return Direction(((gradient @ V) / -lengths,))
        return Direction((gradient / -self._stretch,))

    def move(
        self, prototypes: SupportedPrototypes, direction: Direction, steps: Array
    ) -> SupportedPrototypes:
        """Return ``a + eta b`` and its product: directions have none, so that many can be kept."""
        (b,) = direction.rows
        if self.is_euclidean:
            V, lengths = self._axes
            b = (b / lengths) @ V.T
        own = prototypes.own + steps[:, None] * _centred(b)
        return prototypes.with_rows((own, self._spread(own)))

    def inner(self, first: Direction, second: Direction) -> Array:
        """Return ``b K b'``; without vectors, that of the coefficients in the same unit."""
        dots = row_dots(first.rows[0], second.rows[0])
        return dots if self.is_euclidean else self._stretch * dots

    def as_printed(self) -> Space:
        """Refuse: equation 2.9 is about coefficients on all objects."""
        raise OptionError(
            "update='published' is equation 2.9 as printed, in which all objects carry "
            "coefficients; set n_support=None."
        )

    def adopt(self, prototypes: Any) -> SupportedPrototypes:
        """Return prototypes that were placed in the space this one stands in for."""
        if isinstance(prototypes, SupportedPrototypes):
            return prototypes
        own = prototypes.coefficients[:, self.support]
        return SupportedPrototypes(own, prototypes.products, self.support, prototypes.ids)

    def mean_sq(self, weights: Array) -> float:
        """Return ``w' S w`` of the support's objects alone."""
        own = weights[self.support].astype(np.float64)
        own = own / own.sum() if own.any() else np.full(len(own), 1 / len(own))
        return float(own @ self._among @ own)

    def from_mean_sq(self, weights: Array) -> Array:
        """Return the squared distances from the support's weighted mean (n)."""
        return super().from_mean_sq(weights / weights[self.support].sum())

    @cached_property
    def _block(self) -> Array | None:
        """T, unless it is too large to be kept beside a relation that can be read again."""
        size = len(self.support) * self.n_objects * self.dtype.itemsize
        if size > MOST_KEPT and not self.relation.is_costly:
            return None
        return self.relation.block_sq(self.support)

    def _columns(self, objects: slice) -> Array:
        """Return T at some objects (m × k)."""
        if self._block is None:
            return self.relation.block_sq(self.support, objects)
        return self._block[:, objects]

    def _parts(self) -> Iterator[slice]:
        if self._block is not None:
            return iter([slice(None)])
        return row_blocks(self.n_objects, len(self.support) * self.dtype.itemsize)

    @cached_property
    def _among(self) -> Array:
        return self.relation.block_sq(self.support, self.support)

    @cached_property
    def _gram(self) -> Array:
        """K."""
        return -0.5 * _centred(_centred(self._among.astype(np.float64)).T)

    @cached_property
    def _axes(self) -> tuple[Array, Array]:
        """Axes of the hull (m × r) and the extents of the support along them (r).

        Directions are kept by their lengths along these: r numbers say as much as m coefficients.
        """
        squares, V = np.linalg.eigh(self._gram)
        flat = max(FLAT, 1e3 * float(np.finfo(self.dtype).eps)) * squares[-1]
        used = squares > flat
        return V[:, used].astype(self.dtype), np.sqrt(squares[used]).astype(self.dtype)

    @cached_property
    def _stretch(self) -> float:
        """How long, squared, a direction of unit coefficients is at most."""
        return float(np.linalg.norm(self._gram)) or 1.0

    @cached_property
    def _plan(self) -> Plan | None:
        """Return where all objects lie along the hull's axes, if those are few."""
        if not self.is_euclidean or len(self._axes[1]) > FEW_AXES * len(self.support):
            return None
        return self._draw_plan()

    def _draw_plan(self) -> Plan:
        V, lengths = self._axes
        own = np.diagonal(self._gram).astype(self.dtype)
        places = np.empty((self.n_objects, len(lengths)), dtype=self.dtype)
        heights = np.empty(self.n_objects, dtype=self.dtype)
        for rows in row_blocks(self.n_objects, len(self.support) * self.dtype.itemsize):
            S = self.relation.block_sq(rows, self.support)
            places[rows] = ((own - S) @ V) / (2 * lengths)
            heights[rows] = S.mean(axis=1) - own.mean()
        return Plan(V * lengths, places, own, heights)

    def _spread(self, rows: Array) -> Array:
        """Return products of coefficients that sum to one with S (c × n)."""
        if self._is_whole:
            return self.relation.product(rows)
        plan = self._plan
        if plan is None:
            products = np.empty((len(rows), self.n_objects), dtype=self.dtype)
            for objects in self._parts():
                products[:, objects] = rows @ self._columns(objects)
            return products
        products = (-2 * (rows @ plan.corners)) @ plan.places.T
        products += (rows @ plan.own)[:, None]
        products += plan.heights
        return products

    def _gather(self, forces: Array | Parted) -> tuple[Array, Array]:
        """Return products of forces on all objects with S, at the support (c × m), and sums (c)."""
        if self._is_whole:
            forces = whole(forces)
            return self.relation.product(forces), forces.sum(axis=1)
        pulls: Any = 0
        sums: Any = 0
        for objects, part in _parts_of(forces):
            pulls = pulls + self._pulls(part, objects)
            sums = sums + part.sum(axis=1)
        if self._plan is not None:
            pulls = -2 * pulls[:, :-1] @ self._plan.corners.T + pulls[:, -1:]
            pulls += sums[:, None] * self._plan.own
        return pulls, sums

    def _pulls(self, forces: Array, objects: slice) -> Array:
        """Return forces from some objects at the support; with a plan, along axes and upwards."""
        plan = self._plan
        if plan is None:
            return forces @ self._columns(objects).T
        upwards = forces @ plan.heights[objects]
        return np.column_stack([forces @ plan.places[objects], upwards])


def _parts_of(forces: Array | Parted) -> Iterable[tuple[slice, Array]]:
    return [(slice(None), forces)] if isinstance(forces, np.ndarray) else forces.parts()


def _centred(rows: Array) -> Array:
    """Return J applied to each row: a sum of zero."""
    return rows - rows.mean(axis=1, keepdims=True)
