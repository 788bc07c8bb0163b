"""Exponents, bandwidths and what follows from them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.autotune.resolve import auto_n_prototypes, choose_support
from relrbf.autotune.teacher import (
    MAX_COMPARED_OBJECTS,
    compare,
    fit_teacher,
    is_clearly_better,
)
from relrbf.network import Gaussian
from relrbf.prototypes import RelationalSpace
from relrbf.relations import DenseRelation
from relrbf.relations.properties import order_by_centrality, spread_along, spread_over, support_size


def teacher(D, y, exponents=(2,), w=None, alpha=None):
    Y = np.eye(y.max() + 1)[y] if y.dtype.kind == "i" else y[:, None]
    w = np.ones(len(y)) if w is None else w
    relation, w = DenseRelation(D), w / w.sum()
    order = order_by_centrality(relation.product, w, Y, relation.product(w[None])[0])
    return fit_teacher(relation, Gaussian(), Y, w, exponents, order, alpha)


def test_the_bandwidth_follows_the_scale_of_the_structure(rng):
    X = rng.uniform(0, 1, (120, 1))
    slow, fast = (teacher(cdist(X, X), np.sin(f * X[:, 0])).width for f in (3, 40))
    assert fast < slow / 2


def test_the_best_width_is_the_best_of_those_tried(rng):
    X = rng.uniform(0, 1, (100, 2))
    found = teacher(cdist(X, X), np.sin(9 * X[:, 0]))
    assert found.tried[2, found.width] == min(found.tried.values())
    assert len(found.tried) > 2


def test_exponents_are_chosen_by_what_they_predict(rng):
    """A relation that is a distance in one dimension but squared in the labels' scale."""
    X, noise = rng.standard_normal((100, 2)), np.triu(rng.uniform(0.7, 1.3, (100, 100)), 1)
    D = cdist(X, X) * (noise + noise.T)
    y = (X[:, 0] > 0).astype(int)
    both = teacher(D, y, (1, 2))
    assert {exponent for exponent, _ in both.tried} == {1, 2}
    alone = {e: teacher(D, y, (e,)).error for e in (1, 2)}
    assert alone[int(both.exponent)] <= 1.1 * min(alone.values())


def test_objects_without_weight_take_no_part(rng):
    X, y = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
    w = np.repeat([1.0, 0.0], 30)
    D = cdist(X, X)
    part, whole = teacher(D[:30, :30], y[:30]), teacher(D, y, w=w)
    assert_allclose(whole.responses[:30], part.responses, atol=1e-10)
    assert_allclose(whole.left_out[:30], part.left_out, atol=1e-10)


@pytest.mark.parametrize("n", [MAX_COMPARED_OBJECTS - 20, MAX_COMPARED_OBJECTS + 60])
def test_the_order_of_the_objects_does_not_matter(rng, n):
    X, y = rng.standard_normal((n, 4)), rng.integers(0, 3, n)
    order = rng.permutation(n)
    D = cdist(X, X)
    first, second = teacher(D, y), teacher(D[np.ix_(order, order)], y[order])
    assert first.width == second.width
    assert_allclose(second.left_out, first.left_out[order], atol=1e-9)


def test_a_given_penalty_is_used(rng):
    X = rng.standard_normal((40, 3))
    assert teacher(cdist(X, X), X[:, 0], alpha=0.37).alpha == 0.37


def test_a_penalty_found_on_some_objects_grows_with_the_square_of_their_number(rng):
    n = 3 * MAX_COMPARED_OBJECTS
    X = rng.standard_normal((n, 3))
    y = X[:, 0] + rng.standard_normal(n)
    D = cdist(X, X)
    found = teacher(D, y)
    relation, w, Y = DenseRelation(D), np.full(n, 1 / n), y[:, None]
    order = order_by_centrality(relation.product, w, Y, relation.product(w[None])[0])
    compared = spread_over(order, MAX_COMPARED_OBJECTS)
    some = compare(relation, Gaussian(), Y, w, compared, (2,)).network
    assert found.alpha == pytest.approx(9 * some.alpha)


def test_better_by_chance_is_not_better(rng):
    old = rng.random(50)
    assert is_clearly_better(old - 0.1, old)
    assert not is_clearly_better(old, old)
    assert not is_clearly_better(old - 0.01 + rng.standard_normal(50), old + 0)


def test_a_spread_sample_reaches_from_end_to_end(rng):
    key = rng.permutation(100).astype(float)
    picked = key[spread_along(key, 5)]
    assert_array_equal(np.sort(picked), [0, 24, 49, 74, 99])


def test_objects_equally_far_out_have_an_order_all_the_same(rng):
    """The corners of a square, and of a grid: what their labels are tells them apart."""
    X = np.array([[i, j] for i in range(6) for j in range(6)], dtype=float)
    y = rng.standard_normal((36, 1))
    shuffled = rng.permutation(36)
    w = np.full(36, 1 / 36)
    D = cdist(X, X)
    first = order_by_centrality(DenseRelation(D).product, w, y, w @ D**2)
    D = D[np.ix_(shuffled, shuffled)]
    second = order_by_centrality(DenseRelation(D).product, w, y[shuffled], w @ D**2)
    assert_array_equal(shuffled[second], first)


def test_a_support_fills_up_where_zeros_leave_nothing_to_draw(rng):
    X = rng.standard_normal((200, 3))
    gaps = np.maximum(0, cdist(X, X) - 1.5)
    space = RelationalSpace(DenseRelation(gaps))
    support = choose_support(space, np.full(200, 1 / 200), 90, np.arange(200), rng)
    assert len(np.unique(support)) == 90


@pytest.mark.parametrize(
    ("option", "n", "size"),
    [("auto", 800, 800), ("auto", 5000, 500), (None, 5000, 5000), (40, 800, 40), (0.05, 8000, 400)],
)
def test_the_size_of_the_support(option, n, size):
    assert support_size(option, n) == size


def test_a_support_is_spread_and_holds_no_duplicates(rng):
    X = np.repeat(rng.standard_normal((30, 2)), 3, axis=0)
    X[:3] += 50  # one group far out
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    support = choose_support(space, np.full(90, 1 / 90), 10, np.arange(90), rng)
    assert (np.diff(support) > 0).all()
    assert len(np.unique(X[support], axis=0)) == 10
    assert (support < 3).sum() == 1


@pytest.mark.parametrize(
    ("n", "groups", "expected"),
    [(20, 2, 20), (50, 2, 10), (300, 2, 30), (300, 40, 80), (9000, 2, 128)],
)
def test_the_number_of_prototypes(n, groups, expected):
    assert auto_n_prototypes(n, groups) == expected
