"""Closed forms of leaving an object out, prototype and all, against networks fitted without it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf.autotune.leave_one_out import ALPHAS, fit_on_all, left_out_error

N = 25
PENALTIES = ("weights", "norm")


def make(rng, indefinite=False):
    """Return activations and targets of two outputs."""
    X = rng.standard_normal((N, 3))
    S = cdist(X, X, "sqeuclidean")
    if indefinite:
        noise = np.triu(rng.uniform(0, 8, (N, N)), 1)
        S = S + noise + noise.T
    return np.exp(-S / 4), rng.standard_normal((N, 2))


def centred(K, shares=None):
    """Centre activations over all objects, each counted once, or by their shares."""
    J = np.eye(len(K)) - (1 / len(K) if shares is None else shares)
    return J @ K @ J.T


def solve(K, T, alpha, penalty):
    """Return weights that minimise the penalised squared error, by the definition."""
    identity = np.eye(len(K))
    if penalty == "weights":
        return np.linalg.solve(K.T @ K + alpha * identity, K.T @ T)
    return np.linalg.solve(K + alpha * identity, T)


def without(i, K, Y, w, alpha, penalty, shares=None):
    """Fit without object i and its prototype; return the response to i, less the others' mean."""
    rest = np.delete(np.arange(N), i)
    root, inner = np.sqrt(w[rest]), centred(K, shares)
    T = Y[rest] - np.average(Y[rest], axis=0, weights=w[rest])
    scaled = root[:, None] * inner[np.ix_(rest, rest)] * root
    return (inner[i, rest] * root) @ solve(scaled, root[:, None] * T, alpha, penalty)


def object_weights(rng, weighted):
    w = rng.integers(1, 5, N).astype(float) if weighted else np.ones(N)
    return w / w.mean()


def fits(K, Y, w, alpha=None, shares=None):
    """Return the fit of each penalty."""
    found = fit_on_all(K, Y - np.average(Y, axis=0, weights=w), w, alpha, shares)
    return dict(zip(PENALTIES, found, strict=False))


# The systems solved have condition 1e6 (K²) or 1e5 (K) at most, the grid's smallest penalties: two
# ways to solve them agree to 1e6 roundings of numbers of order one, times a few objects.
BOUND = 1e-8


WEIGHTS = pytest.mark.parametrize(
    ("weighted", "by_weight"), [(False, False), (True, False), (True, True)]
)


@WEIGHTS
@pytest.mark.parametrize("indefinite", [False, True])
def test_both_penalties_leave_an_object_out_as_a_fit_without_it_does(
    rng, indefinite, weighted, by_weight
):
    K, Y = make(rng, indefinite)
    assert (np.linalg.eigvalsh(centred(K))[0] < -1e-3) == indefinite
    w = object_weights(rng, weighted)
    shares = w / w.sum() if by_weight else None
    found = fits(K, Y, w, shares=shares)
    assert set(found) == set(PENALTIES)
    for penalty, fit in found.items():
        expected = [without(i, K, Y, w, fit.alpha, penalty, shares) for i in range(N)]
        assert_allclose(fit.responses, expected, atol=BOUND)


@pytest.mark.parametrize("alpha", [1e-5, 1e-2, 1.0, 30.0])
@pytest.mark.parametrize("indefinite", [False, True])
def test_a_given_penalty_is_one_on_the_weights(rng, indefinite, alpha):
    K, Y = make(rng, indefinite)
    w = object_weights(rng, True)
    found = fits(K, Y, w, alpha)
    assert list(found) == ["weights"]
    assert found["weights"].alpha == alpha
    expected = [without(i, K, Y, w, alpha, "weights") for i in range(N)]
    assert_allclose(found["weights"].responses, expected, atol=BOUND)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_error_is_that_of_responses_and_a_mean_without_the_object(rng, weighted):
    K, Y = make(rng)
    w = object_weights(rng, weighted)
    for penalty, fit in fits(K, Y, w).items():
        squares = []
        for i in range(N):
            rest = np.delete(np.arange(N), i)
            mean = np.average(Y[rest], axis=0, weights=w[rest])
            response = mean + without(i, K, Y, w, fit.alpha, penalty)
            squares.append(np.square(Y[i] - response).sum())
        assert_allclose(fit.error, np.average(squares, weights=w), rtol=BOUND)


