"""An estimator takes a relation on a cluster like any other, and learns the same network."""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.clustering import RelationalKMeans
from relrbf.model_selection import train_test_split
from relrbf.relations import DaskRelation, DenseRelation


@pytest.fixture
def relation(blobs, client, monkeypatch):
    monkeypatch.setattr("relrbf.relations.dask.MAX_LOCAL_BYTES", 0)
    return DaskRelation(blobs[1], client=client, side=16)


@pytest.mark.parametrize(
    ("n_support", "solver"),
    [(None, "auto"), (20, "auto"), (None, "gradient-descent"), ("auto", "auto")],
)
def test_the_network_is_the_same(blobs, relation, n_support, solver):
    _, D, y = blobs
    model = RBFNetworkClassifier(n_support=n_support, solver=solver, random_state=0, max_iter=20)
    there, here = clone(model).fit(relation, y), clone(model).fit(DenseRelation(D), y)
    assert_array_equal(there.support_, here.support_)
    assert_allclose(there.bandwidths_, here.bandwidths_, rtol=1e-8)
    assert_allclose(there.weights_, here.weights_, rtol=1e-6, atol=1e-8)
    assert_allclose(there.decision_function(D), here.decision_function(D), rtol=1e-8, atol=1e-8)


def test_positions_in_the_relation_will_do(blobs, relation):
    _, D, y = blobs
    some = np.arange(0, 60, 2)[:, None]
    model = RBFNetworkRegressor(metric=relation, n_support=10, random_state=0).fit(some, y[::2])
    here = RBFNetworkRegressor(metric=DenseRelation(D), n_support=10, random_state=0)
    predicted = here.fit(some, y[::2]).predict(some + 1)
    assert_allclose(model.predict(some + 1), predicted, rtol=1e-8)
    assert clone(model).metric is relation


def test_splits_and_folds_cut_it(blobs, relation):
    _, D, y = blobs
    D_train, D_test, y_train, y_test = train_test_split(relation, y, random_state=0)
    model = RBFNetworkClassifier(random_state=0, max_iter=5).fit(D_train, y_train)
    assert isinstance(D_train, DaskRelation)
    assert model.score(D_test, y_test) > 0.5
    model = RBFNetworkClassifier(n_prototypes=3, random_state=0, max_iter=5)
    there, here = (cross_val_score(model, each, y, cv=2) for each in (relation, D))
    assert_allclose(there, here)
    with parallel_config("threading"):
        assert_allclose(cross_val_score(model, relation, y, cv=2, n_jobs=2), here)


def test_clusters_are_the_same(blobs, relation):
    _, D, _ = blobs
    there, here = (RelationalKMeans(3, random_state=0).fit(each) for each in (relation, D))
    assert_array_equal(there.labels_, here.labels_)
    assert_allclose(there.inertia_, here.inertia_)


def test_float32_is_learnt_from_as_here(blobs, client):
    X, _, y = blobs
    D = cdist(X, X).astype(np.float32)
    model = RBFNetworkClassifier(n_support=None, random_state=0, max_iter=10)
    there = clone(model).fit(DaskRelation(D, client=client, side=16), y)
    here = clone(model).fit(DenseRelation(D), y)
    assert_allclose(there.predict_proba(D), here.predict_proba(D), atol=1e-3)
