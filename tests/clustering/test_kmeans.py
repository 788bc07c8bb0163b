"""Relational k-means is vector k-means, in whatever order the objects come."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import KMeans

from relrbf.clustering import lloyd, random_partition, seed_plus_plus
from relrbf.clustering.algorithms import assign_nearest, fill_empty, nearest_seeds
from relrbf.prototypes import ProductSpace, RelationalSpace, VectorSpace
from relrbf.relations import DenseRelation


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


def uniform(n):
    return np.full(n, 1 / n)


def steps(X, labels, k):
    """Yield the partitions of plain k-means; none once a cluster is empty."""
    while len(np.unique(labels)) == k:
        yield labels
        centers = np.array([X[labels == j].mean(axis=0) for j in range(k)])
        labels = np.argmin(cdist(X, centers), axis=1)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(6, 60), st.integers(1, 6), st.integers(1, 6))
def test_from_any_random_partition_it_is_scikit_learns_k_means(seed, n, d, k):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    first = random_partition(uniform(n), k, rng)
    centers = np.array([X[first == j].mean(axis=0) for j in range(k)])
    found = lloyd(RelationalSpace(DenseRelation(cdist(X, X))), uniform(n), first, k)
    # scikit-learn fills an empty cluster in a way of its own
    assume(len(list(islice(steps(X, first, k), found.n_iter))) == found.n_iter)
    reference = KMeans(k, init=centers, n_init=1, tol=0, algorithm="lloyd").fit(X)
    assert_array_equal(found.labels, reference.labels_)
    assert_allclose(found.inertia * n, reference.inertia_, rtol=1e-9, atol=1e-9)
    assert_allclose(found.coefficients @ X, reference.cluster_centers_, atol=1e-9)


@pytest.mark.parametrize("max_iter", [1, 2, 3, 5])
def test_every_assignment_on_the_way_is_scikit_learns(rng, max_iter):
    X = rng.standard_normal((80, 3))
    first = random_partition(uniform(80), 5, rng)
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    found = lloyd(space, uniform(80), first, 5, max_iter)
    assert_array_equal(found.labels, next(islice(steps(X, first, 5), max_iter, None)))
    assert found.n_iter == max_iter


def test_the_vector_space_gives_the_same_partition(rng):
    X = rng.standard_normal((90, 4))
    first = random_partition(uniform(90), 6, rng)
    runs = [
        lloyd(space, uniform(90), first, 6)
        for space in (RelationalSpace(DenseRelation(cdist(X, X))), VectorSpace(X))
    ]
    assert_array_equal(runs[0].labels, runs[1].labels)
    assert_array_equal(runs[0].coefficients, runs[1].coefficients)
    assert_allclose(runs[0].inertia, runs[1].inertia)
    assert runs[0].n_iter == runs[1].n_iter


def test_integer_weights_are_copies(rng):
    X = rng.standard_normal((30, 2))
    copies = rng.integers(1, 4, 30)
    first = random_partition(uniform(30), 4, rng)
    weighted = lloyd(VectorSpace(X), copies / copies.sum(), first, 4)
    of = np.repeat(np.arange(30), copies)
    repeated = lloyd(VectorSpace(X[of]), uniform(len(of)), first[of], 4)
    assert_array_equal(weighted.labels[of], repeated.labels)
    assert_allclose(weighted.inertia, repeated.inertia)


def test_a_random_partition_is_balanced_and_leaves_weight_zero_out(rng):
    weights = np.ones(23)
    weights[3:10] = 0
    labels = random_partition(weights, 5, rng)
    counts = np.bincount(labels[weights > 0], minlength=5)
    assert set(counts) == {3, 4}
    assert not np.array_equal(labels, random_partition(weights, 5, rng))


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 25), st.integers(2, 4))
def test_it_ends_on_every_symmetric_matrix_also_where_partitions_go_in_circles(seed, n, k):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.random((n, n)), 1)
    space = RelationalSpace(DenseRelation(R + R.T, exponent=1))
    first = random_partition(uniform(n), k, rng)
    found = lloyd(space, uniform(n), first, k, max_iter=10**6)
    assert_allclose(found.coefficients.sum(axis=1), 1)
    distances_sq = space.place(found.coefficients).distances_sq
    assert_array_equal(found.labels, np.argmin(distances_sq, axis=0))
    assert_allclose(found.inertia, distances_sq.min(axis=0).mean(), atol=1e-12)


def test_every_start_on_k23_ends_in_two_clusters(k23):
    space = RelationalSpace(DenseRelation(k23, exponent=2))
    for code in range(1, 31):
        first = np.array([code >> bit & 1 for bit in range(5)])
        found = lloyd(space, uniform(5), first, 2)
        assert found.n_iter < 10
        assert found.is_full
        assert set(found.labels) == {0, 1}


def test_one_object_is_one_seed_whatever_the_rounding(rng):
    for n in range(2, 60):
        X, weights = rng.standard_normal((n, 2)), np.eye(n)[0]
        space = ProductSpace(VectorSpace(X), 0.1 + rng.random((n, 3)), uniform(n))
        assert seed_plus_plus(space, weights, 3, np.random.default_rng(0)).tolist() == [0]


def test_float32_stays_float32(rng):
    X = rng.standard_normal((40, 3)).astype(np.float32)
    weights = uniform(40).astype(np.float32)
    for space in (VectorSpace(X), RelationalSpace(DenseRelation(cdist(X, X).astype(np.float32)))):
        seeds = seed_plus_plus(space, weights, 4, np.random.default_rng(0))
        found = lloyd(space, weights, nearest_seeds(space, weights, seeds), 4)
        assert found.coefficients.dtype == np.float32
        assert found.prototypes.distances_sq.dtype == np.float32


def test_a_draw_sorts_by_two_keys_at_most(rng, monkeypatch):
    """So that work grows with the number of seeds, not with its square."""
    sorted_by, lexsort = [], np.lexsort

    def counted(keys):
        sorted_by.append(len(keys))
        return lexsort(keys)

    monkeypatch.setattr("relrbf.clustering.algorithms.np.lexsort", counted)
    X = rng.integers(-2, 3, (500, 3)).astype(float)
    assert len(start(VectorSpace(X), 50)[1]) == 50
    assert max(sorted_by) == 2
    assert len(sorted_by) <= 52


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


def test_mirrored_objects_are_drawn_by_where_they_lie_from_the_seeds(rng):
    """x and -x are equally far from the mean; which comes first is up to the earlier seeds."""
    half = rng.random((20, 2)) + 0.1
    X = np.concatenate([half, -half])
    gaps = []
    for _ in range(4):
        shuffled = X[rng.permutation(40)]
        gaps.append(np.sort(pdist(shuffled[start(VectorSpace(shuffled), 6)[1]])))
    assert_allclose(gaps, np.tile(gaps[0], (4, 1)))


@pytest.mark.parametrize("kind", ["relational", "vector"])
def test_seeds_are_distinct_objects_of_positive_weight(rng, kind):
    X = rng.standard_normal((6, 2))[[0, 0, 1, 1, 2, 3]]
    space = RelationalSpace(DenseRelation(cdist(X, X))) if kind == "relational" else VectorSpace(X)
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


def test_only_an_object_with_weight_fills_an_empty_cluster():
    labels = fill_empty(np.zeros(3, dtype=int), np.zeros((2, 3)), np.array([0, 0.5, 0.5]))
    assert_array_equal(labels, [0, 1, 0])


def test_of_equally_near_prototypes_the_first_has_the_object():
    distances_sq = np.array([[1 + 1e-12, 2.0], [1.0, 1.0]])
    assert_array_equal(assign_nearest(distances_sq, 1e-9), [0, 1])
