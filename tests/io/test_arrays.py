"""What numpy, scipy and zarr wrote."""

import sys

import numpy as np
import pytest
from scipy import io, sparse
from scipy.spatial.distance import pdist, squareform

from relrbf.exceptions import OptionError, RelationError
from relrbf.io import load_matrix, save_matrix

D = np.array([[0, 1.5, 2], [1.5, 0, 3], [2, 3, 0]])


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
def test_an_array_stays_in_its_file_and_its_names_are_beside_it(tmp_path, suffix):
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    path = tmp_path / f"D{suffix}"
    save_matrix(path, D.astype(np.float32), ["a", "b", "c"])
    matrix = load_matrix(path)
    assert type(matrix.values) is not np.ndarray
    assert matrix.values.dtype == np.float32
    assert matrix.ids.tolist() == ["a", "b", "c"]
    relation = matrix.relation()
    assert relation.ids.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(relation.block(), D)


def test_names_that_are_too_few_are_refused(tmp_path):
    np.save(tmp_path / "D.npy", D)
    (tmp_path / "D.ids.txt").write_text("a\nb\n")
    with pytest.raises(RelationError, match="has 3 objects, and the text beside it names 2"):
        load_matrix(tmp_path / "D.npy")


def test_a_condensed_array_is_unfolded_with_a_note(tmp_path, rng):
    vector = pdist(rng.random((5, 2)))
    np.save(tmp_path / "D.npy", vector)
    matrix = load_matrix(tmp_path / "D.npy")
    np.testing.assert_array_equal(matrix.values, squareform(vector))
    assert "condensed vector of 5 objects" in matrix.notes[0]


def test_similarities_in_a_file_are_refused_as_well(tmp_path):
    np.save(tmp_path / "S.npy", 1 - D / 10)
    with pytest.raises(RelationError, match="looks like similarities"):
        load_matrix(tmp_path / "S.npy").relation()


def test_the_square_array_of_an_archive_is_the_matrix_and_y_its_labels(tmp_path):
    np.savez(tmp_path / "D.npz", R=D, y=["u", "v", "u"], gene=["g1", "g2", "g3"], X=np.ones((3, 2)))
    matrix = load_matrix(tmp_path / "D.npz")
    np.testing.assert_array_equal(matrix.values, D)
    assert matrix.labels.tolist() == ["u", "v", "u"]
    assert matrix.ids.tolist() == ["g1", "g2", "g3"]
    for word in ("matrix is the array 'R'", "labels are the array 'y'", "ids are the array 'gene'"):
        assert any(word in note for note in matrix.notes)


def test_names_that_repeat_are_no_ids(tmp_path):
    np.savez(tmp_path / "D.npz", R=D, gene=["g1", "g2", "g1"])
    assert load_matrix(tmp_path / "D.npz").ids is None


def test_of_several_matrices_one_has_to_be_named(tmp_path):
    np.savez(tmp_path / "D.npz", R=D, S=2 * D)
    with pytest.raises(RelationError, match=r"holds 2 matrices \('R', 'S'\).*key="):
        load_matrix(tmp_path / "D.npz")
    assert load_matrix(tmp_path / "D.npz", key="S").values[0, 1] == 3
    with pytest.raises(OptionError, match="no array 'T'"):
        load_matrix(tmp_path / "D.npz", key="T")


def test_new_objects_in_an_archive_have_names_on_both_sides(tmp_path):
    path = tmp_path / "new.npz"
    np.savez(path, D=D[:2], ids=["x", "y"], column_ids=["a", "b", "c"])
    matrix = load_matrix(path)
    assert matrix.row_ids.tolist() == ["x", "y"]
    assert matrix.column_ids.tolist() == ["a", "b", "c"]


def test_an_archive_of_objects_is_refused_and_a_damaged_one_too(tmp_path):
    np.savez(tmp_path / "D.npz", D=np.array([[0, "a"], [1, None]], dtype=object))
    with pytest.raises(RelationError, match="holds 0 matrices"):
        load_matrix(tmp_path / "D.npz")
    with pytest.raises(RelationError, match="Python objects"):
        load_matrix(tmp_path / "D.npz", key="D")
    (tmp_path / "E.npz").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(RelationError, match="the archive cannot be read"):
        load_matrix(tmp_path / "E.npz")


