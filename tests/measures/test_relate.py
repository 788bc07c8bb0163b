"""The matrix itself: what any way of computing it must give."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform

import relrbf
from relrbf.exceptions import OptionError, RelationError
from relrbf.measures import relate
from relrbf.relations import DenseRelation

WORDS = ["ape", "apes", "tape", "bee", "be", "cat", "act", ""]


def letters(a, b):
    return len(set(a) ^ set(b))


def gaps(rows, cols, scale=1.0):
    return scale * np.abs(np.asarray(rows)[:, None] - np.asarray(cols))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", "correlation", "canberra"])
@pytest.mark.parametrize("block", [None, 1, 7, 60, 1000])
def test_a_name_gives_what_scipy_gives(blobs, metric, block):
    X = blobs[0]
    D = relate(X, metric, block=block)
    np.testing.assert_allclose(D, squareform(pdist(X, metric)), rtol=1e-12, atol=1e-14)
    assert (D == D.T).all()
    assert (D.diagonal() == 0).all()


def test_a_function_of_two_objects_is_evaluated_once_a_pair(tmp_path):
    evaluated = []

    def counted(a, b):
        evaluated.append((a, b))
        return letters(a, b)

    D = relate(WORDS, counted, block=4)
    assert D.tolist() == [[letters(a, b) for b in WORDS] for a in WORDS]
    n_pairs, n_tiles = len(WORDS) * (len(WORDS) - 1) // 2, 3
    assert n_pairs <= len(evaluated) <= n_pairs + 4 * n_tiles  # a sample in the other direction


def test_a_function_of_two_sequences_is_evaluated_by_blocks():
    numbers = np.arange(11.0) ** 2
    D = relate(numbers, gaps, pairwise=True, measure_params={"scale": 2.0}, block=4)
    assert (gaps(numbers, numbers, 2.0) == D).all()


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("pairwise", [False, True])
def test_few_objects_will_do(n, pairwise, tmp_path):
    numbers = list(range(n))
    measure = gaps if pairwise else lambda a, b: abs(a - b)
    D = relate(numbers, measure, pairwise=pairwise)
    assert (gaps(numbers, numbers) == D).all()
    kept = relate(numbers, measure, tmp_path / "D.npy", pairwise=pairwise)
    assert (np.asarray(kept) == D).all()


@pytest.mark.parametrize("backend", ["threads", "processes"])
@pytest.mark.parametrize("to_file", [False, True])
def test_who_computes_changes_no_bit(blobs, backend, to_file, tmp_path):
    X = blobs[0]
    path = tmp_path / "D.npy" if to_file else None
    alone = relate(X, "minkowski", measure_params={"p": 3}, block=9)
    many = relate(X, "minkowski", path, measure_params={"p": 3}, block=9, n_jobs=2, backend=backend)
    assert (np.asarray(many) == alone).all()


def test_a_function_written_on_the_spot_goes_to_other_processes():
    shift = 0.5
    D = relate(range(10), lambda a, b: abs(a - b) * shift, block=3, n_jobs=2, backend="processes")
    assert (gaps(range(10), range(10)) * shift == D).all()


def test_float32_is_kept_and_can_be_asked_for(blobs):
    X = blobs[0].astype(np.float32)
    assert relate(X, "euclidean").dtype == np.float32
    assert relate(blobs[0], "euclidean").dtype == np.float64
    single = relate(blobs[0], "euclidean", dtype="float32")
    assert (single == relate(blobs[0], "euclidean").astype(np.float32)).all()


def test_the_file_is_a_relation_and_plain_numpy_reads_it(blobs, tmp_path):
    X, D, _ = blobs
    path, names = tmp_path / "D.npy", [f"object {i}" for i in range(60)]
    relation = relate(X, "euclidean", path, ids=names)
    assert isinstance(relation, DenseRelation)
    assert isinstance(relation.matrix, np.memmap)
    assert not relation.exponent_given
    assert relation.ids.tolist() == names
    np.testing.assert_allclose(np.load(path), D)
    assert (tmp_path / "D.ids.txt").read_text().splitlines() == names
    assert sorted(file.name for file in tmp_path.iterdir()) == ["D.ids.txt", "D.npy"]


def test_parameters_taken_from_the_data_are_taken_from_all_of_it(blobs):
    X = blobs[0]
    for metric in ("seuclidean", "mahalanobis"):
        D = relate(X, metric, block=7)
        np.testing.assert_allclose(D, squareform(pdist(X, metric)), rtol=1e-10)


def test_a_frame_is_its_rows(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [0.0, 3.0], "b": [0.0, 4.0]}, index=["x", "y"])
    assert relate(frame, "euclidean")[0, 1] == 5
    assert relate(frame, "euclidean", tmp_path / "D.npy").ids.tolist() == ["x", "y"]
    assert (tmp_path / "D.ids.txt").read_text() == "x\ny\n"
    assert relate(pd.Series(["a", "abc"]), letters)[0, 1] == 2


def test_it_is_a_name_of_the_package():
    assert relrbf.relate is relate


@pytest.mark.parametrize("backend", [None, "threads", "processes"])
@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda a, b: a - b, r"returned -\d+ for object \d+ and object \d+; .* negative"),
        (lambda a, b: max(a - b, 0) + 2 * max(b - a, 0), r"not symmetric: from object \d+ to obj"),
        (lambda a, b: np.nan if {a, b} == {3, 9} else abs(a - b), r"returned nan; .*object 9"),
        (lambda a, b: np.inf if {a, b} == {3, 9} else abs(a - b), r"returned inf; .*object 9"),
        (lambda a, b: "3", r"returned '3' \(str\); it must .* number.*object \d+ and object \d+"),
        (lambda a, b: None, r"returned None .*object \d+ and object \d+"),
        (
            lambda a, b: np.ones(2),
            r"returned an array of shape \(2,\); .*object \d+ and object \d+",
        ),
        (
            lambda a, b: 1 / (a * b - 27) and abs(a - b),
            r"failed with ZeroDivisionError: .*object 3 and object 9",
        ),
        (lambda a, b: 1 / (1 + abs(a - b)), r"gives 1 for object \d+ and itself; it must be 0"),
    ],
)
def test_what_is_wrong_with_a_measure_is_said_of_a_pair(measure, message, backend):
    n_jobs = None if backend is None else 2
    with pytest.raises(RelationError, match=message):
        relate(range(12), measure, block=4, n_jobs=n_jobs, backend=backend)


def test_a_vectorised_measure_that_fails_is_said_of_a_block():
    def broken(rows, cols):
        if 9 in rows or 9 in cols:
            raise KeyError("nine")
        return gaps(rows, cols)

    message = r"KeyError: 'nine' \(evaluated on object 0 to object 3 and object 8 to object 11\)"
    with pytest.raises(RelationError, match=message):
        relate(range(12), broken, pairwise=True, block=4)
    with pytest.raises(RelationError, match=r"shape \(4,\), not \(4, 4\); .*object 0 to object 3"):
        relate(range(12), lambda a, b: np.zeros(len(a)), pairwise=True, block=4)
    with pytest.raises(RelationError, match=r"returned .*x.*; it must .* number.*object 0 and"):
        relate(range(12), lambda a, b: np.full((len(a), len(b)), "x"), pairwise=True, block=4)


def test_what_float32_cannot_hold_is_refused():
    with pytest.raises(RelationError, match=r"returned 1e\+300, .* out of range.*object 1"):
        relate([0, 1], lambda a, b: 1e300 * abs(a - b), dtype="float32")


def test_numbers_of_any_kind_are_numbers():
    for kind in (int, np.float32, np.int8, bool, np.array):
        assert relate([0, 1], lambda a, b, kind=kind: kind(a != b))[0, 1] == 1


@pytest.mark.parametrize(
    ("objects", "measure", "options", "error", "message"),
    [
        ([], letters, {}, RelationError, "objects is empty"),
        ("words", letters, {}, RelationError, "it must be a sequence"),
        (7, letters, {}, RelationError, "objects is a int; it must be a sequence"),
        (np.array(7), letters, {}, RelationError, "it must be a sequence"),
        ({"a": 1}, letters, {}, RelationError, "it must be a sequence"),
        (WORDS, "levenstein", {}, OptionError, "'levenstein' does not exist; .*'levenshtein'"),
        (WORDS, 3, {}, OptionError, "measure=3 is not a measure; it must be a function"),
        (WORDS, "euclidean", {}, ValueError, "is not a number|could not convert"),
        ([[1.0, np.nan]], "euclidean", {}, RelationError, "objects contains 1 NaN"),
        ([[1.0, 2.0]], "dice", {}, RelationError, "about 0 and 1"),
        (WORDS, letters, {"block": 0}, OptionError, "block is 0"),
        (WORDS, letters, {"backend": "gpu"}, OptionError, "backend='gpu' does not exist"),
        (WORDS, letters, {"dtype": "int8"}, OptionError, "dtype is 'int8'"),
        (WORDS, letters, {"dtype": "what"}, OptionError, "dtype is 'what'"),
        (WORDS, letters, {"resume": 1}, OptionError, "resume is 1"),
        (WORDS, letters, {"progress": 1}, OptionError, "progress is 1"),
        (WORDS, letters, {"measure_params": [1]}, OptionError, r"measure_params is \[1\]"),
        (WORDS, letters, {"ids": WORDS}, RelationError, r"ids\[7\] is ''"),
        (WORDS, letters, {"ids": range(8)}, OptionError, "path is None; leave ids out"),
        (WORDS, letters, {"ids": [1, 2]}, RelationError, r"ids has shape \(2,\)"),
        (WORDS, letters, {"path": "D.csv"}, OptionError, r"must end in .npy or .zarr"),
        (WORDS, letters, {"path": "no/such/D.npy"}, OptionError, "folder that does not exist"),
    ],
)
def test_what_cannot_be_is_refused_by_name(objects, measure, options, error, message):
    with pytest.raises(error, match=message):
        relate(objects, measure, **options)


def test_progress_goes_up_and_says_what_remains(tmp_path):
    seen = []
    relate(range(50), gaps, tmp_path / "D.npy", pairwise=True, block=8, progress=seen.append)
    done = [each.n_done for each in seen]
    assert done == sorted(set(done))
    assert done[-1] == seen[-1].n_pairs == 50 * 49 // 2
    assert seen[0].remaining > 0
    assert seen[-1].remaining == 0
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))
    assert "100% of 1,225 pairs, 0:00:0" in str(seen[-1])
    assert str(seen[0]).endswith("to go")


def test_a_name_warns_of_nothing(blobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        D = relate(blobs[0] > 0, "jaccard", n_jobs=2)
    np.testing.assert_allclose(D, cdist(blobs[0] > 0, blobs[0] > 0, "jaccard"))
