"""k-means and fuzzy c-means as users meet them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.exceptions import NotEuclideanWarning, OptionError, RelationError

CLUSTERERS = [RelationalKMeans, RelationalFuzzyCMeans]
BOTH = pytest.mark.parametrize("estimator", CLUSTERERS)
STARTS = pytest.mark.parametrize("init", ["k-means++", "random-partition"])


def test_from_the_same_partition_it_is_scikit_learns_k_means(rng):
    X, X_new = rng.standard_normal((100, 4)), rng.standard_normal((50, 4))
    first = np.arange(100) % 5
    centers = np.array([X[first == j].mean(axis=0) for j in range(5)])
    reference = KMeans(5, init=centers, n_init=1, tol=0).fit(X)
    model = RelationalKMeans(5, init=first).fit(cdist(X, X))
    assert_array_equal(model.labels_, reference.labels_)
    assert_array_equal(model.predict(cdist(X_new, X)), reference.predict(X_new))
    assert_allclose(model.inertia_, reference.inertia_)
    assert_allclose(np.sqrt(model.distances_sq(cdist(X_new, X))), reference.transform(X_new))
    assert_allclose(model.prototypes_.coefficients @ X, reference.cluster_centers_)
    assert model.n_iter_ == reference.n_iter_
    assert model.exponent_ == 2


def test_weights_count_as_in_scikit_learns_k_means(rng):
    X, weights = rng.standard_normal((80, 3)), rng.random(80)
    first = np.arange(80) % 4
    centers = np.array(
        [np.average(X[first == j], axis=0, weights=weights[first == j]) for j in range(4)]
    )
    reference = KMeans(4, init=centers, n_init=1, tol=0).fit(X, sample_weight=weights)
    model = RelationalKMeans(4, init=first).fit(cdist(X, X), sample_weight=weights)
    assert_array_equal(model.labels_, reference.labels_)
    assert_allclose(model.inertia_, reference.inertia_)


@BOTH
@STARTS
def test_training_objects_are_predicted_where_they_are(blobs, estimator, init):
    _, D, _ = blobs
    model = estimator(4, init=init, random_state=0).fit(D)
    assert_array_equal(model.predict(D), model.labels_)
    assert_array_equal(model.fit_predict(D), model.labels_)
    assert_allclose(model.distances_sq(D).T, model.prototypes_.distances_sq, atol=1e-9)
    assert_array_equal(model.support_, np.arange(60))


def test_memberships_of_new_objects_are_those_of_vectors(rng):
    X, X_new = rng.standard_normal((60, 3)), rng.standard_normal((20, 3))
    model = RelationalFuzzyCMeans(3, fuzzifier=1.5, random_state=0).fit(cdist(X, X))
    centers = model.prototypes_.coefficients @ X
    d = cdist(X_new, centers, "sqeuclidean")
    expected = d**-2 / (d**-2).sum(axis=1, keepdims=True)
    assert_allclose(model.predict_memberships(cdist(X_new, X)), expected, atol=1e-9)
    assert_array_equal(model.predict(cdist(X_new, X)), expected.argmax(axis=1))
    assert_allclose(model.predict_memberships(cdist(X, X)), model.memberships_, atol=1e-9)
    assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))
    objective = (model.memberships_**1.5 * cdist(X, centers, "sqeuclidean")).sum()
    assert_allclose(model.inertia_, objective)
    assert model.beta_ == 0


def test_memberships_may_be_given(rng):
    X = rng.standard_normal((40, 2))
    U = rng.dirichlet(np.ones(3), 40)
    model = RelationalFuzzyCMeans(3, init=U, max_iter=1).fit(cdist(X, X))
    powers = U**2
    centers = powers.T @ X / powers.sum(axis=0)[:, None]
    assert_allclose(model.prototypes_.coefficients @ X, centers)


def test_labels_may_begin_a_fuzzy_clustering(blobs):
    X, D, y = blobs
    model = RelationalFuzzyCMeans(3, init=y, max_iter=1).fit(D)
    means = [X[y == k].mean(axis=0) for k in range(3)]
    assert_allclose(model.prototypes_.coefficients @ X, means)


@BOTH
def test_more_runs_are_never_worse_and_the_first_is_the_same(blobs, estimator):
    _, D, _ = blobs
    inertias = [
        estimator(6, init="random-partition", n_init=n, random_state=3).fit(D).inertia_
        for n in (1, 4, 10)
    ]
    assert inertias == sorted(inertias, reverse=True)
    auto = estimator(6, init="random-partition", random_state=3).fit(D)
    assert auto.inertia_ == inertias[-1]


@pytest.mark.parametrize("seed", range(5))
def test_of_equally_good_runs_the_first_is_kept(rng, seed):
    X = np.concatenate([rng.standard_normal((20, 3)) + 20 * shift for shift in range(3)])
    options = {"init": "random-partition", "random_state": seed}
    runs = [RelationalKMeans(3, n_init=n, **options).fit(cdist(X, X)) for n in range(1, 9)]
    inertias = np.array([run.inertia_ for run in runs])
    first = int(np.argmax(inertias < 1.001 * inertias.min()))
    assert_array_equal(runs[-1].labels_, runs[first].labels_)


@BOTH
def test_the_order_of_the_objects_does_not_matter(blobs, rng, estimator):
    _, D, _ = blobs
    order = rng.permutation(60)
    labels = estimator(4, random_state=0).fit(D).labels_
    shuffled = estimator(4, random_state=0).fit(D[np.ix_(order, order)]).labels_
    assert_array_equal(shuffled, labels[order])


@BOTH
def test_integer_weights_are_copies_and_every_copy_has_its_label(blobs, rng, estimator):
    _, D, _ = blobs
    copies = rng.integers(1, 4, 60)
    of = np.repeat(np.arange(60), copies)
    weighted = estimator(4, random_state=0).fit(D, sample_weight=copies)
    repeated = estimator(4, random_state=0).fit(D[np.ix_(of, of)])
    assert_array_equal(weighted.labels_[of], repeated.labels_)
    assert_allclose(weighted.inertia_, repeated.inertia_)


@BOTH
def test_an_object_of_weight_zero_is_assigned_and_not_needed(blobs, estimator):
    _, D, _ = blobs
    weights = np.ones(60)
    weights[:5] = 0
    model = estimator(3, random_state=0).fit(D, sample_weight=weights)
    assert_array_equal(model.support_, np.arange(5, 60))
    assert_array_equal(model.predict(D)[:5], model.labels_[:5])


@BOTH
def test_float32_stays_float32(blobs, estimator):
    _, D, _ = blobs
    model = estimator(3, random_state=0).fit(D.astype(np.float32))
    assert model.prototypes_.coefficients.dtype == np.float32
    assert model.distances_sq(D.astype(np.float32)).dtype == np.float32


@BOTH
def test_ids_are_kept(blobs, estimator):
    _, D, _ = blobs
    names = [f"object {i}" for i in range(60)]
    frame = pd.DataFrame(D, index=names, columns=names)
    model = estimator(3, random_state=0).fit(frame)
    assert set(model.prototypes_.nearest(2).ravel()) <= set(names)
    with pytest.raises(ValueError, match="order"):
        model.predict(frame[names[::-1]])


@BOTH
@pytest.mark.parametrize("exponent", [1, 2])
@pytest.mark.parametrize(
    ("name", "n_clusters", "agreement"), [("yeast-200", 2, 0.6), ("protein-213", 4, 0.75)]
)
def test_real_relations_give_the_known_groups(
    shared_data, estimator, name, n_clusters, agreement, exponent, recwarn
):
    data = np.load(shared_data / name / f"{name}.npz")
    options = {} if estimator is RelationalKMeans else {"fuzzifier": 1.2}
    model = estimator(n_clusters, exponent=exponent, n_init=5, random_state=0, **options)
    model.fit(data["R"])
    assert adjusted_rand_score(model.labels_, data["y"]) > agreement
    assert [w.category for w in recwarn] == [NotEuclideanWarning] * (name == "yeast-200")


def test_a_relation_without_vectors_is_spread(k23):
    with pytest.warns(NotEuclideanWarning, match="under the spread beta_") as caught:
        model = RelationalFuzzyCMeans(2, exponent=2, init=[0, 0, 1, 1, 1]).fit(k23)
    assert caught[0].filename == __file__
    assert model.beta_ > 0
    assert_array_equal(model.labels_, [0, 0, 1, 1, 1])
    u = model.predict_memberships([[0.1, 0.1, 0.1, 0.1, 0.1]])  # nearer to all than any object is
    assert u.min() >= 0
    assert_allclose(u.sum(), 1)
    assert (model.distances_sq([[0.1] * 5]) < 0).any()  # said as it is
    assert model.predict([[0.1] * 5])[0] == u.argmax()


def test_a_new_object_is_spread_as_an_object_of_its_own(k23):
    """A copy of an object is beta away from it: the same as one more row of S + beta."""
    with pytest.warns(NotEuclideanWarning):
        model = RelationalFuzzyCMeans(2, exponent=2, init=[0, 0, 1, 1, 1]).fit(k23)
    v, S = model.prototypes_.coefficients, k23**2
    raised = S + model.beta_ * (1 - np.eye(5))
    query = k23[:1] ** 2 + model.beta_
    expected = query @ v.T - np.einsum("ji,ik,jk->j", v, raised, v) / 2
    assert_allclose(model.distances_sq(k23[:1]), expected)


def test_a_warning_of_k_means_points_to_the_users_line(k23):
    with pytest.warns(NotEuclideanWarning, match="Clusters are found all the same") as caught:
        RelationalKMeans(2, exponent=2, random_state=0).fit(k23)
    assert caught[0].filename == __file__
    with pytest.warns(NotEuclideanWarning) as caught:
        RelationalKMeans(2, exponent=2, random_state=0).fit_predict(k23)
    assert caught[0].filename == __file__


def test_coincident_prototypes_are_said(rng):
    X = rng.standard_normal((60, 30))
    with pytest.warns(ConvergenceWarning, match="4 of the 5 prototypes coincide") as caught:
        RelationalFuzzyCMeans(5, random_state=0).fit(cdist(X, X))
    assert caught[0].filename == __file__


def test_empty_clusters_are_said():
    """The second cluster's mean is nearest to nothing after the one iteration allowed."""
    X = np.array([[-10.0], [10.0], [-1.0], [1.0], [9.0], [-9.0]])
    first = [1, 1, 0, 0, 2, 3]
    with pytest.warns(ConvergenceWarning, match="Some of the 4 clusters are empty") as caught:
        model = RelationalKMeans(4, init=first, max_iter=1).fit(cdist(X, X))
    assert caught[0].filename == __file__
    assert len(set(model.labels_)) == 3
    assert len(set(RelationalKMeans(4, init=first).fit(cdist(X, X)).labels_)) == 4


