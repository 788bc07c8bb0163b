"""A support that is drawn first, and what its rows tell."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.autotune import look_over_few
from relrbf.autotune.few import draw_few, find_ends, look_at
from relrbf.relations import DenseRelation, ObjectRelation, VectorRelation
from relrbf.relations.views import CachedRelation


def even(n):
    return np.full(n, 1 / n)


def drawn(relation, size, weights=None, seed=0):
    weights = even(relation.n_objects) if weights is None else weights
    return draw_few(relation, weights, size, np.random.default_rng(seed))


def test_the_support_is_spread_and_holds_no_twins(rng):
    X = np.repeat(rng.standard_normal((30, 2)), 3, axis=0)
    X[:3] += 50  # one group far out
    objects, _ = drawn(VectorRelation(X), 10)
    assert len(objects) == len(np.unique(X[objects], axis=0)) == 10
    assert (objects < 3).sum() == 1


def test_objects_without_weight_are_not_drawn(rng):
    X = rng.standard_normal((80, 2))
    weights = np.where(np.arange(80) < 40, 1 / 40, 0)
    objects, _ = drawn(VectorRelation(X), 20, weights)
    assert objects.max() < 40


def test_the_order_of_the_objects_does_not_matter(rng):
    X = rng.standard_normal((300, 4))
    order = rng.permutation(300)
    first, second = (drawn(VectorRelation(Z), 40)[0] for Z in (X, X[order]))
    assert_array_equal(order[second], first)


def test_copies_count_as_weight(rng):
    X = rng.standard_normal((120, 3))
    copies = np.repeat(np.arange(120), rng.integers(1, 4, 120))
    weights = np.bincount(copies) / len(copies)
    once, often = drawn(VectorRelation(X), 20, weights)[0], drawn(VectorRelation(X[copies]), 20)[0]
    assert_array_equal(copies[often], once)


def test_where_zeros_leave_nothing_to_draw_others_fill_up(rng):
    X = rng.standard_normal((200, 3))
    gaps = np.maximum(0, cdist(X, X) - 1.5)
    objects, _ = drawn(DenseRelation(gaps), 60)
    assert len(np.unique(objects)) == 60


def test_of_few_distinct_objects_each_is_drawn_once(rng):
    X = np.repeat(rng.standard_normal((12, 2)), 20, axis=0)
    objects, glance = drawn(VectorRelation(X), 50)
    assert_array_equal(np.sort(objects // 20), np.arange(12))
    assert len(np.unique(glance.twins())) == 12


def test_only_the_rows_of_the_support_and_a_few_more_are_read(rng):
    X = rng.standard_normal((400, 3))
    relation = ObjectRelation(X, cdist, pairwise=True)
    overview = look_over_few(relation, even(400), 50, rng)
    assert relation.n_evaluations < 62 * 400
    before = relation.n_evaluations
    support = np.sort(overview.support)
    assert isinstance(overview.relation, CachedRelation)
    assert_allclose(overview.relation.block(support), cdist(X[support], X))
    assert relation.n_evaluations == before


def test_what_is_cheap_is_not_kept(rng):
    relation = VectorRelation(rng.standard_normal((100, 3)))
    assert look_over_few(relation, even(100), 10, rng).relation is relation


def test_an_object_of_the_support_speaks_for_its_twins(rng):
    X = np.repeat(rng.standard_normal((50, 3)), 2, axis=0)
    overview = look_over_few(VectorRelation(X), even(100), 30, rng)
    assert_array_equal(overview.twins[overview.support], overview.support)
    assert_array_equal(overview.twins // 2, np.arange(100) // 2)
    assert overview.n_duplicates == 50


def test_the_middle_is_the_mean_over_the_support(rng):
    X = rng.standard_normal((60, 3))
    overview = look_over_few(VectorRelation(X), even(60), 10, rng)
    assert_allclose(overview.middle, cdist(X, X)[overview.support].mean(axis=0))


def test_rows_of_a_given_support_tell_the_same(rng):
    X = rng.standard_normal((90, 3))
    objects, glance = drawn(VectorRelation(X), 20)
    again = look_at(VectorRelation(X), even(90), objects, np.ones(20), 1)
    assert_allclose(again.middle(), glance.middle())
    assert_array_equal(again.twins(), glance.twins())


@pytest.mark.parametrize("n", [2, 3, 50])
def test_the_ends_are_far_apart(rng, n):
    X = rng.standard_normal((n, 2))
    ends = find_ends(VectorRelation(X), even(n))
    assert ends.shape == (2, n)
    assert ends[0].mean() >= ends[1].mean()
    assert ends.max() >= 0.8 * cdist(X, X).max()


def test_objects_that_are_all_equal_have_a_support_of_one(rng):
    objects, glance = drawn(DenseRelation(np.zeros((30, 30))), 5)
    assert len(objects) == 1
    assert (glance.twins() == 0).all()


def gaps_of(rng, n=300):
    """A relation with zeros between objects that are not equal."""
    X = rng.standard_normal((n, 3))
    return np.maximum(0, cdist(X, X, "cityblock") - 3)


@pytest.mark.parametrize("size", [40, 90])
def test_what_fills_up_has_a_weight(rng, size):
    weights = np.where(np.arange(300) < 100, 0, 1 / 200)
    objects, _ = drawn(DenseRelation(gaps_of(rng)), size, weights)
    assert len(np.unique(objects)) == size
    assert objects.min() >= 100


def test_an_object_near_to_all_does_not_end_the_draw(rng):
    X = rng.standard_normal((200, 3))
    D = cdist(X, X)
    D[0] = D[:, 0] = 0
    weights = np.where(np.arange(200) == 0, 1e6, 1.0)
    objects, glance = drawn(DenseRelation(D), 30, weights / weights.sum())
    assert len(np.unique(objects)) == 30
    assert len(np.unique(glance.twins())) == 200


def test_an_object_with_a_weight_speaks_for_those_without(rng):
    X = np.repeat(rng.standard_normal((60, 3)), 2, axis=0)
    weights = np.where(np.arange(120) % 2 == 0, 0, 1 / 60)
    overview = look_over_few(VectorRelation(X), weights, 10, rng)
    assert (overview.twins % 2 == 1).all()
    assert_array_equal(overview.distinct(weights), np.arange(1, 120, 2))
