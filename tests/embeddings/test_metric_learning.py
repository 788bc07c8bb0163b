"""Learnt metrics: against cvxpy, and what they mean."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from relrbf.embeddings import MetricLearningMDS, NearestEuclideanMDS, SearchStatus
from relrbf.embeddings.metric_learning import match_relation


@pytest.fixture
def relation(rng):
    D = np.triu(rng.random((15, 15)), 1)
    return D + D.T


def features(rng, n=15, k=3):
    V = rng.standard_normal((n, k))
    return np.linalg.qr(V - V.mean(axis=0))[0]


def pairs(V):
    rows, cols = np.triu_indices(len(V), 1)
    return rows, cols, V[rows] - V[cols]


def test_no_metric_that_cvxpy_finds_matches_the_relation_better(rng, relation):
    V, S = features(rng), relation**2
    rows, cols, gaps = pairs(V)
    M = cp.Variable((3, 3), PSD=True)
    change = cp.sum(cp.multiply(gaps @ M, gaps), axis=1) - S[rows, cols]
    best = cp.Problem(cp.Minimize(cp.sum_squares(change))).solve(
        solver=cp.CLARABEL, tol_gap_rel=1e-11, tol_gap_abs=1e-11
    )
    learnt, _, status = match_relation(V, S, 1e-9, 20000, lambda gap: False)
    ours = np.square(np.einsum("ij,jk,ik->i", gaps, learnt, gaps) - S[rows, cols]).sum()
    assert status is SearchStatus.CONVERGED
    assert_allclose(ours, best, rtol=1e-7)
    assert_allclose(learnt, M.value, atol=1e-4)


def test_all_features_match_the_relation_as_the_nearest_vectors_do(relation):
    learnt = MetricLearningMDS(n_features=14, max_iter=50000, tol=1e-9).fit(relation)
    nearest = NearestEuclideanMDS().fit(relation)
    assert_allclose(
        cdist(learnt.embedding_, learnt.embedding_),
        cdist(nearest.embedding_, nearest.embedding_),
        atol=1e-3,
    )


def test_the_embedding_realises_the_learnt_metric(relation):
    mds = MetricLearningMDS(n_features=5).fit(relation)
    whole = MetricLearningMDS(n_features=5, n_components=2).fit(relation)
    assert mds.metric_.shape == (5, 5)
    assert np.linalg.eigvalsh(mds.metric_)[0] > -1e-9
    assert_allclose(whole.embedding_, mds.embedding_[:, :2])
    assert_allclose(mds.eigenvalues_, np.square(mds.embedding_).sum(axis=0))
    assert (np.diff(mds.eigenvalues_) <= 0).all()


def test_too_few_steps_are_said_to_be(relation):
    with pytest.warns(ConvergenceWarning, match="Stopped at max_iter"):
        assert MetricLearningMDS(max_iter=2).fit(relation).status_ is SearchStatus.MAX_ITER


def test_a_callback_may_stop_learning(rng, relation):
    _, n_iter, status = match_relation(features(rng), relation**2, 1e-12, 500, lambda gap: True)
    assert (n_iter, status) == (1, SearchStatus.STOPPED)


def test_of_objects_that_are_all_equal_nothing_is_learnt():
    mds = MetricLearningMDS().fit(np.zeros((6, 6)))
    assert_allclose(mds.embedding_, np.zeros((6, 1)))


def test_feature_vectors_have_a_length_that_can_be_learnt(rng):
    D = np.triu(rng.random((120, 120)), 1)
    assert MetricLearningMDS(max_iter=5000).fit(D + D.T).metric_.shape == (50, 50)
    assert MetricLearningMDS(n_features=60, max_iter=5000).fit(D + D.T).metric_.shape == (60, 60)


def test_steps_that_turn_back_start_anew(rng):
    X = rng.standard_normal((80, 6))
    D = cdist(X, X, "cityblock")
    steps = MetricLearningMDS(n_features=30, tol=1e-8).fit(D).n_iter_
    assert steps < 300
