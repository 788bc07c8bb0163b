"""The full network against one fitted anew without each object, prototype and all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.linear_model import Ridge

from relrbf.autotune.teacher import TEACHER_ALPHAS, fit_full_network


def make(rng, n=25, indefinite=False):
    X = rng.standard_normal((n, 3))
    S = cdist(X, X, "sqeuclidean")
    if indefinite:
        noise = np.triu(rng.uniform(0, 8, (n, n)), 1)
        S = S + noise + noise.T
    return np.exp(-S / 4), rng.standard_normal((n, 2))


def without(i, K, Y, w, alpha):
    """Fit by ridge regression without object i and its prototype; return the response to i."""
    rest = np.delete(np.arange(len(K)), i)
    root = np.sqrt(w[rest])
    mean = w @ Y / w.sum()  # the mean of all: the formula leaves it in
    Phi = root[:, None] * K[np.ix_(rest, rest)] * root
    fitted = Ridge(alpha=alpha, fit_intercept=False).fit(Phi, root[:, None] * (Y[rest] - mean))
    return (K[i, rest] * root) @ fitted.coef_.T + mean


@pytest.mark.parametrize("indefinite", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [None, 1e-3])
def test_leaving_an_object_out_has_a_closed_form(rng, indefinite, weighted, alpha):
    K, Y = make(rng, indefinite=indefinite)
    w = rng.integers(1, 5, 25).astype(float) if weighted else np.ones(25)
    full = fit_full_network(K, Y, w, alpha)
    w = w / w.mean()
    expected = np.array([without(i, K, Y, w, full.alpha) for i in range(25)])
    assert_allclose(full.left_out, expected, atol=1e-8)
    assert_allclose(full.error, np.mean(w * np.square(Y - expected).sum(axis=1)), rtol=1e-7)


def test_the_penalty_has_the_smallest_error_of_all_tried(rng):
    K, Y = make(rng)
    full = fit_full_network(K, Y, np.ones(25))
    top = np.abs(np.linalg.eigvalsh(K)).max() ** 2
    errors = [fit_full_network(K, Y, np.ones(25), alpha).error for alpha in TEACHER_ALPHAS * top]
    assert_allclose(full.error, min(errors), rtol=1e-4)
    assert np.isclose(TEACHER_ALPHAS * top, full.alpha).any()


def test_a_weight_counts_as_copies_do(rng):
    K, Y = make(rng, 12)
    w = np.array([3.0, 2.0, *[1.0] * 10])
    copies = np.repeat(np.arange(12), w.astype(int))
    once = fit_full_network(K, Y, w, 0.01 / w.mean() ** 2)
    often = fit_full_network(K[np.ix_(copies, copies)], Y[copies], np.ones(len(copies)), 0.01)
    assert_allclose(often.responses, once.responses[copies], atol=1e-10)


def test_a_network_that_knows_nothing_of_an_object_cannot_recall_it(rng):
    """Narrow kernels recall every label; left out, they know no more than the mean."""
    Y = rng.standard_normal((20, 1))
    full = fit_full_network(np.eye(20), Y, np.ones(20), 1e-9)
    assert_allclose(full.responses, Y, atol=1e-6)
    assert_allclose(full.left_out, np.full((20, 1), Y.mean()), atol=1e-6)