@pytest.mark.filterwarnings("ignore:No vectors have these dissimilarities")
def test_a_run_without_empty_clusters_is_preferred():
    """Far from vectors, some runs end with an empty cluster; of twenty, some do not."""
    rng = np.random.default_rng(0)
    R = np.triu(rng.random((10, 10)) * (rng.random((10, 10)) < 0.6), 1)
    R = R + R.T
    options = {"exponent": 1, "init": "random-partition", "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="clusters are empty"):
        RelationalKMeans(6, n_init=1, **options).fit(R)
    assert len(set(RelationalKMeans(6, n_init=20, **options).fit(R).labels_)) == 6


@BOTH
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters is 0; it must be an integer, at least 1"),
        ({"n_clusters": 2.5}, "n_clusters is 2.5"),
        ({"n_clusters": 61}, "n_clusters is 61, but only 60 objects are distinct"),
        ({"n_init": 0}, "n_init is 0; it must be an integer, at least 1"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"init": "k-means"}, r"init='k-means' does not exist.*k-means\+\+.*random-partition"),
        ({"init": None}, "init is None; it must be one of"),
        ({"init": [0, 1, 2]}, r"init is an array of shape \(3,\).*each of the 60 objects"),
        ({"init": np.arange(60) % 4}, "init holds the label 3; with n_clusters=3.*from 0 to 2"),
        ({"init": np.arange(60) % 3 - 1}, "init holds the label -1"),
        ({"init": np.arange(60) % 3 / 2}, "init holds the label 0.5"),
        ({"init": np.zeros(60)}, "init leaves cluster 1 without an object.*Lower n_clusters"),
        ({"metric": "nonsense"}, "metric='nonsense' does not exist"),
        ({"exponent": -3}, "exponent"),
        ({"metric_params": {"p": 3}}, "computes no metric"),
    ],
)
def test_options_that_cannot_be(blobs, estimator, options, message):
    _, D, _ = blobs
    with pytest.raises(OptionError, match=message):
        estimator(**{"n_clusters": 3, "random_state": 0, **options}).fit(D)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fuzzifier": 1}, "fuzzifier is 1; it must be larger.*RelationalKMeans"),
        ({"fuzzifier": 0.5}, "fuzzifier is 0.5"),
        ({"fuzzifier": np.inf}, "fuzzifier is inf"),
        ({"tol": -1}, "tol is -1"),
        ({"init": np.full((60, 2), 0.5)}, r"init has shape \(60, 2\); memberships need one row"),
        ({"init": np.full((50, 3), 1 / 3)}, r"init has shape \(50, 3\)"),
        ({"init": np.tile([1.5, -0.5, 0], (60, 1))}, "init holds the membership -0.5"),
        ({"init": np.full((60, 3), 0.3)}, "row 0 of init sums to 0.9.*Divide"),
        ({"init": np.tile([0.5, 0.5, 0], (60, 1))}, "init leaves cluster 2 without"),
    ],
)
def test_options_that_fuzzy_c_means_cannot_have(blobs, options, message):
    _, D, _ = blobs
    with pytest.raises(OptionError, match=message):
        RelationalFuzzyCMeans(**{"n_clusters": 3, **options}).fit(D)


