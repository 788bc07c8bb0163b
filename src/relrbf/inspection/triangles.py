"""How many triangles are violated: all of them looked at, or a sample.

An ordered triple (i, j, k) of distinct objects is violated where ``D[i, j]`` exceeds
``D[i, k] + D[k, j]`` by more than rounding. Of n objects there are n (n - 1) (n - 2).
"""

from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.inspection.tiles import NOTHING, TileCounter, choose_counter, worse
from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation
from relrbf.relations.blocks import for_each_block

TILE = 192  # objects; a few tiles of float64 fit in a core's cache


@dataclass(frozen=True)
class Triangles:
    """How many ordered triples of known dissimilarities are violated, and which one most."""

    triangle_violation_fraction: float | None
    triangle_violation_interval: tuple[float, float] | None
    n_triples: int
    n_violated: int
    triangles_sampled: bool
    worst_triple: tuple[int, int, int] | None
    worst_excess: float | None


def rounding_of(dtype: np.dtype[Any]) -> float:
    """Return the share of D[i, j] that may be a rounding error of the three together."""
    return max(1e-8, 64 * float(np.finfo(dtype).eps))


def lowered(dissimilarities: Array) -> Array:
    """Return dissimilarities less what may be rounding."""
    rounding = dissimilarities.dtype.type(rounding_of(dissimilarities.dtype))
    return dissimilarities - rounding * np.abs(dissimilarities)


@dataclass(frozen=True)
class TripleCounter:
    """Looks at every triple of some objects, each standing for several equal ones (weights).

    Between equal objects there is nothing to violate, so the distinct ones suffice. Where D is
    symmetric (mirrored), half of the pairs do.
    """

    relation: Relation
    objects: Indices
    weights: Array
    mirrored: bool
    complete: bool

    def count(self, watch: Watch) -> Triangles:
        """Return the counts over all the objects that the distinct ones stand for."""
        watch.begin("looking at every triangle")
        n = len(self.objects)
        tiles = [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]
        pairs = [
            (tiles[a], tiles[b])
            for a, b in product(range(len(tiles)), repeat=2)
            if a <= b or not self.mirrored
        ]
        count = watch.wait_for(lambda: choose_counter(n, self.relation.dtype), 0.0)
        found: list[tuple[float, float, tuple[float, int, int, int]]] = []

        def look(pair: tuple[slice, slice]) -> None:
            n_violated, n_known, worst = self._between(*pair, tiles, count)
            twice = 2 if self.mirrored and pair[0] != pair[1] else 1
            found.append((twice * n_violated, twice * n_known, worst))

        for_each_block(look, pairs, watch.tell)
        n_violated, n_known, worst = zip(*found, strict=True)
        return self._summed(round(sum(n_violated)), round(sum(n_known)), reduce(worse, worst))

    def _between(
        self, rows: slice, cols: slice, tiles: list[slice], count: TileCounter
    ) -> tuple[float, float, tuple[float, int, int, int]]:
        """Return violated and known triples, and the worst, of pairs in a tile and any third."""
        direct = self._read(rows, cols)
        bound = lowered(direct)
        n_violated, n_known, worst = 0.0, 0.0, NOTHING[1:]
        for third in tiles:
            first, second = self._read(rows, third), self._read(third, cols)
            weights = self.weights[rows], self.weights[cols], self.weights[third]
            here = count(direct, bound, first, second, weights)
            n_violated += here[0]
            if not self.complete:
                n_known += _count_known(direct, first, second)
            if here[2] >= 0:
                i, j, k = here[2] + rows.start, here[3] + cols.start, here[4] + third.start
                worst = worse(worst, (here[1], i, j, k))
        return n_violated, n_known, worst

    def _read(self, rows: slice, cols: slice) -> Array:
        """Return a tile of dissimilarities, NaN where one is missing or of an object to itself."""
        tile = np.array(self.relation.block(self.objects[rows], self.objects[cols]), order="C")
        tile[~np.isfinite(tile)] = np.nan
        if rows == cols:
            np.fill_diagonal(tile, np.nan)
        return tile

    def _summed(
        self, n_violated: int, n_known: int, worst: tuple[float, int, int, int]
    ) -> Triangles:
        n = round(float(self.weights.sum()))
        n_triples = n * (n - 1) * (n - 2) if self.complete else n_known
        none_known = 0.0 if self.complete else None  # two objects have no triangle to violate
        fraction = n_violated / n_triples if n_triples else none_known
        i, j, k = (int(self.objects[place]) for place in worst[1:])
        return Triangles(
            triangle_violation_fraction=fraction,
            triangle_violation_interval=None if fraction is None else (fraction, fraction),
            n_triples=n_triples,
            n_violated=n_violated,
            triangles_sampled=False,
            worst_triple=(i, j, k) if n_violated else None,
            worst_excess=float(worst[0]) if n_violated else None,
        )


def _count_known(direct: Array, first: Array, second: Array) -> float:
    """Return the number of triples whose three dissimilarities are known."""
    known = [np.isfinite(tile).astype(np.float64) for tile in (direct, first, second)]
    return float((known[0] * (known[1] @ known[2])).sum())
