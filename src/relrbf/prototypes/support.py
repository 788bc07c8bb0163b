"""Prototypes whose coefficients live on some of the objects (theory 7).

Training then needs an m × n block of S, and a prediction m dissimilarities. The inner product is
positive whatever the relation: the latent one where there are vectors, that of the coefficients
where there are none, in which the coefficient gradient is the steepest ascent (theory 6).

Symbols
-------
a   c × m   coefficients on the support, rows sum to one
T   m × n   squared dissimilarities of the support to all objects
g   c × n   derivatives of the objective by the squared distances
b   c × m   coefficients of a direction, rows sum to zero; with vectors, c × r along axes of K
K   m × m   -J S J / 2 on the support (J centres)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.prototypes.base import Direction, Gradients, Space, as_array, row_dots
from relrbf.prototypes.on_objects import ObjectPrototypes
from relrbf.prototypes.relational import AffinePrototypes
from relrbf.relations.base import Relation
from relrbf.relations.blocks import row_blocks

MAX_AXES_FRACTION = 0.25  # of the support: with more axes, coordinates along them save little
MAX_KEPT_BYTES = 2**30  # of T, where it can be read again
FLAT_AXIS = 1e-10  # of the largest eigenvalue of K: smaller ones are no dimension


@dataclass(frozen=True, repr=False, eq=False)
class SupportedPrototypes(AffinePrototypes):
    """Prototypes given by affine coefficients on a support of m objects."""

    own: Array
    products: Array
    objects: Indices
    ids: np.ndarray | None = None

    row_fields: ClassVar[tuple[str, ...]] = ("own", "products")

    @property
    def coefficients(self) -> Array:
        """Coefficients on all objects (c × n), zero outside the support."""
        on_all = np.zeros(self.products.shape, dtype=self.own.dtype)
        on_all[:, self.objects] = self.own
        return on_all

    @cached_property
    def offsets(self) -> Array:
        """``a_j' S a_j / 2`` (c)."""
        return row_dots(self.own, self.products[:, self.objects]) / 2

    @property
    def distances_sq(self) -> Array:
        """Squared distances to the training objects (c × n), equation 2.5, not kept."""
        return self.distances_sq_at(slice(None))

    def distances_sq_at(self, objects: slice) -> Array:
        """Return squared distances to some of the training objects (c × k)."""
        return self.products[:, objects] - self.offsets[:, None]

    @property
    def support(self) -> Indices:
        """The support's objects."""
        return self.objects


