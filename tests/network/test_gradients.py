"""Gradients of every parameter group against finite differences, in every space and kernel."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf.network import KERNELS, LOSSES, DistanceGradients, Network
from relrbf.prototypes import RelationalSpace, VectorSpace
from relrbf.relations import DenseRelation
from relrbf.training import Problem
from relrbf.training.conjugate_gradients import negative_gradient

H = 1e-6


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]()


@pytest.fixture
def setting(rng, kernel):
    """A small problem with weights and a ridge, and a network somewhere in it."""
    X = rng.standard_normal((14, 3))
    w = rng.random(14)
    A = rng.random((4, 14))
    A /= A.sum(axis=1, keepdims=True)
    network = Network(
        kernel, rng.uniform(0.8, 2, 4), rng.standard_normal((4, 2)), rng.standard_normal(2)
    )
    return X, A, network, rng.standard_normal((14, 2)), w / w.sum()


def numeric(function, values):
    """Return the gradient of a function of an array by central differences."""
    gradient = np.empty_like(values)
    for index in np.ndindex(values.shape):
        step = np.zeros_like(values)
        step[index] = H
        gradient[index] = (function(values + step) - function(values - step)) / (2 * H)
    return gradient


def descent_direction(problem, network, placed):
    forward = problem.evaluate(network, placed).forward
    gradients = DistanceGradients(network, forward, problem.by_responses(forward))
    return problem.space.descent(placed, gradients)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("group", ["weights", "bias", "bandwidths"])
def test_output_and_bandwidths(setting, group, loss):
    X, A, network, Y, w = setting
    if loss == "cross-entropy":
        Y = np.eye(2)[(Y[:, 0] > 0).astype(int)]
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    problem = Problem(space, Y, w, alpha=0.3, loss=LOSSES[loss]())
    placed = problem.space.place(A)

    def objective(values):
        return problem.evaluate(replace(network, **{group: values}), placed).objective

    weights, bias, bandwidths, *_ = negative_gradient(problem, problem.evaluate(network, placed))
    found = {"weights": weights, "bias": bias, "bandwidths": bandwidths}[group]
    expected = -numeric(objective, getattr(network, group))
    assert_allclose(found, expected, rtol=1e-5, atol=1e-8)


def test_prototypes_in_vector_space(setting):
    X, A, network, Y, w = setting
    problem = Problem(VectorSpace(X), Y, w, alpha=0.3)
    placed = problem.space.place(A)

    def objective(centred):
        return problem.evaluate(network, replace(placed, centred=centred)).objective

    (rows,) = descent_direction(problem, network, placed)
    assert_allclose(rows, -numeric(objective, placed.centred), rtol=1e-5, atol=1e-8)


def test_prototypes_descend_alike_in_relational_and_in_vector_space(setting):
    X, A, network, Y, w = setting
    relational = Problem(RelationalSpace(DenseRelation(cdist(X, X))), Y, w, alpha=0.3)
    vector = Problem(VectorSpace(X), Y, w, alpha=0.3)
    directions = [descent_direction(p, network, p.space.place(A)) for p in (relational, vector)]
    (latent,) = directions[1]
    assert_allclose(directions[0][0] @ X, latent, rtol=1e-9, atol=1e-12)
    assert_allclose(directions[0][0].sum(axis=1), 0, atol=1e-12)


def test_coefficients_on_an_indefinite_relation(rng, kernel):
    """df/da = (df/dD) S - (sum df/dD) (S a): theory 6."""
    S = rng.random((9, 9)) * 4
    S = (S + S.T) * (1 - np.eye(9))
    A = rng.random((3, 9))
    A /= A.sum(axis=1, keepdims=True)
    network = Network(kernel, np.array([2.0, 3.0, 2.5]), rng.standard_normal((3, 2)), np.zeros(2))
    Y, w = rng.standard_normal((9, 2)), np.full(9, 1 / 9)
    problem = Problem(RelationalSpace(DenseRelation(S, exponent=1)), Y, w, alpha=0.0)

    def objective(coefficients):
        return problem.evaluate(network, problem.space.place(coefficients)).objective

    point = problem.evaluate(network, problem.space.place(A))
    by_responses = w[:, None] * (point.forward.responses - Y)
    by_distance = network.backward(point.forward, by_responses).distances_sq
    exact = by_distance @ S - by_distance.sum(axis=1)[:, None] * (A @ S)
    assert_allclose(exact, numeric(objective, A), rtol=1e-5, atol=1e-8)
