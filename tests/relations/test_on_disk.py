"""as_relation on files: read where they lie, validated in one pass, and refused when damaged."""

import os
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from relrbf import as_relation, inspect_relation, relate
from relrbf.exceptions import OptionError, RelationError, RelationWarning
from relrbf.model_selection import train_test_split
from relrbf.relations import DenseRelation
from relrbf.relations.on_disk import MappedRelation, ZarrRelation
from relrbf.relations.views import SymmetrizedRelation
from relrbf.tendency import vat


@pytest.fixture
def X(rng):
    return rng.standard_normal((40, 3))


@pytest.fixture
def D(X):
    return cdist(X, X)


def mapped(D, folder, name="D.npy"):
    np.save(folder / name, D)
    return np.load(folder / name, mmap_mode="r")


def mapped_columns(D, folder):
    return mapped(np.asfortranarray(D), folder)


def in_zarr(D, folder, chunks=(16, 16), **options):
    zarr = pytest.importorskip("zarr")
    return zarr.create_array(store=str(folder / "D.zarr"), data=D, chunks=chunks, **options)


def chunk_of(folder):
    return next(path for path in sorted((folder / "D.zarr" / "c").rglob("*")) if path.is_file())


class TestWhatIsTaken:
    def test_a_memmap_where_it_lies(self, D, tmp_path):
        relation = as_relation(mapped(D, tmp_path))
        assert isinstance(relation, DenseRelation)
        assert isinstance(relation.matrix, np.memmap)
        assert_array_equal(relation.block(), D)
        assert repr(relation) == "MappedRelation(40 objects, exponent=2, float64 in D.npy)"

    @pytest.mark.parametrize("kind", [str, lambda path: path])
    def test_the_path_of_a_npy(self, D, tmp_path, kind):
        mapped(D, tmp_path)
        assert_array_equal(as_relation(kind(tmp_path / "D.npy")).block(), D)

    def test_a_view_of_a_memmap(self, D, tmp_path):
        view = np.asarray(mapped(D, tmp_path))[5:, 5:]
        relation = as_relation(view)
        assert isinstance(relation, MappedRelation)
        assert_array_equal(relation.block(), D[5:, 5:])

    def test_a_memmap_that_may_be_written_to(self, D, tmp_path):
        held = np.memmap(tmp_path / "D.dat", dtype=np.float64, mode="w+", shape=D.shape)
        held[:] = D
        assert_array_equal(as_relation(held).block(), D)
        assert_array_equal(held, D)

    def test_a_zarr_array_and_its_folder(self, D, tmp_path):
        array = in_zarr(D, tmp_path)
        for given in (array, tmp_path / "D.zarr", str(tmp_path / "D.zarr")):
            relation = as_relation(given)
            assert isinstance(relation, ZarrRelation)
            assert_array_equal(relation.block(), D)
        assert repr(relation) == "ZarrRelation(40 objects, exponent=2, float64)"

    def test_a_zarr_array_inside_a_group_and_in_memory(self, D):
        zarr = pytest.importorskip("zarr")
        group = zarr.group()
        group.create_array("distances", data=D, chunks=(9, 9))
        assert_array_equal(as_relation(group["distances"]).block(), D)
        with pytest.raises(RelationError, match=r"zarr group; pass one of .*\['distances'\]"):
            as_relation(group)

    @pytest.mark.parametrize("suffix", ["npy", "zarr"])
    def test_what_relate_wrote_with_its_names(self, tmp_path, suffix):
        if suffix == "zarr":
            pytest.importorskip("zarr")
        words, path = ["ape", "apes", "tapes"], tmp_path / f"D.{suffix}"
        written = relate(words, lambda a, b: abs(len(a) - len(b)), path, ids=words)
        read = as_relation(path)
        assert read.ids.tolist() == written.ids.tolist() == words
        assert type(read) is type(written)
        assert_array_equal(read.block(), written.block())
        assert as_relation(path, ids=list("abc")).ids.tolist() == ["a", "b", "c"]

    @pytest.mark.parametrize(
        "dtype", ["float32", ">f4", "float64", ">f8", "float16", "uint8", "i8"]
    )
    def test_any_real_numbers_block_by_block(self, D, tmp_path, dtype):
        whole = np.round(D * 10).astype(dtype)
        relation = as_relation(mapped(whole, tmp_path))
        single = np.dtype(dtype).str[1:] == "f4"
        assert relation.dtype == (np.float32 if single else np.float64)
        assert relation.block().dtype == relation.dtype
        assert relation.matrix.dtype == np.dtype(dtype)
        A = np.ones((2, 40), dtype=relation.dtype)
        assert_allclose(relation.product(A), A @ whole.astype(float) ** 2, rtol=1e-5)

    def test_fortran_order(self, D, tmp_path):
        relation = as_relation(mapped(np.asfortranarray(D), tmp_path))
        assert_array_equal(relation.block(slice(3, 5)), D[3:5])

    def test_parts_are_relations_that_read_the_file(self, D, tmp_path, monkeypatch):
        monkeypatch.setattr("relrbf.relations.on_disk.MAX_COPY_BYTES", 0)
        parts = train_test_split(mapped(D, tmp_path), random_state=0)
        expected = train_test_split(D, random_state=0)
        assert "PartRelation" in repr(parts[0])
        for part, array in zip(parts, expected, strict=True):
            assert_array_equal(np.asarray(part), array)

    def test_a_file_that_was_replaced_is_still_read_as_it_was(self, D, tmp_path):
        relation = as_relation(mapped(D, tmp_path))
        np.save(tmp_path / "E.npy", 2 * D)
        os.replace(tmp_path / "E.npy", tmp_path / "D.npy")
        assert_array_equal(relation.block(), D)

    @pytest.mark.parametrize("put", [mapped, mapped_columns, in_zarr])
    def test_a_relation_in_a_file_is_pickled_by_its_place(self, D, tmp_path, put):
        text = pickle.dumps(as_relation(put(D, tmp_path), ids=np.arange(40)))
        assert len(text) < D.nbytes / 3
        again = pickle.loads(text)
        assert_array_equal(again.block(), D)
        assert_array_equal(again.ids, np.arange(40))

    def test_so_is_a_part_of_a_file_and_a_file_without_a_header(self, D, tmp_path):
        held = np.memmap(tmp_path / "D.dat", dtype=">f4", mode="w+", offset=12, shape=D.shape)
        held[:] = np.round(D)
        held.flush()
        text = pickle.dumps(as_relation(held).restrict(slice(3, 38)))
        assert len(text) < D.nbytes / 3
        assert_array_equal(pickle.loads(text).block(), np.round(D[3:38, 3:38]))

    def test_changes_that_are_in_memory_only_are_pickled(self, D, tmp_path):
        np.save(tmp_path / "D.npy", D)
        held = np.load(tmp_path / "D.npy", mmap_mode="c")
        held[:] *= 2
        assert_array_equal(pickle.loads(pickle.dumps(as_relation(held))).block(), 2 * D)

    def test_what_is_pickled_finds_no_other_file_in_its_place(self, D, tmp_path):
        mapped(D, tmp_path)
        text = pickle.dumps(as_relation(tmp_path / "D.npy"))
        mapped(D[:9, :9], tmp_path)
        with pytest.raises(RelationError, match="was changed"):
            pickle.loads(text)


