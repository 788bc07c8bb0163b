"""Figures 2.2 and 2.3: updates lower the objective, and distances are those of the plane."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from study.figures.networks import FIRST_BANDWIDTH, moved_prototypes, trained_bandwidths

UPDATES = [moved_prototypes, trained_bandwidths]


@pytest.fixture(params=UPDATES, ids=lambda made: made.__name__)
def update(request):
    return request.param()


def test_no_update_raises_the_objective_and_together_they_lower_it_to_a_quarter(update):
    objectives = update.errors["objective"]
    assert np.all(np.diff(objectives) <= 0)
    assert objectives[0] == pytest.approx(update.before.objective, rel=1e-12)
    assert update.after.objective == pytest.approx(objectives[-1])
    assert objectives[-1] < objectives[0] / 4


def test_after_the_updates_all_objects_are_reported_apart(update):
    assert len(update.before.wrong(update.objects)) > 0
    assert len(update.after.wrong(update.objects)) == 0


def test_coefficients_sum_to_one_before_and_after(update):
    for state in update.states.values():
        assert_allclose(state.coefficients.sum(axis=1), 1)


def test_coefficients_change_though_the_paper_says_they_stay(update):
    assert np.abs(update.after.coefficients - update.before.coefficients).max() > 0.1


def test_distances_from_the_relation_are_those_in_the_plane(update):
    S = update.objects.D**2
    for state in update.states.values():
        A = state.coefficients
        offsets = np.einsum("ji,ik,jk->j", A, S, A) / 2
        assert_allclose(state.distances_sq, A @ S - offsets[:, None], atol=1e-12)
        assert state.gap(update.objects) < 1e-12


def test_responses_in_the_plane_are_those_to_the_objects(update):
    for state in update.states.values():
        points = update.objects.vectors
        assert_allclose(state.respond(update.objects, points), state.responses, atol=1e-12)


def test_only_prototypes_move_in_figure_2_2():
    update = moved_prototypes()
    assert_array_equal(update.before.bandwidths, update.after.bandwidths)
    assert_array_equal(update.before.weights, update.after.weights)
    assert_array_equal(update.before.bias, update.after.bias)
    moves = update.after.places(update.objects) - update.before.places(update.objects)
    assert np.linalg.norm(moves, axis=1).min() > 0.5


def test_each_prototype_moves_into_its_class_in_figure_2_2():
    update = moved_prototypes()
    assert_array_equal(update.after.distances_sq.argmin(axis=0), update.objects.y)


def test_bandwidths_grow_as_the_classes_do_in_figure_2_3():
    update = trained_bandwidths()
    assert_allclose(update.before.bandwidths, FIRST_BANDWIDTH)
    first, second, third = update.after.bandwidths
    assert FIRST_BANDWIDTH < first < second < third
    spreads = [update.objects.vectors[update.objects.y == k].var(axis=0).sum() for k in range(3)]
    assert spreads == sorted(spreads)


def test_errors_fall_in_every_part_in_figure_2_3():
    update = trained_bandwidths()
    parts = update.objects.parts
    for part in (parts.train, parts.test, parts.validation):
        before, after = (
            np.abs(state.deviations(update.objects)[part]).mean()
            for state in update.states.values()
        )
        assert after < before / 2


def test_test_and_validation_objects_carry_no_coefficients():
    update = trained_bandwidths()
    others = [*update.objects.parts.test, *update.objects.parts.validation]
    for state in update.states.values():
        assert not state.coefficients[:, others].any()
