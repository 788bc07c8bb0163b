"""The closed forms against scikit-learn and brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from relrbf.network.model import fit_output


@pytest.fixture
def problem(rng):
    w = rng.random(25) + 0.1
    return rng.standard_normal((25, 6)), rng.standard_normal((25, 2)), w / w.sum()


def test_weights_and_bias_are_those_of_ridge_regression(problem):
    Phi, Y, w = problem
    fit = fit_output(Phi, Y, w, alpha=0.05)
    ridge = Ridge(alpha=0.05).fit(Phi, Y, sample_weight=w)
    assert_allclose(fit.weights, ridge.coef_.T)
    assert_allclose(fit.bias, ridge.intercept_)


def test_the_leave_one_out_error_is_that_of_leaving_each_out(problem):
    Phi, Y, w = problem
    errors = []
    for i in range(25):
        kept = np.arange(25) != i
        ridge = Ridge(alpha=0.05).fit(Phi[kept], Y[kept], sample_weight=w[kept])
        errors.append(w[i] * np.square(Y[i] - ridge.predict(Phi[[i]])[0]).sum())
    assert_allclose(fit_output(Phi, Y, w, alpha=0.05).loo_error, sum(errors))


def test_the_chosen_alpha_has_a_smaller_error_than_its_neighbours(rng):
    Phi, w = rng.standard_normal((30, 20)), np.full(30, 1 / 30)
    Y = Phi[:, :1] + rng.standard_normal((30, 1))
    chosen = fit_output(Phi, Y, w)
    for factor in (0.1, 10.0):
        assert chosen.loo_error <= fit_output(Phi, Y, w, alpha=factor * chosen.alpha).loo_error


def test_constant_activations_leave_only_the_bias(problem):
    _, Y, w = problem
    fit = fit_output(np.ones((25, 3)), Y, w)
    assert_allclose(fit.weights, 0, atol=1e-12)
    assert_allclose(fit.bias, w @ Y)


def test_an_object_that_is_passed_through_counts_as_unknown(rng):
    """As many activations as objects and no ridge: every residual is zero, and says nothing."""
    Phi, Y, w = rng.standard_normal((5, 5)), rng.standard_normal((5, 1)), np.full(5, 0.2)
    assert_allclose(fit_output(Phi, Y, w, alpha=0.0).loo_error, Y.var(), rtol=1e-6)


def test_noise_in_constant_activations_is_not_fitted(problem):
    _, Y, w = problem
    noise = 1e-13 * np.random.default_rng(0).standard_normal((25, 3))
    assert_allclose(fit_output(1 + noise, Y, w, alpha=0.0).weights, 0)


def test_float32_activations_lose_no_further_digits(problem):
    Phi, Y, w = (part.astype(np.float32) for part in problem)
    exact = fit_output(*(part.astype(np.float64) for part in (Phi, Y, w)), alpha=1e-4)
    assert_allclose(fit_output(Phi, Y, w, alpha=1e-4).weights, exact.weights, rtol=1e-12)
