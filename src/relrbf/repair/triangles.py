"""Triangles that must hold: finding those violated, and keeping those at work with their duals.

A triangle demands ``x_a <= x_b + x_c`` of its long side a and its short sides b and c; x is a
condensed vector of the pairs of n objects, as ``scipy.spatial.distance.squareform`` takes it. With
the long side (i, j), i < j, and k between, the triangle's key is the number ``(i n + j) n + k``.
"""

from typing import TypeAlias

import numpy as np
from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall
from scipy.spatial.distance import squareform

from relrbf._typing import Array, Indices

VIOLATION_ROUNDING = 1e-13  # of the long side: a triangle is not violated by less

Violated: TypeAlias = tuple[Indices, Array]  # keys, and by how much each long side is too long


def pair_positions(i: Indices, j: Indices | np.intp, n_objects: int) -> Indices:
    """Return where pairs stand in a condensed vector, whichever of the two comes first."""
    first, second = np.minimum(i, j), np.maximum(i, j)
    return first * n_objects - first * (first + 1) // 2 + second - first - 1


def sides_of(keys: Indices, n_objects: int) -> Indices:
    """Return the positions of each triangle's long side and of its two short ones (m × 3)."""
    rest, k = np.divmod(keys, n_objects)
    i, j = np.divmod(rest, n_objects)
    pairs = ((i, j), (i, k), (k, j))
    return np.stack([pair_positions(a, b, n_objects) for a, b in pairs], axis=1)


def shortest_detours(matrix: Array) -> tuple[Array, Indices]:
    """Return, for every pair i < j, the shortest detour over one other object, and which.

    The object may be i or j itself, where no detour is shorter than the direct dissimilarity.
    """
    n = len(matrix)
    lengths, via = np.zeros((n, n)), np.zeros((n, n), dtype=np.intp)
    for i in range(n - 1):
        detours = matrix[i + 1 :] + matrix[i]
        via[i, i + 1 :] = best = detours.argmin(axis=1)
        lengths[i, i + 1 :] = detours[np.arange(len(detours)), best]
    return lengths, via


class AllTriangles:
    """Every triangle among n objects."""

    def __init__(self, n_objects: int, rounding: float = VIOLATION_ROUNDING) -> None:
        self.n_objects = n_objects
        self.rounding = rounding

    def violated(self, x: Array) -> Violated:
        """Return the worst triangle of each pair that is too long."""
        lengths, via = shortest_detours(squareform(x, checks=False))
        i, j = np.triu_indices(self.n_objects, 1)
        return self._select(i, j, via[i, j], x - lengths[i, j], x)

    def _select(self, i: Indices, j: Indices, k: Indices, excess: Array, long: Array) -> Violated:
        """Return the triangles whose long side is too long by more than rounding."""
        violated = excess > self.rounding * np.abs(long)
        keys = (i * self.n_objects + j) * self.n_objects + k
        return keys[violated], excess[violated]

    def closed(self, x: Array) -> Array:
        """Return the shortest paths, the largest metric below x."""
        matrix = squareform(np.maximum(x, 0), checks=False)  # no path gains by a closed walk
        graph = csgraph_from_dense(matrix, null_value=np.inf)  # where a zero is an edge too
        return squareform(floyd_warshall(graph), checks=False)

    def capped(self, x: Array) -> Array:
        """Return x with no pair longer than the median of its detours over a third object."""
        matrix = squareform(x, checks=False)
        rows = [np.minimum(row, np.median(matrix + row, axis=1)) for row in matrix]
        return squareform(np.array(rows), checks=False)


