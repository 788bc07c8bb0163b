"""Relational k-means is vector k-means, in whatever order the objects come."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from relrbf.clustering import lloyd, nearest_seeds, seed_plus_plus
from relrbf.relations import DenseRelation
from relrbf.spaces import RelationalSpace, VectorSpace


def labels_of(coefficients):
    return np.argmax(coefficients > 0, axis=0)


def from_seeds(space, w, seeds):
    return lloyd(space, w, nearest_seeds(space, w, seeds), len(seeds))


def start(space, n_clusters, seed=0, weights=None):
    n = space.n_objects
    w = np.full(n, 1 / n) if weights is None else weights / weights.sum()
    return w, seed_plus_plus(space, w, n_clusters, np.random.default_rng(seed))


def test_lloyd_agrees_with_scikit_learn_from_the_same_seeds(blobs):
    X, D, _ = blobs
    space = RelationalSpace(DenseRelation(D))
    w, seeds = start(space, 4)
    coefficients = from_seeds(space, w, seeds).coefficients
    reference = KMeans(4, init=X[seeds], n_init=1, tol=0).fit(X)
    assert_array_equal(labels_of(coefficients), reference.labels_)
    assert_allclose(coefficients @ X, reference.cluster_centers_, atol=1e-10)


def test_weighted_lloyd_agrees_with_scikit_learn(blobs, rng):
    X, D, _ = blobs
    weights = rng.integers(1, 6, 60).astype(float)
    space = RelationalSpace(DenseRelation(D))
    w, seeds = start(space, 4, weights=weights)
    coefficients = from_seeds(space, w, seeds).coefficients
    reference = KMeans(4, init=X[seeds], n_init=1, tol=0).fit(X, sample_weight=weights)
    assert_array_equal(labels_of(coefficients), reference.labels_)
    assert_allclose(coefficients @ X, reference.cluster_centers_, atol=1e-10)


def test_both_spaces_draw_the_same_seeds_also_with_many_ties(rng):
    X = rng.integers(-1, 2, (80, 6)).astype(float)
    for seed in range(5):
        drawn = [
            start(space, 12, seed)[1]
            for space in (RelationalSpace(DenseRelation(cdist(X, X))), VectorSpace(X))
        ]
        assert_array_equal(*drawn)


def test_the_order_of_the_objects_does_not_change_the_seeds(blobs, rng):
    _, D, _ = blobs
    order = rng.permutation(60)
    seeds = start(RelationalSpace(DenseRelation(D)), 8)[1]
    shuffled = start(RelationalSpace(DenseRelation(D[np.ix_(order, order)])), 8)[1]
    assert_array_equal(order[shuffled], seeds)


def test_seeds_are_distinct_objects_of_positive_weight(rng):
    X = rng.standard_normal((6, 2))[[0, 0, 1, 1, 2, 3]]
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    seeds = start(space, 6, weights=np.array([1.0, 1, 1, 1, 1, 0]))[1]
    assert len(seeds) == 3
    assert {tuple(X[i]) for i in seeds} == {tuple(X[i]) for i in (0, 2, 4)}


def test_seeds_spread_as_k_means_plus_plus_prescribes():
    """Two tight pairs far apart: two seeds nearly always come from different pairs."""
    X = np.array([[0.0], [0.01], [100.0], [100.01]])
    space = VectorSpace(X)
    assert all(set(start(space, 2, seed)[1] // 2) == {0, 1} for seed in range(50))


def test_no_cluster_stays_empty():
    """Three seeds of which two coincide: the empty cluster takes an object from another."""
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    coefficients = from_seeds(VectorSpace(X), np.full(4, 0.25), np.array([0, 0, 3])).coefficients
    assert (coefficients.sum(axis=1) > 0.99).all()
    assert len(np.unique(labels_of(coefficients))) == 3
