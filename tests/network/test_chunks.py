"""Many objects pass chunk by chunk, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier
from relrbf.network import (
    ChunkedForward,
    DistanceGradients,
    Forward,
    Gaussian,
    Multiquadric,
    Network,
)
from relrbf.network.model import solve_output
from relrbf.prototypes.base import as_array


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr("relrbf.network.model.CHUNK_ENTRIES", 60)


@pytest.fixture(params=[Gaussian(), Multiquadric()])
def both(request, rng):
    """The same forward pass, kept and computed again when asked for."""
    d = rng.uniform(0, 4, (5, 70))
    widths, weights, bias = rng.uniform(0.5, 2, 5), rng.standard_normal((5, 3)), rng.random(3)
    network = Network(request.param, widths, weights, bias)
    return network, network.forward(d), ChunkedForward(network, 70, lambda cols: d[:, cols])


def test_a_chunked_forward_pass_is_a_forward_pass(both):
    _, kept, made = both
    assert len(list(made.chunks())) == 6
    assert_allclose(made.responses, kept.responses)
    for cols, chunk in made.chunks():
        assert_allclose(chunk.activations, kept.activations[:, cols])
        assert_allclose(chunk.scaled_sq, kept.scaled_sq[:, cols])


def test_distance_gradients_are_the_same_in_chunks(both, rng):
    network, kept, made = both
    by_responses = rng.standard_normal((70, 3))
    hidden = network.backward(kept, by_responses)
    for forward in (kept, made):
        gradients = DistanceGradients(network, forward, by_responses)
        assert_allclose(as_array(gradients), hidden.distances_sq, atol=1e-12)
        assert_allclose(gradients.by_bandwidths, hidden.bandwidths)


@pytest.mark.parametrize("first_has_weight", [True, False])
def test_an_output_layer_is_solved_in_chunks(both, rng, first_has_weight):
    network, kept, made = both
    Y, w = rng.standard_normal((70, 3)), rng.random(70)
    w[:20] *= first_has_weight
    w /= w.sum()
    Phi = np.c_[kept.activations.T, np.ones(70)]
    ridge = np.diag([0.01] * 5 + [0.0])
    expected = np.linalg.solve(Phi.T @ (w[:, None] * Phi) + ridge, Phi.T @ (w[:, None] * Y))
    for forward in (kept, made):
        weights, bias = solve_output(forward, Y, w, 0.01)
        assert_allclose(weights, expected[:-1], rtol=1e-7)
        assert_allclose(bias, expected[-1], rtol=1e-7)
        solved = replace(network, weights=weights, bias=bias)
        assert_allclose(
            forward.with_output_of(solved).responses, Phi @ expected, rtol=1e-7, atol=1e-9
        )


def test_activations_that_overflow_have_no_output_layer(rng):
    activations = rng.random((3, 40))
    activations[1, 30] = np.inf
    forward = Forward(activations, activations, np.zeros((40, 1)))
    with np.errstate(invalid="ignore"):
        weights, bias = solve_output(forward, rng.random((40, 1)), np.full(40, 1 / 40), 0.1)
    assert np.isnan(weights).all()
    assert np.isnan(bias).all()


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@pytest.mark.parametrize("metric", ["euclidean", "chebyshev"])
@pytest.mark.parametrize("n_support", [30, None])
@pytest.mark.parametrize("kept", [0, 2**30])
def test_a_fit_in_chunks_is_the_same_fit(rng, monkeypatch, metric, n_support, kept):
    X = rng.standard_normal((200, 12))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] > 0).astype(int)
    D, new = cdist(X, X, metric), cdist(rng.standard_normal((20, 12)), X, metric)
    model = RBFNetworkClassifier(8, n_support=n_support, exponent=2, random_state=0)
    expected = model.fit(D, y).decision_function(new)
    monkeypatch.setattr("relrbf.training.base.MAX_KEPT_ENTRIES", 10)
    monkeypatch.setattr("relrbf.prototypes.support.MAX_KEPT_BYTES", kept)
    assert_allclose(model.fit(D, y).decision_function(new), expected, atol=1e-8)
