"""Rates, the counting of validation errors, and growth, each by itself."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkRegressor
from relrbf.network import Curvature, Gaussian
from relrbf.prototypes import RelationalSpace
from relrbf.relations import DenseRelation
from relrbf.training import GradientDescent, History, Status
from relrbf.training.conjugate_gradients import RESTART_EPOCHS
from relrbf.training.state import DescentState, Rates, coarsened
from tests.contracts.trainer_contract import first_problem

GROUPS = ("weights", "bias", "bandwidths", "prototypes")


@pytest.fixture
def rates():
    return Rates(np.array([[2.0], [4.0]]), np.array([6.0]), np.array([1.0, 3.0]), np.ones(2))


def test_each_group_steps_by_the_scale_or_its_own_ceiling(rates):
    steps = Rates(
        *(getattr(rates, n) for n in GROUPS), scale=0.5, ceilings=(0.1, 0.25, 2.0)
    ).steps()
    assert_allclose(steps.weights, [[0.2], [0.4]])
    assert_allclose(steps.bias, [0.6])
    assert_allclose(steps.bandwidths, [0.25, 0.75])
    assert_allclose(steps.prototypes, [0.5, 0.5])


def test_a_scale_beyond_every_ceiling_comes_down_at_the_first_rejection(rates):
    high = Rates(*(getattr(rates, n) for n in GROUPS), scale=100.0, ceilings=(0.1, 0.2, 0.3))
    assert high.adapted(0.7).scale == pytest.approx(0.21)
    assert rates.adapted(1.05).scale == pytest.approx(1.05)


def test_ceilings_are_the_inverse_of_the_largest_curvature_in_units_of_the_rates(rates):
    H = np.diag([0.5, 0.25])
    output = np.diag([0.5, 0.25, 0.125])
    found = rates.bounded_by(Curvature(output, H, H), share=0.5).ceilings
    # largest of rate × curvature: 1 in the output layer, 0.75 of the bandwidths, 0.5
    exact = 0.5 / np.array([1, 0.75, 0.5])
    assert (np.array(found) <= exact).all()
    assert (np.array(found) > exact / 2**0.25 * 0.999).all()


def test_coarse_numbers_forget_the_last_digits(rng):
    values = rng.random(1000) + 0.01
    assert_array_equal(coarsened(values), coarsened(values * (1 + 1e-14)))
    assert len(np.unique(coarsened(values))) < 30


def counted(errors):
    state = DescentState(*5 * (None,), history=History(validation_error=[]))
    counts = []
    for error in errors:
        state.history.validation_error.append(error)
        state.count_increases()
        counts.append((state.n_increases, state.n_increases_since_growth))
    return counts


def test_rises_count_in_a_row_until_a_fall():
    counts = counted([1.0, 2.0, 3.0, 3.0, 2.5, 2.6])
    assert counts == [(0, 0), (1, 1), (2, 2), (2, 2), (0, 0), (1, 1)]


def test_a_change_in_the_last_digits_is_none():
    assert counted([1.0, 1.0 + 1e-12, 1.0 - 1e-12]) == [(0, 0)] * 3


@pytest.mark.parametrize("acceleration", [None, "momentum", "conjugate-gradients"])
def test_growth_leaves_the_optimiser_consistent(blobs, acceleration):
    """Momentum is kept, with none for the new prototype; conjugate gradients restart."""
    _, D, y = blobs
    space = RelationalSpace(DenseRelation(D))
    problem, start = first_problem(space, np.eye(3)[y], Gaussian(), np.arange(0, 60, 8))
    problem = replace(problem, validation=problem.weights)
    trainer = GradientDescent(acceleration=acceleration)
    state = trainer.train(problem, start, max_iter=7, tol=0).state
    state.n_unchanged, state.n_increases_since_growth, before = 5, 5, state.last_step
    state.history.best_epoch = 0  # it only grows after a rise: the last epoch is not the best
    trainer._grow(problem, state, unit=2.0)
    grown = state.point
    assert (state.n_unchanged, state.n_increases_since_growth, state.bound_age) == (0, 0, 0)
    assert len(grown.prototypes) == len(grown.network.bandwidths) == len(start.prototypes) + 1
    for name in ("weights", "bandwidths", "prototypes"):
        assert len(getattr(state.rates, name)) == len(start.prototypes) + 1
    products = space.relation.product(grown.prototypes.coefficients)
    assert_allclose(grown.prototypes.products, products, rtol=1e-9)
    if acceleration == "momentum":
        weights, _, bandwidths, coefficients, products = state.last_step.direction
        assert_array_equal(weights[:-1], before.direction[0])
        assert_array_equal(bandwidths[-1:], 0)
        assert_array_equal(coefficients[-1], 0)
        assert_array_equal(products[-1], 0)
    else:
        assert state.last_step is None
    assert 0.5 <= grown.network.bandwidths[-1] <= 7.5
    assert np.abs(grown.network.weights[-1]).max() <= 1.75


def test_an_objective_of_zero_has_converged(rng):
    X = rng.standard_normal((30, 2))
    model = RBFNetworkRegressor(4, random_state=0, solver=GradientDescent.curvature_scaled())
    model.fit(cdist(X, X), np.full(30, 2.0))
    assert model.status_ is Status.CONVERGED


def test_a_rejected_step_is_reported_to_the_space(blobs):
    _, D, y = blobs
    space = RelationalSpace(DenseRelation(D))
    rejections = []
    space.after_rejection = lambda prototypes: rejections.append(len(prototypes)) or prototypes
    ready = first_problem(space, np.eye(3)[y], Gaussian(), np.arange(0, 60, 8))
    solver = GradientDescent(learning_rate=(1e4, 1e4), stable=False)
    result = solver.train(*ready, max_iter=10, tol=0)
    assert len(rejections) == len(result.history.rejected) > 0


def test_groups_that_change_at_once_share_what_the_curvature_allows(blobs):
    _, D, y = blobs
    ready = first_problem(
        RelationalSpace(DenseRelation(D)), np.eye(3)[y], Gaussian(), np.arange(0, 60, 8)
    )
    for acceleration, share in [(None, 1.0), ("momentum", 1 / 3)]:
        trainer = GradientDescent.curvature_scaled(acceleration=acceleration)
        rates = trainer.train(*ready, max_iter=1, tol=0).state.rates
        assert rates.ceilings == pytest.approx(3 * (share,))


def test_conjugate_gradients_restart_after_some_epochs(blobs):
    _, D, y = blobs
    space = RelationalSpace(DenseRelation(D))
    ready = first_problem(space, np.eye(3)[y], Gaussian(), np.arange(0, 60, 8))
    trainer = GradientDescent.curvature_scaled(acceleration="conjugate-gradients")
    ages = [trainer.train(*ready, max_iter=n, tol=0).state.last_step.n_epochs for n in range(1, 50)]
    assert max(ages) == RESTART_EPOCHS
    assert ages[ages.index(RESTART_EPOCHS) + 1] == 1
