"""Fuzzy c-means: on Euclidean relations the vector one, elsewhere never a negative distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.clustering import fuzzy_c_means, random_partition
from relrbf.clustering.algorithms import (
    memberships_near_seeds,
    memberships_of,
    n_coincident,
    spread_each,
    weighted_means,
)
from relrbf.prototypes import RelationalSpace, VectorSpace
from relrbf.relations import DenseRelation


def uniform(n):
    return np.full(n, 1 / n)


def first_memberships(rng, n, k):
    U = rng.random((k, n)) + 0.01
    return U / U.sum(axis=0)


def vector_fuzzy_c_means(X, U, m, n_iter, weights=1):
    """Fuzzy c-means as Bezdek wrote it, on vectors."""
    for _ in range(n_iter):
        powers = weights * U**m
        centers = powers @ X / powers.sum(axis=1, keepdims=True)
        d = cdist(centers, X, "sqeuclidean")
        U = 1 / ((d[:, None] / d[None]) ** (1 / (m - 1))).sum(axis=1)
    return U, centers, float((weights * U**m * d).sum())


@pytest.mark.parametrize("m", [1.3, 2.0, 3.5])
@pytest.mark.parametrize("n_iter", [1, 2, 7, 40])
@pytest.mark.parametrize("kind", ["relational", "vector"])
def test_memberships_are_those_of_vector_fuzzy_c_means(rng, m, n_iter, kind):
    X = rng.standard_normal((50, 3))
    D = cdist(X, X)
    space = VectorSpace(X) if kind == "vector" else RelationalSpace(DenseRelation(D))
    U = first_memberships(rng, 50, 4)
    found = fuzzy_c_means(space, uniform(50), U, m, n_iter, tol=0)
    expected, centers, objective = vector_fuzzy_c_means(X, U, m, n_iter)
    assert found.n_iter == n_iter
    assert_allclose(found.memberships, expected, atol=1e-8)
    assert_allclose(found.coefficients @ X, centers, atol=1e-8)
    assert_allclose(found.inertia * 50, objective)
    assert found.beta == 0


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 40), st.integers(1, 5), st.integers(2, 5))
def test_no_euclidean_relation_needs_a_spread(seed, n, d, k):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    found = fuzzy_c_means(space, uniform(n), first_memberships(rng, n, k), max_iter=30)
    assert found.beta == 0
    assert_allclose(found.memberships.sum(axis=0), 1)


def random_relation(rng, n):
    R = np.triu(rng.random((n, n)), 1)
    return DenseRelation(R + R.T, exponent=1)


@settings(deadline=None)
@given(
    st.integers(0, 10**6), st.integers(5, 30), st.integers(2, 4), st.sampled_from([1.1, 1.5, 2, 3])
)
def test_no_distance_is_negative_on_any_symmetric_matrix(seed, n, k, m):
    rng = np.random.default_rng(seed)
    U = np.eye(k)[:, random_partition(uniform(n), k, rng)]
    found = fuzzy_c_means(RelationalSpace(random_relation(rng, n)), uniform(n), U, m)
    assert found.distances_sq.min() >= -1e-8 * found.distances_sq.max()
    assert found.memberships.min() >= 0
    assert_allclose(found.memberships.sum(axis=0), 1)


@pytest.mark.parametrize("seed", [1, 3])  # where beta grows more than once
def test_distances_are_those_of_s_with_beta_off_the_diagonal(seed):
    """After every iteration; beta grows in several steps and never falls."""
    rng = np.random.default_rng(seed)
    relation = random_relation(rng, 20)
    U = np.eye(3)[:, random_partition(uniform(20), 3, rng)]
    betas = [0.0]
    for n_iter in range(1, 12):
        found = fuzzy_c_means(RelationalSpace(relation), uniform(20), U, 1.1, n_iter, tol=0)
        raised = DenseRelation(relation.block() + found.beta * (1 - np.eye(20)), exponent=1)
        again = RelationalSpace(raised).place(found.coefficients)
        assert_allclose(found.distances_sq, again.distances_sq, atol=1e-12)
        betas.append(found.beta)
    assert betas == sorted(betas)
    assert len(set(betas)) > 2


def test_k23_as_distances_needs_a_spread(k23):
    crisp = np.array([[1.0, 1, 0, 0, 0], [0, 0, 1, 1, 1]])
    space = RelationalSpace(DenseRelation(k23, exponent=2))
    assert space.place(crisp / crisp.sum(axis=1, keepdims=True)).distances_sq.min() < 0
    found = fuzzy_c_means(space, uniform(5), crisp)
    assert found.beta > 0
    assert found.distances_sq.min() >= -1e-9
    u = found.memberships[0]  # the graph's symmetry is kept
    assert_allclose(u, [u[0], u[0], u[2], u[2], u[2]])


def test_the_first_spread_is_just_large_enough(k23):
    """By hand: crisp clusters {0, 1} and {2, 3, 4} of K(2,3) with squared distances 4, 1.

    v_1'S v_1 / 2 = 1 and S v_1 = 1 on the three others, so d = 0 there. v_2'S v_2 / 2 = 4/3 and
    S v_2 = 1 on the pair, so d = -1/3 there; ||v_2 - e_i||^2 = 1/3 + 1. Hence delta = 1/2.
    """
    crisp = np.array([[1.0, 1, 0, 0, 0], [0, 0, 1, 1, 1]])
    space = RelationalSpace(DenseRelation(k23, exponent=2))
    found = fuzzy_c_means(space, uniform(5), crisp, max_iter=1)
    assert_allclose(found.beta, 0.5)
    assert_allclose(found.distances_sq[1, :2], 0, atol=1e-12)
    assert_allclose(found.distances_sq[0, 2:], 0.25 * 1.5)


def test_objects_on_prototypes_share_among_those():
    d = np.array([[0.0, 2.0, 0.0], [0.0, 2.0, 1.0], [3.0, 1.0, 1.0]])
    U = memberships_of(d, 2.0, 1e-9)
    assert_allclose(U, [[0.5, 0.25, 1], [0.5, 0.25, 0], [0, 0.5, 0]])


def test_a_fuzzifier_near_one_gives_crisp_memberships_without_overflow():
    U = memberships_of(np.array([[1e-3, 1.0], [1.0, 1e-6]]), 1.001, 1e-12)
    assert_allclose(U, np.eye(2))


def test_integer_weights_are_copies(rng):
    X = rng.standard_normal((30, 2))
    copies = rng.integers(1, 4, 30)
    U = first_memberships(rng, 30, 3)
    weighted = fuzzy_c_means(VectorSpace(X), copies / copies.sum(), U)
    of = np.repeat(np.arange(30), copies)
    repeated = fuzzy_c_means(VectorSpace(X[of]), uniform(len(of)), U[:, of])
    assert_allclose(weighted.memberships[:, of], repeated.memberships, atol=1e-8)
    assert_allclose(weighted.inertia, repeated.inertia)


def test_an_object_of_weight_zero_changes_nothing_not_even_beta(rng):
    R = random_relation(rng, 20).block().copy()
    R[17:] *= 0.1  # they are near to everything, and their squared distances negative
    R[:, 17:] *= 0.1
    relation = DenseRelation(R, exponent=1)
    U = np.eye(3)[:, random_partition(uniform(20), 3, rng)]
    weights = np.where(np.arange(20) < 17, 1 / 17, 0)
    found = fuzzy_c_means(RelationalSpace(relation), weights, U, 1.2)
    left = RelationalSpace(relation.restrict(np.arange(17)))
    without = fuzzy_c_means(left, uniform(17), U[:, :17], 1.2)
    assert_allclose(found.memberships[:, :17], without.memberships, atol=1e-8)
    assert_allclose(found.beta, without.beta)
    assert not found.coefficients[:, 17:].any()
    assert found.prototypes.distances_sq[:, 17:].min() < -found.beta
    assert found.distances_sq.min() >= -1e-9
    assert_allclose(found.memberships.sum(axis=0), 1)


def test_an_object_alone_gets_the_spread_it_needs():
    raised = spread_each(np.array([[-1.0, 2.0], [-1.0, 3.0]]), np.array([[2.0], [1.0]]), 1e-9)
    assert_allclose(raised, [[1, 2], [0, 3]])


def test_a_cluster_without_members_gets_some():
    """The first and second prototype lie on objects, which are theirs; the third has none left."""
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    U = np.array([[1, 0.5, 0, 0], [0, 0, 1, 0.5], [0, 0.5, 0, 0.5]])
    assert_allclose(weighted_means(U, uniform(4), 2.0) @ X, [[0], [5], [2.5]])
    found = fuzzy_c_means(VectorSpace(X), uniform(4), U)
    assert_allclose(found.memberships.sum(axis=0), 1)
    assert found.memberships.any(axis=1).all()


def test_memberships_that_would_underflow_still_have_a_mean():
    U = np.array([[1e-200, 2e-200, 1.0], [1.0, 1.0, 0.0]])
    means = weighted_means(U, np.array([0.5, 0.5, 0]), 2.0)
    assert_allclose(means, [[0.2, 0.8, 0], [0.5, 0.5, 0]])


def test_seeds_give_memberships_that_point_to_them(rng):
    X = rng.standard_normal((20, 2))
    U = memberships_near_seeds(VectorSpace(X), uniform(20), np.array([3, 8]), 2.0)
    assert_allclose(U[:, [3, 8]], np.eye(2))
    assert_array_equal(np.argmax(U, axis=0), np.argmin(cdist(X[[3, 8]], X), axis=0))


def test_coincident_clusters_are_counted():
    U = np.array([[0.5, 0.2], [0.2, 0.5], [0.5001, 0.2], [0.2, 0.5]])
    assert n_coincident(U) == 2
    assert n_coincident(U[:2]) == 0


def test_float32_stays_float32(rng):
    X = rng.standard_normal((40, 3)).astype(np.float32)
    space = RelationalSpace(DenseRelation(cdist(X, X).astype(np.float32)))
    U = first_memberships(rng, 40, 3).astype(np.float32)
    found = fuzzy_c_means(space, uniform(40).astype(np.float32), U)
    assert found.memberships.dtype == found.coefficients.dtype == np.float32


def test_a_prototype_on_an_object_needs_no_spread_for_rounding():
    distances_sq, norms_sq = np.array([[-4e-16, 16.0, 9.0]]), np.array([[0.0, 2.0, 2.0]])
    assert_array_equal(spread_each(distances_sq, norms_sq, 4e-25), distances_sq)
