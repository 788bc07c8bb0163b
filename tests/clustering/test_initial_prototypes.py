"""First prototypes and widths."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist

from relrbf.clustering import initial_coefficients
from relrbf.network import Gaussian
from relrbf.network.model import fitted_network
from relrbf.prototypes import RelationalSpace, VectorSpace
from relrbf.relations import DenseRelation

W = np.full(60, 1 / 60)


def of(y):
    """Return how much weight each class has in each object."""
    return W * (y == np.arange(3)[:, None])


@pytest.mark.parametrize("init", ["k-means", "random-partition", "fuzzy", "class", "random"])
def test_coefficients_are_affine(blobs, init):
    X, _, y = blobs
    A = initial_coefficients(init, VectorSpace(X), of(y), 6, np.random.default_rng(0))
    assert A.shape == (3 if init == "class" else 6, 60)
    assert_allclose(A.sum(axis=1), 1)


def test_class_prototypes_are_the_class_means(blobs):
    X, _, y = blobs
    A = initial_coefficients("class", VectorSpace(X), of(y), 3, np.random.default_rng(0))
    assert_allclose(A @ X, [X[y == k].mean(axis=0) for k in range(3)])


def test_random_prototypes_mix_objects_of_one_class_only(blobs):
    X, _, y = blobs
    A = initial_coefficients("random", VectorSpace(X), of(y), 6, np.random.default_rng(0))
    assert [set(y[row > 0]) for row in A] == [{0}, {1}, {2}, {0}, {1}, {2}]


@pytest.mark.parametrize("init", ["k-means", "random-partition", "fuzzy", "class", "random"])
def test_objects_of_weight_zero_take_no_part(blobs, init):
    X, _, y = blobs
    memberships = of(y) * (np.arange(60) % 2)
    A = initial_coefficients(init, VectorSpace(X), memberships, 6, np.random.default_rng(0))
    assert not A[:, ::2].any()


@pytest.mark.parametrize("init", ["k-means", "random-partition", "fuzzy"])
def test_both_spaces_start_alike(blobs, init):
    X, D, y = blobs
    starts = [
        initial_coefficients(init, space, of(y), 6, np.random.default_rng(0))
        for space in (VectorSpace(X), RelationalSpace(DenseRelation(D)))
    ]
    assert_allclose(*starts, atol=1e-8)


def test_a_random_partition_ends_at_means_of_a_partition(blobs):
    X, _, y = blobs
    A = initial_coefficients("random-partition", VectorSpace(X), of(y), 6, np.random.default_rng(0))
    assert_allclose((A > 0).sum(axis=0), 1)
    assert_allclose(A.max(axis=1), 1 / (A > 0).sum(axis=1))


def test_fuzzy_prototypes_average_over_all_objects_and_differ(blobs):
    X, _, y = blobs
    A = initial_coefficients("fuzzy", VectorSpace(X), of(y), 6, np.random.default_rng(0))
    assert ((A > 0).sum(axis=1) > 40).all()
    assert pdist(A @ X).min() > 0.1


@pytest.mark.parametrize("init", ["random-partition", "fuzzy"])
def test_a_relation_without_vectors_has_a_start_too(k23, init):
    space = RelationalSpace(DenseRelation(k23, exponent=2))
    A = initial_coefficients(init, space, np.full((1, 5), 0.2), 2, np.random.default_rng(0))
    assert_allclose(A.sum(axis=1), 1)


@pytest.mark.parametrize("init", ["class", "random"])
def test_a_class_without_weight_has_no_prototype(blobs, init):
    X, _, y = blobs
    memberships = of(y) * (y != 1)
    A = initial_coefficients(init, VectorSpace(X), memberships, 6, np.random.default_rng(0))
    assert_allclose(A.sum(axis=1), 1)
    assert not A[:, y == 1].any()


def test_the_initial_bandwidth_has_the_smallest_leave_one_out_error(blobs):
    X, _, y = blobs
    space = VectorSpace(X)
    d = space.place_at(np.arange(0, 60, 6)).distances_sq
    Y = np.eye(3)[y]
    network, output = fitted_network(Gaussian(), d, Y, W, space.mean_sq(W), 0.01)
    for width in (0.5, 2.0):
        _, other = fitted_network(Gaussian(), d / width**2, Y, W, space.mean_sq(W), 0.01)
        assert output.loo_error <= other.loo_error * 1.2
    assert (network.bandwidths == network.bandwidths[0]).all()