@BOTH
def test_duplicates_and_objects_of_weight_zero_are_no_more_objects(blobs, estimator):
    _, D, _ = blobs
    of = [0, 0, 1, 1, 2, 3]
    with pytest.raises(OptionError, match="n_clusters is 4, but only 3 objects are distinct"):
        estimator(4).fit(D[np.ix_(of, of)], sample_weight=[1, 1, 1, 1, 1, 0])


@BOTH
def test_objects_that_no_clustering_tells_apart_are_not_distinct(estimator):
    X = np.array([[0.0], [1e-6], [1.0]])
    with pytest.raises(OptionError, match="n_clusters is 3, but only 2 objects are distinct"):
        estimator(3, random_state=0).fit(cdist(X, X))


@BOTH
def test_new_objects_need_a_column_for_each_training_object(blobs, estimator):
    _, D, _ = blobs
    with pytest.raises(NotFittedError):
        estimator(3).predict(D)
    with pytest.raises(RelationError, match=r"X has 50 features, but .* is expecting 60"):
        estimator(3, random_state=0).fit(D).predict(D[:, :50])


@BOTH
def test_a_fit_that_fails_leaves_the_model_as_it_was(blobs, estimator):
    _, D, _ = blobs
    model = estimator(3, random_state=0).fit(D)
    labels = model.labels_
    with pytest.raises(RelationError):
        model.fit(D[:, :7])
    assert model.labels_ is labels
    assert_array_equal(model.predict(D), labels)
