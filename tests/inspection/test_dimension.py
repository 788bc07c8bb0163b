"""The intrinsic dimension of clouds whose dimension is known."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_swiss_roll

from relrbf import inspect_relation
from relrbf.relations import VectorRelation


def dimension(X, **options):
    return inspect_relation(VectorRelation(X), max_exact=100, **options).intrinsic_dimension


@pytest.mark.parametrize(("d", "low", "high"), [(1, 0.9, 1.1), (2, 1.8, 2.2), (5, 4, 5.2)])
def test_a_cube_has_its_dimension(rng, d, low, high):
    X = rng.random((800, d)) @ rng.standard_normal((d, 12))
    assert low < dimension(X) < high


def test_a_swiss_roll_is_a_surface():
    assert 1.8 < dimension(make_swiss_roll(1500, random_state=0)[0]) < 2.2


def test_it_is_levina_and_bickels_as_mackay_and_ghahramani_corrected_it(rng):
    X = rng.random((80, 3))
    sorted_rows = np.sort(cdist(X, X), axis=1)[:, 1:]
    by_k = []
    for k in range(10, 21):
        logs = np.log(sorted_rows[:, [k - 1]] / sorted_rows[:, : k - 1])
        by_k.append(1 / (logs.sum(axis=1) / (k - 1)).mean())
    assert dimension(X) == pytest.approx(np.mean(by_k))


def test_the_dimension_is_that_of_the_root_where_distances_are_squared(rng):
    X = rng.random((300, 2))
    squared = inspect_relation(cdist(X, X) ** 2)
    assert squared.suggested_exponent == 1
    assert squared.intrinsic_dimension == pytest.approx(dimension(X))


def test_neither_order_nor_copies_nor_scale_matter(rng):
    X = rng.random((200, 3))
    expected = dimension(X)
    assert dimension(X[rng.permutation(200)]) == pytest.approx(expected)
    assert dimension(np.vstack([X, X[:50]])) == pytest.approx(expected)
    assert dimension(1e-5 * X) == pytest.approx(expected)


def test_an_object_is_not_its_own_neighbour_by_a_rounding_error(rng):
    X = rng.random((200, 3))
    D = cdist(X, X)
    expected = inspect_relation(D).intrinsic_dimension
    np.fill_diagonal(D, np.where(np.arange(200) % 2, 2e-16, 0))  # as 1 - np.corrcoef leaves it
    assert inspect_relation(D).intrinsic_dimension == pytest.approx(expected)


def test_rounded_figures_still_tell_the_dimension(rng):
    X = rng.random((300, 2))
    D = np.round(cdist(X, X), 3)
    assert 1.7 < inspect_relation(D).intrinsic_dimension < 2.3


def test_counts_of_steps_have_no_dimension(rng):
    X = rng.integers(0, 5, (200, 4))
    report = inspect_relation(cdist(X, X, "cityblock"))
    assert report.intrinsic_dimension is None
    assert "intrinsic dimension: cannot be said" in str(report)


def test_few_distinct_objects_have_no_dimension(rng):
    X = rng.random((49, 2))
    assert dimension(np.vstack([X, X])) is None
    assert inspect_relation(VectorRelation(rng.random((50, 2)))).intrinsic_dimension is not None


def test_zero_between_different_objects_is_no_neighbour(rng):
    X = rng.random((100, 2))
    D = cdist(X, X)
    D[0, 1] = D[1, 0] = 0
    assert 1.5 < inspect_relation(D).intrinsic_dimension < 2.5


def test_objects_without_neighbours_have_no_dimension():
    D = np.zeros((60, 60))
    D[np.arange(59), np.arange(1, 60)] = 1 + np.arange(59)
    assert inspect_relation(D + D.T).intrinsic_dimension is None
