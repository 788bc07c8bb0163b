"""Training objects are recognised among new ones, and no others are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.metrics import euclidean_distances

from relrbf import as_relation
from relrbf.relations.properties import KnownObjects, duplicates_and_means

BOTH = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@BOTH
def test_training_rows_are_known_and_others_are_new(rng, dtype):
    X, Z = rng.standard_normal((30, 3)), rng.standard_normal((10, 3))
    S = (cdist(X, X) ** 2).astype(dtype)
    S_new = (cdist(np.vstack([Z, X[::-1]]), X) ** 2).astype(dtype)
    expected = np.append(np.full(10, -1), np.arange(30)[::-1])
    assert_array_equal(KnownObjects(S).find(S_new), expected)


@BOTH
def test_rows_measured_again_with_other_rounding_errors_are_known(rng, dtype):
    X = rng.standard_normal((30, 3)).astype(dtype)
    S = (cdist(X, X) ** 2).astype(dtype)
    again = np.square(euclidean_distances(X + dtype(0), X))  # the square is expanded there
    assert not np.array_equal(again, S)
    assert_array_equal(KnownObjects(S).find(again), np.arange(30))


@BOTH
def test_objects_very_near_a_training_object_are_new(rng, dtype):
    X = rng.standard_normal((30, 3))
    nearby = X + (1e-2 if dtype == np.float32 else 1e-6) * rng.standard_normal((30, 3))
    known = KnownObjects((cdist(X, X) ** 2).astype(dtype))
    assert_array_equal(known.find((cdist(nearby, X) ** 2).astype(dtype)), np.full(30, -1))


@BOTH
def test_tight_clusters_are_told_apart(rng, dtype):
    X = np.repeat([[0.0, 0], [10, 0]], 30, axis=0) + 1e-3 * rng.standard_normal((60, 2))
    S = (cdist(X, X) ** 2).astype(dtype)
    assert_array_equal(KnownObjects(S).find(S), np.arange(60))


@pytest.mark.parametrize("far", [1e4, 1e6])
def test_an_unreachable_object_hides_no_difference_between_the_others(rng, far):
    X = rng.standard_normal((61, 4))
    D = cdist(X, X, "cityblock")
    D[30] = D[:, 30] = far
    D[30, 30] = 0
    known = KnownObjects(D[:41, :41] ** 2)
    assert_array_equal(known.find(D[:41, :41] ** 2), np.arange(41))
    assert_array_equal(known.find(D[41:, :41] ** 2), np.full(20, -1))


def test_an_object_at_distance_zero_with_other_dissimilarities_is_new(rng):
    S = rng.random((8, 8)) + 1
    S = np.triu(S, 1) + np.triu(S, 1).T
    row = S[3] + 0.1
    row[3] = 0
    assert_array_equal(KnownObjects(S).find(np.array([row, S[3]])), [-1, 3])


def test_of_duplicates_the_one_at_the_same_position_is_meant_or_else_the_first():
    S = np.array([[0.0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])
    known = KnownObjects(S)
    assert_array_equal(known.find(S), [0, 1, 2, 3])
    assert_array_equal(known.find(S[2:]), [2, 2])


def test_no_rows_are_no_objects():
    assert KnownObjects(np.zeros((2, 2))).find(np.empty((0, 2))).shape == (0,)


def test_new_objects_among_many_in_tight_clusters_are_new_in_float32_too(rng):
    centres = rng.normal(size=(4, 3))
    X = np.repeat(centres, 250, axis=0) + 1e-3 * rng.normal(size=(1000, 3))
    Z = np.repeat(centres, 5, axis=0) + 1e-3 * rng.normal(size=(20, 3))
    known = KnownObjects(np.square(cdist(X, X).astype(np.float32)))
    assert_array_equal(known.find(np.square(cdist(Z, X).astype(np.float32))), np.full(20, -1))


def test_many_sentinels_leave_exact_rows_known(rng):
    D = np.triu(rng.random((14, 14)), 1)
    D = np.where(np.triu(rng.random((14, 14)) < 0.6, 1), 1e6, D)
    S = np.square((D + D.T).astype(np.float32))
    assert_array_equal(KnownObjects(S).find(S), np.arange(14))


def test_tiny_dissimilarities_of_many_sizes_do_not_overflow(rng):
    D = np.triu(10.0 ** rng.uniform(-8, 8, (6, 6)) * 1e-150, 1)
    S = np.square(D + D.T)
    assert_array_equal(KnownObjects(S).find(S), np.arange(6))


def test_a_zero_measured_with_an_error_is_still_one(rng):
    X = rng.standard_normal((30, 3))
    S = cdist(X, X) ** 2
    assert_array_equal(KnownObjects(S).find(S + 1e-9 * np.eye(30)), np.arange(30))


@pytest.mark.parametrize("apart", [1e-12, 1e-10, 1e-8])
def test_objects_that_are_nearly_equal_are_none_with_and_without_copies(rng, apart):
    X = rng.standard_normal((30, 3))
    X = np.vstack([X, X + apart * rng.standard_normal((30, 3))])
    for counts in (np.ones(60, dtype=int), rng.integers(1, 4, 60)):
        copies = np.repeat(X, counts, axis=0)
        first, _ = duplicates_and_means(as_relation(cdist(copies, copies)), np.ones(len(copies)))
        assert_array_equal(first, np.repeat(np.cumsum(counts) - counts, counts))
