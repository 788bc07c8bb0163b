"""Dykstra's projections on the triangles that matter, with a bound on what is left to gain.

"Project and forget" (Sonthalia and Gilbert 2020): search for violated triangles, project on
their half-spaces in turns, forget those that do not pull. Projecting in turns climbs the dual
coordinate by coordinate (Hildreth 1957); every few sweeps, Anderson's extrapolation of the duals
is taken where it climbs higher still (Bertrand and Massias 2021). The search returns at most one
triangle per pair, so memory is O(n²).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.repair.constraints import Constraints
from relrbf.repair.loops import loops
from relrbf.repair.objective import Objective
from relrbf.repair.result import RepairStatus
from relrbf.repair.triangles import Triangles

SWEEPS = 10  # between two extrapolations
MEMORY = 6  # duals that an extrapolation looks back on
PATIENCE = 5  # iterations after which one more round of sweeps is made in each
RIDGE = 1e-10

Progress = Callable[[int, float], Any]


@dataclass(frozen=True)
class Ascent:
    """Where an ascent ended: its x, which nearly obeys the triangles, and the closed one.

    The bound is a cost that nothing closed can be below.
    """

    x: Array
    closed: Array
    bound: float
    status: RepairStatus
    n_iter: int


def ascend(
    objective: Objective,
    constraints: Constraints,
    tol: float,
    max_iter: int,
    progress: Progress | None = None,
) -> Ascent:
    """Return the x of least cost under the constraints.

    It ends when the closed x costs at most tol (relatively) more than the optimum, by the bound.
    """
    bound, best, x, closed = -np.inf, np.inf, objective.d, objective.d
    status = RepairStatus.MAX_ITER
    for point in points(objective, constraints, max_iter):
        candidate = constraints.closed(point.x)
        cost = objective.cost(candidate)
        if cost <= best:
            best, x, closed = cost, point.x, candidate
        lower, rounding = objective.bound(point.pull, best)
        bound = max(bound, lower)
        if best - bound <= tol * best + rounding:
            status = RepairStatus.CONVERGED
            break
        if progress is not None and progress(point.n_iter, point.violation):
            status = RepairStatus.STOPPED
            break
        objective.advance(point.x, cost, lower)
    return Ascent(x, closed, bound, status, point.n_iter)


@dataclass(frozen=True)
class Point:
    """Where an ascent is, and how far the worst triangle is from holding (0: to rounding)."""

    n_iter: int
    x: Array
    pull: Array
    violation: float


def points(objective: Objective, constraints: Constraints, max_iter: int) -> Iterator[Point]:
    """Climb the dual, and yield where it is before each iteration."""
    triangles = Triangles(constraints.n_objects)
    for n_iter in range(1, max_iter + 1):
        pull = triangles.pull(triangles.duals)
        x = objective.at(pull)
        found = constraints.violated(x)
        yield Point(n_iter, x, pull, found.largest)
        triangles.add(found)
        for _ in range(1 + n_iter // PATIENCE):
            climb(triangles, objective)
        triangles.forget()


def climb(triangles: Triangles, objective: Objective) -> None:
    """Sweep over the triangles several times, then extrapolate where that is better."""
    u = objective.displacements(triangles.pull(triangles.duals))
    inverse = objective.step * objective.inverse
    past = []
    for _ in range(SWEEPS):
        loops().sweep(
            u,
            objective.d,
            inverse,
            triangles.duals,
            triangles.sides,
            triangles.batches,
            objective.threshold,
        )
        past.append(triangles.duals.copy())
    guess = extrapolated(np.array(past[-MEMORY:]))
    if guess is not None:
        here, there = (objective.dual(triangles.pull(duals)) for duals in (past[-1], guess))
        if there > here:
            triangles.duals = guess


def extrapolated(past: Array) -> Array | None:
    """Return where the last few duals (rows) are heading: Anderson's weights, kept not negative."""
    differences = np.diff(past, axis=0)
    products = differences @ differences.T
    size = np.trace(products)
    if size == 0:
        return None
    products += RIDGE * size * np.eye(len(products))
    weights = np.linalg.solve(products, np.ones(len(products)))
    return np.maximum(weights / weights.sum() @ past[1:], 0)
