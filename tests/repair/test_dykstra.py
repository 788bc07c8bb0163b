"""What is minimised, its bounds, and the step from a nearly closed vector to a closed one."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import squareform

from relrbf.embeddings import SearchStatus
from relrbf.repair import dykstra, nearest_metric
from relrbf.repair.dykstra import (
    STEP_CHANGE,
    LeastSquares,
    LeastSum,
    close_changed_pairs,
    dual_iterates,
    improve_duals,
    restore_unchanged,
    search,
)
from relrbf.repair.triangles import ActiveTriangles, AllTriangles, NewObjectTriangles
from tests.repair.references import cvxpy_distance, largest_violation, random_relation

BOTH = pytest.mark.parametrize("kind", [LeastSquares, LeastSum])


@pytest.fixture
def d(rng):
    """Random dissimilarities of the pairs of eight objects."""
    return rng.random(28)


def loaded(d, rng):
    """Triangles of eight objects with random duals."""
    triangles = ActiveTriangles(8)
    triangles.add(AllTriangles(8).violated(d)[0])
    triangles.duals = rng.random(len(triangles.duals))
    return triangles


@BOTH
def test_x_minimises_the_lagrangian(kind, d, rng):
    objective = kind(d, 1 / rng.uniform(1, 3, 28), AllTriangles(8))
    adjoint = rng.standard_normal(28)
    x = objective.minimizer(adjoint)

    def lagrangian(value, e):
        away = objective.l1_weight * abs(value - d[e])
        near = (value - objective.centre[e]) ** 2 / (2 * objective.step)
        return objective.weights[e] * (away + near) + adjoint[e] * value

    values = [lagrangian(x[e], e) for e in range(28)]
    for e in range(28):
        best = minimize_scalar(lagrangian, args=(e,), bracket=(x[e] - 1, x[e] + 1))
        assert values[e] <= best.fun + 1e-12
    assert objective.dual(adjoint) == pytest.approx(sum(values))


@BOTH
def test_no_metric_costs_less_than_the_bound(kind, d, rng):
    norm = {LeastSquares: "l2", LeastSum: "l1"}[kind]
    optimum = cvxpy_distance(squareform(d), norm) ** kind.order / kind.order
    objective = kind(d, np.ones(28), AllTriangles(8))
    for scale in (0.01, 0.1, 0.5, 2.0):
        triangles = loaded(d, rng)
        adjoint = scale * triangles.adjoint(triangles.duals)
        bound = objective.bound(adjoint, 1.1 * optimum)
        assert bound <= optimum * (1 + 1e-9) + 1e-15 * np.abs(adjoint) @ d


@BOTH
def test_the_cost_follows_from_the_distance(kind, d, rng):
    x = rng.random(28)
    objective = kind(d, np.ones(28), AllTriangles(8))
    distance = np.linalg.norm(x - d, kind.order)
    assert distance**kind.order / kind.order == pytest.approx(objective.cost(x))


@BOTH
def test_a_pair_of_infinite_weight_stays(kind, d, rng):
    inverse = np.ones(28)
    inverse[[0, 5, 9]] = 0
    objective = kind(d, inverse, AllTriangles(8))
    objective.centre = np.where(inverse > 0, objective.centre, d)
    for _, x, _, _ in dual_iterates(objective, 5):
        assert np.array_equal(x[[0, 5, 9]], d[[0, 5, 9]])
    assert objective.cost(d + (inverse == 0)) == 0


def test_the_step_follows_what_is_behind(d):
    objective = LeastSum(d, np.ones(28), AllTriangles(8))
    first = objective.step
    objective.advance(d, closed_cost=0.0, bound=-1.0)  # the bound is behind
    assert objective.step == pytest.approx(first * np.exp(STEP_CHANGE))
    objective.advance(d, closed_cost=0.0, bound=-1.0)
    assert objective.step == pytest.approx(first * np.exp(2 * STEP_CHANGE))
    second = objective.step
    objective.advance(d + 0.1, closed_cost=9.0, bound=2.8)  # the closed cost is behind
    assert objective.step == pytest.approx(second * np.exp(-STEP_CHANGE))
    assert np.array_equal(objective.centre, d + 0.1)


def test_the_dual_never_falls_from_one_iteration_to_the_next(rng):
    d = squareform(random_relation(rng, 15))
    objective = LeastSquares(d, np.ones(len(d)), AllTriangles(15))
    values = [objective.dual(adjoint) for _, _, adjoint, _ in dual_iterates(objective, 12)]
    assert values[0] == 0
    assert np.all(np.diff(values) >= -1e-12)
    found = search(objective, 1e-9, 100)
    assert found.status is SearchStatus.CONVERGED
    assert objective.cost(found.closed) * (1 - 1e-9) <= found.bound * (1 + 1e-12)


def test_a_cap_leaves_no_pair_longer_than_half_of_its_detours(rng):
    D = random_relation(rng, 9)
    D[1, 4] = D[4, 1] = 50
    capped = squareform(AllTriangles(9).capped(squareform(D)))
    detours = np.median(D[:, None] + D[None], axis=2)
    off = ~np.eye(9, dtype=bool)
    assert np.array_equal(capped[off], np.minimum(D, detours)[off])
    metric = nearest_metric(D[:8, :8]).matrix
    whole = D.copy()
    whole[:8, :8] = metric
    row = squareform(NewObjectTriangles(metric).capped(squareform(whole)))
    assert np.array_equal(row[:8, :8], metric)
    assert np.array_equal(row[8, :8], np.minimum(D[8, :8], np.median(metric + D[8, :8], axis=1)))


def test_closing_changed_pairs_moves_only_what_has_moved():
    """Closing would lower a long side that the optimum leaves; this raises a short one."""
    d, constraints = np.array([5.0, 1.0, 1.0]), AllTriangles(3)
    nearly = np.array([5.0, 2.5 - 1e-6, 2.5 - 1e-6])
    closed = close_changed_pairs(nearly, LeastSum(d, np.ones(3), constraints))
    assert closed[0] == 5
    assert closed.tolist() == pytest.approx([5, 2.5, 2.5], abs=1e-14)
    assert constraints.closed(nearly)[0] < 5


def test_closing_takes_what_is_negative_for_zero():
    assert AllTriangles(3).closed(np.array([-1.0, 2.0, 3.0])).tolist() == [0, 2, 2]


def test_closing_changed_pairs_at_a_higher_cost_is_not_taken(rng, monkeypatch):
    D = random_relation(rng, 12)
    expected = nearest_metric(D, "l1").distance
    monkeypatch.setattr(
        "relrbf.repair.dykstra.close_changed_pairs", lambda x, *rest: np.zeros_like(x)
    )
    assert nearest_metric(D, "l1").distance == pytest.approx(expected, rel=1e-5)


def test_an_extrapolation_that_lowers_the_dual_is_not_taken(d, rng, monkeypatch):
    triangles, objective = loaded(d, rng), LeastSquares(d, np.ones(28), AllTriangles(8))
    monkeypatch.setattr(dykstra, "extrapolated", lambda past: np.zeros_like(past[0]))
    improve_duals(triangles, objective)
    assert triangles.duals.any()


def test_restoring_gives_back_what_rounding_changed_and_breaks_no_triangle(rng):
    metric = nearest_metric(random_relation(rng, 12)).matrix
    d = squareform(metric)
    noisy = d * (1 + 1e-14 * rng.standard_normal(len(d)))
    assert np.array_equal(restore_unchanged(noisy, d, AllTriangles(12)), d)
    moved = np.where(np.arange(len(d)) == 3, d / 2, d)
    assert largest_violation(squareform(restore_unchanged(moved, d, AllTriangles(12)))) <= 1e-12
