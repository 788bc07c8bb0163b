"""Triangles drawn at random, where there are too many to look at all."""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.inspection.triangles import Triangles, lowered
from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation
from relrbf.relations.blocks import for_each_block

N_TRIPLES = 500_000
Z = 1.959964  # standard deviations either side that hold 95 % of a normal distribution


def sample_triangles(relation: Relation, rng: np.random.Generator, watch: Watch) -> Triangles:
    """Look at triples drawn uniformly, and say how far the fraction may be off (95 %)."""
    watch.begin("looking at a sample of triangles")
    i, j, k = draw_triples(relation.n_objects, N_TRIPLES, rng)
    sides = entries_at(relation, np.concatenate([i, i, k]), np.concatenate([j, k, j]), watch)
    direct, first, second = np.split(sides, 3)
    with np.errstate(invalid="ignore", over="ignore"):  # infinite minus infinite, large and large
        known = np.isfinite(direct) & np.isfinite(first) & np.isfinite(second)
        violated = known & (first + second < lowered(direct))
        excess = np.where(violated, direct - (first + second), -np.inf)
    n_triples, n_violated = int(known.sum()), int(violated.sum())
    worst = int(np.argmax(excess))
    return Triangles(
        triangle_violation_fraction=n_violated / n_triples if n_triples else None,
        triangle_violation_interval=wilson(n_violated, n_triples) if n_triples else None,
        n_triples=n_triples,
        n_violated=n_violated,
        triangles_sampled=True,
        worst_triple=(int(i[worst]), int(j[worst]), int(k[worst])) if n_violated else None,
        worst_excess=float(excess[worst]) if n_violated else None,
    )


def draw_triples(n: int, size: int, rng: np.random.Generator) -> tuple[Indices, Indices, Indices]:
    """Return ordered triples of distinct objects, each equally likely, drawn independently."""
    i = rng.integers(0, n, size)
    j = rng.integers(0, n - 1, size)
    k = rng.integers(0, n - 2, size)
    j += j >= i  # step over what is taken
    k += k >= np.minimum(i, j)
    k += k >= np.maximum(i, j)
    return i, j, k


def entries_at(relation: Relation, rows: Indices, cols: Indices, watch: Watch) -> Array:
    """Return single dissimilarities, from one pass over the rows in blocks."""
    order = np.argsort(rows, kind="stable")
    ascending = rows[order]
    entries = np.empty(len(rows), dtype=relation.dtype)

    def read(block: slice) -> None:
        low, high = np.searchsorted(ascending, [block.start, block.stop])
        here = order[low:high]
        entries[here] = relation.block(block)[rows[here] - block.start, cols[here]]

    for_each_block(read, relation.row_blocks(), watch.tell)
    return entries


def wilson(n_hits: int, n_drawn: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a fraction of which n_hits of n_drawn were seen."""
    p, extra = n_hits / n_drawn, Z**2 / n_drawn
    middle = (p + extra / 2) / (1 + extra)
    half = Z * np.sqrt(p * (1 - p) / n_drawn + extra / (4 * n_drawn)) / (1 + extra)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))