class NewObjectTriangles(AllTriangles):
    """The triangles of one new object, the last, with two of the others, whose metric is fixed.

    ``own`` says where the new object's pairs stand among all pairs of n + 1 objects.
    """

    def __init__(self, metric: Array, rounding: float = VIOLATION_ROUNDING) -> None:
        super().__init__(len(metric) + 1, rounding)
        self.metric = metric
        self.own = pair_positions(np.arange(len(metric)), np.intp(len(metric)), self.n_objects)

    def violated(self, x: Array) -> Violated:
        """Return the worst triangle of each object, the new pair as long and as short side."""
        row, others = x[self.own], np.arange(len(self.metric))
        new = np.full(len(row), self.n_objects - 1)
        detours = self.metric + row
        via = detours.argmin(axis=1)
        too_long = self._select(others, new, via, row - detours[others, via], row)
        lacking = self.metric - row
        np.fill_diagonal(lacking, -np.inf)
        partner = lacking.argmax(axis=1)
        i, j = np.minimum(others, partner), np.maximum(others, partner)
        too_short = self._select(i, j, new, lacking[others, partner] - row, self.metric[i, j])
        return np.append(too_long[0], too_short[0]), np.append(too_long[1], too_short[1])

    def closed(self, x: Array) -> Array:
        """Return x with a row that fits: raised to meet the triangles' sums, lowered to the rest.

        Half of what two entries lack, given to each, makes every sum long enough; lowering to the
        shortest detour over a third object keeps it so, because the fixed part is a metric.
        """
        closed, row = x.copy(), x[self.own]
        raised = np.maximum(row, (row + (self.metric - row).max(axis=1)) / 2)
        closed[self.own] = (self.metric + raised).min(axis=1)
        return closed

    def capped(self, x: Array) -> Array:
        """Return x with no pair of the new object longer than the median of its detours."""
        capped, row = x.copy(), x[self.own]
        capped[self.own] = np.minimum(row, np.median(self.metric + row, axis=1))
        return capped


class ActiveTriangles:
    """The triangles with a positive dual, and those just found violated.

    ``duals`` (m) are their multipliers, not negative, ``sides`` (m × 3) the positions of the long
    side and of the two short ones. They stand in batches that share no pair, so that those of a
    batch can be treated at once or one after the other, with the same result; ``batches`` says
    where each starts, and the end.
    """

    def __init__(self, n_objects: int) -> None:
        self.n_objects = n_objects
        none = np.zeros(0, dtype=np.intp)
        self._hold(none, np.zeros(0), none)

    def _hold(self, keys: Indices, duals: Array, colours: Indices) -> None:
        self._keys, self.duals, self._colours = keys, duals, colours
        self.sides = sides_of(keys, self.n_objects)
        changes = np.flatnonzero(np.diff(colours)) + 1
        self.batches = np.concatenate([[0], changes, [len(keys)]]).astype(np.intp)

    def add(self, found: Indices) -> None:
        """Take in the triangles (keys) that are not there yet, with a dual of zero."""
        fresh = np.setdiff1d(found, self._keys)
        keys = np.append(self._keys, fresh)
        duals = np.append(self.duals, np.zeros(len(fresh)))
        colours = coloured(sides_of(keys, self.n_objects))
        order = np.lexsort((keys, colours))
        self._hold(keys[order], duals[order], colours[order])

    def drop_inactive(self) -> None:
        """Drop the triangles whose dual is zero."""
        active = self.duals > 0
        self._hold(self._keys[active], self.duals[active], self._colours[active])

    def adjoint(self, duals: Array) -> Array:
        """Return what duals of these triangles add up to on every pair (``A' z``)."""
        n_pairs = self.n_objects * (self.n_objects - 1) // 2
        sums = np.stack([np.bincount(side, duals, n_pairs) for side in self.sides.T])
        return np.array([1.0, -1.0, -1.0]) @ sums


def coloured(sides: Indices) -> Indices:
    """Give every triangle a colour such that no two of one colour share a pair.

    In each round, a triangle that comes first among those left at all its three pairs gets the next
    colour. They come in random order: in their own, each would wait for the one before it.
    """
    order = np.random.default_rng(0).permutation(len(sides))
    sides = sides[order]
    colours = np.empty(len(sides), dtype=np.intp)
    first = np.empty(sides.max(initial=0) + 1, dtype=np.intp)
    left, colour = np.arange(len(sides)), 0
    while len(left):
        first[sides[left[::-1]]] = left[::-1, None]  # of repeated positions, the last one stays
        chosen = (first[sides[left]] == left[:, None]).all(axis=1)
        colours[order[left[chosen]]] = colour
        left, colour = left[~chosen], colour + 1
    return colours
