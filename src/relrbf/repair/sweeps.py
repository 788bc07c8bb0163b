"""The loops over triangles, in NumPy.

``compiled`` holds the same loops for numba, which are faster and give the same numbers: triangles
of one batch share no pair, so a batch can be done at once or one after the other.

Symbols: a triangle demands ``x_a <= x_b + x_c`` of its long side a and its short sides b and c; u
are the displacements before the threshold is taken off, so ``x = d + soft(u, threshold)``.
"""

from itertools import pairwise

import numpy as np

from relrbf._typing import Array, Indices


def soft(u: Array, threshold: float) -> Array:
    """Take the threshold off the size of u; what is smaller becomes zero."""
    return np.where(u > threshold, u - threshold, np.where(u < -threshold, u + threshold, 0.0))


def sweep(
    u: Array,
    d: Array,
    inverse: Array,
    duals: Array,
    triangles: Indices,
    batches: Indices,
    threshold: float,
) -> None:
    """Project on the half-space of every triangle in turn (Dykstra); u and duals are changed."""
    for start, stop in pairwise(batches):
        a, b, c = triangles[start:stop].T
        steps = _steps(
            (u[a], u[b], u[c]), d[a] - d[b] - d[c], (inverse[a], inverse[b], inverse[c]), threshold
        )
        steps = np.maximum(steps, -duals[start:stop])
        duals[start:stop] += steps
        u[a] -= steps * inverse[a]
        u[b] += steps * inverse[b]
        u[c] += steps * inverse[c]


def _steps(
    u: tuple[Array, Array, Array],
    excess: Array,
    inverse: tuple[Array, Array, Array],
    threshold: float,
) -> Array:
    """Return how much each dual must grow for its triangle to hold with equality.

    The excess of the long side falls with the step, linearly between six breakpoints, where a side
    enters or leaves the reach of its threshold: the root lies between the last breakpoint on this
    side of it and the first beyond.
    """
    total = inverse[0] + inverse[1] + inverse[2]
    start = _excess_after(np.zeros_like(excess), u, excess, inverse, threshold)
    with np.errstate(divide="ignore", invalid="ignore"):
        last, value = np.zeros_like(excess), start.copy()
        beyond, opposite = np.full_like(excess, np.inf), np.zeros_like(excess)
        for at in _breakpoints(u, inverse, threshold) if threshold > 0 else ():
            there = _excess_after(at, u, excess, inverse, threshold)
            ahead = np.isfinite(at) & (at != 0) & ((at > 0) == (start > 0))
            before = ahead & ((there > 0) == (start > 0)) & (there != 0)
            farther = before & (np.abs(at) > np.abs(last))
            last, value = np.where(farther, at, last), np.where(farther, there, value)
            nearer = ahead & ~before & (np.abs(at) < np.abs(beyond))
            beyond, opposite = np.where(nearer, at, beyond), np.where(nearer, there, opposite)
        inside = last + (beyond - last) * value / (value - opposite)
        outside = np.where(total > 0, last + value / total, 0.0)
    return np.where(start == 0, 0.0, np.where(np.isfinite(beyond), inside, outside))


def _breakpoints(
    u: tuple[Array, Array, Array], inverse: tuple[Array, Array, Array], threshold: float
) -> tuple[Array, ...]:
    return (
        (u[0] - threshold) / inverse[0],
        (u[0] + threshold) / inverse[0],
        (-threshold - u[1]) / inverse[1],
        (threshold - u[1]) / inverse[1],
        (-threshold - u[2]) / inverse[2],
        (threshold - u[2]) / inverse[2],
    )


def _excess_after(
    step: Array,
    u: tuple[Array, Array, Array],
    excess: Array,
    inverse: tuple[Array, Array, Array],
    threshold: float,
) -> Array:
    return (
        excess
        + soft(u[0] - step * inverse[0], threshold)
        - soft(u[1] + step * inverse[1], threshold)
        - soft(u[2] + step * inverse[2], threshold)
    )


def shortest_detours(matrix: Array) -> tuple[Array, Indices]:
    """Return, for every pair i < j, the shortest way over one other object, and which (n × n).

    The object may be i or j itself, where no detour is shorter than the direct way.
    """
    n = len(matrix)
    lengths, via = np.zeros((n, n)), np.zeros((n, n), dtype=np.intp)
    for i in range(n - 1):
        ways = matrix[i + 1 :] + matrix[i]
        via[i, i + 1 :] = best = ways.argmin(axis=1)
        lengths[i, i + 1 :] = ways[np.arange(len(ways)), best]
    return lengths, via


def close_paths(matrix: Array) -> None:
    """Lower every entry to the shortest path between its objects (Floyd and Warshall)."""
    for k in range(len(matrix)):
        np.minimum(matrix, matrix[:, k, None] + matrix[k], out=matrix)
