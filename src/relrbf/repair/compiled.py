"""The loop of ``sweeps`` for numba, which is optional: compiled when first used, then cached."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf._utils import compiled


@compiled
def _soft(u: float, threshold: float) -> float:
    if u > threshold:
        return u - threshold
    if u < -threshold:
        return u + threshold
    return 0.0


@compiled
def _excess_after(step: float, u: Any, excess: float, inverse: Any, threshold: float) -> float:
    return (
        excess
        + _soft(u[0] - step * inverse[0], threshold)
        - _soft(u[1] + step * inverse[1], threshold)
        - _soft(u[2] + step * inverse[2], threshold)
    )


@compiled
def _step(u: Any, excess: float, inverse: Any, threshold: float) -> float:
    """Return the step of one triangle; see ``sweeps._steps``."""
    total = inverse[0] + inverse[1] + inverse[2]
    start = _excess_after(0.0, u, excess, inverse, threshold)
    if start == 0 or total == 0:
        return 0.0
    if threshold == 0:
        return start / total
    last, value, beyond, opposite = 0.0, start, np.inf, 0.0
    for breakpoint in range(6):
        side = breakpoint // 2
        if inverse[side] == 0:
            continue
        edge = threshold if breakpoint % 2 else -threshold
        at = (u[0] + edge if side == 0 else edge - u[side]) / inverse[side]
        if at == 0 or (at > 0) != (start > 0) or not abs(last) < abs(at) < abs(beyond):
            continue
        there = _excess_after(at, u, excess, inverse, threshold)
        if (there > 0) == (start > 0) and there != 0:
            last, value = at, there
        else:
            beyond, opposite = at, there
    if beyond == np.inf:
        return last + value / total
    return last + (beyond - last) * value / (value - opposite)


@compiled
def sweep(
    u: Array,
    d: Array,
    inverse: Array,
    duals: Array,
    triangles: Indices,
    batches: Indices,
    threshold: float,
) -> None:
    """Project on the half-space of every triangle in turn; batches need no separate treatment."""
    for t in range(len(duals)):
        a, b, c = triangles[t]
        parts = (inverse[a], inverse[b], inverse[c])
        step = _step((u[a], u[b], u[c]), d[a] - d[b] - d[c], parts, threshold)
        step = max(step, -duals[t])
        duals[t] += step
        u[a] -= step * inverse[a]
        u[b] += step * inverse[b]
        u[c] += step * inverse[c]
