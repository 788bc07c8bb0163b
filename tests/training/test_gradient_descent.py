"""GradientDescent.curvature_scaled() keeps the trainer contract; what GradientDescent adds."""

from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier
from relrbf.network import KERNELS, Gaussian
from relrbf.prototypes import RelationalSpace, VectorSpace
from relrbf.relations import DenseRelation
from relrbf.training import GradientDescent, Status, gradient_descent, state
from tests.contracts.trainer_contract import TrainerContract, first_problem


class TestCurvatureScaled(TrainerContract):
    def make(self):
        return GradientDescent.curvature_scaled()


class TestCurvatureScaledWithMomentum(TrainerContract):
    """An epoch gets about three times as far, and rounding errors grow accordingly."""

    long = 500

    def make(self):
        return GradientDescent.curvature_scaled(acceleration="momentum")


class TestCurvatureScaledWithConjugateGradients(TrainerContract):
    """Rounding errors grow faster here; in float32 they soon choose another length of a step."""

    long, long_in_float32 = 300, 3

    def make(self):
        return GradientDescent.curvature_scaled(acceleration="conjugate-gradients")


@pytest.mark.parametrize(("seed", "kernel"), list(enumerate(KERNELS)))
def test_duality_holds_even_where_the_labels_are_noise(seed, kernel):
    """Noise is the hard case: bandwidths want to collapse, prototypes to chase single objects."""
    rng, make = np.random.default_rng(seed), KERNELS[kernel]
    X, Y = rng.standard_normal((60, 5)), np.eye(3)[rng.integers(0, 3, 60)]
    kit = TestCurvatureScaled()
    graph = kit.train(RelationalSpace(DenseRelation(cdist(X, X))), Y, make(), 1000)
    vector = kit.train(VectorSpace(X), Y, make(), 1000)
    kit.assert_equivalent(graph, vector, rtol=1e-9)


def test_bandwidths_stay_above_the_floor(rng):
    X, Y = rng.standard_normal((40, 2)), np.eye(2)[rng.integers(0, 2, 40)]
    D = cdist(X, X)
    problem, start = first_problem(
        RelationalSpace(DenseRelation(D)), Y, Gaussian(), np.arange(0, 40, 4)
    )
    trainer = GradientDescent.curvature_scaled(min_bandwidth=0.5)
    result = trainer.train(problem, start, max_iter=300, tol=0)
    assert result.network.bandwidths.min() >= 0.5 * np.sqrt((D**2).mean()) * (1 - 1e-12)


@pytest.fixture
def ready(blobs):
    """A problem, the first network and its prototypes on the blobs."""
    _, D, y = blobs
    return first_problem(
        RelationalSpace(DenseRelation(D)), np.eye(3)[y], Gaussian(), np.arange(0, 60, 6)
    )


def far_too_long(*args):
    safe = state.curvature_rates(*args)
    return replace(safe, **{f.name: 1e6 * getattr(safe, f.name) for f in fields(safe)[:4]})


def test_a_step_that_went_too_far_is_shortened_until_it_does_not(ready, monkeypatch):
    """With the curvature understated by a million, steps are rejected, and training still falls."""
    monkeypatch.setattr(gradient_descent, "curvature_rates", far_too_long)
    result = GradientDescent.curvature_scaled().train(*ready, max_iter=60, tol=0)
    objective = result.history.objective
    assert objective[-1] < objective[0]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(objective))
    assert result.history.rejected[0] == 1


def test_when_no_step_helps_it_says_so(ready, monkeypatch):
    def ascending(*args):
        return state.Rates(*(-1e3 * np.ones(1) for _ in range(4)))

    monkeypatch.setattr(gradient_descent, "curvature_rates", ascending)
    monkeypatch.setattr(gradient_descent, "REJECTED_EPOCHS", 5)
    result = GradientDescent.curvature_scaled().train(*ready, max_iter=60, tol=0)
    assert result.status is Status.STALLED
    assert result.n_iter == 5
    assert result.history.rejected == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("acceleration", ["momentum", "conjugate-gradients"])
def test_higher_order_gets_further_in_as_many_epochs(ready, acceleration):
    plain = GradientDescent.curvature_scaled().train(*ready, max_iter=100, tol=0)
    faster = GradientDescent.curvature_scaled(acceleration=acceleration).train(
        *ready, max_iter=100, tol=0
    )
    start_at = plain.history.objective[0]
    assert start_at - faster.history.objective[-1] > 1.2 * (start_at - plain.history.objective[-1])


def test_a_step_to_an_infinite_bandwidth_is_rejected(blobs, monkeypatch):
    _, D, y = blobs
    propose = GradientDescent._propose

    def too_far(self, *given):
        trial, step = propose(self, *given)
        bandwidths = np.full_like(trial.network.bandwidths, np.inf)
        network = replace(trial.network, bandwidths=bandwidths)
        return replace(trial, network=network, objective=0.0), step

    monkeypatch.setattr(GradientDescent, "_propose", too_far)
    solver = GradientDescent.curvature_scaled()
    model = RBFNetworkClassifier(4, solver=solver, max_iter=3, random_state=0).fit(D, y)
    assert np.isfinite(model.bandwidths_).all()