@pytest.mark.parametrize("name", ["D.mtx", "D.txt"])
def test_a_matrix_market_array_is_read(tmp_path, name):
    io.mmwrite(tmp_path / "D.mtx", D)
    (tmp_path / "D.mtx").rename(tmp_path / name)
    np.testing.assert_array_equal(load_matrix(tmp_path / name).values, D)


def test_coordinates_of_every_pair_are_a_matrix_and_fewer_are_refused(tmp_path):
    io.mmwrite(tmp_path / "D.mtx", sparse.coo_array(D))
    np.testing.assert_array_equal(load_matrix(tmp_path / "D.mtx").values, D)
    few = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    io.mmwrite(tmp_path / "E.mtx", sparse.coo_array(few))
    sparse.save_npz(tmp_path / "E.npz", sparse.csr_array(few))
    for name in ("E.mtx", "E.npz"):
        with pytest.raises(RelationError, match=r"states 4 of 6 pairs.*graph=True"):
            load_matrix(tmp_path / name)
        graph = load_matrix(tmp_path / name, graph=True).relation()
        assert graph.block()[0].tolist() == [0, 1, 3]


def test_a_market_that_is_cut_off_is_refused(put):
    text = "%%MatrixMarket matrix array real general\n3 3\n0\n1\n"
    with pytest.raises(RelationError, match="cannot be read as Matrix Market"):
        load_matrix(put(text, "D.mtx"))


def test_the_shared_relations_are_read(shared_data):
    matrix = load_matrix(shared_data / "HG-194" / "HG-194.npz")
    assert matrix.shape == (194, 194)
    assert len(matrix.labels) == 194
    assert matrix.relation().n_objects == 194
    with pytest.raises(RelationError, match="'R', 'S'"):
        load_matrix(shared_data / "yeast-200" / "yeast-200.npz")


def test_of_an_archive_new_objects_are_the_matrix_that_is_not_the_training_one(tmp_path):
    path, D, new = tmp_path / "D.npz", np.zeros((3, 3)), np.ones((2, 3))
    np.savez(path, D=D, other=new, ids=["a", "b", "c"])
    assert load_matrix(path).shape == (3, 3)
    found = load_matrix(path, columns=["c", "b", "a"])
    assert found.shape == (2, 3)
    assert found.column_ids.tolist() == ["a", "b", "c"]
    assert found.row_ids is None
    np.savez(path, D=D, D_new=new, other=np.ones((4, 3)))
    assert load_matrix(path, columns=["a", "b", "c"]).shape == (2, 3)
    np.savez(path, D=D, more=new, other=np.ones((4, 3)))
    with pytest.raises(RelationError, match=r"holds 2 matrices \('more', 'other'\).*key="):
        load_matrix(path, columns=["a", "b", "c"])
    np.savez(path, D=D, Z=np.ones((3, 2)))
    assert load_matrix(path, columns=["a", "b", "c"]).shape == (3, 3)


def test_a_byte_order_mark_beside_a_matrix_is_no_part_of_a_name(tmp_path):
    np.save(tmp_path / "D.npy", np.zeros((2, 2)))
    for name in ("D.ids.txt", "D.columns.txt"):
        (tmp_path / name).write_text("ann\nbob\n", encoding="utf-8-sig")
    found = load_matrix(tmp_path / "D.npy")
    assert found.row_ids.tolist() == ["ann", "bob"]
    assert found.column_ids.tolist() == ["ann", "bob"]


def test_arrays_are_read_without_pandas_and_text_says_how_to_install_it(tmp_path, monkeypatch):
    np.save(tmp_path / "D.npy", D)
    np.savez(tmp_path / "D.npz", D=D)
    (tmp_path / "D.csv").write_text("0,1\n1,0\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert load_matrix(tmp_path / "D.npy").shape == load_matrix(tmp_path / "D.npz").shape == (3, 3)
    with pytest.raises(OptionError, match=r"pip install 'relrbf\[io\]'"):
        load_matrix(tmp_path / "D.csv")
