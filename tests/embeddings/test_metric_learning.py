"""Learnt metrics: against cvxpy, and what they mean."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from relrbf.embeddings import MetricLearningMDS, NearestEuclideanMDS, SearchStatus
from relrbf.embeddings.metric_learning import match_relation, onto_trace_one, separate_classes


@pytest.fixture
def relation(rng):
    D = np.triu(rng.random((15, 15)), 1)
    return D + D.T


def features(rng, n=15, k=3):
    V = rng.standard_normal((n, k))
    return np.linalg.qr(V - V.mean(axis=0))[0]


def learn(problem):
    return problem(1e-9, 20000, lambda gap: False)


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
    learnt = learn(lambda *how: match_relation(V, S, *how))
    ours = np.square(np.einsum("ij,jk,ik->i", gaps, learnt.M, gaps) - S[rows, cols]).sum()
    assert learnt.status is SearchStatus.CONVERGED
    assert_allclose(ours, best, rtol=1e-7)
    assert_allclose(learnt.M, M.value, atol=1e-4)


def test_no_metric_that_cvxpy_finds_separates_the_classes_better(rng):
    V, labels = features(rng), np.arange(15) % 3
    V = V + 0.1 * np.eye(3)[labels]
    V = np.linalg.qr(V - V.mean(axis=0))[0]
    rows, cols, gaps = pairs(V)
    same = labels[rows] == labels[cols]
    M = cp.Variable((3, 3), PSD=True)
    squares = cp.sum(cp.multiply(gaps @ M, gaps), axis=1)
    best = cp.Problem(
        cp.Maximize(cp.sum(cp.sqrt(squares[~same]))), [2 * cp.sum(squares[same]) <= 1]
    ).solve(solver=cp.CLARABEL)
    learnt = learn(lambda *how: separate_classes(V, labels, *how))
    ours = np.einsum("ij,jk,ik->i", gaps, learnt.M, gaps)
    assert learnt.status is SearchStatus.CONVERGED
    assert 2 * ours[same].sum() <= 1 + 1e-9
    assert_allclose(np.sqrt(ours[~same]).sum(), best, rtol=2e-3)  # the ridge costs a little


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


def test_labels_bring_classes_nearer_together(rng):
    y = np.repeat([0, 1], 30)
    X = rng.standard_normal((60, 4)) * [1, 4, 4, 4] + 2.5 * np.outer(y, [1, 0, 0, 0])
    D = cdist(X, X)
    plain = MetricLearningMDS(n_features=4).fit(D[:40][:, :40])
    odd, even = np.arange(60) % 2 == 1, np.arange(60) % 2 == 0
    model = MetricLearningMDS(n_features=4, target="labels").fit(D[np.ix_(even, even)], y[even])
    plain = MetricLearningMDS(n_features=4).fit(D[np.ix_(even, even)])
    scores = [
        KNeighborsClassifier(3)
        .fit(mds.embedding_, y[even])
        .score(mds.transform(D[np.ix_(odd, even)]), y[odd])
        for mds in (plain, model)
    ]
    assert scores[1] > scores[0] + 0.1


def test_side_information_leaves_the_mean_squared_distance_as_it_was(blobs):
    _, D, y = blobs
    mds = MetricLearningMDS(target="labels").fit(D, y)
    assert_allclose((cdist(mds.embedding_, mds.embedding_) ** 2).mean(), (D**2).mean())


def test_labels_are_asked_for(blobs):
    with pytest.raises(ValueError, match="requires y to be passed"):
        MetricLearningMDS(target="labels").fit(blobs[1])
    with pytest.raises(ValueError, match="59 entries for 60 objects"):
        MetricLearningMDS(target="labels").fit(blobs[1], np.arange(59) % 2)


def test_too_few_steps_are_said_to_be(relation):
    with pytest.warns(ConvergenceWarning, match="Stopped at max_iter"):
        assert MetricLearningMDS(max_iter=2).fit(relation).status_ is SearchStatus.MAX_ITER


def test_a_callback_may_stop_learning(rng, relation):
    V, labels = features(rng), np.arange(15) % 3
    for learnt in (
        match_relation(V, relation**2, 1e-12, 500, lambda gap: True),
        separate_classes(V, labels, 1e-12, 500, lambda gap: True),
    ):
        assert learnt.n_iter == 1
        assert learnt.status is SearchStatus.STOPPED


def test_the_nearest_metric_of_trace_one_is_found(rng):
    A = rng.standard_normal((4, 4))
    A = A + A.T
    M = cp.Variable((4, 4), PSD=True)
    cp.Problem(cp.Minimize(cp.sum_squares(M - A)), [cp.trace(M) == 1]).solve(solver=cp.CLARABEL)
    assert_allclose(onto_trace_one(A), M.value, atol=1e-5)


def test_of_objects_that_are_all_equal_labels_teach_nothing():
    mds = MetricLearningMDS(target="labels").fit(np.zeros((6, 6)), [0, 1] * 3)
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
