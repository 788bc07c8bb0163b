"""Every matrix is described; only what is no matrix at all is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform

from relrbf import as_relation, inspect_relation
from relrbf.exceptions import OptionError, RelationError
from relrbf.inspection import triangles
from relrbf.relations import DenseRelation, VectorRelation, blocks
from relrbf.relations.views import SymmetrizedRelation
from tests.contracts.relation_contract import RelationContract


class TestSymmetrizedMatrix(RelationContract):
    def make(self, X, exponent=2, ids=None):
        D = cdist(X, X)
        skew = np.triu(D) / 8 - np.tril(D) / 8 + np.eye(len(D))
        source = DenseRelation((D + skew).astype(X.dtype), exponent, ids)
        return SymmetrizedRelation(source, "mean", zero_diagonal=True)


def facts(report):
    return (
        report.is_symmetric,
        report.has_zero_diagonal,
        report.n_negative,
        report.n_missing,
        report.n_infinite,
    )


def test_a_relation_has_nothing_wrong(blobs):
    report = inspect_relation(blobs[1])
    assert facts(report) == (True, True, 0, 0, 0)
    assert report.is_relation
    assert report.is_metric
    assert report.worst_pair is None
    assert report.largest_entry == blobs[1].max()


def test_missing_entries_are_counted_and_never_spread(k23):
    k23[0, 1] = np.nan
    k23[2, 3] = k23[3, 2] = np.inf
    k23[4, 0] = -np.inf
    report = inspect_relation(k23, [0, 0, 1, 1, 1])
    assert facts(report) == (True, True, 0, 4, 3)
    assert report.largest_entry == 2
    for unknown in ("negative_eigenfraction", "smallest_eigenvalue", "largest_eigenvalue"):
        assert getattr(report, unknown) == {2: None, 1: None}
    assert report.has_vector_dual == report.additive_constant == {2: None, 1: None}
    assert report.suggested_exponent is None
    assert report.n_duplicate_objects is None
    assert report.intrinsic_dimension is None
    assert report.neighbour_error is None
    assert report.is_metric is None
    assert report.is_relation is False
    assert "nan" not in str(report).lower()


def test_a_known_violation_makes_no_metric_whatever_is_missing(k23):
    k23[0, 1] = np.nan
    k23[2, 3] = k23[3, 2] = 9
    assert inspect_relation(k23).is_metric is False


def spoilt(seed):
    """Return a matrix with some of the faults there are, and labels."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    X = rng.integers(0, 9, (n, 2)) + rng.choice([0, 1]) * rng.random((n, 2))
    D = cdist(X, X, rng.choice(["euclidean", "cityblock", "sqeuclidean"]))
    D *= 10.0 ** rng.choice([0, -140, 140])
    for fault in (np.nan, np.inf, -1, 1e300, 1e-320):
        where = rng.random((n, n)) < rng.choice([0, 0, 0, 0.02, 0.3])
        D[where | where.T if rng.random() < 0.5 else where] = fault
    np.fill_diagonal(D, rng.choice([0, 0, 0, 1, np.nan]))
    return D, rng.integers(0, 3, n)


def numbers_in(report):
    for value in vars(report).values():
        yield from value.values() if isinstance(value, dict) else [value]


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 20, 3000]))
def test_every_matrix_is_described_and_no_figure_is_nan(seed, max_exact):
    D, y = spoilt(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triangles, "N_SAMPLED_TRIPLES", 300)
        report = inspect_relation(D, y, max_exact=max_exact)
    assert not any(isinstance(value, float) and np.isnan(value) for value in numbers_in(report))
    assert "nan" not in str(report)
    assert "None" not in str(report)
    assert report.n_missing == np.count_nonzero(~np.isfinite(D))
    if report.is_relation:
        as_relation(D, similarities="refuse")  # what is called fit for use is not refused
    else:
        with pytest.raises(RelationError):
            as_relation(D, similarities="refuse")


def test_nothing_known_is_described_too():
    report = inspect_relation(np.full((4, 4), np.nan))
    assert report.n_missing == 16
    assert report.largest_entry is None
    assert report.n_triples == 0
    assert report.triangle_violation_fraction is None
    assert "none whose three dissimilarities are known" in str(report)


