"""Virtual objects, and students that learn from them, in both spaces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.autotune import resolve
from relrbf.estimators.distillation import (
    HELD_OUT_VIRTUAL_STEP,
    Distillation,
    make_virtual_objects,
    virtual_sq,
)
from relrbf.estimators.validation import validate
from relrbf.training import Status


def task(model, X, y):
    """Return the distillation that a fit would do."""
    data = validate(model, X, y, None)
    config = resolve(model.get_params(deep=False), data)
    assert config.teacher is not None
    return Distillation(config, data, config.teacher)


def both(blobs, kind=RBFNetworkClassifier, **options):
    """Return the distillation from dissimilarities, and from vectors."""
    X, D, y = blobs
    targets = y if kind is RBFNetworkClassifier else X[:, 0] + np.sin(X[:, 1])
    options = {"random_state": 0, "exponent": 2, **options}
    return task(kind(**options), D, targets), task(kind(**options, space="vector"), X, targets)


def test_squared_dissimilarities_of_virtual_objects_are_those_of_the_vectors(rng):
    X = rng.standard_normal((40, 3))
    A, offsets = make_virtual_objects(cdist(X, X, "sqeuclidean"), rng.permutation(40))
    assert_allclose(A.sum(axis=1), 1)
    assert (offsets >= 0).all()
    expected = cdist(A @ X, X, "sqeuclidean")
    assert_allclose(virtual_sq(cdist(X, X, "sqeuclidean"), A), expected, atol=1e-12)


def test_a_virtual_object_is_no_farther_from_its_nearest_than_an_object_is_from_its_own(rng):
    X = rng.standard_normal((40, 3))
    S = cdist(X, X, "sqeuclidean")
    A, offsets = make_virtual_objects(S, np.arange(40))
    nearest = virtual_sq(S, A).min(axis=1)
    np.fill_diagonal(S, np.inf)
    has_offset = offsets > 0
    assert has_offset.any()
    assert (nearest + offsets)[has_offset].max() <= S.min(axis=1).max()


def test_virtual_objects_do_not_depend_on_how_the_objects_are_numbered(rng):
    X = rng.standard_normal((40, 3))
    S = cdist(X, X, "sqeuclidean")
    central = np.argsort(S.mean(axis=0))
    A, offsets = make_virtual_objects(S, central)
    order = rng.permutation(40)
    shuffled = S[np.ix_(order, order)]
    other, others = make_virtual_objects(shuffled, np.argsort(shuffled.mean(axis=0)))
    assert_allclose(other @ X[order], A @ X, atol=1e-12)
    assert_allclose(others, offsets, atol=1e-12)


def test_both_spaces_hold_the_same_dissimilarities_between_objects_and_virtual_objects(blobs):
    """Offsets are a coordinate of its own for each virtual object."""
    X = blobs[0]
    graph, vector = both(blobs)
    n, A, offsets = 60, graph.A, graph.offsets
    assert_allclose(vector.A, A)
    assert_allclose(vector.offsets, offsets, atol=1e-12)
    points = np.vstack([X, A @ X])
    expected = cdist(points, points, "sqeuclidean") + offsets + offsets[:, None]
    np.fill_diagonal(expected, 0)
    for each in (graph, vector):
        found = each.space.place(np.eye(len(points))[:n]).distances_sq
        assert_allclose(found, expected[:n], atol=1e-11)


@pytest.mark.parametrize("kind", [RBFNetworkClassifier, RBFNetworkRegressor])
def test_both_spaces_have_the_same_teacher_and_student(blobs, kind):
    """A student takes ten steps at most, in each of which rounding grows: tenfold, or less."""
    options = {"max_iter": 200, "tol": 1e-5, "on_epoch": None, "max_prototypes": None}
    results = []
    for each in both(blobs, kind):
        result, gap = each.learn(6, {**options, "rng": each.config.rng})
        results.append((result, gap, each.responses))
    (graph, gap, said), (vector, other_gap, other_said) = results
    largest = np.abs(said).max()
    assert_allclose(other_said, said, atol=1e-9 * largest)
    assert_allclose(graph.network.bandwidths, vector.network.bandwidths, rtol=1e-7)
    assert_allclose(graph.prototypes.coefficients @ blobs[0], vector.prototypes.points, atol=1e-7)
    for name in ("weights", "bias"):
        one, other = getattr(graph.network, name), getattr(vector.network, name)
        assert_allclose(one, other, atol=1e-7 * np.abs(one).max())
    assert_allclose(gap, other_gap, rtol=1e-6)
    assert graph.history.n_prototypes == vector.history.n_prototypes


def test_held_out_virtual_objects_have_no_weight(blobs):
    graph, _ = both(blobs)
    assert not graph.weights[graph.held_out].any()
    assert (graph.held_out >= 60).all()
    assert len(graph.held_out) == len(graph.A) // HELD_OUT_VIRTUAL_STEP
    assert_allclose(graph.weights.sum(), 1)


def test_more_prototypes_come_closer_to_the_teacher(blobs):
    graph, _ = both(blobs, RBFNetworkRegressor)
    options = {"max_iter": 200, "tol": 1e-5, "on_epoch": None, "max_prototypes": None}
    gaps = [graph.learn(c, {**options, "rng": graph.config.rng})[1] for c in (3, 15)]
    assert gaps[1] < 0.5 * gaps[0]


def test_a_student_is_among_the_objects(blobs):
    _, D, y = blobs
    fitted = RBFNetworkClassifier(6, random_state=0).fit(D, y)
    assert fitted.status_ is Status.DISTILLED
    assert fitted.prototypes_.coefficients.shape == (6, 60)
    assert_allclose(fitted.prototypes_.coefficients.sum(axis=1), 1)


def test_given_coefficients_are_where_the_student_starts(blobs):
    _, D, y = blobs
    first = np.eye(60)[[0, 20, 40]]
    fitted = RBFNetworkClassifier(3, init=first, max_iter=1, random_state=0).fit(D, y)
    assert_array_equal(fitted.prototypes_.coefficients, first)