class SupportSpace(Space[SupportedPrototypes]):
    """The affine hull of some objects, the support (m, ascending), in a relation's latent space.

    Where vectors have these dissimilarities, directions are latent gradients projected on the hull;
    otherwise coefficient gradients.
    """

    def __init__(self, relation: Relation, support: Indices, is_euclidean: bool) -> None:
        self.relation, self.support, self.is_euclidean = relation, support, is_euclidean
        self.n_objects, self.dtype = relation.n_objects, relation.dtype
        self._is_whole = len(support) == self.n_objects

    def place(self, coefficients: Array) -> SupportedPrototypes:
        """Place prototypes at affine combinations of the support's objects."""
        own = coefficients[:, self.support].astype(self.dtype, copy=False)
        return SupportedPrototypes(own, self._product(own), self.support, self.relation.ids)

    def place_at(self, objects: Indices) -> SupportedPrototypes:
        """Place a prototype on each of the given objects of the support, by look-up."""
        own = (self.support == np.asarray(objects)[:, None]).astype(self.dtype)
        products = self.relation.block_sq(np.asarray(objects))
        return SupportedPrototypes(own, products, self.support, self.relation.ids)

    def place_layers(self, objects: Indices, n_layers: int) -> ObjectPrototypes:
        """Place several prototypes on each of the given objects of the support."""
        return ObjectPrototypes.on(objects, n_layers, self.relation)

    def descent(self, prototypes: SupportedPrototypes, gradients: Gradients) -> Direction:
        """Return the steepest descent in this space's inner product (theory 6 and 7).

        That is ``-K^+ J df/da`` with ``df/da = g T' - (sum_i g_i) S_ss a``; without vectors the
        coefficient gradient itself.
        """
        products, sums = self._product_at_support(gradients)
        at_support = prototypes.products[:, self.support]
        gradient = _centred(products - sums[:, None] * at_support)
        if self.is_euclidean:
            V, lengths = self._axes
            return ((gradient @ V) / -lengths,)
        return (gradient / -self._norm,)

    def move(
        self, prototypes: SupportedPrototypes, direction: Direction, steps: Array
    ) -> SupportedPrototypes:
        """Return ``a + eta b`` and its product: directions have none, so that many can be kept."""
        (b,) = direction
        if self.is_euclidean:
            V, lengths = self._axes
            b = (b / lengths) @ V.T
        own = prototypes.own + steps[:, None] * _centred(b)
        return prototypes.with_rows((own, self._product(own)))

    def inner(self, first: Direction, second: Direction) -> Array:
        """Return ``b K b'``; without vectors, that of the coefficients in the same unit."""
        dots = row_dots(first[0], second[0])
        return dots if self.is_euclidean else self._norm * dots

    def published(self) -> Space:
        """Refuse: equation 2.9 is about coefficients on all objects."""
        raise OptionError(
            "update='published' is equation 2.9 as printed, in which all objects carry "
            "coefficients; set n_support=None."
        )

    def convert(self, prototypes: Any) -> SupportedPrototypes:
        """Return prototypes of the relational space as prototypes on the support."""
        if isinstance(prototypes, SupportedPrototypes):
            return prototypes
        own = prototypes.coefficients[:, self.support]
        return SupportedPrototypes(own, prototypes.products, self.support, prototypes.ids)

    def mean_sq(self, weights: Array) -> float:
        """Return ``w' S w`` of the support's objects alone."""
        own = weights[self.support].astype(np.float64)
        own = own / own.sum() if own.any() else np.full(len(own), 1 / len(own))
        return float(own @ self._among @ own)

    def distances_sq_to_mean(self, weights: Array) -> Array:
        """Return the squared distances from the support's weighted mean (n)."""
        return super().distances_sq_to_mean(weights / weights[self.support].sum())

    @cached_property
    def _block(self) -> Array | None:
        """T, unless it is too large to be kept beside a relation that can be read again."""
        size = len(self.support) * self.n_objects * self.dtype.itemsize
        if size > MAX_KEPT_BYTES and not self.relation.is_costly:
            return None
        return self.relation.block_sq(self.support)

    def _columns(self, objects: slice) -> Array:
        """Return T at some objects (m × k)."""
        if self._block is None:
            return self.relation.block_sq(self.support, objects)
        return self._block[:, objects]

    @cached_property
    def _among(self) -> Array:
        """S_ss, the squared dissimilarities among the support."""
        return self.relation.block_sq(self.support, self.support)

    @cached_property
    def _gram(self) -> Array:
        """K."""
        return -0.5 * _centred(_centred(self._among.astype(np.float64)).T)

    @cached_property
    def _axes(self) -> tuple[Array, Array]:
        """Axes of the hull (m × r) and the extents of the support along them (r).

        Directions are kept by their lengths along these: r numbers instead of m coefficients.
        """
        squares, V = np.linalg.eigh(self._gram)
        flat = max(FLAT_AXIS, 1e3 * float(np.finfo(self.dtype).eps)) * squares[-1]
        used = squares > flat
        return V[:, used].astype(self.dtype), np.sqrt(squares[used]).astype(self.dtype)

    @cached_property
    def _norm(self) -> float:
        """Bound the squared length of a direction of unit coefficients."""
        return float(np.linalg.norm(self._gram)) or 1.0

    @cached_property
    def _hull(self) -> tuple[Array, Array, Array, Array] | None:
        """Coordinates along the axes of a Euclidean hull, if those are few.

        Those of the support (m × r) and of all objects (n × r), and their squared distances from
        the support's mean (m and n). Then ``S_si = support_sq_s + objects_sq_i - 2 <support_s,
        objects_i>``, whatever lies outside the hull, and a product with S costs r, not m,
        multiplications per object.
        """
        if not self.is_euclidean or len(self._axes[1]) > MAX_AXES_FRACTION * len(self.support):
            return None
        V, lengths = self._axes
        support_sq = np.diagonal(self._gram).astype(self.dtype)
        coordinates = np.empty((self.n_objects, len(lengths)), dtype=self.dtype)
        objects_sq = np.empty(self.n_objects, dtype=self.dtype)
        for rows in row_blocks(self.n_objects, len(self.support) * self.dtype.itemsize):
            S = self.relation.block_sq(rows, self.support)
            coordinates[rows] = ((support_sq - S) @ V) / (2 * lengths)
            objects_sq[rows] = S.mean(axis=1) - support_sq.mean()
        return V * lengths, coordinates, support_sq, objects_sq

    def _product(self, rows: Array) -> Array:
        """Return products of coefficients that sum to one with S (c × n)."""
        if self._is_whole:
            return self.relation.product(rows)
        if self._hull is None:
            products = np.empty((len(rows), self.n_objects), dtype=self.dtype)
            size = len(self.support) * self.dtype.itemsize
            is_kept = self._block is not None
            for chunk in [slice(None)] if is_kept else row_blocks(self.n_objects, size):
                products[:, chunk] = rows @ self._columns(chunk)
            return products
        support, objects, support_sq, objects_sq = self._hull
        products = (-2 * (rows @ support)) @ objects.T
        products += (rows @ support_sq)[:, None]
        products += objects_sq
        return products

    def _product_at_support(self, gradients: Gradients) -> tuple[Array, Array]:
        """Return ``g T'`` (c × m) and the sums ``sum_i g_i`` (c)."""
        if self._is_whole:
            gradients = as_array(gradients)
            return self.relation.product(gradients), gradients.sum(axis=1)
        products: Any = 0
        sums: Any = 0
        chunks: Any = gradients
        for cols, chunk in [(slice(None), chunks)] if isinstance(chunks, np.ndarray) else chunks:
            sums = sums + chunk.sum(axis=1)
            if self._hull is None:
                products = products + chunk @ self._columns(cols).T
            else:
                _, objects, _, objects_sq = self._hull
                squares = chunk @ objects_sq[cols]
                products = products + np.column_stack([chunk @ objects[cols], squares])
        if self._hull is not None:
            support, _, support_sq, _ = self._hull
            products = -2 * products[:, :-1] @ support.T + products[:, -1:]
            products += sums[:, None] * support_sq
        return products, sums


def _centred(rows: Array) -> Array:
    """Return J applied to each row: a sum of zero."""
    return rows - rows.mean(axis=1, keepdims=True)
