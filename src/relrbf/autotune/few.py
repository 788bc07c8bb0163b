"""A support drawn before anything else is known, from its own rows alone.

An object's row is its dissimilarities to all. Of n objects with a support of m, a fit then asks for
about m · n dissimilarities, not n² / 2, and a relation that computes them computes no others.
"""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.clustering import Line
from relrbf.prototypes.base import tie_tolerance
from relrbf.relations.base import Relation, to_power
from relrbf.relations.duplicates import find_duplicates
from relrbf.relations.sampling import spread_over
from relrbf.relations.views import CachedRelation

STARTS = 2  # of the walk to the two objects farthest from each other
STEPS = 4  # of that walk, at most
PER_ROUND = 8  # seeds for which one more is drawn at a time
ROUND_BYTES = 2**27  # of rows that are read at a time


class Glance:
    """What the rows of some objects tell of all: who may be whose twin, and how far out each lies.

    Parameters
    ----------
    relation : Relation
        The relation.
    size : int
        Most rows that will be read.
    ends : ndarray of shape (2, n)
        The rows of two objects that are far apart.
    exponent : float, default=1
        Under which the mean is taken.
    """

    def __init__(self, relation: Relation, size: int, ends: Array, exponent: float = 1) -> None:
        n = relation.n_objects
        self.relation = relation
        self.objects: list[int] = []
        self._ends, self._exponent = ends, exponent
        self._directions = np.random.default_rng(0).standard_normal((3, size))
        self._prints = np.random.default_rng(1).standard_normal((3, len(ends))) @ ends
        self._sum, self._total = np.zeros(n), 0.0
        self._rows = np.empty((size, n), dtype=relation.dtype) if relation.is_costly else None

    def add(self, new: int, row: Array, weight: float = 1.0) -> None:
        """Take in the row (n) of an object, which counts so much."""
        k = len(self.objects)
        for prints, direction in zip(self._prints, self._directions[:, k], strict=True):
            prints += direction * row
        self._sum += weight * to_power(row, self._exponent)
        self._total += weight
        if self._rows is not None:
            self._rows[k] = row
        self.objects.append(int(new))

    @property
    def prints(self) -> Array:
        """Three random projections of each object's dissimilarities to those read (3 × n)."""
        return self._prints

    def middle(self) -> Array:
        """Return each object's mean dissimilarity to those whose rows were read (n)."""
        return self._sum / self._total

    def twins(self) -> Indices:
        """Return for each object the first that is equal in the rows that were read.

        No network on this support can tell them apart, nor can the two ends.
        """
        return find_duplicates(self._prints.T.astype(self.relation.dtype), self._read)

    def _read(self, objects: Indices) -> Array:
        """Return what is known of some objects, one row for each."""
        known, ends = np.asarray(self.objects), self._ends[:, objects]
        if self._rows is None:
            rows = self.relation.block(known, objects)
        else:
            rows = self._rows[: len(known), objects]
        return np.vstack([rows, ends]).T

    def seen(self) -> Relation:
        """Return the relation, with the rows that were read where they are worth keeping."""
        if self._rows is None:
            return self.relation
        objects = np.asarray(self.objects)
        rows = self._rows[: len(objects)]
        _reorder(rows, np.argsort(objects))
        return CachedRelation(self.relation, np.sort(objects), rows)


def draw_few(
    relation: Relation, weights: Array, size: int, rng: np.random.Generator
) -> tuple[Indices, Glance]:
    """Draw objects by k-means++, several at a time as their number grows.

    Chances grow with dissimilarities as they were given: how to read them is not settled yet. The
    draw runs along a line from one of two ends to the other. In whatever order the objects
    come, it is the same as long as the same ends are found, which is likely where no two pairs are
    equally far apart, and not where many are. Where every object has a dissimilarity of zero to one
    of those drawn, others that are told apart from them fill up.

    Returns
    -------
    objects : ndarray of int
        In the order of drawing, ``size`` at most.
    glance : Glance
        What their rows tell.
    """
    ends, tie = find_ends(relation, weights), tie_tolerance(relation.dtype)
    glance = Glance(relation, size, ends)
    unit = float(ends[0] @ weights) or 1.0
    line = Line(ends[0] / unit, tie)
    line.refine(ends[1] / unit)
    nearest: Array = np.ones(relation.n_objects)
    turns = np.random.default_rng(2).standard_normal(size)  # one sort for a round's rows together
    most = max(1, ROUND_BYTES // (relation.n_objects * relation.dtype.itemsize))
    while len(glance.objects) < size and (weights * nearest).any():
        n_seeds = len(glance.objects)
        n_drawn = min(1 + n_seeds // PER_ROUND, most, size - n_seeds)
        drawn = line.draw(weights * nearest, n_drawn, rng)
        rows, mixed = relation.block(drawn), np.zeros(relation.n_objects)
        for seed, row in zip(drawn, rows, strict=True):
            if nearest[seed] == 0:  # no farther than rounding from one of the same round
                continue
            glance.add(seed, row)
            apart = row / unit
            apart[apart <= tie] = 0  # a seed draws no twin of itself
            nearest = np.minimum(nearest, apart) if len(glance.objects) > 1 else apart
            mixed += turns[len(glance.objects) - 1] * apart
        line.refine(mixed)
    _fill_up(glance, weights, size, line.order)
    return np.asarray(glance.objects), glance


def look_at(
    relation: Relation, weights: Array, objects: Indices, shares: Array, exponent: float
) -> Glance:
    """Read the rows of given objects, each of which counts by its share."""
    glance = Glance(relation, len(objects), find_ends(relation, weights), exponent)
    step = max(1, ROUND_BYTES // (relation.n_objects * relation.dtype.itemsize))
    for start in range(0, len(objects), step):
        here = slice(start, start + step)
        rows = relation.block(objects[here])
        for new, row, share in zip(objects[here], rows, shares[here], strict=True):
            glance.add(new, row, share)
    return glance


def find_ends(relation: Relation, weights: Array) -> Array:
    """Return the rows (2 × n) of two objects far apart, the one farther from all first.

    Walks from a few objects to the farthest, and on to the farthest from there.
    """
    taking_part = np.flatnonzero(weights)
    rows: dict[int, Array] = {}
    ends, longest, objects = (0, 0), -1.0, spread_over(taking_part, STARTS).tolist()
    for _ in range(STEPS):
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


def _reorder(rows: Array, order: Indices) -> None:
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


def _fill_up(glance: Glance, weights: Array, size: int, line: Indices) -> None:
    """Read rows of further objects, evenly along a line, as long as they are told apart."""
    line = line[weights[line] > 0]
    while len(glance.objects) < size:
        twins = glance.twins()
        left = line[~np.isin(twins[line], twins[glance.objects])]
        _, firsts = np.unique(twins[left], return_index=True)
        more = spread_over(left[np.sort(firsts)], size - len(glance.objects))
        if not len(more):
            return
        for new, row in zip(more, glance.relation.block(more), strict=True):
            glance.add(new, row)
