"""How many triangles are violated: of all of them, or of a sample.

An ordered triple (i, j, k) of distinct objects is violated where ``D[i, j]`` exceeds
``D[i, k] + D[k, j]`` by more than rounding. Of n objects there are n (n - 1) (n - 2).
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf._utils import compiled, has_numba
from relrbf.inspection.report import RelationInspection, StepProgress
from relrbf.relations.base import Relation
from relrbf.relations.blocks import for_each_block, spans

ROWS_AT_ONCE = 64  # of which the triples are counted: they fit in a core's cache
MIN_COMPILED_OBJECTS = 1000  # from which on compiling the loop is repaid
N_SAMPLED_TRIPLES = 500_000


# The weight of the violated triples, the largest excess, and the triple that has it.
Violations: TypeAlias = tuple[float, float, int, int, int]
TripleCounter: TypeAlias = Callable[[Array, Array, Array, int, int, bool], Violations]


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
    D = np.array(relation.block(objects, objects), order="C")
    D[~np.isfinite(D)] = np.nan
    np.fill_diagonal(D, np.nan)  # comparisons with NaN are false: such triples are not counted
    bound = lowered(D)
    count = progress.wait_for(lambda: choose_counter(len(D), D.dtype), 0.0)
    found: list[Violations] = []

    def look(rows: slice) -> None:
        found.append(count(D, bound, weights, rows.start, rows.stop, mirrored))

    for_each_block(look, spans(len(D), ROWS_AT_ONCE), progress.tell)
    n = round(float(weights.sum()))
    known = np.isfinite(D).astype(np.float64)
    n_known = n * (n - 1) * (n - 2) if complete else round(float((known * (known @ known)).sum()))
    report.n_triples = n_known
    report.n_violated = (1 + mirrored) * round(sum(weight for weight, *_ in found))
    if report.n_triples or complete:  # two objects have no triangle to violate
        fraction = report.n_violated / max(report.n_triples, 1)
        report.triangle_violation_fraction = fraction
        report.triangle_violation_interval = fraction, fraction
    if report.n_violated:
        _, excess, *triple = min(found, key=lambda here: (-here[1], here[2:]))
        i, j, k = objects[triple].tolist()
        report.worst_triple, report.worst_excess = (i, j, k), float(excess)


def lowered(dissimilarities: Array) -> Array:
    """Return dissimilarities less what may be a rounding error of a triangle's three sides."""
    dtype = dissimilarities.dtype
    rounding = dtype.type(max(1e-8, 64 * float(np.finfo(dtype).eps)))
    return dissimilarities - rounding * np.abs(dissimilarities)


def choose_counter(n_objects: int, dtype: np.dtype[Any]) -> TripleCounter:
    """Return the compiled counter for many objects where numba is installed, or NumPy's."""
    if n_objects < MIN_COMPILED_OBJECTS or not has_numba():
        return count_triples
    counter, D = compile_counter(), np.zeros((1, 1), dtype)
    counter(D, D, np.ones(1), 0, 1, False)  # it compiles when first called
    return counter


def count_triples(
    D: Array, bound: Array, weights: Array, start: int, stop: int, mirrored: bool
) -> Violations:
    """Count the violated triples (i, j, k) with ``start <= i < stop``; with i < j if mirrored.

    A triple is violated where ``D[i, k] + D[k, j] < bound[i, j]``; its excess is measured from
    D[i, j]. Of equal excesses the one with the smallest (i, j, k) is returned.
    """
    total, worst = 0.0, (np.inf, -1, -1, -1)  # minus the excess, and its triple
    alike, first = weights.max() == 1, start if mirrored else 0
    direct, limit, cols = D[start:stop, first:], bound[start:stop, first:].copy(), weights[first:]
    if mirrored:
        limit[np.tri(*limit.shape, dtype=np.bool_)] = np.nan
    detour, violated = np.empty_like(direct), np.empty(direct.shape, dtype=bool)
    for k in range(len(D)):
        with np.errstate(over="ignore"):  # a detour that is out of range violates nothing
            np.add(D[start:stop, k, None], D[k, first:], out=detour)
        np.less(detour, limit, out=violated)
        if not violated.any():
            continue
        here = np.count_nonzero(violated) if alike else weights[start:stop] @ (violated @ cols)
        total += float(weights[k] * here)
        excess = np.subtract(direct, detour, out=detour)
        if (excess >= -worst[0]).any():
            i, j = divmod(int(np.argmax(np.where(violated, excess, -np.inf))), direct.shape[1])
            worst = min(worst, (-float(excess[i, j]), start + i, first + j, k))
    return total, -worst[0], *worst[1:]


@cache
def compile_counter() -> TripleCounter:
    """Return ``count_triples`` compiled by numba: the same counts and the same triple."""

    def count(D: Any, bound: Any, weights: Any, start: int, stop: int, mirrored: bool) -> Any:
        n = len(D)
        total, worst, at_i, at_j, at_k = 0.0, -np.inf, -1, -1, -1
        alike = weights.max() == 1
        for tile in range(0, n, ROWS_AT_ONCE):  # rows of k that stay in the cache for every i
            for i in range(start, stop):
                first = i + 1 if mirrored else 0
                direct, limit = D[i, first:], bound[i, first:]
                for k in range(tile, min(tile + ROWS_AT_ONCE, n)):
                    near, second = D[i, k], D[k, first:]
                    n_violated, n_worse = 0, 0
                    for j in range(n - first):  # integers only: this loop becomes SIMD
                        n_violated += near + second[j] < limit[j]
                    if n_violated == 0:
                        continue
                    weight = float(n_violated)
                    if not alike:
                        weight = np.sum(weights[first:] * (near + second < limit))
                    total += weights[i] * weights[k] * weight
                    for j in range(n - first):
                        n_worse += direct[j] - (near + second[j]) >= worst
                    if n_worse == 0:
                        continue
                    for j in range(n - first):
                        detour = near + second[j]
                        excess = direct[j] - detour
                        triple = (i, first + j, k)
                        if detour < limit[j] and (
                            excess > worst or (excess == worst and triple < (at_i, at_j, at_k))
                        ):
                            worst, (at_i, at_j, at_k) = excess, triple
        return total, worst, at_i, at_j, at_k

    return compiled(count, nogil=True)


def inspect_sampled_triangles(
    relation: Relation, seed: int, report: RelationInspection, progress: StepProgress
) -> None:
    """Look at triples drawn uniformly; the fraction comes with a 95 % interval."""
    from scipy.stats import binomtest

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
        low, high = binomtest(n_violated, n_known).proportion_ci(method="wilson")
        report.triangle_violation_interval = float(low), float(high)
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
