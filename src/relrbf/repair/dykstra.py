"""The nearest vector of pairs that obeys triangles, with a bound on how much nearer any could be.

"Project and forget" (Sonthalia and Gilbert 2020): search for violated triangles, project on their
half-spaces in turn (Dykstra), drop those whose dual is zero. Projecting in turn is coordinate
ascent in the dual (Hildreth 1957); every few sweeps, Anderson's extrapolation of the duals is taken
where it is higher still (Bertrand and Massias 2021). The search returns at most one triangle per
pair, so memory is O(n²).

Both norms lead to the same inner problem, over the pairs of objects,

    minimise  l1_weight · Σ w |x - d|  +  Σ w (x - centre)² / (2 step)   subject to the triangles,

and to its dual: with duals z of the triangles and their adjoint v on the pairs (``v = A' z``), the
best x is ``d + soft(centre - d - step v / w, l1_weight · step)``. Least squares has l1_weight 0,
step 1 and centre d. The least sum has l1_weight 1; it is a linear programme, solved by the
proximal-point method: the centre follows x until it stays where it is.

Symbols: d given dissimilarities of the pairs, w their weights, inverse 1 / w, and zero for a pair
that must stay as it is, x the dissimilarities sought.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relrbf._typing import Array
from relrbf.embeddings.base import SearchStatus
from relrbf.embeddings.nearest_euclidean import soft
from relrbf.repair.sweeps import fastest_sweep
from relrbf.repair.triangles import ActiveTriangles, AllTriangles

SWEEPS_PER_ROUND = 10  # between two extrapolations
EXTRAPOLATION_MEMORY = 6  # duals that an extrapolation looks back on
ITERATIONS_PER_ROUND = 5  # after which one more round of sweeps is made in each
EXTRAPOLATION_RIDGE = 1e-10
FIRST_PROXIMAL_STEP = 0.1  # of the median violation
STEP_CHANGE = 0.04  # by how much the logarithm of the step changes at a time
DOUBLE_EPS = float(np.finfo(np.float64).eps)
MAX_CLOSING_ITERATIONS = 15
SLIGHT_CHANGE = 1e-5  # of the largest change: what a search that ends early leaves behind
NO_CHANGE = 1e-12  # of the largest dissimilarity: a smaller change is an error of rounding
CLOSING_ROUNDING = 2e-13  # of a long side

OnSearch: TypeAlias = Callable[[int, float], Any]


class LeastSquares:
    """Half the sum of squared changes from d, and the triangles that x must obey.

    The inner problem is all there is.
    """

    order = 2  # of the norm
    l1_weight = 0.0
    step = 1.0

    def __init__(self, d: Array, inverse: Array, constraints: AllTriangles) -> None:
        self.d = self.centre = d
        self.inverse = inverse
        self.constraints = constraints
        self.weights = np.divide(1, inverse, out=np.zeros_like(inverse), where=inverse > 0)

    def displacements(self, adjoint: Array) -> Array:
        """Return u, the displacements of the minimizer before the threshold is taken off."""
        return self.centre - self.d - self.step * self.inverse * adjoint

    def minimizer(self, adjoint: Array) -> Array:
        """Return the x that minimises the inner Lagrangian."""
        return self.d + soft(self.displacements(adjoint), self.l1_weight * self.step)

    def dual(self, adjoint: Array) -> float:
        """Return the dual value of the inner problem."""
        x = self.minimizer(adjoint)
        size = self.l1_weight * np.abs(x - self.d) + (x - self.centre) ** 2 / (2 * self.step)
        return float(self.weights @ size + adjoint @ x)

    def cost(self, x: Array) -> float:
        """Return what is minimised."""
        return float(0.5 * (self.weights @ (x - self.d) ** 2))

    def bound(self, adjoint: Array, best: float) -> float:
        """Return a lower bound of every cost; the best cost found so far may help."""
        return self.dual(adjoint)

    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Go on to the next inner problem, from the x of this one; here there is one only."""


