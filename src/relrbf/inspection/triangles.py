"""How many triangles are violated: of all of them, or of a sample.

An ordered triple (i, j, k) of distinct objects is violated where ``D[i, j]`` exceeds
``D[i, k] + D[k, j]`` by more than rounding. Of n objects there are n (n - 1) (n - 2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf._utils import compiled, has_numba
from relrbf.inspection.progress import StepProgress
from relrbf.inspection.report import RelationInspection
from relrbf.relations.base import Relation
from relrbf.relations.blocks import for_each_block, spans

TRIANGLE_TILE = 192  # objects; a few tiles of float64 fit in a core's cache
MIN_COMPILED_OBJECTS = 1000  # from which on compiling the loop is repaid
N_SAMPLED_TRIPLES = 500_000
NORMAL_QUANTILE = 1.959964  # standard deviations either side that hold 95 % of a normal


class Violations(NamedTuple):
    """Violated and known triples, the largest excess, and the triple that has it (-1: none)."""

    n_violated: float = 0.0
    n_known: float = 0.0
    excess: float = -np.inf
    triple: tuple[int, int, int] = (-1, -1, -1)

    def joined(self, other: "Violations") -> "Violations":
        """Return the sums, and the larger excess; of equal ones, the smaller triple."""
        worst = min(self, other, key=lambda found: (-found.excess, found.triple))
        n_violated, n_known = self.n_violated + other.n_violated, self.n_known + other.n_known
        return Violations(n_violated, n_known, worst.excess, worst.triple)


TileWeights: TypeAlias = tuple[Array, Array, Array]
TileCounter: TypeAlias = Callable[
    [Array, Array, Array, Array, TileWeights], tuple[float, float, int, int, int]
]


def inspect_all_triangles(
    relation: Relation,
    objects: Indices,
    weights: Array,
    report: RelationInspection,
    progress: StepProgress,
) -> None:
    """Count the violated triples of some objects, each standing for several equal ones (weights).

    Between equal objects there is nothing to violate, so the distinct ones suffice. Where D is
    symmetric, and no entry is missing on one side only, half of the pairs do.
    """
    progress.begin("looking at every triangle")
    complete = report.n_missing == 0
    mirrored = bool(report.is_symmetric) and complete
    found = TripleCounter(relation, objects, weights, mirrored, complete).count(progress)
    n = round(float(weights.sum()))
    n_triples = n * (n - 1) * (n - 2) if complete else round(found.n_known)
    report.n_triples, report.n_violated = n_triples, round(found.n_violated)
    if n_triples or complete:  # two objects have no triangle to violate
        fraction = report.n_violated / n_triples if n_triples else 0.0
        report.triangle_violation_fraction = fraction
        report.triangle_violation_interval = fraction, fraction
    if report.n_violated:
        i, j, k = (int(objects[place]) for place in found.triple)
        report.worst_triple, report.worst_excess = (i, j, k), float(found.excess)


@dataclass(frozen=True)
class TripleCounter:
    """Looks at every triple of objects, tile by tile."""

    relation: Relation
    objects: Indices
    weights: Array
    mirrored: bool
    complete: bool

    def count(self, progress: StepProgress) -> Violations:
        """Return the violations of all triples, each counted by its objects' weights."""
        n = len(self.objects)
        tiles = list(spans(n, TRIANGLE_TILE))
        pairs = [(a, b) for a in tiles for b in tiles if a.start <= b.start or not self.mirrored]
        count = progress.wait_for(lambda: choose_counter(n, self.relation.dtype), 0.0)
        found: list[Violations] = []

        def look(pair: tuple[slice, slice]) -> None:
            here = self._between(*pair, tiles, count)
            found.append(here)
            if self.mirrored and pair[0] != pair[1]:
                found.append(here)  # and the other way round

        for_each_block(look, pairs, progress.tell)
        return reduce(Violations.joined, found)

    def _between(
        self, rows: slice, cols: slice, tiles: list[slice], count: TileCounter
    ) -> Violations:
        """Return the violations of pairs in a tile with any third object."""
        direct = self._read(rows, cols)
        bound = lowered(direct)
        found = Violations()
        for third in tiles:
            first, second = self._read(rows, third), self._read(third, cols)
            weights = self.weights[rows], self.weights[cols], self.weights[third]
            total, excess, i, j, k = count(direct, bound, first, second, weights)
            n_known = 0.0 if self.complete else _count_known(direct, first, second)
            triple = (i + rows.start, j + cols.start, k + third.start)
            found = found.joined(Violations(total, n_known, excess, triple))
        return found

    def _read(self, rows: slice, cols: slice) -> Array:
        """Return a tile of dissimilarities, NaN where one is missing or of an object to itself."""
        tile = np.array(self.relation.block(self.objects[rows], self.objects[cols]), order="C")
        tile[~np.isfinite(tile)] = np.nan
        if rows == cols:
            np.fill_diagonal(tile, np.nan)
        return tile