def test_negative_entries_have_no_vector_dual(k23):
    k23[0, 1] = k23[1, 0] = -2
    report = inspect_relation(k23)
    assert facts(report) == (True, True, 2, 0, 0)
    assert report.has_vector_dual == {2: False, 1: False}
    assert report.is_metric is False
    assert report.intrinsic_dimension is None


def test_distances_with_the_wrong_sign_have_no_vector_dual(blobs):
    report = inspect_relation(-blobs[1])
    assert report.n_negative == 60 * 59
    assert report.negative_eigenfraction[2] == 0  # their squares are those of the distances
    assert report.negative_eigenfraction[1] == pytest.approx(1)
    assert report.has_vector_dual == {2: False, 1: False}
    assert report.intrinsic_dimension is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_is_neither_negative_nor_asymmetric(blobs, dtype):
    D = blobs[1].astype(dtype)
    eps = np.finfo(dtype).eps
    D[0, 0] = -4 * eps
    D[1, 2] *= 1 + 4 * eps
    report = inspect_relation(D)
    assert facts(report) == (True, True, 0, 0, 0)
    assert report.is_relation


def test_an_asymmetric_matrix_is_read_as_its_symmetric_part(blobs):
    D = blobs[1].copy()
    D[3, 7] += 0.5
    report, mean = inspect_relation(D), inspect_relation((D + D.T) / 2)
    assert facts(report) == (False, True, 0, 0, 0)
    assert report.worst_pair == (3, 7)
    assert report.largest_asymmetry == pytest.approx(0.5)
    assert_allclose(report.smallest_eigenvalue[2], mean.smallest_eigenvalue[2])
    assert report.intrinsic_dimension == pytest.approx(mean.intrinsic_dimension)
    assert report.has_vector_dual == {2: False, 1: False}
    assert report.is_metric is False


def test_triangles_are_those_of_the_asymmetric_matrix():
    D = np.array([[0, 9.0, 1], [1, 0, 1], [1, 1, 0]])
    report = inspect_relation(D)
    assert report.n_violated == 1
    assert report.worst_triple == (0, 1, 2)
    assert report.worst_excess == 7


def test_a_diagonal_that_is_not_zero_is_left_out_of_the_spectrum(blobs):
    D = blobs[1] + np.diag(np.linspace(0, 1, 60))
    report = inspect_relation(D)
    assert facts(report) == (True, False, 0, 0, 0)
    assert report.negative_eigenfraction[2] == 0
    assert report.has_vector_dual == {2: False, 1: False}
    assert report.n_violated == 0
    assert "0.00% of the spectrum is negative" in str(report)


def test_similarities_are_recognised_and_not_taken_for_distances(blobs):
    similarities = np.exp(-blobs[1])
    report = inspect_relation(similarities, blobs[2])
    assert report.holds_similarities
    assert report.triangle_violation_fraction is None
    assert report.has_vector_dual == {2: None, 1: None}
    assert not inspect_relation(1 - similarities).holds_similarities


def test_numbers_that_cannot_be_squared_are_described(k23):
    for scale in (1e200, 1e-200):
        report = inspect_relation(scale * k23)
        assert report.can_be_squared is False
        assert report.is_relation is False
        assert report.is_metric
        assert report.has_vector_dual == {2: None, 1: None}
        assert "Rescale D" in str(report)


def test_duplicates_are_counted():
    X = np.array([[0.0], [1], [3], [1], [0], [0]])
    assert inspect_relation(cdist(X, X)).n_duplicate_objects == 3


@pytest.mark.parametrize("how", ["list", "condensed", "memmap", "frame", "relation", "vectors"])
def test_a_relation_is_described_however_it_comes(how, blobs, tmp_path):
    X, D, _ = blobs
    names = [f"gene {i}" for i in range(60)]
    np.save(tmp_path / "D.npy", D)
    forms = {
        "list": D.tolist(),
        "condensed": squareform(D, checks=False),
        "memmap": np.load(tmp_path / "D.npy", mmap_mode="r"),
        "frame": pd.DataFrame(D, index=names, columns=names)[names[::-1]],
        "relation": as_relation(D),
        "vectors": VectorRelation(X),
    }
    report, plain = inspect_relation(forms[how]), inspect_relation(D)
    assert facts(report) == facts(plain)
    assert report.n_triples == plain.n_triples
    assert report.is_metric
    assert_allclose(report.largest_eigenvalue[2], plain.largest_eigenvalue[2])
    assert report.intrinsic_dimension == pytest.approx(plain.intrinsic_dimension)


