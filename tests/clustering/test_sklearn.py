"""scikit-learn's own checks of the clustering estimators, and its tools on a matrix."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone, is_clusterer
from sklearn.utils.estimator_checks import parametrize_with_checks

from relrbf import as_relation
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans

CLUSTERERS = [RelationalKMeans, RelationalFuzzyCMeans]
CHECKED = [
    estimator(3, metric=metric)  # the checks' smallest data have four distinct objects
    for estimator in CLUSTERERS
    for metric in ("precomputed", "euclidean")
]


def on_distances(estimator):
    """Return an estimator that takes feature vectors and gives their distances to its parent."""

    class OnDistances(type(estimator)):
        def fit(self, X, y=None):
            return super().fit(cdist(X, X))

        def fit_predict(self, X, y=None):
            return super().fit_predict(cdist(X, X))

    return OnDistances(**estimator.get_params())


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator, check):
    # check_clustering hands a 50 × 2 array to every clusterer, and check_nonsquare_error demands
    # that a pairwise one refuse it. It gets the distances instead.
    if estimator.metric == "precomputed" and check.func.__name__ == "check_clustering":
        estimator = on_distances(estimator)
    check(estimator)


BOTH = pytest.mark.parametrize("estimator", CLUSTERERS)


@BOTH
def test_they_are_clusterers(estimator):
    assert is_clusterer(estimator())


@BOTH
def test_a_pickled_model_predicts_the_same(blobs, estimator):
    _, D, _ = blobs
    model = estimator(3, random_state=0).fit(D)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.distances_sq(D), model.distances_sq(D))


@BOTH
def test_clones_share_the_relation_that_is_their_metric(blobs, estimator):
    _, D, _ = blobs
    relation = as_relation(D)
    assert clone(estimator(metric=relation)).metric is relation


@BOTH
def test_a_fitted_model_does_not_carry_the_matrix(rng, estimator):
    D = as_relation(rng.standard_normal((400, 3)), "euclidean").block()
    assert len(pickle.dumps(estimator(3, random_state=0).fit(D))) < D.nbytes / 10


@BOTH
def test_any_way_to_give_the_objects_gives_the_same_clusters(blobs, estimator):
    X, D, _ = blobs
    expected = estimator(3, random_state=0).fit(D)
    positions = np.arange(60)[:, None]
    for data, metric in [
        (as_relation(D), "precomputed"),
        (X, "euclidean"),
        (positions, as_relation(D)),
    ]:
        model = estimator(3, random_state=0, metric=metric).fit(data)
        assert_array_equal(model.labels_, expected.labels_)
        assert_array_equal(model.predict(data), expected.predict(D))
