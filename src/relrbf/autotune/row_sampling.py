"""What a fit reads before it trains: all pairs, or the rows of a small support alone.

An object's row is its dissimilarities to all. With a support of m of n objects, a fit asks for
about m · n dissimilarities instead of n² / 2, and a relation that computes them computes no others.
"""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.clustering import GeometricOrder
from relrbf.prototypes.base import tie_tolerance
from relrbf.relations.base import Relation, to_power
from relrbf.relations.blocks import spans
from relrbf.relations.properties import find_duplicates, spread_over
from relrbf.relations.views import CachedRelation

N_END_STARTS = 2  # of the search for the two objects farthest from each other
N_END_STEPS = 4  # of that search, at most
SEEDS_PER_DRAW = 8  # one more is drawn at a time for each so many
ROW_BATCH_BYTES = 2**27  # of rows that are read at a time


@dataclass(frozen=True, eq=False)
class RowSummary:
    """What is known of the objects before training.

    ``means`` (n) are those of S, or of the dissimilarities that were read: the larger, the farther
    out. ``projections`` (3 × n) of what was read distinguish objects that are equally far out.
    """

    relation: Relation  # which keeps the rows that were read where they are costly
    duplicates: Indices  # for each object, the one that stands for all that are equal to it (n)
    means: Array
    support: Indices | None = None  # whose rows were read, as they were drawn; None: all were
    shares: Array | None = None  # how much each of those rows counts in the means
    exponent: float | None = None  # of the rows in the means
    projections: Array | None = None


class RowStatistics:
    """Statistics of rows that are read one after another; ``ends`` are two rows far apart."""

    def __init__(self, relation: Relation, size: int, ends: Array, exponent: float = 1) -> None:
        n = relation.n_objects
        self.relation = relation
        self.exponent = exponent
        self.objects: list[int] = []
        self.shares: list[float] = []
        self.ends = ends
        self.directions = np.random.default_rng(0).standard_normal((3, size))
        self.projections = np.random.default_rng(1).standard_normal((3, len(ends))) @ ends
        self.sums = np.zeros(n)
        self.rows = np.empty((size, n), dtype=relation.dtype) if relation.is_costly else None

    def add(self, new: int, row: Array, share: float = 1.0) -> None:
        """Take in the row (n) of an object, which counts so much."""
        k = len(self.objects)
        for projection, direction in zip(self.projections, self.directions[:, k], strict=True):
            projection += direction * row
        self.sums += share * to_power(row, self.exponent)
        if self.rows is not None:
            self.rows[k] = row
        self.objects.append(int(new))
        self.shares.append(share)

    def duplicates(self) -> Indices:
        """Return for each object the first that is equal in the rows that were read.

        No network on this support can distinguish them, nor can the two ends.
        """
        return find_duplicates(self.projections.T.astype(self.relation.dtype), self._read)

    def _read(self, objects: Indices) -> Array:
        """Return what is known of some objects, one row for each."""
        known, rows = np.asarray(self.objects), self.rows
        read = self.relation.block(known, objects) if rows is None else rows[: len(known), objects]
        return np.vstack([read, self.ends[:, objects]]).T

    def summary(self, weights: Array) -> RowSummary:
        """Return what the rows say; objects of these weights, then those read, come first."""
        objects, duplicates = np.asarray(self.objects), self.duplicates()
        first = np.arange(len(duplicates))
        for better in (np.flatnonzero(weights), objects):
            first[duplicates[better[::-1]]] = better[::-1]  # of several, the first
        means = self.sums / sum(self.shares)
        rest = objects, np.asarray(self.shares), self.exponent, self.projections
        return RowSummary(self._cached_relation(), first[duplicates], means, *rest)

    def _cached_relation(self) -> Relation:
        """Return the relation, with the rows that were read where they are worth keeping."""
        if self.rows is None:
            return self.relation
        objects = np.asarray(self.objects)
        rows = self.rows[: len(objects)]
        _reorder_in_place(rows, np.argsort(objects))
        return CachedRelation(self.relation, np.sort(objects), rows)


