"""Spectrum, vector dual, exponent and duplicates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA

from relrbf.relations import DenseRelation, VectorRelation
from relrbf.relations.properties import describe, duplicates_and_means, spectrum


def find_duplicates(relation):
    return duplicates_and_means(relation, np.zeros(relation.n_objects))[0]


def report_on(D):
    return describe(DenseRelation(D), np.arange(len(D)), np.arange(len(D)))


def test_the_spectrum_of_vectors_is_that_of_their_principal_components(rng):
    X = rng.standard_normal((30, 4))
    pca = PCA().fit(X)
    assert_allclose(spectrum(cdist(X, X) ** 2)[-4:], 29 * pca.explained_variance_[::-1])


def test_k23_is_a_metric_without_a_vector_dual(k23):
    report = report_on(k23)
    assert_allclose(report.smallest_eigenvalue[1], -0.2)  # theory 5.3
    assert_allclose(report.smallest_eigenvalue[2], -1.6)
    assert report.has_vector_dual == {2: False, 1: False}
    assert "no vectors have these distances" in str(report)


def test_distances_of_vectors_have_a_dual_under_both_exponents(blobs):
    _, D, _ = blobs
    report = report_on(D)
    assert report.has_vector_dual == {2: True, 1: True}
    assert report.suggested_exponent == 2
    assert "exact vector equivalent" in str(report)


def test_squared_distances_suggest_exponent_1(blobs):
    _, D, _ = blobs
    assert report_on(D**2).suggested_exponent == 1


@pytest.mark.parametrize(
    ("name", "as_squared", "as_distances"),
    [("HG-194", 0.1358, 0.1889), ("yeast-200", 0.4257, 0.4518), ("protein-213", 0, 0.0007346)],
)
def test_shared_relations_have_the_published_negative_part(
    shared_data, name, as_squared, as_distances
):
    R = np.load(shared_data / name / f"{name}.npz")["R"]
    fractions = report_on(R).negative_eigenfraction
    assert_allclose([fractions[1], fractions[2]], [as_squared, as_distances], rtol=1e-3, atol=1e-9)


def test_hg194_has_thirty_distinct_objects(shared_data):
    R = np.load(shared_data / "HG-194" / "HG-194.npz")["R"]
    first_equal = find_duplicates(DenseRelation(R))
    assert len(np.unique(first_equal)) == 30
    assert (R[np.arange(194), first_equal] == 0).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([np.float32, np.float64]), st.floats(-6, 6))
def test_duplicates_are_the_objects_that_are_equal_and_no_others(seed, dtype, log_scale):
    rng = np.random.default_rng(seed)
    copies = rng.integers(0, 12, 40)
    X = (10**log_scale * rng.standard_normal((12, 3))[copies]).astype(dtype)
    first = np.array([np.flatnonzero(copies == k)[0] for k in copies])
    D = cdist(X, X).astype(dtype)
    assert_array_equal(find_duplicates(DenseRelation(D)), first)
    assert_array_equal(find_duplicates(VectorRelation(X)), first)


def test_near_duplicates_are_not_duplicates(rng):
    X = rng.standard_normal((50, 3))
    X[1] = X[0] + 1e-7
    assert_array_equal(find_duplicates(DenseRelation(cdist(X, X))), np.arange(50))


def test_one_far_object_makes_no_duplicates_of_the_others(rng):
    X = rng.standard_normal((40, 3))
    for far, dtype in ((1e4, np.float32), (1e6, np.float32), (1e10, np.float64)):
        D = cdist(X, X)
        D[0, 1:] = D[1:, 0] = far
        assert_array_equal(find_duplicates(DenseRelation(D.astype(dtype))), np.arange(40))


def test_points_on_a_line_are_distinct_in_float32():
    X = np.linspace(0, 1, 2000, dtype=np.float32)[:, None]
    assert_array_equal(find_duplicates(VectorRelation(X)), np.arange(2000))


def test_objects_that_are_all_equal_are_one():
    assert_array_equal(find_duplicates(DenseRelation(np.zeros((5, 5)))), np.zeros(5))


def test_one_pass_gives_the_weighted_means_too(rng):
    X, w = rng.standard_normal((40, 3)), rng.random(40)
    D = cdist(X, X)
    assert_allclose(duplicates_and_means(DenseRelation(D), w)[1], w @ D**2)
