"""Counting the violated triangles of three tiles of objects: the loop that takes the time.

Tiles hold NaN where an entry is missing or an object meets itself: a comparison with NaN is false,
so such triples are never counted.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array
from relrbf._utils import compiled, has_numba

MANY = 1000  # objects from which on compiling the loop is repaid
Found: TypeAlias = tuple[float, float, int, int, int]
TileCounter: TypeAlias = Callable[[Array, Array, Array, Array, tuple[Array, Array, Array]], Found]
NOTHING: Found = (0.0, -np.inf, -1, -1, -1)


def choose_counter(n_objects: int, dtype: np.dtype[Any]) -> TileCounter:
    """Return the compiled counter for many objects where numba is installed, or NumPy's."""
    if n_objects < MANY or not has_numba():
        return count_in_tiles
    counter, tile, weight = compile_counter(), np.zeros((1, 1), dtype), np.ones(1)
    counter(tile, tile, tile, tile, (weight, weight, weight))  # it compiles when first called
    return counter


def count_in_tiles(
    direct: Array, bound: Array, first: Array, second: Array, weights: tuple[Array, Array, Array]
) -> Found:
    """Return the weight of the violated triples (i, j, k), the largest excess, and where it is.

    A triple is violated where ``first[i, k] + second[k, j] < bound[i, j]``; its excess is measured
    from direct[i, j]. Of equal excesses the one with the smallest (i, j, k) is returned.
    """
    total, worst = 0.0, NOTHING[1:]
    detour, violated = np.empty_like(direct), np.empty(direct.shape, dtype=bool)
    for k in range(len(second)):
        with np.errstate(over="ignore"):  # a detour that is out of range violates nothing
            np.add(first[:, k, None], second[k], out=detour)
        np.less(detour, bound, out=violated)
        if violated.any():
            total += weights[2][k] * _weight(violated, weights[0], weights[1])
            excess = np.subtract(direct, detour, out=detour)
            if (excess >= worst[0]).any():
                excess = np.where(violated, excess, -np.inf)
                i, j = divmod(int(np.argmax(excess)), direct.shape[1])
                worst = worse(worst, (float(excess[i, j]), i, j, k))
    return total, *worst


def _weight(violated: np.ndarray, rows: Array, cols: Array) -> float:
    if rows.max() == cols.max() == 1:  # the usual case, without a product
        return float(np.count_nonzero(violated))
    return float(rows @ (violated @ cols))


def worse(
    one: tuple[float, int, int, int], other: tuple[float, int, int, int]
) -> tuple[float, int, int, int]:
    """Return the larger excess with its triple; of equal ones, the smaller triple."""
    return min(one, other, key=lambda found: (-found[0], found[1:]))


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