class TestPolicies:
    @pytest.mark.parametrize("put", [mapped, in_zarr])
    @pytest.mark.parametrize("policy", ["mean", "min", "max"])
    def test_a_file_is_symmetrized_block_by_block_with_a_warning(self, D, tmp_path, put, policy):
        D[3, 9] += 1
        D[30, 2] += 0.5
        with pytest.warns(RelationWarning, match=r"changed \d of 1600 entries, by at most") as said:
            dense = as_relation(D, symmetrize=policy)
        with pytest.warns(RelationWarning) as told:
            relation = as_relation(put(D, tmp_path), symmetrize=policy)
        assert str(told[0].message) == str(said[0].message)
        assert isinstance(relation, SymmetrizedRelation)
        assert_array_equal(relation.block(), dense.block())
        assert_array_equal(relation.block(np.array([3, 2]), np.array([9, 30])).shape, (2, 2))
        part = np.array([30, 9, 2, 3])
        assert_array_equal(relation.restrict(part).block(), dense.restrict(part).block())
        A = np.random.default_rng(0).standard_normal((2, 40))
        assert_allclose(relation.product(A), dense.product(A), rtol=1e-12)
        assert repr(relation).endswith(f"symmetrize={policy!r})")

    @pytest.mark.parametrize("put", [mapped, in_zarr])
    def test_similarities_are_converted_block_by_block(self, D, tmp_path, put):
        K = np.exp(-(D**2))
        with pytest.warns(RelationWarning, match="looks like similarities"):
            dense = as_relation(K)
        with pytest.warns(RelationWarning, match="looks like similarities"):
            relation = as_relation(put(K, tmp_path))
        assert_array_equal(relation.block(), dense.block())
        assert relation.self_similarity == dense.self_similarity == 1
        with pytest.raises(RelationError, match=r"X looks like similarities.*1 - s"):
            as_relation(tmp_path / ("D.npy" if put is mapped else "D.zarr"), similarities="refuse")


