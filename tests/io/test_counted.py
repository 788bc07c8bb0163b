"""Names that only count are positions, where the other side has no such names."""

import numpy as np
import pytest

from relrbf.exceptions import RelationError
from relrbf.io import LoadedMatrix, load_labels, load_matrix, match_columns, match_labels
from relrbf.io.layout import counted_positions


@pytest.mark.parametrize(
    ("names", "positions"),
    [
        (["0", "1", "2"], [0, 1, 2]),
        (["3", "1", "2"], [2, 0, 1]),
        (["V2", "V1"], [1, 0]),
        (["X1", "X2"], [0, 1]),
        (["Unnamed: 0", "Unnamed: 1"], [0, 1]),
        (["V1", "X2"], None),
        (["2", "3"], None),
        (["0", "0", "1"], None),
        (["00", "01"], None),
        (["a", "1"], None),
        ([], None),
        (None, None),
    ],
)
def test_names_count_from_0_or_1_without_a_gap(names, positions):
    found = counted_positions(names)
    assert (found if found is None else found.tolist()) == positions


@pytest.mark.parametrize("first", [0, 1])
def test_labels_of_shuffled_rows_go_back_to_them(put, first):
    path = put(f",label\n{first + 2},c\n{first},a\n{first + 1},b\n", "y.csv")
    matched = match_labels(load_labels(path), None, n_objects=3)
    assert matched.values.tolist() == ["a", "b", "c"]
    assert matched.ids.tolist() == [str(first + i) for i in range(3)]
    assert f"in the order of their numbers, {first} to {first + 2}" in matched.notes[-1]


def test_labels_of_other_numbers_are_refused_unless_they_ascend(put):
    shuffled = load_labels(put(",label\n7,c\n3,a\n5,b\n", "y.csv"))
    with pytest.raises(RelationError, match=r"'7', '3', '5', .*write them without numbers"):
        match_labels(shuffled, None, n_objects=3)
    ascending = load_labels(put(",label\n3,c\n5,a\n7,b\n", "y.csv"))
    matched = match_labels(ascending, None, n_objects=3)
    assert matched.values.tolist() == ["c", "a", "b"]
    assert "in the order of the rows" in matched.notes[-1]


def test_row_numbers_in_order_are_the_order_of_the_rows(put):
    labels = load_labels(put(",label\n0,c\n1,a\n", "y.csv"))
    matched = match_labels(labels, None, n_objects=2)
    assert matched.values.tolist() == ["c", "a"]
    assert "the matrix has no ids" in matched.notes[-1]


def test_nameless_matrices_of_r_are_matched_by_position(put):
    text = '"","V1","V2","V3"\n"1",0,1,2\n"2",1,0,3\n"3",2,3,0\n'
    ids = load_matrix(put(text)).square().ids
    assert ids.tolist() == ["1", "2", "3"]
    new = load_matrix(put('"","V1","V2","V3"\n"1",4,5,6\n', "new.csv"), columns=ids)
    matched = match_columns(new, ids, support=[1, 2])
    assert matched.values.tolist() == [[4, 5, 6]]
    assert matched.column_ids.tolist() == ["1", "2", "3"]
    assert "called V1 to V3, which only counts them" in matched.notes[-1]


def _new(columns):
    return LoadedMatrix(np.arange(3.0)[None], None, np.array(columns, dtype=object), (), "new.csv")


@pytest.mark.parametrize("ids", [["a", "b", "c"], ["1", "2", "3"], None])
def test_columns_that_only_count_are_taken_by_number(ids):
    matched = match_columns(_new(["2", "0", "1"]), ids, support=[0])
    assert matched.values.tolist() == [[1, 2, 0]]
    assert matched.column_ids.tolist() == (ids or ["0", "1", "2"])


def test_names_of_training_objects_come_before_their_count():
    assert match_columns(_new(["V2", "V1", "V3"]), ["V3", "V2", "V1"]).values.tolist() == [
        [2, 0, 1]
    ]
    with pytest.raises(RelationError, match=r"no column for 1 of 3 objects \('3'\)"):
        match_columns(_new(["0", "1", "2"]), ["3", "1", "2"])
    with pytest.raises(RelationError, match="no column for 2 of 2 objects"):
        match_columns(_new(["0", "1", "2"]), ["a", "b"])


@pytest.mark.parametrize("columns", ["V1,V2,V3", "X1,X2,X3", "0,1,2", "1,2,3"])
def test_columns_that_only_count_are_in_the_order_of_named_rows(put, columns):
    matrix = load_matrix(put(f",{columns}\nann,0,1,2\nbob,1,0,3\neve,2,3,0\n"))
    assert matrix.square().ids.tolist() == ["ann", "bob", "eve"]
    assert "taken to be in the order of the rows" in matrix.notes[-1]


def test_columns_that_rows_are_called_like_go_by_name(put):
    matrix = load_matrix(put(",V1,V2\nV2,1,0\nV1,0,1\n"))
    assert matrix.square().values.tolist() == [[0, 1], [1, 0]]