def lowered(dissimilarities: Array) -> Array:
    """Return dissimilarities less what may be a rounding error of a triangle's three sides."""
    dtype = dissimilarities.dtype
    rounding = dtype.type(max(1e-8, 64 * float(np.finfo(dtype).eps)))
    return dissimilarities - rounding * np.abs(dissimilarities)


def _count_known(direct: Array, first: Array, second: Array) -> float:
    """Return the number of triples whose three dissimilarities are known."""
    known = [np.isfinite(tile).astype(np.float64) for tile in (direct, first, second)]
    return float((known[0] * (known[1] @ known[2])).sum())


def choose_counter(n_objects: int, dtype: np.dtype[Any]) -> TileCounter:
    """Return the compiled counter for many objects where numba is installed, or NumPy's."""
    if n_objects < MIN_COMPILED_OBJECTS or not has_numba():
        return count_in_tiles
    counter, tile, weight = compile_counter(), np.zeros((1, 1), dtype), np.ones(1)
    counter(tile, tile, tile, tile, (weight, weight, weight))  # it compiles when first called
    return counter


def count_in_tiles(
    direct: Array, bound: Array, first: Array, second: Array, weights: TileWeights
) -> tuple[float, float, int, int, int]:
    """Return the weight of the violated triples (i, j, k), the largest excess, and where it is.

    A triple is violated where ``first[i, k] + second[k, j] < bound[i, j]``; its excess is measured
    from direct[i, j]. Of equal excesses the one with the smallest (i, j, k) is returned. Tiles hold
    NaN where nothing is known: a comparison with NaN is false, so such triples are not counted.
    """
    total, worst = 0.0, (np.inf, -1, -1, -1)  # minus the excess, and its triple
    detour, violated = np.empty_like(direct), np.empty(direct.shape, dtype=bool)
    alike = weights[0].max() == weights[1].max() == 1
    for k in range(len(second)):
        with np.errstate(over="ignore"):  # a detour that is out of range violates nothing
            np.add(first[:, k, None], second[k], out=detour)
        np.less(detour, bound, out=violated)
        if not violated.any():
            continue
        here = np.count_nonzero(violated) if alike else weights[0] @ (violated @ weights[1])
        total += float(weights[2][k] * here)
        excess = np.subtract(direct, detour, out=detour)
        if (excess >= -worst[0]).any():
            excess = np.where(violated, excess, -np.inf)
            i, j = divmod(int(np.argmax(excess)), direct.shape[1])
            worst = min(worst, (-float(excess[i, j]), i, j, k))
    return total, -worst[0], *worst[1:]