@WEIGHTS
@pytest.mark.parametrize("indefinite", [False, True])
def test_the_weights_solve_the_penalised_problem(rng, indefinite, weighted, by_weight):
    """Weights and bias give the activations, not centred, the responses of the solution."""
    K, Y = make(rng, indefinite)
    w = object_weights(rng, weighted)
    shares = w / w.sum() if by_weight else None
    T = Y - np.average(Y, axis=0, weights=w)
    root = np.sqrt(w)[:, None]
    inner = centred(K, shares)
    for penalty, fit in fits(K, Y, w, shares=shares).items():
        own = root * solve(root * inner * root.T, root * T, fit.alpha, penalty)
        assert_allclose(K @ fit.weights + fit.bias, inner @ own, atol=BOUND)
        assert_allclose(fit.weights.sum(axis=0), 0, atol=1e-12 * np.abs(fit.weights).max() * N)


def test_the_penalty_has_the_smallest_error_of_all_tried(rng):
    K, Y = make(rng)
    w = np.ones(N)
    top = np.abs(np.linalg.eigvalsh(centred(K))).max() ** 2
    errors = [fits(K, Y, w, alpha)["weights"].error for alpha in ALPHAS * top]
    best = fits(K, Y, w)["weights"]
    assert_allclose(best.error, min(errors), rtol=1e-4)
    assert np.isclose(ALPHAS * top, best.alpha).any()


@pytest.mark.parametrize("sign", [1, -1])
def test_the_second_penalty_exceeds_the_negative_part_twice(rng, sign):
    K, Y = make(rng, indefinite=True)
    lowest = np.linalg.eigvalsh(centred(sign * K))[0]
    assert fits(sign * K, Y, np.ones(N))["norm"].alpha >= -2 * lowest


def test_a_network_that_knows_nothing_of_an_object_says_the_mean_of_the_others(rng):
    """Narrow kernels recall every label; left out, they know no more than the mean.

    Centred, the identity has -1 / n beside the diagonal: of the others' centred targets, nothing.
    """
    Y = rng.standard_normal((N, 1))
    fit = fits(np.eye(N), Y, np.ones(N), 1e-9)["weights"]
    assert_allclose(np.eye(N) @ fit.weights + fit.bias, Y - Y.mean(), atol=1e-6)
    assert_allclose(fit.responses, 0, atol=1e-6)
    others = (Y.sum() - Y) / (N - 1)
    assert_allclose(fit.error, np.square(Y - others).mean(), rtol=1e-6)


def test_an_object_alone_is_its_own_mean():
    fit = fit_on_all(np.ones((1, 1)), np.zeros((1, 1)), np.ones(1))[0]
    assert fit.responses.tolist() == [[0.0]]
    assert left_out_error(fit.responses, np.zeros((1, 1)), np.ones(1)) == 0


@pytest.mark.parametrize("alpha", [None, 1.0])
@pytest.mark.parametrize("level", [0.0, 0.5])
def test_activations_that_are_all_alike_say_nothing_of_an_object(rng, level, alpha):
    """Of unlike weights the others' mean would depend on which penalty it is taken under."""
    K = np.full((N, N), level) + (1 - level) * np.eye(N)
    w = object_weights(rng, weighted=True)
    Y = rng.integers(0, 2, (N, 1)).astype(float)
    for fit in fits(K, Y, w, alpha).values():
        assert not fit.responses.any()
        others = ((w @ Y) - w[:, None] * Y) / (w.sum() - w)[:, None]
        assert_allclose(fit.error, np.average(np.square(Y - others)[:, 0], weights=w), rtol=1e-12)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_errors_are_not_told_by_one_direction(rng, penalty):
    """An eigenvalue far below the others decides every error; targets across it leave none."""
    Q = np.linalg.qr(np.column_stack([np.ones(N), rng.standard_normal((N, N - 1))]))[0]
    values = np.concatenate([[0.0], rng.uniform(1, 2, N - 2), [1e-4]])
    Y = rng.standard_normal((N, 1))
    Y -= Q[:, -1:] * (Q[:, -1:].T @ Y)  # as chance may have it
    K = (Q * values) @ Q.T
    fit = fits(K, Y, np.ones(N))[penalty]
    assert fit.alpha > 0.01
    assert fit.error > 0.5 * Y.var()
