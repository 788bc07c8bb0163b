"""The printed update (equation 2.9), term by term, and how far it is from the exact one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier
from relrbf.prototypes import MedoidSpace, RelationalSpace, VectorSpace
from relrbf.relations import DenseRelation
from relrbf.training import GradientDescent


@pytest.fixture
def setting(rng):
    X = rng.standard_normal((15, 3))
    u = rng.random((2, 15))
    return X, cdist(X, X) ** 2, u, rng.standard_normal((2, 15))


def printed(d, u, R, errors, eta):
    """Equation 2.9 with its sums written out, as printed."""
    n = len(R)
    new = d.copy()
    for j in range(len(d)):
        for i in range(n):
            total = sum(
                u[j, p]
                * u[j, q]
                * eta
                * sum(
                    errors[j, y] * (R[i, y] - R[i, q] - eta * errors[j, y] * R[p, q])
                    for y in range(n)
                )
                for p in range(n)
                for q in range(n)
            )
            new[j, i] += (4 * u[j].sum()) ** -2 * total
    return new


def test_two_printed_steps_are_those_of_equation_2_9(setting):
    X, R, u, errors = setting
    space = RelationalSpace(DenseRelation(cdist(X, X))).published()
    placed = space.place(u / u.sum(axis=1, keepdims=True))
    expected = placed.distances_sq
    for eta in (0.3, 0.1):
        placed = space.move(placed, space.descent(placed, errors / 2), np.full(2, eta))
        expected = printed(expected, u, R, errors, eta)
        assert_allclose(placed.distances_sq, expected, rtol=1e-9)


def test_the_error_of_one_printed_step_is_as_large_as_the_step(setting):
    X, _, u, errors = setting
    exact = RelationalSpace(DenseRelation(cdist(X, X)))
    moved = []
    for space in (exact, exact.published()):
        placed = space.place(u / u.sum(axis=1, keepdims=True))
        stepped = space.move(placed, space.descent(placed, errors / 2), np.full(2, 0.1))
        moved.append(stepped.distances_sq - placed.distances_sq)
    step, error = np.linalg.norm(moved[0]), np.linalg.norm(moved[1] - moved[0])
    assert error > 0.8 * step


def test_new_objects_are_measured_as_training_objects_are(setting):
    X, R, u, errors = setting
    space = RelationalSpace(DenseRelation(cdist(X, X))).published()
    placed = space.place(u / u.sum(axis=1, keepdims=True))
    moved = space.move(placed, space.descent(placed, errors / 2), np.ones(2))
    assert_allclose(moved.distances_sq_to(R), moved.distances_sq)
    assert_allclose(moved.compact().distances_sq_to(R), moved.distances_sq)
    assert_allclose(moved.joined(space.place_at(np.array([3]))).distances_sq[2], R[3])
    assert_allclose(moved.with_rows(moved.rows).distances_sq, moved.distances_sq)


def test_where_distances_are_measured_the_published_space_is_the_same(setting):
    X, *_ = setting
    for space in (VectorSpace(X), MedoidSpace(DenseRelation(cdist(X, X)))):
        assert space.published() is space


def test_a_fit_with_the_printed_update_differs_from_the_vector_network(blobs):
    X, D, y = blobs
    options = {"max_iter": 100, "tol": 0, "random_state": 0}
    graphs = [
        RBFNetworkClassifier(6, exponent=2, solver=GradientDescent(update=update), **options).fit(
            D, y
        )
        for update in ("exact", "published")
    ]
    vector = RBFNetworkClassifier(
        6, space="vector", metric="euclidean", solver=GradientDescent(update="published"), **options
    ).fit(X, y)
    gaps = [np.abs(g.decision_function(D) - vector.decision_function(X)).max() for g in graphs]
    assert gaps[0] < 1e-10
    assert gaps[1] > 0.01
