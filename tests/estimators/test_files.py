"""Estimators on a matrix in a file find what they find on the array, and copy none of it."""

import tracemalloc
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation, inspect_relation
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import LandmarkMDS
from relrbf.exceptions import RelationError, RelationWarning
from relrbf.model_selection import train_test_split
from relrbf.tendency import ivat, vat

KINDS = ["memmap", "zarr", "npy path", "integers"]
VECTORS = np.random.default_rng(0).standard_normal((150, 4)) + 3 * np.eye(4)[np.arange(150) % 3]
MATRIX = np.round(20 * cdist(VECTORS, VECTORS))


@pytest.fixture
def X():
    return VECTORS.copy()


@pytest.fixture
def D():
    return MATRIX.copy()


@cache
def in_memory(find, *options):
    """Return what is found on the array, with which every file is compared."""
    return find(MATRIX, *options)


@pytest.fixture(params=KINDS)
def filed(request, D, tmp_path):
    np.save(tmp_path / "D.npy", D.astype(np.uint8) if request.param == "integers" else D)
    if request.param == "zarr":
        zarr = pytest.importorskip("zarr")
        return zarr.create_array(store=str(tmp_path / "D.zarr"), data=D, chunks=(64, 64))
    path = tmp_path / "D.npy"
    return as_relation(path) if "path" in request.param else np.load(path, mmap_mode="r")


Y = np.arange(150) % 3
ESTIMATORS = [
    RBFNetworkClassifier(random_state=0, max_iter=20),
    RBFNetworkClassifier(4, solver="gradient-descent", max_iter=20, random_state=0),
    RBFNetworkClassifier(4, n_support=30, max_iter=20, random_state=0),
    RBFNetworkClassifier(4, space="medoid", max_iter=20, random_state=0),
    RBFNetworkRegressor(4, max_iter=20, random_state=0),
]


def fit_network(given, estimator):
    return clone(estimator).fit(given, Y)


def fit_clusters(given, kind):
    return kind(3, random_state=0).fit(given)


def embed(given, landmarks):
    mds = LandmarkMDS(2, n_landmarks=20, landmarks=landmarks, random_state=0)
    return mds.fit_transform(given)


def inspect(given, max_exact):
    return str(inspect_relation(given, Y, max_exact=max_exact, random_state=0))


FEW = RBFNetworkClassifier(4, alpha=0.1, max_iter=20, random_state=0)


def scores(given):
    return cross_val_score(FEW, given, Y, cv=3)


def predict_split(given):
    D_train, D_test, y_train, _ = train_test_split(given, Y, random_state=0)
    return clone(FEW).fit(D_train, y_train).predict_proba(D_test)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
class TestTheSameAsInMemory:
    @pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
    def test_a_network(self, estimator, D, filed):
        expected, found = in_memory(fit_network, estimator), fit_network(filed, estimator)
        assert_allclose(found.weights_, expected.weights_, rtol=1e-8)
        assert_allclose(found.transform(filed), expected.transform(D), atol=1e-8)
        assert_allclose(found.predict(D[:9]), expected.predict(filed)[:9], rtol=1e-8)

    @pytest.mark.parametrize("kind", [RelationalKMeans, RelationalFuzzyCMeans])
    def test_clusters(self, kind, D, filed):
        expected, found = in_memory(fit_clusters, kind), fit_clusters(filed, kind)
        assert_array_equal(found.labels_, expected.labels_)
        assert_allclose(found.inertia_, expected.inertia_, rtol=1e-8)
        assert_array_equal(found.predict(filed), expected.predict(D))

    @pytest.mark.parametrize("landmarks", ["maxmin", "random"])
    def test_an_embedding(self, landmarks, filed):
        assert_allclose(embed(filed, landmarks), in_memory(embed, landmarks), atol=1e-8)

    @pytest.mark.parametrize("max_exact", [50, 200])
    def test_an_inspection(self, filed, max_exact):
        assert inspect(filed, max_exact) == in_memory(inspect, max_exact)

    @pytest.mark.parametrize("assess", [vat, ivat])
    def test_the_images_of_a_sample(self, assess, D, filed):
        expected, found = (assess(given, n_sample=40, random_state=0) for given in (D, filed))
        assert_array_equal(found.order, expected.order)
        assert_array_equal(found.image, expected.image)

    @pytest.mark.parametrize("copied", [0, 2**27])
    def test_cross_validation(self, filed, copied, monkeypatch):
        monkeypatch.setattr("relrbf.relations.on_disk.MAX_COPY_BYTES", copied)
        relation, expected = as_relation(filed), in_memory(scores)
        assert_allclose(scores(relation), expected)
        positions = np.arange(150)[:, None]
        by_position = clone(FEW).set_params(metric=relation)
        assert_allclose(cross_val_score(by_position, positions, Y, cv=3), expected)

    @pytest.mark.parametrize("copied", [0, 2**27])
    def test_a_split(self, filed, copied, monkeypatch):
        monkeypatch.setattr("relrbf.relations.on_disk.MAX_COPY_BYTES", copied)
        assert_allclose(predict_split(filed), in_memory(predict_split), atol=1e-8)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.RelationWarning")
