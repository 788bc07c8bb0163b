"""The curvature bounds against the Hessian, computed by finite differences in vector space."""

from dataclasses import replace

import numpy as np
import pytest

from relrbf.network import KERNELS, Network
from relrbf.spaces import VectorSpace
from relrbf.training import Problem


def hessian(function, start, h=1e-4):
    n = len(start)
    steps = h * np.eye(n)
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = (
                function(start + steps[i] + steps[j])
                - function(start + steps[i] - steps[j])
                - function(start - steps[i] + steps[j])
                + function(start - steps[i] - steps[j])
            ) / (4 * h * h)
    return (out + out.T) / 2


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(5))
def test_a_quarter_of_every_inverse_bound_overshoots_in_no_direction(name, seed):
    rng = np.random.default_rng(seed)
    X, Y, w = rng.standard_normal((12, 2)), rng.standard_normal((12, 2)), np.full(12, 1 / 12)
    network = Network(
        KERNELS[name](), rng.uniform(0.5, 2, 3), rng.standard_normal((3, 2)), np.zeros(2)
    )
    problem = Problem(VectorSpace(X), Y, w, alpha=0.1)
    placed = problem.space.place_at(rng.integers(0, 12, 3))
    placed = replace(placed, centred=placed.centred + 0.3 * rng.standard_normal((3, 2)))
    bounds = problem.downhill(problem.evaluate(network, placed)).curvature

    def objective(flat):
        weights, bias, bandwidths, centred = np.split(flat, [6, 8, 11])
        moved = replace(network, weights=weights.reshape(3, 2), bias=bias, bandwidths=bandwidths)
        return problem.evaluate(moved, replace(placed, centred=centred.reshape(3, 2))).objective

    start = np.concatenate(
        [network.weights.ravel(), network.bias, network.bandwidths, placed.centred.ravel()]
    )
    allowed = np.concatenate(
        [
            np.repeat(bounds.weights, 2),
            np.full(2, bounds.bias),
            bounds.bandwidths,
            np.repeat(bounds.prototypes, 2),
        ]
    )
    roots = 1 / np.sqrt(4 * allowed)
    largest = np.linalg.eigvalsh(roots[:, None] * hessian(objective, start) * roots)[-1]
    assert largest <= 1


def made(name, seed, scale=1.0):
    """Return a problem, a network whose weights have the given scale, and its prototypes."""
    rng = np.random.default_rng(seed)
    X, Y, w = rng.standard_normal((12, 2)), rng.standard_normal((12, 2)), rng.random(12)
    weights = scale * rng.standard_normal((3, 2))
    network = Network(KERNELS[name](), rng.uniform(0.5, 2, 3), weights, np.zeros(2))
    problem = Problem(VectorSpace(X), Y, w / w.sum(), alpha=0.1)
    return problem, network, problem.space.place_at(rng.integers(0, 12, 3))


@pytest.mark.parametrize("name", KERNELS)
def test_the_output_layers_bounds_are_the_row_sums_of_its_hessian(name):
    problem, network, placed = made(name, 0)
    point = problem.evaluate(network, placed)
    bounds = problem.downhill(point).curvature
    layer = np.vstack([point.forward.activations, np.ones(12)])
    rows = np.abs((layer * problem.weights) @ layer.T).sum(axis=1)
    np.testing.assert_allclose(bounds.weights, rows[:-1] + problem.alpha)
    np.testing.assert_allclose(bounds.bias, rows[-1])


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(8))
def test_each_prototypes_bound_holds_where_residuals_rule(name, seed):
    """With small weights the Gauss-Newton part vanishes and the residuals' part is all there is."""
    problem, network, placed = made(name, seed, scale=1e-2)
    bounds = problem.downhill(problem.evaluate(network, placed)).curvature

    for j in range(3):

        def objective(point, j=j):
            centred = placed.centred.copy()
            centred[j] = point
            return problem.evaluate(network, replace(placed, centred=centred)).objective

        largest = np.abs(np.linalg.eigvalsh(hessian(objective, placed.centred[j]))).max()
        assert largest <= bounds.prototypes[j] * (1 + 1e-4)


def test_a_prototype_without_weight_steps_no_thousand_times_farther_than_others():
    problem, network, placed = made("gaussian", 0)
    idle = replace(network, weights=network.weights * np.array([[1.0], [1.0], [0.0]]))
    bounds = problem.downhill(problem.evaluate(idle, placed)).curvature
    assert bounds.prototypes[2] >= bounds.prototypes.max() / 1e3
    assert bounds.bandwidths[2] >= bounds.bandwidths.max() / 1e3
