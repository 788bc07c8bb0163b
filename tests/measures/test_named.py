"""Measures by name give what their libraries give; what is not installed is said."""

import builtins
import importlib

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import haversine_distances

from relrbf.exceptions import OptionError, RelationError
from relrbf.measures import named_measures, relate
from relrbf.relations.named import AEON, BINARY_METRICS, MEASURES, NAMED, SCIPY

WORDS = ["kitten", "sitting", "kitchen", "saturday", "sunday", "", "ca", "abc", "ac"]
SMILES = ["CCO", "CCN", "c1ccccc1", "c1ccccc1O", "CC(=O)O", "C"]


def test_every_name_has_a_line():
    assert set(named_measures()) == set(NAMED)
    for text in named_measures().values():
        assert "\n" not in text
        assert text.startswith(("vectors: ", "strings: ", "series: ", "molecules: "))


@pytest.mark.parametrize("metric", [*MEASURES[SCIPY]])
def test_every_name_of_scipy_works(metric, blobs):
    library_name = NAMED[metric].library_name
    X = np.abs(blobs[0])
    if metric in BINARY_METRICS:
        X = np.hstack([X > 1, np.ones((60, 1), dtype=bool)])  # of none at all, scipy makes NaN
    D = relate(X, metric, block=13)
    np.testing.assert_allclose(D, squareform(pdist(X, library_name)), rtol=1e-9, atol=1e-12)


def test_other_names_are_the_same_measure(blobs):
    for name, other in {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}.items():
        assert (relate(blobs[0], name) == relate(blobs[0], other)).all()


def test_haversine_is_scikit_learns(rng):
    X = rng.uniform(-1, 1, (20, 2))
    np.testing.assert_allclose(relate(X, "haversine"), haversine_distances(X), atol=1e-12)


def test_euclidean_distances_do_not_cancel_far_from_zero():
    X = np.array([[1e8], [1e8 + 1], [1e8 + 3]])
    assert relate(X, "euclidean").tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]


@pytest.mark.parametrize(
    ("measure", "package"), [("levenshtein", "rapidfuzz"), ("dtw", "aeon"), ("tanimoto", "rdkit")]
)
def test_what_is_not_installed_is_named(measure, package, monkeypatch):
    real = importlib.import_module

    def without(name, *args):
        if name.startswith(package):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *args)

    monkeypatch.setattr("relrbf._utils.import_module", without)
    with pytest.raises(OptionError, match=f"measure='{measure}' needs {package}.*pip install"):
        relate(["a", "b"], measure)


def test_zarr_that_is_not_installed_is_named(monkeypatch, tmp_path):
    def without(name, *args):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr("relrbf._utils.import_module", without)
    with pytest.raises(OptionError, match=r"path='.*D.zarr' needs zarr.*pip install zarr"):
        relate([1, 2], lambda a, b: abs(a - b), tmp_path / "D.zarr")


def test_names_load_no_library_before_they_are_used(monkeypatch):
    real = builtins.__import__

    def watched(name, *args, **kwargs):
        assert name.split(".")[0] not in ("rapidfuzz", "aeon", "rdkit", "zarr", "dask")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", watched)
    assert relate([[0.0], [2.0]], "euclidean")[0, 1] == 2


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        last, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            last, row[j + 1] = row[j + 1], min(row[j] + 1, row[j + 1] + 1, last + (x != y))
    return row[-1]


def test_levenshtein_is_the_textbooks():
    pytest.importorskip("rapidfuzz")
    D = relate(WORDS, "levenshtein", block=4)
    assert D.tolist() == [[levenshtein(a, b) for b in WORDS] for a in WORDS]
    assert (relate(WORDS, levenshtein, block=4) == D).all()
    assert (relate(np.array(WORDS), "levenshtein") == D).all()


def test_strings_by_other_names():
    pytest.importorskip("rapidfuzz")
    place = {word: i for i, word in enumerate(WORDS)}
    expected = {
        ("normalized-levenshtein", "kitten", "sitting"): 3 / 7,
        ("damerau-levenshtein", "ca", "abc"): 2,
        ("osa", "ca", "abc"): 3,
        ("indel", "kitten", "sitting"): 5,
        ("normalized-indel", "kitten", "sitting"): 5 / 13,
        ("lcs", "abc", "ac"): 1,
        ("jaro", "kitten", "sitting"): 1 - (4 / 6 + 4 / 7 + 1) / 3,
        ("jaro-winkler", "saturday", "sunday"): 1 - (0.7527777 + 0.1 * (1 - 0.7527777)),
    }
    for (name, a, b), value in expected.items():
        found = relate(WORDS, name, block=4)[place[a], place[b]]
        assert found == pytest.approx(value, abs=1e-6), name


@pytest.mark.parametrize("name", ["levenshtein", "tanimoto"])
def test_what_is_no_string_is_refused(name):
    pytest.importorskip("rapidfuzz" if name == "levenshtein" else "rdkit")
    with pytest.raises(RelationError, match=r"objects\[1\] is None"):
        relate(["CC", None], name)


def dtw(x, y):
    cost = np.full((len(x) + 1, len(y) + 1), np.inf)
    cost[0, 0] = 0
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            least = min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
            cost[i + 1, j + 1] = (a - b) ** 2 + least
    return cost[-1, -1]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_dtw_is_the_textbooks_for_unequal_lengths(rng, n_jobs):
    pytest.importorskip("aeon")
    series = [rng.standard_normal(n) for n in (5, 9, 7, 7, 12)]
    D = relate(series, "dtw", block=2, n_jobs=n_jobs)
    np.testing.assert_allclose(D, [[dtw(x, y) for y in series] for x in series], rtol=1e-10)


@pytest.mark.parametrize("name", [*MEASURES[AEON]])
def test_series_of_unequal_length_are_compared_as_by_aeon(rng, name):
    distances = pytest.importorskip("aeon.distances")
    series = [rng.standard_normal(n) for n in (5, 9, 7, 7, 12)]
    expected = [[distances.distance(x, y, method=name) for y in series] for x in series]
    D = relate(series, name, block=2)  # in one block the lengths differ, in the next they do not
    np.testing.assert_allclose(D, expected, rtol=1e-9, atol=1e-12)


def test_series_with_gaps_are_refused():
    pytest.importorskip("aeon")
    with pytest.raises(RelationError, match=r"objects\[1\] has shape \(2,\) and 1 entries"):
        relate([[1.0, 2.0], [1.0, np.nan]], "dtw")
    with pytest.raises(RelationError, match=r"objects\[0\] is 'ab'"):
        relate(["ab", "cd"], "dtw")


def test_tanimoto_is_rdkits():
    pytest.importorskip("rdkit")
    from rdkit import Chem, DataStructs
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    morgan = GetMorganGenerator(radius=2, fpSize=2048)
    prints = [morgan.GetFingerprint(Chem.MolFromSmiles(text)) for text in SMILES]
    expected = [[1 - DataStructs.TanimotoSimilarity(a, b) for b in prints] for a in prints]
    np.testing.assert_allclose(relate(SMILES, "tanimoto", block=2), expected, atol=1e-15)


@pytest.mark.parametrize("text", ["C(", "", "hello"])
def test_what_is_no_molecule_is_refused(text):
    pytest.importorskip("rdkit")
    with pytest.raises(RelationError, match=r"objects\[1\] is .* no molecule in SMILES"):
        relate(["CC", text], "tanimoto")