def test_similarities_in_a_file_also_of_new_objects(X, tmp_path):
    K = np.exp(-(cdist(X, X) ** 2) / 20)
    np.save(tmp_path / "K.npy", K)
    filed = np.load(tmp_path / "K.npy", mmap_mode="r")
    model = RBFNetworkClassifier(4, max_iter=20, random_state=0)
    expected, found = clone(model).fit(K, Y), clone(model).fit(filed, Y)
    assert_allclose(found.predict_proba(filed), expected.predict_proba(K), atol=1e-8)


def test_asymmetric_dissimilarities_in_a_file(D, tmp_path):
    skewed = D + np.triu(D) / 10
    np.save(tmp_path / "D.npy", skewed)
    with pytest.warns(RelationWarning):
        relations = [as_relation(given, symmetrize="max") for given in (skewed, tmp_path / "D.npy")]
    model = RBFNetworkClassifier(4, max_iter=20, random_state=0)
    expected, found = (clone(model).fit(relation, Y) for relation in relations)
    assert_allclose(found.weights_, expected.weights_, rtol=1e-8)


def test_a_path_goes_through_as_relation(tmp_path):
    for fit in (RBFNetworkClassifier().fit, RelationalKMeans().fit):
        with pytest.raises(RelationError, match=r"a path; .*relrbf.as_relation\(path\)"):
            fit(str(tmp_path / "D.npy"), Y)


def test_new_objects_with_a_missing_or_negative_entry(D, tmp_path):
    model = RBFNetworkClassifier(4, max_iter=5, random_state=0).fit(D, Y)
    for value, message in ((np.nan, "NaN"), (-1, "Negative")):
        new = D[:5].copy()
        new[2, model.support_[1]] = value
        np.save(tmp_path / "new.npy", new)
        with pytest.raises(RelationError, match=message):
            model.predict(np.load(tmp_path / "new.npy", mmap_mode="r"))


N = 3000
LARGE = {
    "support": lambda D, y: RBFNetworkClassifier(
        3, n_support=100, max_iter=5, tol=0, random_state=0
    ).fit(D, y),
    "all": lambda D, y: RBFNetworkClassifier(
        3, n_support=None, max_iter=2, tol=0, random_state=0
    ).fit(D, y),
    "k-means": lambda D, y: RelationalKMeans(3, random_state=0).fit(D),
    "fuzzy": lambda D, y: RelationalFuzzyCMeans(3, max_iter=3, tol=0, random_state=0).fit(D),
    "landmarks": lambda D, y: LandmarkMDS(2, n_landmarks=50, random_state=0).fit(D),
    "predict": lambda D, y: RelationalKMeans(2, max_iter=1, random_state=0).fit(D).predict(D[:9]),
}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    X = rng.standard_normal((N, 5)) + 3 * y[:, None]
    path = tmp_path_factory.mktemp("large") / "D.npy"
    np.save(path, cdist(X, X).astype(np.float32))
    return np.load(path, mmap_mode="r"), y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("use", LARGE.values(), ids=LARGE)
def test_nothing_takes_a_quarter_of_what_the_matrix_would(use, large, monkeypatch):
    D, y = large
    for module in ("on_disk.MAX_COPY_BYTES", "views.READ_BYTES"):
        monkeypatch.setattr(f"relrbf.relations.{module}", D.nbytes // 16)
    tracemalloc.start()
    use(D, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < D.nbytes / 4
