"""What a fit looks at before it trains: all pairs, or the rows of its support alone."""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune.few import Glance, draw_few, look_at
from relrbf.relations.base import Relation
from relrbf.relations.duplicates import duplicates_and_means
from relrbf.relations.sampling import order_by_centrality


@dataclass(frozen=True, eq=False)
class Overview:
    """What is known of the objects.

    Attributes
    ----------
    relation : Relation
        The relation, which keeps the rows that were read where they are dear.
    twins : ndarray of int of shape (n,)
        For each object, the one that speaks for all that are equal to it.
    middle : ndarray of shape (n,)
        Each object's mean of S, or of the dissimilarities that were read: the larger, the farther
        out.
    support : ndarray of int or None
        Whose rows were read, in the order in which they were drawn; None where all were.
    how : (ndarray, float) or None
        How much each of them counts in the mean, and under which exponent.
    prints : ndarray of shape (3, n) or None
        Projections of what was read, which tell objects apart that are equally far out.
    """

    relation: Relation
    twins: Indices
    middle: Array
    support: Indices | None = None
    how: tuple[Array, float] | None = None
    prints: Array | None = None

    @property
    def looked_at(self) -> tuple[Indices, Array, float] | None:
        """Whose rows were read, and what of them was taken the mean of: enough to look again."""
        if self.support is None or self.how is None:
            return None
        return self.support, *self.how

    @property
    def n_duplicates(self) -> int:
        """Objects for which an earlier one speaks."""
        return int(np.count_nonzero(self.twins != np.arange(len(self.twins))))

    def distinct(self, weights: Array) -> Indices:
        """Return the objects that speak, for themselves or others, with a positive weight."""
        return np.unique(self.twins[weights > 0])

    def drawn(self, size: int, n_distinct: int) -> Indices | None:
        """Return the support, of this size at most, where it was drawn and leaves others out."""
        if self.support is None:
            return None
        speaking = self.support[self.twins[self.support] == self.support]
        return None if len(speaking) >= n_distinct else np.sort(speaking[:size])

    def order(self, weights: Array, Y: Array) -> Indices:
        """Return the objects from the middle to the rim, whatever their numbers."""
        return order_by_centrality(self._multiply, weights, Y, self.middle)

    def _multiply(self, A: Array) -> Array:
        """Return A S; where few rows were read, projections of those, which are there already."""
        if self.prints is not None:
            return self.prints
        return self.relation.product(A.astype(self.relation.dtype))


def look_over_all(relation: Relation, weights: Array) -> Overview:
    """Look at all pairs of objects, whose weights sum to one."""
    return Overview(relation, *duplicates_and_means(relation, weights))


def look_over_few(
    relation: Relation, weights: Array, size: int, rng: np.random.Generator
) -> Overview:
    """Draw a support among the objects of positive weight, and read its rows."""
    objects, glance = draw_few(relation, weights, size, rng)
    return _overview_of(glance, objects, (np.ones(len(objects)), 1), weights)


def look_over_distinct(relation: Relation, weights: Array, before: Overview) -> Overview:
    """Read the rows of all objects that an overview tells apart: few, with many copies."""
    objects = before.distinct(weights)
    shares = np.bincount(before.twins, weights=weights).astype(np.float64)[objects]
    return look_over_given(relation, weights, objects, shares, relation.exponent)


def look_over_given(
    relation: Relation, weights: Array, objects: Indices, shares: Array, exponent: float
) -> Overview:
    """Read the rows of given objects, each of which counts by its share."""
    glance = look_at(relation, weights, objects, shares, exponent)
    return _overview_of(glance, objects, (shares, exponent), weights)


def _overview_of(
    glance: Glance, objects: Indices, how: tuple[Array, float], weights: Array
) -> Overview:
    twins = _led_by(objects, weights, glance.twins())
    return Overview(glance.seen(), twins, glance.middle(), objects, how, glance.prints)


def _led_by(objects: Indices, weights: Array, twins: Indices) -> Indices:
    """Return twins with one of the given objects speaking for its equals, or one with a weight."""
    leaders = np.arange(len(twins))
    for better in (np.flatnonzero(weights), objects):
        leaders[twins[better[::-1]]] = better[::-1]  # of several, the first
    return leaders[twins]
