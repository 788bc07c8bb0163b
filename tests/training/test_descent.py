"""Descent runs the kit; what it promises of its own."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf.network import KERNELS, Gaussian
from relrbf.relations import DenseRelation
from relrbf.spaces import RelationalSpace, VectorSpace
from relrbf.training import Descent, Status, descent
from tests.contracts.trainer_contract import TrainerContract, start


class TestDescent(TrainerContract):
    def make(self):
        return Descent()


@pytest.mark.parametrize("seed", range(5))
def test_duality_holds_even_where_the_labels_are_noise(seed):
    """Noise is the hard case: bandwidths want to collapse, prototypes to chase single objects."""
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((60, 5)), np.eye(3)[rng.integers(0, 3, 60)]
    kit = TestDescent()
    for kernel in KERNELS.values():
        graph = kit.train(RelationalSpace(DenseRelation(cdist(X, X))), Y, kernel(), 1000)
        vector = kit.train(VectorSpace(X), Y, kernel(), 1000)
        kit.assert_twins(graph, vector, rtol=1e-9)


def test_bandwidths_stay_above_the_floor(rng):
    X, Y = rng.standard_normal((40, 2)), np.eye(2)[rng.integers(0, 2, 40)]
    D = cdist(X, X)
    problem, network, prototypes = start(
        RelationalSpace(DenseRelation(D)), Y, Gaussian(), np.arange(0, 40, 4)
    )
    result = Descent(min_bandwidth=0.5).train(problem, network, prototypes, max_iter=300, tol=0)
    assert result.network.bandwidths.min() >= 0.5 * np.sqrt((D**2).mean()) * (1 - 1e-12)


def test_a_step_that_went_too_far_is_halved_until_it_does_not(blobs, monkeypatch):
    """With the curvature understated by a million, steps are rejected, and training still falls."""
    _, D, y = blobs
    problem, network, prototypes = start(
        RelationalSpace(DenseRelation(D)), np.eye(3)[y], Gaussian(), np.arange(0, 60, 6)
    )
    monkeypatch.setattr(descent, "N_GROUPS", 1e-6)
    result = Descent().train(problem, network, prototypes, max_iter=60, tol=0)
    objective = result.history.objective
    assert objective[-1] < objective[0]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(objective))
    assert objective[1] == objective[0]


def test_when_no_step_helps_it_says_so(blobs, monkeypatch):
    _, D, y = blobs
    problem, network, prototypes = start(
        RelationalSpace(DenseRelation(D)), np.eye(3)[y], Gaussian(), np.arange(0, 60, 6)
    )
    monkeypatch.setattr(descent, "N_GROUPS", -1e-6)  # uphill only
    monkeypatch.setattr(descent, "REJECTED_EPOCHS", 5)
    result = Descent().train(problem, network, prototypes, max_iter=60, tol=0)
    assert result.status is Status.STALLED
    assert result.n_iter == 5
