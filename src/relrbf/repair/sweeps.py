"""Projecting on triangles in turn (Dykstra): in NumPy, and for numba.

Triangles of one batch share no pair, so NumPy treats a batch at once, and numba one triangle after
the other; the numbers are the same, numba is faster.

Symbols: a triangle demands ``x_a <= x_b + x_c`` of its long side a and its short sides b and c; u
are the displacements before the threshold is taken off, so ``x = d + soft(u, threshold)``. The
excess of the long side falls with the step of the triangle's dual, linearly between six
breakpoints, where a side enters or leaves the reach of its threshold: the root lies between the
last breakpoint on this side of it and the first beyond.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf._utils import compiled, has_numba
from relrbf.embeddings.nearest_euclidean import soft

SIGNS = np.array([[1.0], [-1.0], [-1.0]])


@cache
def fastest_sweep() -> Callable[..., None]:
    """Return the compiled loop where numba is installed, or NumPy's ``sweep``."""
    return compiled(sweep_one_by_one) if has_numba() else sweep


def sweep(
    u: Array,
    d: Array,
    inverse: Array,
    duals: Array,
    triangles: Indices,
    batches: Indices,
    threshold: float,
) -> None:
    """Project on the half-space of every triangle in turn; u and duals are changed."""
    for start, stop in pairwise(batches):
        sides = triangles[start:stop].T
        a, b, c = sides
        share = SIGNS * inverse[sides]
        steps = _steps(u[sides], d[a] - d[b] - d[c], share, threshold)
        steps = np.maximum(steps, -duals[start:stop])
        duals[start:stop] += steps
        u[sides] -= steps * share


def _steps(u: Array, excess: Array, share: Array, threshold: float) -> Array:
    """Return how much each dual must grow for its triangle to hold with equality.

    ``share`` is what a unit of the step takes off each side.
    """
    total, columns = share[0] - share[1] - share[2], np.arange(len(excess))
    none = np.zeros((1, len(excess)))
    start = _excess_after(none, u, excess, share, threshold)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        if threshold == 0:
            return np.where(total > 0, start / total, 0.0)
        sign = np.where(start < 0, -1.0, 1.0)  # breakpoints in the order in which a step meets them
        ahead = sign * np.concatenate([(u - threshold) / share, (u + threshold) / share])
        ahead = np.where(np.isfinite(ahead), np.maximum(ahead, 0.0), 0.0)
        at = np.sort(np.concatenate([none, ahead]), axis=0)
        there = sign * _excess_after(sign * at, u, excess, share, threshold)
        n_before = np.count_nonzero(there > 0, axis=0)
        last = np.maximum(n_before - 1, 0), columns
        first = np.minimum(n_before, len(at) - 1), columns
        inside = at[last] + (at[first] - at[last]) * there[last] / (there[last] - there[first])
        steps = np.where(last[0] == first[0], at[last] + there[last] / total, inside)
    return np.where((start == 0) | (total == 0), 0.0, sign * steps)


def _excess_after(step: Array, u: Array, excess: Array, share: Array, threshold: float) -> Array:
    """Return the excess of the long side after each step (rows) of each triangle (columns)."""
    a, b, c = (soft(u[side] - step * share[side], threshold) for side in range(3))
    return excess + a - b - c


def sweep_one_by_one(
    u: Any, d: Any, inverse: Any, duals: Any, triangles: Any, batches: Any, threshold: Any
) -> None:
    """Do what ``sweep`` does, for numba to compile."""

    def soft_one(u: Any) -> Any:
        if u > threshold:
            return u - threshold
        return u + threshold if u < -threshold else 0.0

    def excess_after(step: Any, excess: Any, a: Any, b: Any, c: Any) -> Any:
        return (
            excess
            + soft_one(u[a] - step * inverse[a])
            - soft_one(u[b] + step * inverse[b])
            - soft_one(u[c] + step * inverse[c])
        )

    for t in range(len(duals)):
        a, b, c = triangles[t]
        excess, total = d[a] - d[b] - d[c], inverse[a] + inverse[b] + inverse[c]
        start = excess_after(0.0, excess, a, b, c)
        last, value, beyond, opposite = 0.0, start, np.inf, 0.0
        if start == 0 or total == 0:
            value, total = 0.0, 1.0
        elif threshold > 0:
            for breakpoint in range(6):
                side = triangles[t, breakpoint // 2]
                if inverse[side] == 0:
                    continue
                edge = threshold if breakpoint % 2 else -threshold
                at = (u[a] + edge if side == a else edge - u[side]) / inverse[side]
                if at == 0 or (at > 0) != (start > 0) or not abs(last) < abs(at) < abs(beyond):
                    continue
                there = excess_after(at, excess, a, b, c)
                if (there > 0) == (start > 0) and there != 0:
                    last, value = at, there
                else:
                    beyond, opposite = at, there
        if beyond == np.inf:
            step = last + value / total
        else:
            step = last + (beyond - last) * value / (value - opposite)
        step = max(step, -duals[t])
        duals[t] += step
        u[a] -= step * inverse[a]
        u[b] += step * inverse[b]
        u[c] += step * inverse[c]