def draw_support(
    relation: Relation, weights: Array, size: int, rng: np.random.Generator
) -> RowSummary:
    """Draw ``size`` objects at most by k-means++, several at a time as their number grows.

    Chances grow with dissimilarities as they were given: the exponent is not known yet. The draw
    runs along a line from one of two ends to the other. In whatever order the objects come, it is
    the same as long as the same ends are found: likely in few dimensions, and not where many pairs
    are about equally far apart. Where every object has a dissimilarity of zero to one of those
    drawn, others that differ from them fill up.
    """
    ends, tie = find_ends(relation, weights), tie_tolerance(relation.dtype)
    statistics = RowStatistics(relation, size, ends)
    unit = float(ends[0] @ weights) or 1.0
    line = GeometricOrder(ends[0] / unit, tie)
    line.refine(ends[1] / unit)
    nearest: Array = np.ones(relation.n_objects)
    signs = np.random.default_rng(2).standard_normal(size)  # one sort for the rows of one draw
    batch = _rows_per_batch(relation)
    while len(statistics.objects) < size and (weights * nearest).any():
        n_seeds = len(statistics.objects)
        n_drawn = min(1 + n_seeds // SEEDS_PER_DRAW, batch, size - n_seeds)
        drawn = line.draw(weights * nearest, n_drawn, rng)
        rows, mixed = relation.block(drawn), np.zeros(relation.n_objects)
        for seed, row in zip(drawn, rows, strict=True):
            if nearest[seed] == 0:  # no farther than rounding from one of the same draw
                continue
            statistics.add(seed, row)
            apart = row / unit
            apart[apart <= tie] = 0  # a seed draws no duplicate of itself
            nearest = np.minimum(nearest, apart) if len(statistics.objects) > 1 else apart
            mixed += signs[len(statistics.objects) - 1] * apart
        line.refine(mixed)
    _fill_up(statistics, weights, size, line.order)
    return statistics.summary(weights)


def read_rows(
    relation: Relation, weights: Array, objects: Indices, shares: Array, exponent: float
) -> RowSummary:
    """Read the rows of given objects, each of which counts by its share."""
    ends = find_ends(relation, weights)
    statistics = RowStatistics(relation, len(objects), ends, exponent)
    for here in spans(len(objects), _rows_per_batch(relation)):
        rows = relation.block(objects[here])
        for new, row, share in zip(objects[here], rows, shares[here], strict=True):
            statistics.add(new, row, share)
    return statistics.summary(weights)


def _rows_per_batch(relation: Relation) -> int:
    return max(1, ROW_BATCH_BYTES // (relation.n_objects * relation.dtype.itemsize))


def find_ends(relation: Relation, weights: Array) -> Array:
    """Return the rows (2 × n) of two objects far apart, the one farther from all first.

    From a few objects to the farthest, and on to the farthest from there.
    """
    taking_part = np.flatnonzero(weights)
    rows: dict[int, Array] = {}
    ends, longest, objects = (0, 0), -1.0, spread_over(taking_part, N_END_STARTS).tolist()
    for _ in range(N_END_STEPS):
        new = [k for k in objects if k not in rows]
        rows |= dict(zip(new, relation.block(np.array(new)) if new else [], strict=True))
        farthest = {k: int(taking_part[rows[k][taking_part].argmax()]) for k in objects}
        best = max(objects, key=lambda k: float(rows[k][farthest[k]]))
        if not rows[best][farthest[best]] > longest:
            break
        ends, longest = (best, farthest[best]), float(rows[best][farthest[best]])
        objects = sorted(set(farthest.values()))
    found = np.array([rows[k] if k in rows else relation.block(np.array([k]))[0] for k in ends])
    return found[np.argsort(-(found @ weights), kind="stable")]


def _reorder_in_place(rows: Array, order: Indices) -> None:
    """Put rows in another order in place: they may be too many to hold twice."""
    is_done = np.zeros(len(order), dtype=bool)
    for start in range(len(order)):
        if is_done[start]:
            continue
        first, at = rows[start].copy(), start
        while order[at] != start:
            rows[at], is_done[at] = rows[order[at]], True
            at = order[at]
        rows[at], is_done[at] = first, True


def _fill_up(statistics: RowStatistics, weights: Array, size: int, line: Indices) -> None:
    """Read rows of further objects, evenly along a line, as long as they differ."""
    line = line[weights[line] > 0]
    while len(statistics.objects) < size:
        duplicates = statistics.duplicates()
        left = line[~np.isin(duplicates[line], duplicates[statistics.objects])]
        _, firsts = np.unique(duplicates[left], return_index=True)
        more = spread_over(left[np.sort(firsts)], size - len(statistics.objects))
        if not len(more):
            return
        for new, row in zip(more, statistics.relation.block(more), strict=True):
            statistics.add(new, row)