class TestWhatIsRefused:
    @pytest.mark.parametrize("put", [mapped, mapped_columns, in_zarr])
    @pytest.mark.parametrize(
        ("i", "j", "value"), [(1, 2, np.nan), (1, 2, np.inf), (1, 2, -1), (3, 3, 0.5), (1, 2, 9.0)]
    )
    def test_the_same_as_of_an_array_in_the_same_words(self, D, tmp_path, put, i, j, value):
        D[i, j] = value
        with pytest.raises(RelationError) as expected:
            as_relation(D)
        with pytest.raises(RelationError) as found:
            as_relation(put(D, tmp_path))
        assert str(found.value) == str(expected.value)

    @pytest.mark.parametrize("shape", [(10, 7), (1, 1), (3, 3, 3)])
    def test_what_is_not_square(self, tmp_path, shape):
        with pytest.raises(RelationError, match=r"shape|minimum of 2"):
            as_relation(mapped(np.zeros(shape), tmp_path))

    def test_a_condensed_vector_says_how_to_unfold_it(self, X, tmp_path):
        condensed = mapped(pdist(X), tmp_path)
        message = r"vector of 780 entries.*of 40 objects: as_relation\(numpy.array\(X\)\)"
        for given in (condensed, tmp_path / "D.npy"):
            with pytest.raises(RelationError, match=message):
                as_relation(given)
        assert len(as_relation(np.array(condensed))) == 40

    def test_a_file_that_is_not_there_or_not_finished(self, tmp_path):
        with pytest.raises(RelationError, match=r"D.npy', which does not exist.$"):
            as_relation(tmp_path / "D.npy")
        (tmp_path / "D.npy.part").touch()
        with pytest.raises(RelationError, match=r"unfinished: call relate again"):
            as_relation(tmp_path / "D.npy")

    def test_another_format(self, tmp_path):
        (tmp_path / "D.csv").write_text("0,1\n1,0\n")
        with pytest.raises(RelationError, match=r"io\.load_matrix"):
            as_relation(tmp_path / "D.csv")

    def test_a_npy_that_was_cut_off(self, D, tmp_path):
        del D
        np.save(tmp_path / "D.npy", np.zeros((40, 40)))
        os.truncate(tmp_path / "D.npy", 5000)
        with pytest.raises(RelationError, match=r"D.npy, which cannot be mapped.*cut off"):
            as_relation(tmp_path / "D.npy")
        os.truncate(tmp_path / "D.npy", 20)
        with pytest.raises(RelationError, match=r"D.npy, which cannot be mapped"):
            as_relation(tmp_path / "D.npy")

    def test_an_archive_that_calls_itself_npy_and_is_damaged(self, tmp_path):
        (tmp_path / "D.npy").write_bytes(b"PK\x03\x04 and nothing else")
        with pytest.raises(RelationError, match="archive of arrays"):
            as_relation(tmp_path / "D.npy")

    def test_python_objects_and_archives(self, D, tmp_path):
        np.save(tmp_path / "D.npy", D.astype(object), allow_pickle=True)
        with pytest.raises(RelationError, match="Python objects"):
            as_relation(tmp_path / "D.npy")
        np.savez(tmp_path / "E.npz", D=D)
        os.replace(tmp_path / "E.npz", tmp_path / "E.npy")
        with pytest.raises(RelationError, match="archive of arrays"):
            as_relation(tmp_path / "E.npy")

    @pytest.mark.parametrize("dtype", ["complex128", "datetime64[s]", "U3"])
    def test_what_is_not_a_real_number(self, tmp_path, dtype):
        with pytest.raises(RelationError, match="real numbers"):
            as_relation(mapped(np.zeros((4, 4)).astype(dtype), tmp_path))

    def test_a_file_that_was_changed_after_it_was_validated(self, D, tmp_path):
        mapped(D, tmp_path)
        relation = as_relation(tmp_path / "D.npy")
        with open(tmp_path / "D.npy", "r+b") as file:
            file.seek(4000)
            file.write(b"x")
        os.utime(tmp_path / "D.npy", ns=(0, 0))
        with pytest.raises(RelationError, match=r"D.npy was changed after it was opened"):
            relation.product(np.ones((1, 40)))

    def test_a_memmap_whose_file_was_cut_off_under_it(self, D, tmp_path):
        relation = as_relation(mapped(D, tmp_path))
        os.truncate(tmp_path / "D.npy", 5000)
        with pytest.raises(RelationError, match=r"D.npy was changed after it was opened"):
            relation.block()

    @pytest.mark.parametrize("side", [1, 3])
    def test_a_chunk_of_one_object_alone_need_not_be_there(self, D, tmp_path, side):
        D = D[:10, :10]
        array = in_zarr(D, tmp_path, chunks=(side, side))
        assert array.nchunks_initialized < array.nchunks
        assert_array_equal(as_relation(tmp_path / "D.zarr").block(), D)

    def test_a_chunk_that_is_missing_is_no_block_of_zeros(self, D, tmp_path):
        array = in_zarr(D, tmp_path)
        relation = as_relation(array)
        chunk_of(tmp_path).unlink()
        assert array[0, 1] == 0
        for read in (relation.block, lambda: as_relation(array)):
            with pytest.raises(RelationError, match=r"cannot be read \(chunk c/0/0 is missing\)"):
                read()
        with pytest.raises(RelationError, match="is missing"):
            inspect_relation(tmp_path / "D.zarr")

    def test_a_chunk_that_is_missing_among_many_is_one_error(self, D, tmp_path):
        """What zarr still read would be told of, at the end of Python, in hundreds of lines."""
        in_zarr(D, tmp_path, chunks=(2, 2))
        chunk_of(tmp_path).unlink()
        code = "import sys, relrbf\ntry: relrbf.as_relation(sys.argv[1])\n"
        code += "except relrbf.exceptions.RelationError as error: print(error)"
        command = [sys.executable, "-c", code, str(tmp_path / "D.zarr")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "is missing" in done.stdout
        assert done.stderr == ""

    @pytest.mark.parametrize("compressors", ["auto", None])
    def test_a_chunk_that_is_cut_off(self, D, tmp_path, compressors):
        array = in_zarr(D, tmp_path, compressors=compressors)
        os.truncate(chunk_of(tmp_path), 40)
        with pytest.raises(RelationError, match="cannot be read"):
            as_relation(array)

    def test_a_folder_that_is_no_zarr(self, tmp_path):
        pytest.importorskip("zarr")
        with pytest.raises(RelationError, match="not a zarr array"):
            as_relation(tmp_path)

    def test_a_block_of_zeros_that_relate_wrote_is_there(self, tmp_path):
        pytest.importorskip("zarr")
        path = tmp_path / "D.zarr"
        relate([1, 1, 1, 2, 2, 2], lambda a, b: abs(a - b), path, block=3)
        assert as_relation(path).block().sum() == 18

    def test_chunks_that_do_not_fit_in_memory(self, D, tmp_path, monkeypatch):
        monkeypatch.setattr("relrbf.relations.on_disk.READ_BYTES", 1000)
        with pytest.raises(RelationError, match=r"chunks of shape \(16, 16\)"):
            as_relation(in_zarr(D, tmp_path))

    def test_names_that_are_too_few(self, D, tmp_path):
        mapped(D, tmp_path)
        (tmp_path / "D.ids.txt").write_text("a\nb\n")
        with pytest.raises(RelationError, match=r"ids has shape \(2,\) for 40 objects"):
            as_relation(tmp_path / "D.npy")

    def test_a_zarr_folder_without_zarr(self, tmp_path, monkeypatch):
        (tmp_path / "D.zarr").mkdir()
        monkeypatch.setitem(__import__("sys").modules, "zarr", None)
        with pytest.raises(OptionError, match=r"pip install 'relrbf\[dask\]'"):
            as_relation(tmp_path / "D.zarr")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_halves_of_a_file_may_differ_by_rounding_and_no_more(D, tmp_path, dtype):
    rounding = float(np.sqrt(np.finfo(dtype).eps)) * D.max()
    D[3, 20] += 0.5 * rounding
    as_relation(mapped(D.astype(dtype), tmp_path))
    D[3, 20] += rounding
    with pytest.raises(RelationError, match=r"not symmetric: X\[3, 20\]"):
        as_relation(mapped(D.astype(dtype), tmp_path))


N = 3000


@pytest.fixture(params=["npy", "zarr"], scope="module")
def large(request, tmp_path_factory):
    X = np.random.default_rng(0).standard_normal((N, 5)).astype(np.float32)
    X[: N // 2] += 4
    path = tmp_path_factory.mktemp("large") / f"D.{request.param}"
    if request.param == "zarr":
        pytest.importorskip("zarr")
    relate(X, "euclidean", path, dtype="float32", block=256)
    return path


class TestMemory:
    @pytest.fixture(autouse=True)
    def little(self, monkeypatch):
        """Let files have a sixteenth of the matrix."""
        little = 4 * N**2 // 16
        for module in ("views", "on_disk"):
            monkeypatch.setattr(f"relrbf.relations.{module}.READ_BYTES", little)
        monkeypatch.setattr("relrbf.relations.on_disk.MAX_COPY_BYTES", little // 2)

    @pytest.mark.parametrize(
        "use",
        [
            as_relation,
            lambda path: as_relation(path).product(np.ones((3, 3000), np.float32)),
            lambda path: (
                as_relation(path)
                .restrict(np.arange(0, 3000, 2))
                .product(np.ones((3, 1500), np.float32))
            ),
            lambda path: as_relation(path).block(slice(None), np.arange(0, 3000, 100)),
            lambda path: vat(path, n_sample=100, random_state=0),
        ],
        ids=["as_relation", "product", "part", "columns", "vat"],
    )
    def test_no_use_of_a_file_takes_a_quarter_of_it(self, large, use):
        use(large)  # imports
        tracemalloc.start()
        use(large)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * N**2 / 4
