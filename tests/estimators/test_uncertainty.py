"""Novelty and prediction intervals: calibrated, small, and the same wherever a model is used."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import OptionError
from relrbf.relations import VectorRelation

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3))
X_NEW = RNG.standard_normal((1000, 3))
FAR = X_NEW[:50] + 20
LABELS = np.where(X[:, 0] > 0, "right", "left")


def noisy(X, rng):
    """A target whose noise grows with the first feature."""
    return X[:, 1] + np.exp(X[:, 0] / 2) * rng.standard_normal(len(X)) / 2


Y, Y_NEW = noisy(X, RNG), noisy(X_NEW, RNG)


def classifier(**options):
    return RBFNetworkClassifier(random_state=0, **options)


def regressor(**options):
    return RBFNetworkRegressor(random_state=0, **options)


KINDS = {
    "precomputed": ({}, cdist, X),
    "few support": ({"n_support": 40, "n_prototypes": 10}, cdist, X),
    "medoids": ({"space": "medoid", "n_prototypes": 30}, cdist, X),
    "vectors": ({"space": "vector"}, lambda a, b: a, X),
    "metric": ({"metric": "cityblock"}, lambda a, b: a, X),
    "measure": ({"metric": lambda a, b: abs(a - b).sum()}, lambda a, b: list(a), X),
}


@pytest.mark.parametrize("kind", KINDS)
def test_objects_like_those_of_training_have_uniform_p_values_and_others_the_smallest(kind):
    options, arrange, X = KINDS[kind]
    model = classifier(**options).fit(arrange(X, X), LABELS)
    p_values = model.novelty(arrange(X_NEW[:400], X))
    lowest = model._left_out_distances.lowest_p_value
    assert lowest <= p_values.min()
    # of 400 shares, four standard deviations, and as many for the 200 they are compared with
    for share in (0.1, 0.5):
        spread = np.sqrt(share * (1 - share) * (1 / 400 + 1 / 100))
        assert np.mean(p_values <= share) == pytest.approx(share, abs=4 * spread)
    assert_array_equal(model.novelty(arrange(FAR, X)), lowest)


@pytest.mark.parametrize("repeated", [np.arange(110), np.full(110, 7)], ids=["many", "one"])
@pytest.mark.parametrize("kind", ["precomputed", "vectors"])
def test_copies_of_training_objects_do_not_make_others_novel(kind, repeated):
    options, arrange, X = KINDS[kind]
    copies = np.append(np.arange(len(X)), repeated)
    model = classifier(**options).fit(arrange(X[copies], X[copies]), LABELS[copies])
    p_values = model.novelty(arrange(X_NEW[:400], X[copies]))
    assert np.mean(p_values <= 0.05) < 0.05 + 4 * np.sqrt(0.05 * 0.95 * (1 / 400 + 1 / 200))
    twice = np.repeat(np.arange(len(X)), 2)
    doubled = classifier(**options).fit(arrange(X[twice], X[twice]), LABELS[twice])
    plain = classifier(**options).fit(arrange(X, X), LABELS)
    found = doubled.novelty(arrange(X_NEW[:400], X[twice]))
    assert_allclose(found, plain.novelty(arrange(X_NEW[:400], X)), atol=1 / len(X))


def test_positions_in_a_relation_are_compared_as_its_dissimilarities_are():
    relation = VectorRelation(np.vstack([X, X_NEW[:30]]))
    model = classifier(metric=relation).fit(np.arange(200)[:, None], LABELS)
    plain = classifier().fit(cdist(X, X), LABELS)
    found = model.novelty(np.arange(200, 230)[:, None])
    assert_array_equal(found, plain.novelty(cdist(X_NEW[:30], X)))


def test_a_training_object_is_not_its_own_neighbour():
    """Leaving itself in, every training object would lie nearer than a new one just like it."""
    model = classifier().fit(cdist(X, X), LABELS)
    others = cdist(X, X) + np.diag(np.full(200, np.inf))
    expected = np.sort(np.sort(others, axis=1)[:, :10].mean(axis=1))
    assert_allclose(model._left_out_distances.far, expected, rtol=1e-12)


def test_many_objects_are_compared_by_a_sample_that_needs_no_more_dissimilarities():
    Z = RNG.standard_normal((3000, 2))
    model = classifier(n_support=100, n_prototypes=10).fit(cdist(Z, Z), Z[:, 0] > 0)
    assert len(model._left_out_distances.far) == 400
    small = model.compact()
    D_new = cdist(X_NEW[:20, :2], Z)
    assert_array_equal(small.novelty(D_new[:, model.support_]), model.novelty(D_new))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_intervals_contain_as_many_targets_as_they_say(kind, coverage):
    options, arrange, X = KINDS[kind]
    model = regressor(**options).fit(arrange(X, X), Y)
    new = arrange(X_NEW, X)
    lower, upper = model.predict_interval(new, coverage=coverage)
    covered = np.mean((lower <= Y_NEW) & (upper >= Y_NEW))
    spread = np.sqrt(coverage * (1 - coverage) * (1 / 1000 + 1 / 200))
    assert covered == pytest.approx(coverage, abs=4 * spread)
    assert_allclose((lower + upper) / 2, model.predict(new), rtol=1e-9, atol=1e-9)


def test_intervals_are_wider_where_targets_are_noisier():
    model = regressor().fit(cdist(X, X), Y)
    lower, upper = model.predict_interval(cdist(X_NEW, X))
    noisy, calm = X_NEW[:, 0] > 1, X_NEW[:, 0] < -1
    assert np.mean((upper - lower)[noisy]) > 1.5 * np.mean((upper - lower)[calm])


def test_each_output_has_its_own_intervals_in_its_own_unit():
    both = regressor().fit(cdist(X, X), np.column_stack([Y, 1000 * Y]))
    lower, upper = both.predict_interval(cdist(X_NEW[:9], X))
    assert lower.shape == upper.shape == (9, 2)
    assert_allclose((upper - lower)[:, 1], 1000 * (upper - lower)[:, 0], rtol=1e-6)


def test_equal_objects_with_different_targets_are_as_uncertain_as_their_targets_differ():
    points = np.repeat(np.arange(30.0), 4)
    targets = points + np.tile([-3, -1, 1, 3], 30)
    model = regressor().fit(cdist(points[:, None], points[:, None]), targets)
    lower, upper = model.predict_interval(cdist([[15.0]], points[:, None]), coverage=0.9)
    assert upper[0] - lower[0] >= 2 * 3 - 0.5


def test_a_compact_model_on_few_columns_has_the_same_intervals():
    model = regressor(n_support=40, n_prototypes=10).fit(cdist(X, X), Y)
    D_new = cdist(X_NEW[:30], X)
    found = model.compact().predict_interval(D_new[:, model.support_])
    assert_array_equal(found, model.predict_interval(D_new))


def test_too_few_objects_for_a_coverage_give_infinite_intervals():
    model = regressor().fit(cdist(X[:8], X[:8]), Y[:8])
    lower, upper = model.predict_interval(cdist(X_NEW[:2], X[:8]))
    assert np.isneginf(lower).all()
    assert np.isposinf(upper).all()
    assert np.isfinite(model.predict_interval(cdist(X_NEW[:2], X[:8]), coverage=0.5)).all()


@pytest.mark.parametrize("coverage", [0, 1, 90])
def test_a_coverage_is_a_share(coverage):
    model = regressor().fit(cdist(X[:20], X[:20]), Y[:20])
    with pytest.raises(OptionError, match="coverage"):
        model.predict_interval(cdist(X[:20], X[:20]), coverage=coverage)


def test_of_a_large_support_some_objects_are_known_and_a_compact_copy_agrees(rng, monkeypatch):
    monkeypatch.setattr("relrbf.estimators.uncertainty.MAX_KNOWN", 40)
    X = rng.standard_normal((150, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(150)
    D, D_new = cdist(X[:120], X[:120]), cdist(np.vstack([X[120:], [[30.0, 0, 0]]]), X[:120])
    model = RBFNetworkRegressor("all", random_state=0).fit(D, y[:120])
    distances = model._left_out_distances
    assert len(distances.own) == len(distances.objects) == 40
    p_values = model.novelty(D_new)
    assert p_values[-1] < 0.02 < np.median(p_values)
    lower, upper = model.predict_interval(D_new[:-1])
    assert np.mean((lower < y[120:]) & (y[120:] < upper)) > 0.7
    small = model.compact()
    assert_array_equal(small.novelty(D_new[:, model.support_]), p_values)


def test_one_object_of_positive_weight_is_fitted_and_answers_are_finite():
    D, weights = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])
    model = RBFNetworkRegressor(random_state=0).fit(D, [3.0, 4.0], sample_weight=weights)
    assert np.isfinite(model.novelty(D)).all()


@pytest.mark.parametrize("n_support", [2, 8, 11, 16])
def test_training_objects_are_like_themselves_however_few_they_are_compared_with(n_support):
    D = cdist(X[:20], X[:20])
    model = classifier(n_support=n_support).fit(D, LABELS[:20])
    with warnings.catch_warnings(action="error"):
        model.predict(D)
        model.predict(D[model.support_])


def test_copies_in_a_small_support_count_as_one_object(rng):
    X = rng.standard_normal((6, 2))[[0, 0, 1, 1, 2, 3]]
    A = np.full((2, 6), 1 / 6)
    model = RBFNetworkClassifier(init=A, random_state=0).fit(cdist(X, X), [0, 0, 1, 1, 0, 1])
    near, far = model.novelty(cdist(np.vstack([X[0] + 0.1, X[0] + 99]), X))
    assert np.isfinite(model._left_out_distances.far).all()
    assert near > far


def test_neither_the_unit_nor_the_order_of_objects_changes_novelty_and_intervals_where_many_tie():
    rng = np.random.default_rng(1)
    objects = rng.integers(0, 4, (45, 2))  # some of them equal, with other targets
    y, order = objects[:40, 0] + rng.standard_normal(40), rng.permutation(40)
    D = cdist(objects, objects[:40], "cityblock")
    one = regressor(n_prototypes=1, alpha=1.0).fit(D[:40], y)
    for unit in (1e-6, 3.0):
        other = regressor(n_prototypes=1, alpha=1.0).fit(unit * D[order][:, order], y[order])
        new = unit * D[40:, order]
        assert_array_equal(other.novelty(new), one.novelty(D[40:]))
        assert_allclose(other.predict_interval(new), one.predict_interval(D[40:]), rtol=1e-6)
    along = np.abs(np.subtract.outer(np.arange(25.0), np.arange(20)))
    medoids = regressor(n_prototypes=3, space="medoid")
    p_values = [
        medoids.fit(s * along[:20], y[:20]).novelty(s * along[20:]).tolist() for s in (1.0, 1e-6)
    ]
    assert p_values[0] == p_values[1]
