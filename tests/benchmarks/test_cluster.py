"""The benchmark of clusters compares what it says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks.scale import cluster
from relrbf.relations import DenseRelation


@pytest.fixture
def made(tmp_path):
    path, y = cluster.make_file(tmp_path, 700, np.float64)
    return DenseRelation(np.load(path)), y


def test_the_file_holds_distances_and_their_classes_are_apart(made):
    relation, y = made
    D = relation.block()
    same = y[:, None] == y
    assert_allclose(D, D.T)
    assert D[~same].mean() > D[same].mean() > 0


def test_two_networks_differ_by_the_largest_of_all_differences(made):
    relation, y = made
    first, _ = cluster.fitted(relation, y)
    second, _ = cluster.fitted(relation, y)
    assert cluster.difference(first, second) == 0
    second.weights_ = second.weights_ + 0.5 * np.abs(first.weights_).max()
    assert_allclose(cluster.difference(first, second), 0.5)


def test_a_product_is_compared_with_the_same_product(made):
    relation, _ = made
    ratio, error = cluster.products(relation, relation, 700)
    assert ratio > 0
    assert error == 0