def test_nothing_is_changed(k23):
    for D in (k23, k23.astype(np.float32)):
        D[0, 1] = np.nan
        D[1, 2] = 7
        D[3, 3] = 1
        before = D.copy()
        inspect_relation(D, [0, 1, 0, 1, 0])
        assert_array_equal(D, before)


def test_a_clean_array_is_not_changed_either(blobs):
    D = blobs[1].copy()
    D.flags.writeable = False
    inspect_relation(D, blobs[2])


def test_a_condensed_vector_may_have_gaps(blobs):
    condensed = pdist(blobs[0])
    condensed[4] = np.nan
    assert inspect_relation(condensed).n_missing == 2


def test_masked_entries_are_missing(k23):
    masked = np.ma.masked_equal(k23.astype(int), 2)
    report = inspect_relation(masked)
    assert report.n_missing == 8
    assert report.n_triples == 0  # of any three objects, two are on the same side


def test_float32_is_held_to_its_own_rounding(blobs):
    report = inspect_relation(blobs[1].astype(np.float32))
    assert facts(report) == (True, True, 0, 0, 0)
    assert report.is_metric
    assert report.has_vector_dual == {2: True, 1: True}


@pytest.mark.parametrize(
    ("D", "error", "message"),
    [
        (np.zeros((3, 4)), RelationError, r"D has shape \(3, 4\); .*as_relation\(D, metric="),
        (np.full((3, 4), np.nan), RelationError, r"D has shape \(3, 4\)"),
        ([1.0, 2, 3, 4], RelationError, "D is a vector of 4 entries"),
        ([["a", "b"], ["c", "d"]], RelationError, "D holds something that is not a number"),
        (sparse.eye(3), TypeError, "D is sparse"),
        (np.zeros((0, 0)), ValueError, "0 sample"),
        (np.zeros((1, 1)), ValueError, "minimum of 2"),
        (np.zeros((2, 2, 2)), ValueError, "dim"),
        (np.eye(2) * 1j, ValueError, "[Cc]omplex"),
        (pd.DataFrame(np.eye(2), ["a", "b"], ["a", "c"]), RelationError, "D names its rows"),
        (as_relation(np.eye(3)[::-1] * 0)[[0, 1], [2]], RelationError, r"D has shape \(2, 1\)"),
    ],
)
def test_what_cannot_be_described_is_refused(D, error, message):
    with pytest.raises(error, match=message):
        inspect_relation(D)


def test_options_are_validated(k23):
    with pytest.raises(OptionError, match="max_exact is 1"):
        inspect_relation(k23, max_exact=1)
    with pytest.raises(OptionError, match="progress is 3"):
        inspect_relation(k23, progress=3)
    with pytest.raises(ValueError, match="seed"):
        inspect_relation(k23, random_state="x")


def test_a_summary_of_tiles_is_that_of_the_whole(rng, monkeypatch):
    monkeypatch.setattr(blocks, "TILE_SIDE", 4)
    D = rng.standard_normal((11, 11))
    D[2, 9] = 50
    found = DenseRelation(D).summarize_entries()
    assert (found.lowest, found.largest) == (D.min(), 50)
    assert found.worst_pair == (2, 9)
    assert found.asymmetry == pytest.approx(50 - D[9, 2])
    assert found.largest_diagonal == np.abs(np.diagonal(D)).max()
    D[9, 2] = D[7, 7] = np.nan
    D[0, 10] = np.inf
    found = DenseRelation(D).summarize_entries()
    known = D[np.isfinite(D)]
    assert (found.lowest, found.largest) == (known.min(), known.max())
    assert (found.n_missing, found.n_infinite) == (3, 1)
    assert found.asymmetry == np.nanmax(np.abs(D - D.T)[np.isfinite(D - D.T)])
    assert found.largest_diagonal == np.nanmax(np.abs(np.diagonal(D)))
