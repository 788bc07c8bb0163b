"""The loops over triangles: brute force, and numba beside NumPy."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.distance import squareform

from relrbf.repair import nearest_metric, sweeps
from relrbf.repair.dykstra import extrapolated
from relrbf.repair.triangles import (
    ActiveTriangles,
    AllTriangles,
    pair_positions,
    shortest_detours,
)
from tests.repair.references import random_relation, triangle_rows

BOTH = pytest.mark.parametrize(
    "sweep", [sweeps.sweep, sweeps.fastest_sweep()], ids=["numpy", "numba"]
)


@pytest.fixture
def without_numba(monkeypatch):
    """Switch to the loops that run where numba is not installed."""

    def switch():
        monkeypatch.setattr("relrbf.repair.dykstra.fastest_sweep", lambda: sweeps.sweep)

    return switch


@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_numpy_and_numba_give_the_same_numbers(norm, rng, without_numba):
    group = np.concatenate([np.arange(14), [3, 3, 7]])
    D = random_relation(rng, 14)[np.ix_(group, group)]
    rows = rng.random((2, 17))
    fast = nearest_metric(D, norm)
    fast_rows = fast.extend(rows)
    without_numba()
    plain = nearest_metric(D, norm)
    assert plain.n_iter == fast.n_iter
    np.testing.assert_allclose(plain.matrix, fast.matrix, rtol=0, atol=1e-12)
    np.testing.assert_allclose(plain.extend(rows), fast_rows, rtol=0, atol=1e-12)


def test_where_numba_is_missing_the_loops_are_numpys():
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from relrbf.repair import nearest_metric\n"
        "from relrbf.repair.sweeps import fastest_sweep\n"
        "nearest_metric([5.0, 1.0, 1.0])\n"
        "print(fastest_sweep().__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "sweep"


def test_importing_the_package_does_not_load_numba():
    code = "import sys, relrbf.repair; print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
    assert sweeps.fastest_sweep().py_func is sweeps.sweep_one_by_one


def test_shortest_detours_equal_brute_force(rng):
    D = random_relation(rng, 12, lambda m: rng.integers(0, 5, m).astype(float))
    lengths, via = shortest_detours(D)
    for i in range(12):
        for j in range(i + 1, 12):
            detours = D[i] + D[:, j]
            assert lengths[i, j] == detours.min()
            assert via[i, j] == detours.argmin()


def test_closing_paths_takes_zeros_for_what_they_are(rng):
    D = random_relation(rng, 10, lambda m: rng.integers(0, 6, m).astype(float))
    shortest = D.copy()
    for _ in range(10):
        shortest = np.min(shortest[:, None] + shortest[None], axis=2)
    closed = squareform(AllTriangles(10).closed(squareform(D)))
    assert np.array_equal(closed, shortest)


@BOTH
@pytest.mark.parametrize("threshold", [0.0, 0.3])
def test_a_step_makes_its_triangle_hold_with_equality(sweep, threshold, rng):
    for _ in range(200):
        u, d = rng.normal(0, 0.5, 3), rng.random(3)
        inverse = rng.random(3) * (rng.random(3) > 0.2)
        duals = rng.random(1)
        expected = expected_dual(u, d, inverse, duals[0], threshold)
        one = np.array([[0, 1, 2]]), np.array([0, 1])
        sweep(u, d, inverse, duals, *one, threshold)
        assert duals[0] == pytest.approx(expected, abs=1e-9)


def expected_dual(u, d, inverse, dual, threshold):
    """The dual after the step, by bisection on the excess of the long side."""
    sign = np.array([1.0, -1.0, -1.0])

    def excess(step):
        return float(sign @ (d + sweeps.soft(u - step * sign * inverse, threshold)))

    if not inverse.any():
        return dual
    reach = 1e4 * (1 + np.abs(u).max())
    if excess(-dual) <= 0:
        return 0.0
    return dual + brentq(excess, -dual, reach, xtol=1e-13)


def test_triangles_keep_their_sides_and_add_up_as_the_matrix_of_all_triangles(rng):
    n = 7
    i, j, k = (np.array(part) for part in zip(*[(0, 3, 5), (2, 6, 1), (4, 5, 0)], strict=True))
    triangles = ActiveTriangles(n)
    triangles.add((i * n + j) * n + k)
    triangles.add((i[:1] * n + j[:1]) * n + k[:1])
    sides = {tuple(side) for side in triangles.sides.tolist()}
    pairs = ((i, j), (i, k), (k, j))
    assert sides == set(zip(*(pair_positions(a, b, n).tolist() for a, b in pairs), strict=True))
    triangles.duals = duals = rng.random(3)
    rows = triangle_rows(n).toarray()
    chosen = [rows[(rows[:, [a, b, c]] == [1, -1, -1]).all(axis=1)] for a, b, c in triangles.sides]
    np.testing.assert_allclose(triangles.adjoint(duals), duals @ np.vstack(chosen))
    triangles.duals[1] = 0
    triangles.drop_inactive()
    assert len(triangles.duals) == len(triangles.sides) == 2


def test_a_batch_shares_no_pair():
    n = 9
    i, j = np.triu_indices(n, 1)
    i, j, k = np.repeat(i, n), np.repeat(j, n), np.tile(np.arange(n), len(i))
    real = (k != i) & (k != j)
    triangles = ActiveTriangles(n)
    triangles.add(((i * n + j) * n + k)[real])
    assert len(triangles.duals) == 3 * 84
    assert len(triangles.batches) < 3 * 84 / 2
    for start, stop in zip(triangles.batches, triangles.batches[1:], strict=False):
        batch = triangles.sides[start:stop].ravel()
        assert len(np.unique(batch)) == len(batch) > 0


def test_pair_positions_are_those_of_a_condensed_vector():
    positions = squareform(np.arange(10))
    i, j = np.nonzero(~np.eye(5, dtype=bool))
    assert np.array_equal(pair_positions(i, j, 5), positions[i, j])


def test_extrapolation_finds_the_limit_of_a_linear_iteration(rng):
    rates, limit = np.array([0.9, 0.7, 0.2]), np.array([1.0, 2.0, 3.0])
    past = limit + rates ** np.arange(6)[:, None] * rng.random(3)
    np.testing.assert_allclose(extrapolated(past), limit, atol=1e-3)
    assert extrapolated(np.ones((6, 3))) is None
    assert extrapolated(-past).min() >= 0
    # squares near the smallest numbers have few digits, and are finite
    assert np.isfinite(extrapolated(1e-160 * past)).all()


@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_memory_stays_far_below_the_number_of_triangles(norm, rng):
    D = random_relation(rng, 120)
    nearest_metric(D[:5, :5], norm)
    tracemalloc.start()
    nearest_metric(D, norm, max_iter=8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.35 * 8 * 120**3
