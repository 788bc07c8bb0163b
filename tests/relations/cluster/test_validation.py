"""A matrix on a cluster is validated like any other, and so is a measure."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf import as_relation
from relrbf.exceptions import OptionError, RelationError, RelationWarning
from relrbf.relations import DaskRelation, ObjectRelation
from tests.relations.made import MATRIX, POINTS, gap, raising

NAMES = [f"point {x:.1f}" for x in POINTS]


@pytest.fixture
def D(rng):
    X = rng.standard_normal((30, 3))
    return cdist(X, X)


@pytest.fixture(params=["array", "npy", "dask"])
def lay(request, client, tmp_path):
    """Lay a matrix out, from one source or another."""

    def make(D, **options):
        source = D
        if request.param == "npy":
            source = tmp_path / "D.npy"
            np.save(source, D)
        elif request.param == "dask":
            source = pytest.importorskip("dask.array").from_array(D, chunks=15)
        return DaskRelation(source, client=client, side=8, **options)

    return make


def spoilt(D, *entries):
    """Return D with (i, j, value) written into it."""
    D = D.copy()
    for i, j, value in entries:
        D[i, j] = value
    return D


@pytest.mark.parametrize(
    "entries",
    [
        [(20, 3, np.nan), (3, 20, np.nan), (29, 29, np.inf)],
        [(2, 3, 1e300)],
        [(2, 25, -1.0), (25, 2, -1.0), (9, 8, -0.5), (8, 9, -0.5)],
        [(25, 2, 9.0)],
        [(12, 12, 0.5), (14, 14, 0.25)],
    ],
    ids=["missing", "huge", "negative", "asymmetric", "diagonal"],
)
def test_what_is_no_relation_is_refused_with_the_error_of_any_matrix(D, lay, entries):
    D = spoilt(D, *entries)
    with pytest.raises(RelationError) as alone:
        as_relation(D, similarities="refuse")
    with pytest.raises(RelationError) as here:
        lay(D)
    words = str(alone.value).replace("X", "source").replace("as_relation(s", "DaskRelation(s")
    assert str(here.value).split(". ")[0] == words.split(". ")[0]


@pytest.mark.parametrize("policy", ["mean", "min", "max"])
def test_symmetrize_says_what_it_changes_and_changes_what_it_does_here(D, lay, policy):
    D = spoilt(D, (25, 2, 9.0), (1, 3, 7.0))
    with pytest.warns(RelationWarning) as alone:
        wanted = as_relation(D, symmetrize=policy).block()
    with pytest.warns(RelationWarning) as here:
        relation = lay(D, symmetrize=policy)
    assert str(here[0].message) == str(alone[0].message).replace("X", "source")
    assert_array_equal(relation.block(), wanted)


def test_what_is_not_square_or_no_numbers_is_refused(client):
    with pytest.raises(RelationError, match=r"source has shape \(3, 2\)"):
        DaskRelation(np.ones((3, 2)), client=client)
    da = pytest.importorskip("dask.array")
    with pytest.raises(RelationError, match="source holds complex128"):
        DaskRelation(da.zeros((3, 3), dtype=complex), client=client)
    with pytest.raises(RelationError, match="at least two"):
        DaskRelation(da.zeros((1, 1)), client=client)


def test_options_that_cannot_be_meant_are_refused(D, client):
    with pytest.raises(OptionError, match="exponent is 0"):
        DaskRelation(D, client=client, exponent=0)
    with pytest.raises(OptionError, match="symmetrize is 'median'"):
        DaskRelation(D, client=client, symmetrize="median")
    with pytest.raises(OptionError, match="side is 0"):
        DaskRelation(D, client=client, side=0)
    with pytest.raises(OptionError, match="client is 7"):
        DaskRelation(D, client=7)
    with pytest.raises(OptionError, match="client='nonsense' is no address"):
        DaskRelation(D, client="nonsense")


def test_a_path_that_leads_nowhere_is_named(client, tmp_path):
    with pytest.raises(RelationError, match=r"D\.npy', which does not exist"):
        DaskRelation(tmp_path / "D.npy", client=client)


def test_a_file_that_was_cut_off_is_named(D, client, tmp_path):
    path = tmp_path / "D.npy"
    np.save(path, D)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RelationError, match=r"D\.npy, which cannot be mapped"):
        DaskRelation(path, client=client)


def test_a_file_that_workers_do_not_find_is_named(D, client, tmp_path):
    path = tmp_path / "D.npy"
    np.save(path, D)
    mapped = np.load(path, mmap_mode="r")
    path.unlink()
    with pytest.raises(RelationError, match=r"D\.npy cannot be read at \[0:\d+.*from the workers"):
        DaskRelation(mapped, client=client)


@pytest.fixture
def stored(D, tmp_path):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "D.zarr"
    zarr.create_array(store=str(path), data=D, chunks=(10, 10))
    return path


def test_a_chunk_that_was_cut_off_is_named(client, stored):
    chunk = stored / "c" / "1" / "2"
    chunk.write_bytes(chunk.read_bytes()[:40])
    with pytest.raises(RelationError, match=r"D\.zarr cannot be read at \[10:20, 0:30\]"):
        DaskRelation(stored, client=client, side=10)


def test_a_chunk_that_is_not_there_is_named(client, stored):
    (stored / "c" / "1" / "2").unlink()
    with pytest.raises(RelationError, match=r"D\.zarr cannot be read at .*chunk c/1/2 is missing"):
        DaskRelation(stored, client=client)


def test_names_beside_a_file_come_along(client, D, tmp_path):
    np.save(tmp_path / "D.npy", D)
    names = [f"object {i}" for i in range(len(D))]
    (tmp_path / "D.ids.txt").write_text("\n".join(names), encoding="utf-8")
    with DaskRelation(tmp_path / "D.npy", client=client) as relation:
        assert relation.ids.tolist() == names


def test_a_folder_that_holds_no_array_is_named(client, tmp_path):
    pytest.importorskip("zarr")
    with pytest.raises(RelationError, match="not a zarr array"):
        DaskRelation(tmp_path, client=client)


def test_what_a_measure_does_wrong_is_said_with_the_pair(client):
    relation = DaskRelation.from_objects(POINTS, raising(POINTS[5]), client=client, side=4)
    alone = ObjectRelation(POINTS, raising(POINTS[5]))
    with pytest.raises(RelationError, match=r"KeyError: 'no such leaf' \(evaluated on object \d+ "):
        relation.product(np.ones((1, len(POINTS))))
    with pytest.raises(RelationError, match="KeyError"):
        alone.block()


def test_after_an_error_only_what_failed_is_computed_again(client, tmp_path):
    forbidden, log = tmp_path / "forbidden", tmp_path / "log"
    forbidden.touch()

    def measure(a, b):
        with open(log, "a") as file:
            file.write(".")
        if forbidden.exists() and POINTS[0] in (a, b):
            raise RuntimeError("not yet")
        return gap(a, b)

    relation = DaskRelation.from_objects(
        POINTS, measure, client=client, side=4, check_symmetry=False
    )
    for _ in range(2):
        with pytest.raises(RelationError, match="not yet"):
            relation.block()
    forbidden.unlink()
    assert_allclose(relation.block(), MATRIX)
    n_pairs = len(POINTS) * (len(POINTS) - 1) // 2
    assert n_pairs < len(log.read_text()) < 2 * n_pairs


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (lambda a, b: a - b, "not symmetric|negative"),
        (lambda a, b: "far", "returned 'far'"),
        (lambda a, b: np.nan, "returned nan"),
        (lambda a, b: 1.0, "and itself; it must be 0"),
    ],
)
def test_a_measure_that_misbehaves_is_refused(client, measure, words):
    relation = DaskRelation.from_objects(POINTS, measure, client=client, ids=NAMES)
    with pytest.raises(RelationError, match=words):
        relation.block()


def test_a_measure_is_made_symmetric_by_a_policy_that_says_so(client):
    def one_way(a, b):
        return max(b - a, 0.0)

    relation = DaskRelation.from_objects(POINTS, one_way, client=client, symmetrize="max")
    with pytest.warns(RelationWarning, match=r"symmetrize='max' .* differ in 66 of 66 pairs"):
        found = relation.block()
    assert_allclose(found, np.abs(np.subtract.outer(POINTS, POINTS)))


def test_what_cannot_be_sent_to_workers_is_said(client):
    lock = __import__("threading").Lock()
    with pytest.raises(OptionError, match="cannot be pickled"):
        DaskRelation.from_objects(POINTS, lambda a, b: lock and gap(a, b), client=client)


def test_it_is_shared_by_copies_and_not_pickled(D, client):
    relation = DaskRelation(D, client=client)
    assert copy.deepcopy(relation)._cluster is relation._cluster
    with pytest.raises(RelationError, match="cannot be pickled"):
        pickle.dumps(relation)
