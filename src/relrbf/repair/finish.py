"""From an ascent, which ends near the triangles, to a relation that obeys them all."""

from dataclasses import replace

import numpy as np

from relrbf._typing import Array
from relrbf.repair.ascent import Ascent, Progress, ascend, points
from relrbf.repair.constraints import Constraints
from relrbf.repair.objective import LeastSquares, Objective
from relrbf.repair.result import RepairStatus

SETTLING = 15  # iterations
SLIGHT = 1e-5  # of the largest change: what an ascent that ends early leaves behind
UNTOUCHED = 1e-12  # of the largest dissimilarity: a smaller change is an error of rounding
ROUNDING = 2e-13  # of a long side


def nearest(
    objective: Objective,
    constraints: Constraints,
    tol: float,
    max_iter: int,
    progress: Progress | None = None,
) -> Ascent:
    """Return the ascent with a closed x that changes nothing which need not change."""
    found = ascend(objective, constraints, tol, max_iter, progress)
    closed = found.closed
    if found.status is RepairStatus.CONVERGED and objective.reluctance > 0:
        settled = settle(found.x, objective, constraints)
        if objective.cost(settled) <= (1 + tol) * objective.cost(closed):
            closed = settled
    return replace(found, closed=tidied(closed, objective.d, constraints))


def settle(x: Array, objective: Objective, constraints: Constraints) -> Array:
    """Return what obeys every triangle and is near x, changing only what x has really changed.

    Closing x instead would change a little what need not change at all.
    """
    changes = np.abs(x - objective.d)
    moved = changes > SLIGHT * changes.max()
    start, inverse = np.where(moved, x, objective.d), np.where(moved, objective.inverse, 0)
    for point in points(LeastSquares(start, inverse, constraints), constraints, SETTLING):
        if point.violation == 0:
            break
    return constraints.closed(point.x)


def tidied(closed: Array, d: Array, constraints: Constraints) -> Array:
    """Return a closed x with the given dissimilarities where only rounding parts it from them."""
    back = np.where(np.abs(closed - d) <= UNTOUCHED * d.max(), d, closed)
    again = constraints.closed(back)
    return np.where(np.abs(again - back) <= ROUNDING * back, back, again)