@cache
def compile_counter() -> TileCounter:
    """Return ``count_in_tiles`` compiled by numba: the same counts and the same triple."""

    def count(direct: Array, bound: Array, first: Array, second: Array, weights: Any) -> Any:
        total, worst, at_i, at_j, at_k = 0.0, -np.inf, -1, -1, -1
        alike = weights[1].max() == 1
        for i in range(direct.shape[0]):
            for k in range(second.shape[0]):
                n_violated, n_worse = 0, 0
                for j in range(direct.shape[1]):  # integers only: this loop becomes SIMD
                    detour = first[i, k] + second[k, j]
                    n_violated += detour < bound[i, j]
                if n_violated == 0:
                    continue
                weight = float(n_violated)
                if not alike:
                    weight = np.sum(weights[1] * (first[i, k] + second[k] < bound[i]))
                total += weights[0][i] * weights[2][k] * weight
                for j in range(direct.shape[1]):
                    n_worse += direct[i, j] - (first[i, k] + second[k, j]) >= worst
                if n_worse == 0:
                    continue
                for j in range(direct.shape[1]):
                    detour = first[i, k] + second[k, j]
                    excess = direct[i, j] - detour
                    if detour < bound[i, j] and (
                        excess > worst or (excess == worst and (i, j, k) < (at_i, at_j, at_k))
                    ):
                        worst, at_i, at_j, at_k = excess, i, j, k
        return total, worst, at_i, at_j, at_k

    return compiled(count, nogil=True)


def inspect_sampled_triangles(
    relation: Relation, seed: int, report: RelationInspection, progress: StepProgress
) -> None:
    """Look at triples drawn uniformly; the fraction comes with a 95 % interval."""
    progress.begin("looking at a sample of triangles")
    i, j, k = draw_triples(relation.n_objects, N_SAMPLED_TRIPLES, np.random.default_rng(seed))
    sides = _entries_at(relation, np.concatenate([i, i, k]), np.concatenate([j, k, j]), progress)
    direct, first, second = np.split(sides, 3)
    with np.errstate(invalid="ignore", over="ignore"):  # infinite minus infinite, large and large
        known = np.isfinite(direct) & np.isfinite(first) & np.isfinite(second)
        violated = known & (first + second < lowered(direct))
        excess = np.where(violated, direct - (first + second), -np.inf)
    n_known, n_violated = int(known.sum()), int(violated.sum())
    report.triangles_sampled = True
    report.n_triples, report.n_violated = n_known, n_violated
    if n_known:
        report.triangle_violation_fraction = n_violated / n_known
        report.triangle_violation_interval = wilson_interval(n_violated, n_known)
    if n_violated:
        worst = int(np.argmax(excess))
        report.worst_triple = int(i[worst]), int(j[worst]), int(k[worst])
        report.worst_excess = float(excess[worst])


def draw_triples(n: int, size: int, rng: np.random.Generator) -> tuple[Indices, Indices, Indices]:
    """Return ordered triples of distinct objects, each equally likely, drawn independently."""
    i = rng.integers(0, n, size)
    j = rng.integers(0, n - 1, size)
    k = rng.integers(0, n - 2, size)
    j += j >= i  # step over what is taken
    k += k >= np.minimum(i, j)
    k += k >= np.maximum(i, j)
    return i, j, k


def _entries_at(relation: Relation, rows: Indices, cols: Indices, progress: StepProgress) -> Array:
    """Return single dissimilarities, from one pass over the rows in blocks."""
    order = np.argsort(rows, kind="stable")
    ascending = rows[order]
    entries = np.empty(len(rows), dtype=relation.dtype)

    def read(block: slice) -> None:
        low, high = np.searchsorted(ascending, [block.start, block.stop])
        here = order[low:high]
        entries[here] = relation.block(block)[rows[here] - block.start, cols[here]]

    for_each_block(read, relation.row_blocks(), progress.tell)
    return entries


def wilson_interval(n_hits: int, n_drawn: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a fraction of which n_hits of n_drawn were seen."""
    p, extra = n_hits / n_drawn, NORMAL_QUANTILE**2 / n_drawn
    middle = (p + extra / 2) / (1 + extra)
    half = NORMAL_QUANTILE * np.sqrt(p * (1 - p) / n_drawn + extra / (4 * n_drawn)) / (1 + extra)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))
