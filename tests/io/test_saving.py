"""Files are written whole or not at all, and keep every bit."""

import numpy as np
import pytest

from relrbf.exceptions import OptionError, RelationError
from relrbf.io import load_matrix, save_matrix, save_rows
from relrbf.relations import VectorRelation


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".npy", ".zarr"])
def test_a_matrix_comes_back_bit_by_bit(tmp_path, rng, suffix):
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    D = rng.random((6, 6))
    save_matrix(tmp_path / f"D{suffix}", D)
    matrix = load_matrix(tmp_path / f"D{suffix}")
    assert np.asarray(matrix.values[:]).tobytes() == D.tobytes()
    assert matrix.ids is None
    assert not list(tmp_path.glob("*.part"))


def test_a_relation_is_written_block_by_block(tmp_path, rng, monkeypatch):
    monkeypatch.setattr("relrbf.io.writing.WRITTEN_BLOCK_BYTES", 100)
    relation = VectorRelation(rng.random((7, 2)))
    for suffix in (".csv", ".npy"):
        save_matrix(tmp_path / f"D{suffix}", relation, [f"o{i}" for i in range(7)])
        found = load_matrix(tmp_path / f"D{suffix}")
        np.testing.assert_array_equal(found.values, relation.block())


def test_float32_stays_float32_in_an_array_and_exact_in_text(tmp_path):
    D = np.array([[0, 0.1], [0.1, 0]], dtype=np.float32)
    save_matrix(tmp_path / "D.npy", D)
    assert np.load(tmp_path / "D.npy").dtype == np.float32
    save_matrix(tmp_path / "D.csv", D)
    assert load_matrix(tmp_path / "D.csv").values[0, 1] == D[0, 1]


def test_the_names_of_a_matrix_that_is_replaced_go(tmp_path):
    save_matrix(tmp_path / "D.npy", np.zeros((2, 2)), ["a", "b"], ["c", "d"])
    assert load_matrix(tmp_path / "D.npy").column_ids.tolist() == ["c", "d"]
    save_matrix(tmp_path / "D.npy", np.zeros((2, 2)))
    assert load_matrix(tmp_path / "D.npy").ids is None
    assert [path.name for path in tmp_path.iterdir()] == ["D.npy"]


def test_rows_are_quoted_and_numbers_keep_their_bits(tmp_path):
    rows = [("a, b", np.float64(0.1), np.int64(3)), ('say "x"', 1 / 3, None)]
    save_rows(tmp_path / "p.csv", ["id", "p", "k"], rows)
    expected = 'id,p,k\n"a, b",0.1,3\n"say ""x""",0.3333333333333333,\n'
    assert (tmp_path / "p.csv").read_text() == expected


def test_what_fails_halfway_leaves_the_old_file(tmp_path):
    path = tmp_path / "p.csv"
    save_rows(path, ["id"], [["old"]])

    def broken():
        yield ["new"]
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        save_rows(path, ["id"], broken())
    assert path.read_text() == "id\nold\n"
    assert [each.name for each in tmp_path.iterdir()] == ["p.csv"]


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(OptionError, match=r"must end in one of \.csv"):
        save_matrix(tmp_path / "D.xlsx", np.zeros((2, 2)))
    with pytest.raises(OptionError, match="folder that does not exist"):
        save_rows(tmp_path / "no" / "p.csv", ["id"], [])
    for ids in (["a"], ["a", "a"], ["a", "b\nc"], ["a", " b"]):
        with pytest.raises(RelationError, match="row_ids"):
            save_matrix(tmp_path / "D.csv", np.zeros((2, 2)), ids)
    with pytest.raises(RelationError, match="two axes"):
        save_matrix(tmp_path / "D.csv", np.zeros(3))
    assert not list(tmp_path.iterdir())


def test_the_standard_output_takes_text(capsys):
    save_matrix("-", np.eye(2))
    assert capsys.readouterr().out == "1.0,0.0\n0.0,1.0\n"


@pytest.mark.parametrize("name", ["D.ids.txt", "D.columns.txt"])
@pytest.mark.parametrize("ids", [None, ["a", "b"]])
def test_a_list_that_is_of_no_matrix_is_neither_replaced_nor_deleted(tmp_path, name, ids):
    (tmp_path / name).write_text("not ours\n")
    with pytest.raises(RelationError, match=f"{name} names other objects"):
        save_matrix(tmp_path / "D.npy", np.eye(2), ids)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["not ours\n"]
