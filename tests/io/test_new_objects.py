"""New objects in rows: the names of the training objects tell a header from entries."""

import numpy as np
import pytest

from relrbf.exceptions import OptionError, RelationError
from relrbf.io import load_matrix, match_columns, save_matrix

COUNTED = ["0", "1", "2", "3"]
HEADERS = {  # over whole numbers
    "pandas without an index": ("0,1,2,3\n3,1,4,1\n5,9,2,6\n", None),
    "another order": ("2,0,3,1\n3,1,4,1\n5,9,2,6\n", None),
    "a part of them": ("2,0,3\n3,1,4\n5,9,2\n", None),
    "other objects as well": ("9,0,1,2,3\n7,3,1,4,1\n7,5,9,2,6\n", None),
    "blank corner": (",0,1,2,3\n10,3,1,4,1\n11,5,9,2,6\n", ["10", "11"]),
    "named corner": ("word,0,1,2,3\n10,3,1,4,1\n11,5,9,2,6\n", ["10", "11"]),
    "no corner": ("0,1,2,3\n10,3,1,4,1\n11,5,9,2,6\n", ["10", "11"]),
    "one object": ("0,1,2,3\n3,1,4,1\n", None),
    "names over a zero": ("0,1,2,3\n1,0,2,3\n5,9,0,6\n", None),
}


@pytest.mark.parametrize(("text", "rows"), HEADERS.values(), ids=HEADERS)
def test_a_line_of_known_names_is_a_header_and_no_object(put, text, rows):
    matrix = load_matrix(put(text), columns=COUNTED)
    lines = text.splitlines()
    names = [name for name in lines[0].split(",") if name.isdigit()]
    assert matrix.column_ids.tolist() == names
    assert matrix.values.tolist() == [
        [float(cell) for cell in line.split(",")[-len(names) :]] for line in lines[1:]
    ]
    assert (matrix.row_ids if rows is None else matrix.row_ids.tolist()) == rows
    assert any("first line" in note for note in matrix.notes)


ENTRIES = {
    "no names": "3,1,4,1\n5,9,2,6\n",
    "each a name, one of them twice": "3,1,2,1\n0,1,2,2\n",
    "distances on a line": "0,1,2,3\n1,0,1,2\n2,1,0,1\n3,2,1,0\n",
    "different whole numbers first": "1,0.5,0.5,0.5\n2,0.5,0.5,0.5\n",
}


@pytest.mark.parametrize("text", ENTRIES.values(), ids=ENTRIES)
def test_as_many_numbers_as_training_objects_are_entries(put, text):
    matrix = load_matrix(put(text), columns=COUNTED)
    assert matrix.shape == (len(text.splitlines()), 4)
    assert matrix.row_ids is None
    assert matrix.column_ids is None


def test_a_column_too_many_holds_ids(put):
    matrix = load_matrix(put("10,3,1,4,1\n11,5,9,2,6\n"), columns=COUNTED)
    assert matrix.row_ids.tolist() == ["10", "11"]
    assert matrix.values.tolist() == [[3, 1, 4, 1], [5, 9, 2, 6]]


def test_a_column_too_many_of_decimals_is_not_taken_for_ids(put):
    matrix = load_matrix(put("3.5,1,4,1,9\n5.5,9,2,6,9\n"), columns=COUNTED)
    assert matrix.row_ids is None
    assert matrix.shape == (2, 5)


def test_a_column_of_another_object_is_not_one_of_ids(put):
    path = put("ann,bob,eve\n2.5,1,3\n2.5,2,1\n")
    matrix = load_matrix(path, columns=["bob", "eve"])
    assert matrix.row_ids is None
    assert match_columns(matrix, ["bob", "eve"]).values.tolist() == [[1, 3], [2, 1]]


def test_the_frame_of_new_objects_keeps_its_rows_and_its_order(tmp_path, rng):
    pandas = pytest.importorskip("pandas")
    D = rng.integers(0, 9, (5, 12))
    order = rng.permutation(12)
    pandas.DataFrame(D).iloc[:, order].to_csv(tmp_path / "new.csv", index=False)
    matrix = load_matrix(tmp_path / "new.csv", columns=map(str, range(12)))
    assert match_columns(matrix, None).values.tolist() == D.tolist()


def test_a_square_of_new_objects_is_left_as_it_is(put):
    zeros = ",a,b,c\nx,5,0,0\ny,1,5,0\nz,2,3,5\n"
    blank = ",a,b,c\nx,,1,2\ny,3,,4\nz,5,6,\n"
    assert load_matrix(put(zeros)).values[0].tolist() == [5, 0, 0]
    assert np.isnan(np.diagonal(load_matrix(put(blank)).values)).all()
    for text in ("0,0,0\n1,0,0\n2,3,0\n", "a,b,c\n0,0,0\n1,0,0\n2,3,0\n"):
        assert load_matrix(put(text), columns=["a", "b", "c"]).values[0].tolist() == [0, 0, 0]
        assert load_matrix(put(text)).values[0].tolist() == [0, 1, 2]


def test_a_square_in_another_order_is_not_mirrored_by_position(put):
    matrix = load_matrix(put(",b,a,c\na,1,0,0\nb,0,1,0\nc,3,2,0\n"))
    assert matrix.values[0].tolist() == [1, 0, 0]
    assert not any("mirrored" in note for note in matrix.notes)


def test_the_training_objects_themselves_may_be_stated_by_half(put):
    text = ",a,b,c\na,0,0,0\nb,1,0,0\nc,2,3,0\n"
    assert load_matrix(put(text), columns=["a", "b", "c"]).values[0].tolist() == [0, 1, 2]


def test_a_half_of_new_objects_cannot_be_asked_for(put):
    with pytest.raises(RelationError, match="triangle='lower' mirrors half of a relation"):
        load_matrix(put(",a,b\nx,0,1\ny,1,0\n"), triangle="lower")


def test_one_training_object_is_no_condensed_vector_and_made_names_stay(put):
    assert load_matrix(put("1\n2\n3\n"), columns=["a"]).shape == (3, 1)
    made = load_matrix(put(",V1,V2\nx,1,2\ny,3,4\n"), columns=["V1", "V2"])
    assert made.column_ids.tolist() == ["V1", "V2"]


def test_arrays_need_no_known_columns(tmp_path):
    save_matrix(tmp_path / "new.npy", np.ones((2, 3)))
    assert load_matrix(tmp_path / "new.npy", columns=COUNTED).shape == (2, 3)


def test_columns_are_a_list_of_names(put):
    with pytest.raises(OptionError, match="columns is 'abc'"):
        load_matrix(put("1,2\n"), columns="abc")
