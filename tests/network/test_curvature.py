"""The curvature bounds against the Hessian, computed by finite differences in vector space."""

from dataclasses import replace

import numpy as np
import pytest

from relrbf.network import KERNELS, LOSSES, Network, bound_curvature
from relrbf.prototypes import VectorSpace
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


def made(name, seed, scale=1.0, loss="squared-error"):
    """Return a problem, a network whose weights have the given scale, and its prototypes."""
    rng = np.random.default_rng(seed)
    X, Y, w = rng.standard_normal((12, 2)), rng.standard_normal((12, 2)), rng.random(12)
    if loss == "cross-entropy":
        Y = np.eye(2)[rng.integers(0, 2, 12)]
    weights = scale * rng.standard_normal((3, 2))
    network = Network(KERNELS[name](), rng.uniform(0.5, 2, 3), weights, np.zeros(2))
    problem = Problem(VectorSpace(X), Y, w / w.sum(), alpha=0.1, loss=LOSSES[loss]())
    placed = problem.space.place_at(rng.integers(0, 12, 3))
    moved = placed.centred + 0.3 * rng.standard_normal((3, 2))
    return problem, network, placed.with_rows((moved,))


def group_hessian(problem, network, placed, group):
    """Return the Hessian by all parameters of one group, flat."""
    if group == "prototypes":
        start = placed.centred

        def objective(flat):
            return problem.evaluate(network, placed.with_rows((flat.reshape(3, 2),))).objective
    else:
        start = getattr(network, group)

        def objective(flat):
            moved = replace(network, **{group: flat.reshape(start.shape)})
            return problem.evaluate(moved, placed).objective

    return hessian(objective, start.ravel())


def bounds_at(problem, network, placed):
    forward = network.forward(placed.distances_sq)
    by_responses = problem.by_responses(forward)
    return bound_curvature(network, forward, by_responses, problem.weights, problem.alpha)


def largest(matrix, rates):
    roots = np.sqrt(rates)
    return np.linalg.eigvalsh(roots[:, None] * matrix * roots)[-1]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(5))
def test_no_step_within_the_bounds_of_a_group_overshoots(name, seed, loss):
    """Whatever the rates of the prototypes: what the small matrix allows, the Hessian allows."""
    problem, network, placed = made(name, seed, loss=loss)
    bounds = bounds_at(problem, network, placed)
    rates = np.random.default_rng(seed).uniform(0.05, 2, 3)
    for group, n_each in (("bandwidths", 1), ("prototypes", 2)):
        true = largest(group_hessian(problem, network, placed, group), np.repeat(rates, n_each))
        assert true <= largest(getattr(bounds, group), rates) * (1 + 1e-4)


@pytest.mark.parametrize("name", KERNELS)
def test_the_output_layers_matrix_is_its_hessian(name):
    problem, network, placed = made(name, 0)
    bounds = bounds_at(problem, network, placed)
    true = group_hessian(problem, network, placed, "weights")
    np.testing.assert_allclose(true[::2, ::2], bounds.output[:-1, :-1], atol=1e-4)
    assert bounds.output[-1, -1] == pytest.approx(1)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(8))
def test_each_prototypes_bound_holds_where_residuals_rule(name, seed):
    """With small weights the Gauss-Newton part vanishes and the residuals' part is all there is."""
    problem, network, placed = made(name, seed, scale=1e-2)
    bounds = bounds_at(problem, network, placed)
    true = group_hessian(problem, network, placed, "prototypes")
    for j in range(3):
        own = true[2 * j : 2 * j + 2, 2 * j : 2 * j + 2]
        assert np.abs(np.linalg.eigvalsh(own)).max() <= bounds.prototypes[j, j] * (1 + 1e-4)
