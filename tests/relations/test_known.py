"""Training objects are recognised among new ones, and no others are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.relations.known import KnownObjects


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training_rows_are_known_and_others_are_new(rng, dtype):
    X, Z = rng.standard_normal((30, 3)), rng.standard_normal((10, 3))
    D, D_new = cdist(X, X).astype(dtype), cdist(np.vstack([Z, X[::-1]]), X).astype(dtype)
    expected = np.append(np.full(10, -1), np.arange(30)[::-1])
    assert_array_equal(KnownObjects(D).find(D_new), expected)


def test_an_object_at_distance_zero_with_other_dissimilarities_is_new(rng):
    D = rng.random((8, 8)) + 1
    D = np.triu(D, 1) + np.triu(D, 1).T
    row = D[3] + 0.1
    row[3] = 0
    assert_array_equal(KnownObjects(D).find(np.array([row, D[3]])), [-1, 3])


def test_of_twins_the_first_is_found():
    D = np.array([[0.0, 0, 1], [0, 0, 1], [1, 1, 0]])
    assert_array_equal(KnownObjects(D).find(D), [0, 0, 2])


def test_no_rows_are_no_objects():
    assert KnownObjects(np.zeros((2, 2))).find(np.empty((0, 2))).shape == (0,)
