"""What the regressor promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes

from relrbf import RBFNetworkRegressor
from relrbf.network import KERNELS
from relrbf.training import LBFGS


def model(**options):
    return RBFNetworkRegressor(**{"random_state": 0, "max_iter": 30, **options})


@pytest.fixture
def curve(rng):
    """Objects on a plane and a smooth target: X, D, y."""
    X = rng.uniform(-2, 2, (120, 2))
    return X, cdist(X, X), np.sin(X[:, 0]) + X[:, 1] ** 2


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_learns_a_smooth_function(curve, rng, kernel):
    X, D, y = curve
    X_new = rng.uniform(-2, 2, (50, 2))
    y_new = np.sin(X_new[:, 0]) + X_new[:, 1] ** 2
    assert model(kernel=kernel).fit(D, y).score(cdist(X_new, X), y_new) > 0.97


def test_outputs_keep_the_shape_of_y(curve):
    _, D, y = curve
    Y = np.c_[y, -2 * y, np.cos(y)]
    assert model().fit(D, y).predict(D[:7]).shape == (7,)
    assert model().fit(D, y[:, None]).predict(D[:7]).shape == (7, 1)
    fitted = model().fit(D, Y)
    assert fitted.predict(D[:7]).shape == (7, 3)
    assert fitted.weights_.shape == (len(fitted.prototypes_), 3)
    assert fitted.bias_.shape == (3,)
    assert fitted.score(D, Y) > 0.97


def test_weights_and_bias_are_in_the_units_of_y(curve):
    _, D, y = curve
    fitted = model().fit(D, 100 * y + 5)
    u = fitted.prototypes_.distances_sq / fitted.bandwidths_[:, None] ** 2
    assert_allclose(np.exp(-u / 2).T @ fitted.weights_[:, 0] + fitted.bias_[0], fitted.predict(D))


def test_the_unit_of_y_does_not_matter(curve):
    _, D, y = curve
    assert_allclose(
        model().fit(D, 1e5 * y - 3).predict(D), 1e5 * model().fit(D, y).predict(D) - 3, rtol=1e-7
    )


def test_float32_dissimilarities_keep_the_targets_digits(curve):
    _, D, y = curve
    D = D.astype(np.float32)
    assert model().fit(D, y + 1e9).score(D, y + 1e9) > 0.97


def test_weights_of_any_size(curve):
    _, D, y = curve
    w = np.where(np.arange(120) % 2, 1e90, 2e90)
    assert_allclose(
        model().fit(D, 1e9 * y, sample_weight=w).predict(D),
        model().fit(D, 1e9 * y, sample_weight=w / 1e90).predict(D),
        rtol=1e-7,
    )


def test_targets_of_half_precision_are_numbers_and_dates_are_not(curve):
    _, D, y = curve
    halves = y.astype(np.float16)
    assert_allclose(
        model().fit(D, halves).predict(D), model().fit(D, halves.astype(np.float64)).predict(D)
    )
    for dates in (np.datetime64("2026-01-01"), np.timedelta64(1, "D")):
        with pytest.raises(ValueError, match="dates or durations"):
            model().fit(D, np.full(len(y), dates))
    with pytest.raises(ValueError, match="out of range"):
        model().fit(D, np.full(len(y), -(2**63)))  # whose absolute value overflows


def test_a_constant_target_is_predicted(curve):
    _, D, _ = curve
    assert_allclose(model().fit(D, np.full(120, 7.0)).predict(D), 7)


def test_a_large_alpha_leaves_the_mean_and_a_small_one_does_not(curve):
    _, D, y = curve
    assert np.ptp(model(alpha=1e9).fit(D, y).predict(D)) < 1e-3
    assert model(alpha=1e-6).fit(D, y).alpha_ == pytest.approx(1e-6)


def test_diabetes_twins():
    X, y = load_diabetes(return_X_y=True)
    D = cdist(X, X)
    graph = model(max_iter=200, tol=0).fit(D, y)
    vector = model(max_iter=200, tol=0, space="vector").fit(X, y)
    assert_allclose(graph.predict(D), vector.predict(X), rtol=1e-9)
    assert graph.score(D, y) > 0.5


def test_sample_weights_count_as_copies(curve, rng):
    _, D, y = curve
    counts = rng.integers(0, 4, 120)
    copies = np.repeat(np.arange(120), counts)
    weighted = model(alpha=0.1).fit(D, y, sample_weight=counts)
    repeated = model(alpha=0.1).fit(D[np.ix_(copies, copies)], y[copies])
    assert_allclose(weighted.predict(D), repeated.predict(D[:, copies]), atol=1e-8)


def test_equal_objects_with_different_targets_are_averaged():
    D = np.array([[0.0, 0, 3], [0, 0, 3], [3, 3, 0]])
    fitted = model(alpha=1e-9, solver=LBFGS(early_stopping=None)).fit(D, [1.0, 3.0, 10.0])
    assert_allclose(fitted.predict(D), [2, 2, 10], atol=1e-3)
