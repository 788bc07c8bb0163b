"""Networks on a support: the normal equations, what is held out, and when the support grows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.linear_model import Ridge

from relrbf import RBFNetworkRegressor
from relrbf.autotune.support_fit import FIRST_SUPPORT, HELD_OUT_OBJECT_STEP, fit_on_support
from relrbf.autotune.targets import Scale, Targets, TeacherProblem
from relrbf.network import Gaussian
from relrbf.relations.vectors import VectorRelation

N, M = 3000, 1000


def make(rng, frequency, alpha=None, weighted=False):
    """Return a problem of a wave over a square, and a support in the order it was drawn."""
    X = rng.uniform(0, 1, (N, 2))
    y = np.sin(frequency * X).sum(axis=1) + 0.05 * rng.standard_normal(N)
    w = rng.uniform(0.5, 1.5, N) if weighted else np.ones(N)
    targets = Targets(y[:, None], w / w.mean(), False)
    relation = VectorRelation(X, "euclidean").with_exponent(2)
    problem = TeacherProblem(relation, targets, Gaussian(), rng.permutation(N), alpha)
    return problem, rng.permutation(N)[:M]


def activations(problem, found, objects):
    S = problem.S(found.support, objects)
    return found.scale.activate(S.T, problem.kernel)


def test_the_support_grows_where_that_helps_and_not_where_it_does_not(rng):
    unit = 0.3
    problem, support = make(rng, 60.0)
    assert len(fit_on_support(problem, support, Scale(1.0, -4, unit)).support) == M
    problem, support = make(rng, 1.0)
    found = fit_on_support(problem, support, Scale(1.0, 0, unit))
    assert_array_equal(found.support, np.sort(support[:FIRST_SUPPORT]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [None, 0.3])
def test_the_weights_are_those_of_ridge_regression_on_all_objects(rng, alpha, weighted):
    problem, support = make(rng, 6.0, alpha, weighted)
    found = fit_on_support(problem, support, Scale(1.0, -1, 0.3))
    Phi, fit = activations(problem, found, np.arange(N)), found.left_out
    assert alpha is None or fit.alpha == alpha
    ridge = Ridge(alpha=fit.alpha, fit_intercept=False, solver="cholesky")
    T, w = problem.targets.centred, problem.targets.w
    expected = ridge.fit(Phi, T, sample_weight=w).predict(Phi).reshape(N, 1)
    # the penalty is 1e-9 of the trace at least: condition 1e9, and rounding of 1e-16 times that
    assert_allclose(Phi @ fit.weights, expected, atol=1e-6)
    residual = Phi.T @ (w[:, None] * (T - Phi @ fit.weights)) - fit.alpha * fit.weights
    assert np.abs(residual).max() < 1e-9 * np.abs(Phi.T @ (w[:, None] * T)).max()
    held_out = problem.targets.of(found.held_out)
    assert_allclose(held_out.mean + fit.bias, problem.targets.mean)  # not of held-out objects alone


def test_held_out_objects_are_outside_the_support_and_were_not_learned_from(rng):
    problem, support = make(rng, 6.0)
    found = fit_on_support(problem, support, Scale(1.0, -1, 0.3))
    held_out = found.held_out
    assert not np.isin(held_out, support).any()
    assert len(held_out) == -(-(N - M) // HELD_OUT_OBJECT_STEP)
    learned = np.setdiff1d(np.arange(N), held_out)
    Phi, T = activations(problem, found, learned), problem.targets.centred
    ridge = Ridge(alpha=found.left_out.alpha, fit_intercept=False, solver="cholesky")
    ridge.fit(Phi, T[learned])
    expected = ridge.predict(activations(problem, found, held_out)).reshape(-1, 1)
    fit = found.left_out
    assert_allclose(fit.responses - fit.offset, expected, atol=1e-6)
    squares = np.square(T[held_out] - expected)
    assert_allclose(found.left_out.error, squares.mean(), rtol=1e-5)


def test_narrower_scales_are_tried_than_the_one_found_on_few_objects(rng):
    problem, support = make(rng, 20.0)
    found = fit_on_support(problem, support, Scale(1.0, 0, 0.3))
    assert found.scale.width < 0


def test_a_given_penalty_is_that_of_a_ridge_on_the_activations():
    X = np.random.default_rng(0).standard_normal((900, 3))
    y = np.sin(2 * X[:, 0])
    D = cdist(X, X)
    model = RBFNetworkRegressor(n_support=100, alpha=0.5, random_state=0).fit(D, y)
    Phi = model.transform(D)
    ridge = Ridge(0.5, fit_intercept=False, solver="cholesky").fit(Phi, y - y.mean())
    # the condition of the solved system is at most the trace over the penalty
    bound = 1e2 * np.finfo(float).eps * np.square(Phi).sum() / 0.5
    scale = np.abs(ridge.coef_).max()
    assert_allclose(model.weights_[:, 0], ridge.coef_, rtol=0, atol=bound * scale)
