"""A support that is drawn first, and what its rows tell."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.autotune.row_sampling import draw_support, find_ends, read_rows
from relrbf.relations import DenseRelation, ObjectRelation, VectorRelation
from relrbf.relations.views import CachedRelation


def even(n):
    return np.full(n, 1 / n)


def drawn(relation, size, weights=None, seed=0):
    weights = even(relation.n_objects) if weights is None else weights
    return draw_support(relation, weights, size, np.random.default_rng(seed))


def test_the_support_is_spread_and_holds_no_duplicates(rng):
    X = np.repeat(rng.standard_normal((30, 2)), 3, axis=0)
    X[:3] += 50  # one group far out
    objects = drawn(VectorRelation(X), 10).support
    assert len(objects) == len(np.unique(X[objects], axis=0)) == 10
    assert (objects < 3).sum() == 1


def test_objects_without_weight_are_not_drawn(rng):
    X = rng.standard_normal((80, 2))
    weights = np.where(np.arange(80) < 40, 1 / 40, 0)
    objects = drawn(VectorRelation(X), 20, weights).support
    assert objects.max() < 40


def test_the_order_of_the_objects_does_not_matter(rng):
    X = rng.standard_normal((300, 4))
    order = rng.permutation(300)
    first, second = (drawn(VectorRelation(Z), 40).support for Z in (X, X[order]))
    assert_array_equal(order[second], first)


def test_copies_count_as_weight(rng):
    X = rng.standard_normal((120, 3))
    copies = np.repeat(np.arange(120), rng.integers(1, 4, 120))
    weights = np.bincount(copies) / len(copies)
    once, often = (
        drawn(VectorRelation(X), 20, weights).support,
        drawn(VectorRelation(X[copies]), 20).support,
    )
    assert_array_equal(copies[often], once)


def test_where_zeros_leave_nothing_to_draw_others_fill_up(rng):
    X = rng.standard_normal((200, 3))
    gaps = np.maximum(0, cdist(X, X) - 1.5)
    objects = drawn(DenseRelation(gaps), 60).support
    assert len(np.unique(objects)) == 60


def test_of_few_distinct_objects_each_is_drawn_once(rng):
    X = np.repeat(rng.standard_normal((12, 2)), 20, axis=0)
    summary = drawn(VectorRelation(X), 50)
    objects = summary.support
    assert_array_equal(np.sort(objects // 20), np.arange(12))
    assert len(np.unique(summary.duplicates)) == 12


def test_only_the_rows_of_the_support_and_a_few_more_are_read(rng):
    X = rng.standard_normal((400, 3))
    relation = ObjectRelation(X, cdist, pairwise=True)
    summary = draw_support(relation, even(400), 50, rng)
    assert relation.n_evaluations < 62 * 400
    before = relation.n_evaluations
    support = np.sort(summary.support)
    assert isinstance(summary.relation, CachedRelation)
    assert_allclose(summary.relation.block(support), cdist(X[support], X))
    assert relation.n_evaluations == before


def test_what_is_cheap_is_not_kept(rng):
    relation = VectorRelation(rng.standard_normal((100, 3)))
    assert draw_support(relation, even(100), 10, rng).relation is relation


def test_an_object_of_the_support_stands_for_its_duplicates(rng):
    X = np.repeat(rng.standard_normal((50, 3)), 2, axis=0)
    summary = draw_support(VectorRelation(X), even(100), 30, rng)
    assert_array_equal(summary.duplicates[summary.support], summary.support)
    assert_array_equal(summary.duplicates // 2, np.arange(100) // 2)
    assert len(np.unique(summary.duplicates)) == 50


def test_the_means_are_those_over_the_support(rng):
    X = rng.standard_normal((60, 3))
    summary = draw_support(VectorRelation(X), even(60), 10, rng)
    assert_allclose(summary.means, cdist(X, X)[summary.support].mean(axis=0))


def test_rows_of_a_given_support_tell_the_same(rng):
    X = rng.standard_normal((90, 3))
    summary = drawn(VectorRelation(X), 20)
    objects = summary.support
    again = read_rows(VectorRelation(X), even(90), objects, np.ones(20), 1)
    assert_allclose(again.means, summary.means)
    assert_array_equal(again.duplicates, summary.duplicates)


@pytest.mark.parametrize("n", [2, 3, 50])
def test_the_ends_are_far_apart(rng, n):
    X = rng.standard_normal((n, 2))
    ends = find_ends(VectorRelation(X), even(n))
    assert ends.shape == (2, n)
    assert ends[0].mean() >= ends[1].mean()
    assert ends.max() >= 0.8 * cdist(X, X).max()


def test_objects_that_are_all_equal_have_a_support_of_one(rng):
    summary = drawn(DenseRelation(np.zeros((30, 30))), 5)
    objects = summary.support
    assert len(objects) == 1
    assert (summary.duplicates == objects[0]).all()


def gaps_of(rng, n=300):
    """A relation with zeros between objects that are not equal."""
    X = rng.standard_normal((n, 3))
    return np.maximum(0, cdist(X, X, "cityblock") - 3)


@pytest.mark.parametrize("size", [40, 90])
def test_what_fills_up_has_a_weight(rng, size):
    weights = np.where(np.arange(300) < 100, 0, 1 / 200)
    objects = drawn(DenseRelation(gaps_of(rng)), size, weights).support
    assert len(np.unique(objects)) == size
    assert objects.min() >= 100


def test_an_object_near_to_all_does_not_end_the_draw(rng):
    X = rng.standard_normal((200, 3))
    D = cdist(X, X)
    D[0] = D[:, 0] = 0
    weights = np.where(np.arange(200) == 0, 1e6, 1.0)
    summary = drawn(DenseRelation(D), 30, weights / weights.sum())
    objects = summary.support
    assert len(np.unique(objects)) == 30
    assert len(np.unique(summary.duplicates)) == 200


def test_an_object_with_a_weight_stands_for_those_without(rng):
    X = np.repeat(rng.standard_normal((60, 3)), 2, axis=0)
    weights = np.where(np.arange(120) % 2 == 0, 0, 1 / 60)
    summary = draw_support(VectorRelation(X), weights, 10, rng)
    assert (summary.duplicates % 2 == 1).all()
    assert_array_equal(np.unique(summary.duplicates[weights > 0]), np.arange(1, 120, 2))
