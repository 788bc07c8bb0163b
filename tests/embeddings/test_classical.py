"""Classical scaling: principal components, scikit-learn's where that is finite, and the rest."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA
from sklearn.manifold import ClassicalMDS as SklearnMDS

from relrbf import as_relation
from relrbf.embeddings import ClassicalMDS, spectrum
from relrbf.exceptions import NotEuclideanWarning, OptionError, RelationError
from relrbf.relations import VectorRelation


@pytest.fixture
def cityblock(rng):
    X = rng.standard_normal((50, 6))
    return cdist(X, X, "cityblock")


def warped(rng, n=30):
    """Return DTW distances between short random walks."""
    walks = rng.standard_normal((n, 12)).cumsum(axis=1)
    return np.array([[dtw(a, b) for b in walks] for a in walks])


def dtw(a, b):
    costs = np.full((len(a) + 1, len(b) + 1), np.inf)
    costs[0, 0] = 0
    for i, x in enumerate(a, 1):
        for j, z in enumerate(b, 1):
            best = min(costs[i - 1, j], costs[i, j - 1], costs[i - 1, j - 1])
            costs[i, j] = (x - z) ** 2 + best
    return np.sqrt(costs[-1, -1])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(3, 60), st.floats(-4, 4))
def test_of_vectors_it_gives_the_principal_components(seed, d, n, log_scale):
    X = 10**log_scale * np.random.default_rng(seed).standard_normal((n, d))
    expected = PCA().fit_transform(X)[:, : min(d, n - 1)]
    mds = ClassicalMDS().fit(cdist(X, X))
    signs = np.sign((mds.embedding_ * expected).sum(axis=0))
    assert mds.embedding_.shape == expected.shape
    assert_allclose(signs * mds.embedding_, expected, atol=1e-6 * 10**log_scale)
    assert_allclose(mds.eigenvalues_, np.square(expected).sum(axis=0), rtol=1e-6)


def test_new_objects_of_vectors_get_their_principal_components(rng):
    X, Z = rng.standard_normal((40, 4)), rng.standard_normal((15, 4))
    mds, pca = ClassicalMDS().fit(cdist(X, X)), PCA().fit(X)
    signs = np.sign((mds.embedding_ * pca.transform(X)).sum(axis=0))
    assert_allclose(signs * mds.transform(cdist(Z, X)), pca.transform(Z), atol=1e-10)


def test_it_agrees_with_scikit_learns_where_that_is_finite(blobs, cityblock):
    for D in (blobs[1], cityblock):
        other = SklearnMDS(5, metric="precomputed").fit(D)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotEuclideanWarning)
            mds = ClassicalMDS(5).fit(D)
        assert_allclose(mds.embedding_, other.embedding_, atol=1e-9)
        assert_allclose(mds.eigenvalues_, other.eigenvalues_)


def test_it_is_finite_where_scikit_learns_is_not(rng, cityblock):
    for D in (cityblock, warped(rng)):
        with pytest.warns(RuntimeWarning, match="invalid value"):
            other = SklearnMDS(len(D), metric="precomputed").fit_transform(D)
        assert np.isnan(other).any()
        with pytest.warns(NotEuclideanWarning, match="it is left out"):
            mds = ClassicalMDS().fit(D)
        assert np.isfinite(mds.embedding_).all()
        assert (mds.eigenvalues_ > 0).all()
        assert_allclose(mds.transform(D), mds.embedding_, atol=1e-8)


def test_flipping_counts_negative_eigenvalues_as_positive(cityblock):
    with pytest.warns(NotEuclideanWarning, match="counted as positive"):
        mds = ClassicalMDS(negative="flip").fit(cityblock)
    assert (mds.eigenvalues_ < 0).any()
    assert_allclose(np.square(mds.embedding_).sum(axis=0), np.abs(mds.eigenvalues_))
    assert (np.diff(np.abs(mds.eigenvalues_)) <= 0).all()
    positive = mds.eigenvalues_ > 0
    signed = (mds.embedding_ * np.where(positive, 1, -1)) @ mds.embedding_.T
    own = np.diagonal(signed)
    assert_allclose(own[:, None] + own - 2 * signed, cityblock**2, atol=1e-9)
    assert_allclose(mds.transform(cityblock), mds.embedding_, atol=1e-8)


def test_a_negative_part_can_be_refused(cityblock, blobs):
    with pytest.raises(RelationError, match="negative='refuse'"):
        ClassicalMDS(negative="refuse").fit(cityblock)
    assert ClassicalMDS(negative="refuse").fit(blobs[1]).embedding_.shape == (60, 5)


def test_the_negative_part_is_that_of_the_report(shared_data):
    R = np.load(shared_data / "HG-194" / "HG-194.npz")["R"]
    for exponent, expected in ((1, 0.1358), (2, 0.1889)):
        with pytest.warns(NotEuclideanWarning, match=f"with exponent {exponent}"):
            mds = ClassicalMDS(exponent=exponent).fit(R)
        assert_allclose(mds.negative_eigenfraction_, expected, atol=5e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_few_components_of_a_large_relation_are_those_of_the_whole(rng, monkeypatch, dtype):
    X = (rng.standard_normal((200, 6)) * [6, 5, 4, 3, 2, 1]).astype(dtype)
    D = cdist(X, X).astype(dtype)
    whole = ClassicalMDS(3).fit(D)
    monkeypatch.setattr(spectrum, "MAX_FULL_DECOMPOSITION", 100)
    for relation in (as_relation(D), VectorRelation(X)):
        few = ClassicalMDS(3).fit(relation)
        tolerance = 1e-8 if dtype == np.float64 else 1e-2
        assert_allclose(few.embedding_, whole.embedding_, atol=tolerance)
        assert_allclose(few.transform(D), whole.embedding_, atol=tolerance)
        assert_allclose(few.eigenvalues_, whole.eigenvalues_, rtol=1e-4)


def test_a_few_components_warn_of_the_negative_part_they_do_not_show(rng, monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_FULL_DECOMPOSITION", 100)
    X = rng.standard_normal((150, 6))
    with pytest.warns(NotEuclideanWarning):
        mds = ClassicalMDS(2).fit(cdist(X, X, "cityblock"))
    assert mds.negative_eigenfraction_ > 0.01


def test_the_largest_components_are_meant_not_the_largest_in_size(rng, monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_FULL_DECOMPOSITION", 100)
    above, below = rng.standard_normal((150, 2)), 5 * rng.standard_normal((150, 1))
    S = cdist(above, above) ** 2 - cdist(below, below) ** 2
    S -= np.where(np.eye(150), 0, S.min())  # a constant, which lowers nothing but the rest
    with pytest.warns(NotEuclideanWarning):
        few = ClassicalMDS(1, exponent=1).fit(S)
    monkeypatch.undo()
    with pytest.warns(NotEuclideanWarning):
        assert_allclose(few.eigenvalues_, ClassicalMDS(1, exponent=1).fit(S).eigenvalues_)


def test_many_equal_objects_lie_at_one_place(monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_FULL_DECOMPOSITION", 100)
    with pytest.warns(UserWarning, match="0 dimensions"):
        assert_allclose(ClassicalMDS(1).fit_transform(np.zeros((150, 150))), np.zeros((150, 1)))


def test_the_order_of_the_objects_does_not_matter(cityblock, rng):
    order = rng.permutation(50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = ClassicalMDS(4).fit_transform(cityblock)
        other = ClassicalMDS(4).fit_transform(cityblock[np.ix_(order, order)])
    assert_allclose(other, first[order], atol=1e-9)


def test_a_direction_that_is_thin_but_no_rounding_error_is_kept(rng):
    X = rng.standard_normal((50, 2)) * [1, 5e-7]
    mds = ClassicalMDS(exponent=1).fit(cdist(X, X, "sqeuclidean"))
    assert mds.embedding_.shape == (50, 2)


@pytest.mark.parametrize("n_components", [5, 10**20])
def test_more_coordinates_than_objects_are_refused(n_components):
    with pytest.raises(OptionError, match=r"n_components is \d+, and X has 4 objects"):
        ClassicalMDS(n_components).fit(1 - np.eye(4))
