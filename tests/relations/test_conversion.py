"""as_relation: everything people call dissimilarities, and what they call so by mistake."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform

from relrbf import as_relation
from relrbf.exceptions import OptionError, RelationError, RelationWarning
from relrbf.relations import DenseRelation, VectorRelation


@pytest.fixture
def D(rng):
    X = rng.standard_normal((8, 3))
    return cdist(X, X)


class TestWhatIsTaken:
    def test_an_array_without_a_copy(self, D):
        assert as_relation(D).matrix is D

    def test_a_memmap_without_a_copy(self, D, tmp_path):
        np.save(tmp_path / "D.npy", D)
        mapped = np.load(tmp_path / "D.npy", mmap_mode="r")
        assert np.shares_memory(as_relation(mapped).matrix, mapped)

    def test_a_condensed_vector(self, rng):
        X = rng.standard_normal((8, 3))
        assert_allclose(as_relation(pdist(X)).block(), cdist(X, X))

    def test_a_frame_with_its_ids(self, D):
        names = list("abcdefgh")
        relation = as_relation(pd.DataFrame(D, index=names, columns=names))
        assert_array_equal(relation.ids, names)

    def test_a_frame_whose_columns_are_in_another_order_is_matched_by_name(self, D):
        names = list("abcdefgh")
        frame = pd.DataFrame(D, index=names, columns=names)[list("hgfedcba")]
        relation = as_relation(frame)
        assert_array_equal(relation.ids, names)
        assert_array_equal(relation.block(), D)

    def test_a_numbered_frame_has_no_ids(self, D):
        assert as_relation(pd.DataFrame(D)).ids is None

    def test_names_given_beside_the_matrix(self, D):
        assert as_relation(D, ids=list("abcdefgh")).ids[2] == "c"

    def test_vectors_and_the_euclidean_metric(self, rng):
        assert isinstance(as_relation(rng.standard_normal((8, 3)), "euclidean"), VectorRelation)

    @pytest.mark.parametrize("metric", ["cityblock", "cosine", lambda a, b: abs(a - b).max()])
    def test_vectors_and_any_metric_of_scikit_learn(self, rng, metric):
        X = rng.standard_normal((8, 3))
        name = metric if isinstance(metric, str) else "chebyshev"
        assert_allclose(as_relation(X, metric).block(), cdist(X, X, name), atol=1e-9)

    def test_metric_parameters(self, rng):
        X = rng.standard_normal((8, 3))
        relation = as_relation(X, "minkowski", metric_params={"p": 3})
        assert_allclose(relation.block(), cdist(X, X, "minkowski", p=3))

    def test_integers_become_float64(self):
        relation = as_relation(np.array([[0, 3], [3, 0]]))
        assert relation.dtype == np.float64

    def test_a_relation_again(self, D):
        relation = as_relation(D)
        assert as_relation(relation, exponent=1).matrix is D

    def test_asymmetry_within_rounding(self, D):
        D[0, 1] += 1e-12
        assert as_relation(D).matrix is D

    def test_a_frame_named_on_one_side_only(self, D):
        names = list("abcdefgh")
        assert_array_equal(as_relation(pd.DataFrame(D, index=names)).ids, names)
        assert_array_equal(as_relation(pd.DataFrame(D, columns=names)).ids, names)

    def test_a_frame_of_features_whose_columns_name_features(self, rng):
        X = rng.standard_normal((8, 3))
        assert as_relation(pd.DataFrame(X, columns=list("xyz")), "euclidean").ids is None
        named = pd.DataFrame(X, index=list("abcdefgh"), columns=list("xyz"))
        assert as_relation(named, "cityblock").ids[1] == "b"

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_rounding_errors_below_zero_are_left_alone(self, rng, dtype):
        X = rng.random((30, 5)).astype(dtype)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        D = 1 - X @ X.T
        assert D.min() < 0
        assert as_relation(D).matrix is D

    def test_seuclidean_and_l2(self, rng):
        X = rng.standard_normal((8, 3))
        assert_allclose(as_relation(X, "seuclidean").block(), squareform(pdist(X, "seuclidean")))
        assert isinstance(as_relation(X, "l2"), VectorRelation)


class TestPolicies:
    @pytest.mark.parametrize(("policy", "value"), [("mean", 2.5), ("min", 2.0), ("max", 3.0)])
    def test_a_matrix_is_symmetrized_as_named_with_a_warning(self, policy, value):
        D = np.array([[0.0, 2.0], [3.0, 0.0]])
        with pytest.warns(RelationWarning, match=r"changed \d of 4 entries, by at most"):
            relation = as_relation(D, symmetrize=policy)
        assert_array_equal(relation.block(), [[0, value], [value, 0]])
        assert_array_equal(D, [[0, 2], [3, 0]])

    def test_a_kernel_matrix_becomes_the_distances_it_measures(self, rng):
        X = rng.standard_normal((6, 2))
        K = np.exp(-(cdist(X, X) ** 2))
        with pytest.warns(RelationWarning, match="looks like similarities"):
            relation = as_relation(K)
        assert_allclose(relation.block() ** 2, 2 - 2 * K, atol=1e-12)

    def test_similarities_may_be_negative_and_are_symmetrized_first(self, rng):
        X = rng.standard_normal((6, 3))
        K = np.corrcoef(X)
        assert K.min() < 0
        K[0, 1] += 0.01
        with pytest.warns(RelationWarning) as caught:
            relation = as_relation(K, symmetrize="min")
        assert len(caught) == 2
        assert relation.self_similarity == pytest.approx(1)

    def test_a_kernel_matrix_is_refused_on_request(self, rng):
        X = rng.standard_normal((6, 2))
        with pytest.raises(RelationError, match=r"X looks like similarities.*1 - s"):
            as_relation(np.exp(-cdist(X, X)), similarities="refuse")


def spoiled(D, change):
    D = D.copy()
    change(D)
    return D


def put(i, j, value):
    def change(D):
        D[i, j] = value

    return change


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (put(1, 2, np.nan), r"1 NaN and 0 inf entries, the first at \(1, 2\)"),
            (put(1, 2, np.inf), r"0 NaN and 1 inf entries"),
            (put(1, 2, -1.0), "1 of them, the lowest -1"),
            (put(3, 3, 0.5), r"X\[3, 3\] is 0.5; an object's dissimilarity to itself"),
            (put(1, 2, 9.0), r"not symmetric: X\[1, 2\] is 9 and X\[2, 1\].*symmetrize='mean'"),
        ],
    )
    def test_a_spoiled_entry_is_named_with_the_remedy_and_left_alone(self, D, change, message):
        bad = spoiled(D, change)
        before = bad.copy()
        with pytest.raises(RelationError, match=message):
            as_relation(bad)
        assert_array_equal(bad, before)

    def test_an_asymmetry_far_from_the_diagonal_of_a_large_matrix(self):
        D = 1 - np.eye(1100)
        D[3, 900] = 2
        with pytest.raises(RelationError, match=r"X\[3, 900\] is 2"):
            as_relation(D)

    def test_an_unequal_diagonal_is_no_similarity(self, D):
        np.fill_diagonal(D, 1.0)
        with pytest.raises(RelationError, match="must be 0"):
            as_relation(D)

    def test_a_matrix_that_is_not_square(self, rng):
        with pytest.raises(RelationError, match=r"shape \(10, 7\).*metric='euclidean'"):
            as_relation(rng.random((10, 7)))

    def test_a_cross_relation(self, D):
        with pytest.raises(RelationError, match="one row and one column per object"):
            as_relation(DenseRelation(D)[np.ix_([0, 1], [2, 3, 4])])

    def test_a_condensed_vector_of_impossible_length(self):
        with pytest.raises(RelationError, match=r"vector of 5 entries.*6 for 4 objects"):
            as_relation(np.ones(5))

    def test_options_for_what_is_a_relation_already(self, D):
        for options in ({"symmetrize": "mean"}, {"ids": list("abcdefgh")}, {"metric": "euclidean"}):
            with pytest.raises(OptionError, match="a relation already"):
                as_relation(as_relation(D), **options)

    def test_features_without_an_inverse_covariance(self, rng):
        X = rng.standard_normal((8, 3))
        with pytest.raises(RelationError, match="mahalanobis"):
            as_relation(np.c_[X, X], "mahalanobis")

    @pytest.mark.parametrize(
        ("metric", "params", "match"),
        [
            ("mahalanobis", {"VI": np.eye(1)}, r"VI .* shape \(300, 300\)"),
            ("mahalanobis", {"VI": np.eye(400)}, r"VI .* shape \(300, 300\)"),
            ("mahalanobis", {"V": np.eye(300)}, r"VI .* shape \(300, 300\)"),
            ("minkowski", {"w": [-1.0] * 300}, r"\['w'\] do not suit 'minkowski': .*negative"),
            ("minkowski", {"p": "two"}, r"\['p'\] do not suit 'minkowski'"),
            ("seuclidean", {"V": [1.0]}, r"\['V'\] do not suit 'seuclidean'"),
            ("cosine", {"p": 3}, r"\['p'\] do not suit 'cosine'"),
        ],
    )
    def test_parameters_that_no_metric_takes(self, rng, metric, params, match):
        with pytest.raises(OptionError, match=match):
            as_relation(rng.standard_normal((8, 300)), metric, metric_params=params)

    def test_a_sparse_matrix(self, D):
        with pytest.raises(TypeError, match=r"sparse.*toarray"):
            as_relation(sparse.csr_array(D))

    def test_complex_numbers(self, D):
        with pytest.raises(ValueError, match="Complex data not supported"):
            as_relation(D + 1j)

    def test_objects_that_are_no_numbers(self):
        with pytest.raises(ValueError, match="could not convert"):
            as_relation(np.array([["a", "b"], ["b", "a"]], dtype=object))

    def test_a_single_object(self):
        with pytest.raises(ValueError, match="minimum of 2"):
            as_relation(np.zeros((1, 1)))

    @pytest.mark.parametrize("exponent", [-3, 0, "2", 1 + 0j, True, np.inf])
    def test_an_exponent_that_does_not_exist(self, D, exponent):
        with pytest.raises(OptionError, match="it must be 2"):
            as_relation(D, exponent=exponent)

    @pytest.mark.parametrize("option", ["symmetrize", "similarities"])
    def test_a_policy_that_does_not_exist(self, D, option):
        with pytest.raises(OptionError, match=rf"{option}\b.*'median'.* it must be"):
            as_relation(D, **{option: "median"})

    def test_rows_and_columns_that_name_different_objects(self, D):
        frame = pd.DataFrame(D, index=list("abcdefgh"), columns=list("abcdefgx"))
        with pytest.raises(RelationError, match="names its rows and its columns differently"):
            as_relation(frame)

    def test_ids_that_repeat_or_are_too_few(self, D):
        with pytest.raises(RelationError, match="'a' appears twice"):
            as_relation(D, ids=list("aacdefgh"))
        with pytest.raises(RelationError, match=r"shape \(3,\) for 8 objects"):
            as_relation(D, ids=list("abc"))


def test_similarities_that_several_pairs_reach_are_recognised():
    S = np.array([[1.0, 1, 0.2], [1, 1, 0.3], [0.2, 0.3, 1]])
    with pytest.warns(RelationWarning, match="looks like similarities"):
        relation = as_relation(S)
    assert_allclose(relation.block()[0], np.sqrt([0, 0, 1.6]))


def test_repeated_columns_are_refused_by_name():
    import pandas as pd

    with pytest.raises(RelationError, match="several columns named 'a'"):
        as_relation(pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]))
    with pytest.raises(RelationError, match="several columns named 'a'"):
        as_relation(pd.DataFrame(np.eye(3), columns=["a", "b", "a"]), metric="euclidean")
