"""scikit-learn's own checks of the embeddings, and its tools on a matrix."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from relrbf import as_relation
from relrbf.embeddings import (
    ClassicalMDS,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.relations import DenseRelation, VectorRelation

EMBEDDINGS = [ClassicalMDS, ProximalMDS, LandmarkMDS, NearestEuclideanMDS, MetricLearningMDS]
CHECKED = [made(metric=metric) for made in EMBEDDINGS for metric in ("precomputed", "l2")]


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


ALL = pytest.mark.parametrize("embedding", EMBEDDINGS)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@ALL
def test_training_objects_are_transformed_to_their_embedding(rng, embedding):
    D = np.triu(rng.random((40, 40)), 1)
    D += D.T
    mds = embedding().fit(D)
    assert_allclose(mds.transform(D), mds.embedding_, atol=1e-8)
    assert_allclose(mds.transform(D[5:9]), mds.embedding_[5:9], atol=1e-8)


@ALL
def test_new_objects_of_vectors_are_placed_at_their_distances(blobs, embedding):
    _, D, _ = blobs
    few = embedding().fit(D[:40, :40])
    placed = few.transform(D[40:, :40])
    between = np.linalg.norm(placed[:, None] - few.embedding_, axis=2)
    if embedding is MetricLearningMDS:  # fits the training objects; its features leave some out
        assert np.corrcoef(between.ravel(), D[40:, :40].ravel())[0, 1] > 0.9
    else:
        assert_allclose(between, D[40:, :40], atol=1e-6)


@ALL
def test_an_embedding_stands_first_in_a_pipeline(blobs, embedding):
    _, D, y = blobs
    model = make_pipeline(embedding(), LogisticRegression())
    assert cross_val_score(model, D, y, cv=5).mean() > 0.7
    assert cross_val_score(model, as_relation(D), y, cv=5).mean() > 0.7


@ALL
def test_a_pickled_embedding_places_objects_the_same(blobs, embedding):
    _, D, _ = blobs
    mds = embedding(2).fit(D[:50, :50])
    again = pickle.loads(pickle.dumps(mds))
    assert_array_equal(again.transform(D[:, :50]), mds.transform(D[:, :50]))


@ALL
def test_any_way_to_give_the_objects_gives_the_same_embedding(blobs, embedding):
    X, D, _ = blobs
    expected = embedding(3).fit(D)
    positions = np.arange(60)[:, None]
    for data, metric in [
        (as_relation(D), "precomputed"),
        (X, "euclidean"),
        (positions, as_relation(D)),
    ]:
        mds = embedding(3, metric=metric).fit(data)
        assert_allclose(mds.embedding_, expected.embedding_, atol=1e-6)
        assert_allclose(mds.transform(data), expected.embedding_, atol=1e-6)


@ALL
def test_frames_give_ids_and_get_named_columns(blobs, embedding):
    import pandas as pd

    _, D, _ = blobs
    names = [f"g{i}" for i in range(60)]
    frame = pd.DataFrame(D, names, names)
    mds = embedding(2).set_output(transform="pandas").fit(frame)
    placed = mds.transform(frame.iloc[:5])
    assert list(placed.columns) == [f"{embedding.__name__.lower()}{i}" for i in (0, 1)]
    assert_allclose(placed, mds.embedding_[:5], atol=1e-8)
    with pytest.raises(ValueError, match=r"feature names|in another order"):
        mds.transform(frame.iloc[:5, ::-1])


@ALL
def test_float32_stays_float32(blobs, embedding):
    _, D, _ = blobs
    mds = embedding(3).fit(D.astype(np.float32))
    assert mds.embedding_.dtype == mds.transform(D.astype(np.float32)).dtype == np.float32
    assert_allclose(np.abs(mds.embedding_), np.abs(embedding(3).fit(D).embedding_), atol=1e-3)


@ALL
def test_the_exponent_says_what_is_squared(blobs, embedding):
    _, D, _ = blobs
    expected = embedding(3).fit(D).embedding_
    for given in (embedding(3, exponent=1), embedding(3, exponent="auto")):
        assert_allclose(given.fit_transform(D**2), expected, atol=1e-6)
    assert_allclose(embedding(3).fit_transform(as_relation(D**2, exponent=1)), expected, atol=1e-6)


@ALL
def test_objects_that_are_all_equal_lie_at_one_place(embedding):
    assert_array_equal(embedding().fit_transform(np.zeros((4, 4))), np.zeros((4, 1)))


@ALL
def test_dimensions_that_do_not_exist_are_zero_and_said_to_be(embedding):
    line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6)))
    with pytest.warns(UserWarning, match="have 1 dimensions to show"):
        mds = embedding(3).fit(line)
    assert mds.embedding_.shape == (6, 3)
    assert mds.eigenvalues_[0] > 0
    assert_array_equal(mds.eigenvalues_[1:], 0)
    assert_array_equal(mds.transform(line)[:, 1:], 0)


@ALL
@pytest.mark.parametrize(
    ("D", "message"),
    [
        (np.full((3, 3), np.nan), "9 NaN"),
        (np.ones((3, 4)), "one row and one column per object"),
        (np.arange(9.0).reshape(3, 3) + np.eye(3), "not symmetric|must be 0"),
        (np.array([[0, -1.0], [-1, 0]]), "cannot be negative"),
    ],
)
def test_what_is_no_relation_is_refused_with_a_reason(embedding, D, message):
    with pytest.raises(ValueError, match=message):
        embedding().fit(D)


@ALL
def test_new_objects_with_nan_are_refused(blobs, embedding):
    _, D, _ = blobs
    mds = embedding().fit(D)
    row = D[:1].copy()
    row[0, 3] = np.nan
    with pytest.raises(ValueError, match="1 NaN"):
        mds.transform(row)


@ALL
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components is 0; it must be an integer, at least 1"),
        ({"exponent": -3}, "exponent is -3"),
        ({"metric": "nonsense"}, "metric='nonsense' does not exist"),
    ],
)
def test_options_that_do_not_exist_are_refused(blobs, embedding, options, message):
    with pytest.raises(ValueError, match=message):
        embedding(**options).fit(blobs[1])


@pytest.mark.parametrize(
    ("mds", "message"),
    [
        (ClassicalMDS(negative="drop"), "negative='drop' does not exist"),
        (NearestEuclideanMDS(norm="l3"), "norm='l3' does not exist"),
        (NearestEuclideanMDS(tol=-1), "tol is -1"),
        (NearestEuclideanMDS(max_iter=0), "max_iter is 0"),
        (NearestEuclideanMDS(verbose="yes"), "verbose is 'yes'"),
        (LandmarkMDS(landmarks=["a", "b"]), "positions are whole numbers"),
        (LandmarkMDS(landmarks=[True] * 60), "numpy.flatnonzero"),
        (LandmarkMDS(landmarks=[1, 2], n_landmarks=2), "leave it at 'auto'"),
        (MetricLearningMDS(n_features=0), "n_features is 0"),
        (LandmarkMDS(n_landmarks=1), "n_landmarks is 1; it must be an integer, at least 2"),
        (LandmarkMDS(landmarks="maxmax"), "landmarks='maxmax' does not exist"),
        (LandmarkMDS(landmarks=[1]), "positions of at least two objects"),
        (LandmarkMDS(landmarks=[1, 60]), "holds the position 60"),
        (LandmarkMDS(landmarks=[1, 1]), "names an object twice"),
    ],
)
def test_options_of_one_embedding_are_validated(blobs, mds, message):
    with pytest.raises(ValueError, match=message):
        mds.fit(blobs[1])


def test_a_failed_fit_leaves_the_embedding_as_it_was(blobs):
    _, D, _ = blobs
    mds = ClassicalMDS(2).fit(D)
    with pytest.raises(ValueError, match="NaN"):
        mds.fit(np.full((3, 3), np.nan))
    assert mds.embedding_.shape == (60, 2)


@ALL
def test_what_is_returned_is_the_users_to_change(blobs, embedding):
    mds = embedding(2)
    returned = mds.fit_transform(blobs[1])
    kept = mds.embedding_.copy()
    returned[:] = 7
    assert_array_equal(mds.embedding_, kept)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@ALL
@pytest.mark.parametrize("scale", [1e-110, 1e-60, 1e60, 1e110])
def test_the_unit_of_the_dissimilarities_does_not_matter(rng, embedding, scale):
    D = np.triu(rng.random((20, 20)), 1)
    D += D.T
    expected = embedding().fit_transform(D)
    assert_allclose(embedding().fit_transform(scale * D) / scale, expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@ALL
def test_relations_that_were_never_validated_spread_no_nan(blobs, embedding):
    X, D, _ = blobs
    mds = embedding().fit(D)
    D, X = D.copy(), X.copy()
    D[:, 3] = D[3] = X[0] = np.nan
    for relation in (DenseRelation(D), VectorRelation(X)):
        with pytest.raises(ValueError, match="NaN"):
            embedding().fit(relation)
    with pytest.raises(ValueError, match="NaN"):
        mds.transform(DenseRelation(D)[:5])


@ALL
def test_one_object_is_too_few(blobs, embedding):
    with pytest.raises(ValueError, match="1 objects; at least two"):
        embedding().fit(as_relation(blobs[1])[np.ix_([0], [0])])


@ALL
def test_clones_share_the_relation_that_is_their_metric(blobs, embedding):
    relation = as_relation(blobs[1])
    assert clone(embedding(metric=relation)).metric is relation


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@ALL
def test_shared_relations_are_embedded_without_a_nan(shared_data, embedding):
    for name in ("HG-194", "yeast-200", "protein-213"):
        R = np.load(shared_data / name / f"{name}.npz")["R"]
        mds = embedding().fit(R)
        assert np.isfinite(mds.embedding_).all()
        assert np.isfinite(mds.transform(R[::7])).all()
