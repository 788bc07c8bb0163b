"""Some objects that stand for all, the same ones in whatever order the objects come."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import Relation
from relrbf.relations.validation import check_largest

N_DIGITS = 9  # of a key that count: rounding must not choose
MAX_FULL_SUPPORT = 1000  # objects of which "auto" lets all carry coefficients
AUTO_SUPPORT = 500  # of more: the cost of a fit then grows as their number, not its square
MIN_OBJECTS_PER_SUPPORT = 3  # with fewer, half of all pairs do not cost much more


def order_by_centrality(
    multiply: Callable[[Array], Array], weights: Array, Y: Array, mean_sq: Array
) -> Indices:
    """Return the objects in an order from the centre to the rim, however they are numbered.

    ``mean_sq`` holds each object's weighted mean of S. Objects that are equally far out are told
    apart by how far they are from the others far out, and from those with large targets: by
    products with S, of which ``multiply`` returns as much as was read.
    """
    ranks = np.sort(_rounded(mean_sq))
    if (np.diff(ranks) > 0).all():
        return np.argsort(_rounded(mean_sq))
    scale = float(np.abs(mean_sq).max()) or 1.0
    mixed = Y @ np.random.default_rng(0).standard_normal(Y.shape[1])
    rows = weights * np.vstack([np.square(mean_sq / scale), mixed, np.square(mixed)])
    others = multiply(rows)
    return np.lexsort([_rounded(key) for key in (*others[::-1], mean_sq)])


def spread_over(order: Indices, size: int) -> Indices:
    """Return ``size`` of the ordered objects, evenly spread, in ascending order."""
    if size >= len(order):
        return np.sort(order)
    return np.sort(order[np.linspace(0, len(order) - 1, size).astype(np.intp)])


def spread_along(key: Array, size: int) -> Indices:
    """Return ``size`` positions, evenly spread from the smallest key to the largest."""
    return spread_over(np.argsort(_rounded(key), kind="stable"), size)


def farthest_first(
    relation: Relation, size: int, first: int, rows: Array | None = None
) -> tuple[Indices, Indices]:
    """Return objects each of which is farthest from all before, and whose nearest they are.

    The second value says for every object which of them is nearest, the first of equals. There are
    fewer than ``size`` where every object equals one of them. One row each is read, and kept
    in ``rows`` (size × n) where that is given.
    """
    n = relation.n_objects
    reach, groups = np.full(n, np.inf, dtype=relation.dtype), np.zeros(n, dtype=np.intp)
    chosen = [first]
    while True:
        row = relation.block(slice(chosen[-1], chosen[-1] + 1))[0]
        if rows is not None:
            rows[len(chosen) - 1] = row
        check_largest(row.max())
        closer = np.flatnonzero((row < reach) & (reach > 0))  # rounding moves no chosen one
        reach[closer], groups[closer] = row[closer], len(chosen) - 1
        reach[chosen[-1]], groups[chosen[-1]] = 0, len(chosen) - 1
        farthest = int(reach.argmax())
        if len(chosen) == size or reach[farthest] <= 0:
            return np.array(chosen), groups
        chosen.append(farthest)


def _rounded(key: Array) -> Array:
    return np.round(key / (float(np.abs(key).max()) or 1.0), N_DIGITS)


def support_size(n_support: Any, n_objects: int) -> int:
    """Return how many objects an option asks for."""
    if n_support is None:
        return n_objects
    if isinstance(n_support, str):
        return n_objects if n_objects <= MAX_FULL_SUPPORT else AUTO_SUPPORT
    if isinstance(n_support, Integral):
        return min(n_objects, int(n_support))
    return max(1, round(float(n_support) * n_objects))


def is_small_support(size: int, n_objects: int) -> bool:
    """Tell whether so small a support is drawn first, and only its rows are read."""
    return MIN_OBJECTS_PER_SUPPORT * size < n_objects
