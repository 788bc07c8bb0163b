import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf import inspect_relation
from relrbf.exceptions import RelationError
from relrbf.measures import pearson_dissimilarities


def test_it_is_one_minus_numpys_correlation(rng):
    X, Y = rng.standard_normal((5, 8)) + 3, rng.standard_normal((4, 8))
    np.testing.assert_allclose(pearson_dissimilarities(X), 1 - np.corrcoef(X), atol=1e-14)
    np.testing.assert_allclose(pearson_dissimilarities(X, Y), cdist(X, Y, "correlation"))


def test_it_is_a_relation_with_a_vector_dual(rng):
    D = pearson_dissimilarities(rng.standard_normal((9, 4)))
    assert (D == D.T).all()
    assert (np.diag(D) == 0).all()
    assert D.min() >= 0
    assert inspect_relation(D).has_vector_dual[1]


def test_float32_stays_float32(rng):
    X = rng.standard_normal((5, 8)).astype(np.float32)
    assert pearson_dissimilarities(X).dtype == np.float32
    far = X / np.float32(100) + np.float32(3000)
    expected = pearson_dissimilarities(far.astype(float))
    np.testing.assert_allclose(pearson_dissimilarities(far), expected, rtol=3e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_constant_profile_has_no_correlation(rng, dtype):
    X = rng.standard_normal((3, 7)).astype(dtype)
    X[1] = 0.1
    with pytest.raises(RelationError, match=r"X\[1\] is constant"):
        pearson_dissimilarities(X)
    with pytest.raises(RelationError, match=r"Y\[1\] is constant"):
        pearson_dissimilarities(X[:1], X)


def test_missing_values_and_other_genes_are_refused():
    with pytest.raises(RelationError, match="1 NaN"):
        pearson_dissimilarities([[1.0, np.nan], [1.0, 2.0]])
    with pytest.raises(RelationError, match=r"X has 2 genes.* have 3"):
        pearson_dissimilarities([[1.0, 2.0]], [[1.0, 2.0, 4.0]])