class LeastSum(LeastSquares):
    """The sum of absolute changes from d."""

    order = 1
    l1_weight = 1.0

    def __init__(self, d: Array, inverse: Array, constraints: AllTriangles) -> None:
        super().__init__(d, inverse, constraints)
        self.step = FIRST_PROXIMAL_STEP * float(np.median(constraints.violated(d)[1]))
        # so much of a pair will be taken off anyway; one that is wrong by orders of magnitude
        # would need many steps to get there
        self.centre = constraints.capped(d)

    def cost(self, x: Array) -> float:
        """Return the sum of sizes."""
        return float(self.weights @ np.abs(x - self.d))

    def bound(self, adjoint: Array, best: float) -> float:
        """Return the least of the Lagrangian where an optimum must lie.

        That is within ``0 <= x <= max d``, since a metric capped there stays one and comes nearer,
        and where no pair alone costs more than the best cost so far.
        """
        largest = self.d.max()
        reach = best * self.inverse
        up = np.maximum(-adjoint - self.weights, 0) * np.minimum(largest - self.d, reach)
        down = np.maximum(adjoint - self.weights, 0) * np.minimum(self.d, reach)
        return float(adjoint @ self.d - up.sum() - down.sum())

    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Move the centre to x, with a longer step where the bound is behind the closed cost.

        Longer steps bring the duals closer to feasible, shorter ones bring x.
        """
        cost = self.cost(x)
        grows = abs(cost - bound) > abs(closed_cost - cost)
        self.step *= float(np.exp(STEP_CHANGE if grows else -STEP_CHANGE))
        self.centre = x


OBJECTIVES: dict[str, type[LeastSquares]] = {"l2": LeastSquares, "l1": LeastSum}


class Projection(NamedTuple):
    """Where a search ended: its x, which nearly obeys the triangles, and one that obeys them all.

    The bound is a cost that nothing closed can be below.
    """

    x: Array
    closed: Array
    bound: float
    status: SearchStatus
    n_iter: int


def project(
    objective: LeastSquares, tol: float, max_iter: int, on_search: OnSearch | None = None
) -> Projection:
    """Return the closed x of least cost, changing nothing that need not change."""
    found = search(objective, tol, max_iter, on_search)
    closed = found.closed
    if found.status is SearchStatus.CONVERGED and objective.l1_weight > 0:
        sparse = close_changed_pairs(found.x, objective)
        if objective.cost(sparse) <= (1 + tol) * objective.cost(closed):
            closed = sparse
    return found._replace(closed=restore_unchanged(closed, objective.d, objective.constraints))


def search(
    objective: LeastSquares, tol: float, max_iter: int, on_search: OnSearch | None = None
) -> Projection:
    """Minimise until the closed x costs at most tol (relatively) more than the optimum."""
    bound, best, x, closed = -np.inf, np.inf, objective.d, objective.d
    status = SearchStatus.MAX_ITER
    for n_iter, iterate, adjoint, violation in dual_iterates(objective, max_iter):
        candidate = objective.constraints.closed(iterate)
        cost = objective.cost(candidate)
        if cost <= best:
            best, x, closed = cost, iterate, candidate
        lower = objective.bound(adjoint, best)
        bound = max(bound, lower)
        rounding = DOUBLE_EPS * float(np.abs(adjoint) @ objective.d)
        if best - bound <= tol * best + rounding:
            status = SearchStatus.CONVERGED
            break
        if on_search is not None and on_search(n_iter, violation):
            status = SearchStatus.STOPPED
            break
        objective.advance(iterate, cost, lower)
    return Projection(x, closed, bound, status, n_iter)


def dual_iterates(
    objective: LeastSquares, max_iter: int
) -> Iterator[tuple[int, Array, Array, float]]:
    """Maximise the dual, and yield where it is before each iteration.

    That is its number, x, the duals' adjoint, and the largest violation (0: none but rounding).
    """
    triangles = ActiveTriangles(objective.constraints.n_objects)
    for n_iter in range(1, max_iter + 1):
        adjoint = triangles.adjoint(triangles.duals)
        x = objective.minimizer(adjoint)
        keys, excess = objective.constraints.violated(x)
        yield n_iter, x, adjoint, float(excess.max(initial=0.0))
        triangles.add(keys)
        for _ in range(1 + n_iter // ITERATIONS_PER_ROUND):
            improve_duals(triangles, objective)
        triangles.drop_inactive()


def improve_duals(triangles: ActiveTriangles, objective: LeastSquares) -> None:
    """Sweep over the triangles several times, then extrapolate where that is better."""
    u = objective.displacements(triangles.adjoint(triangles.duals))
    inverse, threshold = objective.step * objective.inverse, objective.l1_weight * objective.step
    duals, sides, batches = triangles.duals, triangles.sides, triangles.batches
    sweep, past = fastest_sweep(), []
    for _ in range(SWEEPS_PER_ROUND):
        sweep(u, objective.d, inverse, duals, sides, batches, threshold)
        past.append(duals.copy())
    guess = extrapolated(np.array(past[-EXTRAPOLATION_MEMORY:]))
    if guess is not None:
        here, there = (objective.dual(triangles.adjoint(z)) for z in (past[-1], guess))
        if there > here:
            triangles.duals = guess


def extrapolated(past: Array) -> Array | None:
    """Return where the last few duals (rows) are heading: Anderson's weights, kept not negative."""
    differences = np.diff(past, axis=0)
    products = differences @ differences.T
    size = np.trace(products)
    if size == 0:
        return None
    products = products / size + EXTRAPOLATION_RIDGE * np.eye(len(products))
    weights = np.linalg.solve(products, np.ones(len(products)))
    return np.maximum(weights / weights.sum() @ past[1:], 0)


def close_changed_pairs(x: Array, objective: LeastSquares) -> Array:
    """Return what obeys every triangle and is near x, changing only what x has really changed.

    Closing x instead would change a little what need not change at all.
    """
    changes = np.abs(x - objective.d)
    changed = changes > SLIGHT_CHANGE * changes.max()
    start, inverse = np.where(changed, x, objective.d), np.where(changed, objective.inverse, 0)
    nearest = LeastSquares(start, inverse, objective.constraints)
    for _, nearly, _, violation in dual_iterates(nearest, MAX_CLOSING_ITERATIONS):
        x = nearly
        if violation == 0:
            break
    return objective.constraints.closed(x)


def restore_unchanged(closed: Array, d: Array, constraints: AllTriangles) -> Array:
    """Return a closed x with the given dissimilarities where it differs from them by rounding."""
    restored = np.where(np.abs(closed - d) <= NO_CHANGE * d.max(), d, closed)
    again = constraints.closed(restored)
    return np.where(np.abs(again - restored) <= CLOSING_ROUNDING * restored, restored, again)
