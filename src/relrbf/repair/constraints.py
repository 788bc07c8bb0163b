"""Which triangles must hold: all those among n objects, or those of one new object with them."""

from typing import Protocol

import numpy as np
from scipy.spatial.distance import squareform

from relrbf._typing import Array, Indices
from relrbf.repair.loops import loops
from relrbf.repair.triangles import Found, pair_positions

ROUNDING = 1e-13


class Constraints(Protocol):
    """The triangles that a vector of pairs should obey."""

    n_objects: int

    def violated(self, x: Array) -> Found:
        """Return violated triangles, the worst of each pair."""

    def closed(self, x: Array) -> Array:
        """Return a vector near x that obeys every triangle."""

    def cut(self, x: Array) -> Array:
        """Return x with no pair longer than half of its detours over a third object."""


class AllTriangles:
    """Every triangle among n objects.

    Parameters
    ----------
    n_objects : int
        Number of objects.
    rounding : float, default=1e-13
        A triangle is not violated where its long side is too long by less than this part of it.
    """

    def __init__(self, n_objects: int, rounding: float = ROUNDING) -> None:
        self.n_objects = n_objects
        self.rounding = rounding

    def violated(self, x: Array) -> Found:
        """Return the worst triangle of each pair that is too long."""
        matrix = squareform(x, checks=False)
        lengths, via = loops().shortest_detours(matrix)
        upper = np.triu_indices(self.n_objects, 1)
        return _worst(*upper, via[upper], x - lengths[upper], x, self.rounding)

    def closed(self, x: Array) -> Array:
        """Return the shortest paths, the largest metric below x."""
        matrix = squareform(np.maximum(x, 0), checks=False)  # no path gains by going round
        loops().close_paths(matrix)
        return squareform(matrix, checks=False)

    def cut(self, x: Array) -> Array:
        """Return x with no pair longer than half of its detours over a third object."""
        matrix = squareform(x, checks=False)
        rows = [np.minimum(row, np.median(matrix + row, axis=1)) for row in matrix]
        return squareform(np.array(rows), checks=False)


class NewObject:
    """The triangles of one new object, the last, with two of the others, whose metric is fixed.

    Parameters
    ----------
    metric : ndarray of shape (n, n)
        The fixed dissimilarities.
    rounding : float, default=1e-13
        As for ``AllTriangles``.

    Attributes
    ----------
    own : ndarray of shape (n,)
        Where the new object's pairs stand among all pairs of n + 1 objects.
    """

    def __init__(self, metric: Array, rounding: float = ROUNDING) -> None:
        self.metric = metric
        self.rounding = rounding
        self.n_objects = len(metric) + 1
        self._others = np.arange(len(metric))
        self.own = pair_positions(self._others, np.intp(len(metric)), self.n_objects)

    def violated(self, x: Array) -> Found:
        """Return the worst triangle of each object, the new pair as long and as short side."""
        row = x[self.own]
        new = np.full(len(row), self.n_objects - 1)
        ways = self.metric + row
        via = ways.argmin(axis=1)
        excess = row - ways[self._others, via]
        too_long = _worst(self._others, new, via, excess, row, self.rounding)
        lacking = self.metric - row
        np.fill_diagonal(lacking, -np.inf)
        partner = lacking.argmax(axis=1)
        i, j = np.minimum(self._others, partner), np.maximum(self._others, partner)
        excess = lacking[self._others, partner] - row
        too_short = _worst(i, j, new, excess, self.metric[i, j], self.rounding)
        return too_long.joined(too_short)

    def closed(self, x: Array) -> Array:
        """Return x with a row that fits: raised to meet the triangles' sums, lowered to the rest.

        Half of what two entries lack, given to each, makes every sum long enough; lowering to the
        shortest way over a third object keeps it so, because the fixed part is a metric.
        """
        closed = x.copy()
        row = closed[self.own]
        raised = np.maximum(row, (row + (self.metric - row).max(axis=1)) / 2)
        closed[self.own] = (self.metric + raised).min(axis=1)
        return closed

    def cut(self, x: Array) -> Array:
        """Return x with no pair of the new object longer than half of its detours."""
        cut = x.copy()
        row = x[self.own]
        cut[self.own] = np.minimum(row, np.median(self.metric + row, axis=1))
        return cut


def _worst(
    i: Indices, j: Indices, k: Indices, excess: Array, long: Array, rounding: float
) -> Found:
    """Return the triangles whose long side is too long by more than rounding."""
    broken = excess > rounding * np.abs(long)
    return Found(i[broken], j[broken], k[broken], excess[broken])
