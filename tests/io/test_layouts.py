"""Text as people have it: one matrix, written in many ways, comes back the same."""

import gzip

import numpy as np
import pytest

from relrbf.exceptions import FileFormatError
from relrbf.io import load_matrix

D = [[0.0, 1.5, 2.0], [1.5, 0.0, 3.0], [2.0, 3.0, 0.0]]
NAMES = ["ann", "bob", "eve"]
LONG = "4" * 20  # more digits than an integer of 64 bits

FULL = {
    "commas": "0,1.5,2\n1.5,0,3\n2,3,0\n",
    "no end of line": "0,1.5,2\n1.5,0,3\n2,3,0",
    "blank lines at the end": "0,1.5,2\n1.5,0,3\n2,3,0\n\n  \n",
    "spaces after commas": "0, 1.5, 2\n1.5, 0, 3\n2, 3, 0\n",
    "semicolons": "0;1.5;2\n1.5;0;3\n2;3;0\n",
    "semicolons and decimal commas": "0;1,5;2\n1,5;0;3\n2;3;0\n",
    "tabs": "0\t1.5\t2\n1.5\t0\t3\n2\t3\t0\n",
    "tabs and decimal commas": "0\t1,5\t2\n1,5\t0\t3\n2\t3\t0\n",
    "runs of spaces": "  0    1.5  2\n  1.5  0    3\n  2    3    0\n",
    "spaces and decimal commas": "0 1,5 2\n1,5 0 3\n2 3 0\n",
    "quoted decimal commas": '"0","1,5","2"\n"1,5","0","3"\n"2","3","0"\n',
    "bars": "0|1.5|2\n1.5|0|3\n2|3|0\n",
    "Windows line ends": "0,1.5,2\r\n1.5,0,3\r\n2,3,0\r\n",
    "old line ends": "0,1.5,2\r1.5,0,3\r2,3,0\r",
    "byte order mark": "\ufeff0,1.5,2\n1.5,0,3\n2,3,0\n",
    "comments": "# made by hand\n0,1.5,2\n1.5,0,3\n# halfway\n2,3,0\n",
    "a delimiter at the end": "0,1.5,2,\n1.5,0,3,\n2,3,0,\n",
    "blank rows of a spreadsheet": "0,1.5,2\n1.5,0,3\n2,3,0\n,,\n,,\n",
    "exponents and signs": "0,+15e-1,2.\n1.5E0,-0,3\n2,3,.0\n",
    "blank diagonal": ",1.5,2\n1.5,,3\n2,3,\n",
    "diagonal of strokes": "-,1.5,2\n1.5,-,3\n2,3,-\n",
}
HALVES = {
    "lower": "0\n1.5,0\n2,3,0\n",
    "lower without diagonal": "1.5\n2,3\n",
    "lower and blanks": "0,,\n1.5,0,\n2,3,0\n",
    "lower and zeros": "0,0,0\n1.5,0,0\n2,3,0\n",
    "lower and blanks without diagonal": ",,\n1.5,,\n2,3,\n",
    "upper": "0,1.5,2\n0,3\n0\n",
    "upper without diagonal": "1.5,2\n3\n",
    "upper and blanks": "0,1.5,2\n,0,3\n,,0\n",
    "upper and zeros": "0,1.5,2\n0,0,3\n0,0,0\n",
    "upper and blanks by tabs": "0\t1.5\t2\n\t0\t3\n\t\t0\n",
    "upper and blanks without diagonal": ",1.5,2\n,,3\n,,\n",
    "upper and blanks by tabs without diagonal": "\t1.5\t2\n\t\t3\n\t\t\n",
    "upper, indented": "0 1.5 2\n  0 3\n    0\n",
}
NAMED = {
    "blank corner": ",ann,bob,eve\nann,0,1.5,2\nbob,1.5,0,3\neve,2,3,0\n",
    "lsmat": "\tann\tbob\teve\nann\t0\t1.5\t2\nbob\t1.5\t0\t3\neve\t2\t3\t0\n",
    "named corner": "id,ann,bob,eve\nann,0,1.5,2\nbob,1.5,0,3\neve,2,3,0\n",
    "corner in a comment's dress": "#id,ann,bob,eve\nann,0,1.5,2\nbob,1.5,0,3\neve,2,3,0\n",
    "no corner, as R": 'ann bob eve\n"ann" 0 1.5 2\n"bob" 1.5 0 3\n"eve" 2 3 0\n',
    "header alone": "ann,bob,eve\n0,1.5,2\n1.5,0,3\n2,3,0\n",
    "ids alone": "ann,0,1.5,2\nbob,1.5,0,3\neve,2,3,0\n",
    "made names over the columns": ',"V1","V2","V3"\nann,0,1.5,2\nbob,1.5,0,3\neve,2,3,0\n',
    "lower with names": "ann,0\nbob,1.5,0\neve,2,3,0\n",
    "lower with names, no diagonal": "ann\nbob,1.5\neve,2,3\n",
    "lower with a header": "x,ann,bob,eve\nann,0\nbob,1.5,0\neve,2,3,0\n",
    "upper with names": "ann,0,1.5,2\nbob,0,3\neve,0\n",
    "header over a lower half": ",ann,bob,eve\nann,,,\nbob,1.5,,\neve,2,3,\n",
    "lines of nothing below": ",ann,bob,eve\nann,0,1.5,2\nbob,1.5,0,3\neve,2,3,0\n,,,\n",
    "a delimiter at the end": "id,ann,bob,eve,\nann,0,1.5,2,\nbob,1.5,0,3,\neve,2,3,0,\n",
}
NUMBERED = {  # 10, 20 and 30 are names
    "blank corner": ",10,20,30\n10,0,1.5,2\n20,1.5,0,3\n30,2,3,0\n",
    "named corner": "gene,10,20,30\n10,0,1.5,2\n20,1.5,0,3\n30,2,3,0\n",
    "no corner": "10,20,30\n10,0,1.5,2\n20,1.5,0,3\n30,2,3,0\n",
    "header alone": "10,20,30\n0,1.5,2\n1.5,0,3\n2,3,0\n",
    "ids alone": "10,0,1.5,2\n20,1.5,0,3\n30,2,3,0\n",
    "quoted": '"","10","20","30"\n"10",0,1.5,2\n"20",1.5,0,3\n"30",2,3,0\n',
}


@pytest.mark.parametrize("text", FULL.values(), ids=FULL)
def test_a_matrix_is_read_however_it_is_written(put, text):
    matrix = load_matrix(put(text))
    assert matrix.values.tolist() == D
    assert matrix.ids is None
    assert "there are no ids" in matrix.notes


@pytest.mark.parametrize("text", HALVES.values(), ids=HALVES)
def test_half_a_matrix_is_mirrored_and_said_to_be(put, text):
    matrix = load_matrix(put(text))
    assert matrix.values.tolist() == D
    assert any("mirrored" in note for note in matrix.notes)


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_names_are_found_wherever_they_stand(put, text):
    matrix = load_matrix(put(text)).square()
    assert matrix.values.tolist() == D
    assert matrix.ids.tolist() == NAMES
    assert any("hold" in note and "ids" in note for note in matrix.notes)


@pytest.mark.parametrize("text", NUMBERED.values(), ids=NUMBERED)
def test_numbers_that_are_names_are_taken_for_names(put, text):
    matrix = load_matrix(put(text)).square()
    assert matrix.values.tolist() == D
    assert matrix.ids.tolist() == ["10", "20", "30"]


def test_a_full_matrix_is_never_taken_for_a_header_and_numbers(put):
    line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    text = "\n".join(",".join(f"{v:g}" for v in row) for row in line)
    matrix = load_matrix(put(text))
    assert matrix.values.tolist() == line.tolist()
    assert matrix.ids is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_byte_order_mark_says_how_text_is_coded(put, encoding):
    matrix = load_matrix(put("é;0;1,5\nß;1,5;0\n".encode(encoding)))
    assert matrix.ids.tolist() == ["é", "ß"]
    assert matrix.values.tolist() == [[0, 1.5], [1.5, 0]]


def test_old_text_is_read_in_the_encoding_that_is_named(put):
    path = put("é,0,1\nß,1,0\n".encode("cp1252"))
    matrix = load_matrix(path, encoding="cp1252")
    assert matrix.ids.tolist() == ["é", "ß"]
    assert "the text is in cp1252" in matrix.notes


def test_compressed_text_is_read_as_it_is(put):
    matrix = load_matrix(put(gzip.compress(b"0\t1\n1\t0\n"), "D.tsv.gz"))
    assert matrix.values.tolist() == [[0, 1], [1, 0]]


def test_missing_entries_stay_missing_and_are_counted(put):
    matrix = load_matrix(put("0,1,NA\n1,0,\n?,nan,0\n"))
    assert np.argwhere(np.isnan(matrix.values)).tolist() == [[0, 2], [1, 2], [2, 0], [2, 1]]
    assert "4 entries are missing" in matrix.notes


def test_a_half_with_gaps_keeps_them(put):
    matrix = load_matrix(put("0\n1,0\nNA,3,0\n"))
    assert np.isnan(matrix.values[[0, 2], [2, 0]]).all()
    assert "1 entries of that half are missing" in matrix.notes


@pytest.mark.parametrize("text", ["1\n2,1\n3,2,1\n", "1,2,3\n1,2\n1\n"])
def test_neighbours_that_are_equally_far_are_no_diagonal(put, text):
    matrix = load_matrix(put(text), header=False, ids=False)
    assert matrix.values.tolist() == [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
    assert "it states no diagonal, which was taken to be 0" in matrix.notes


@pytest.mark.parametrize(
    ("text", "option", "names"),
    [
        ("1\n2,1\n3,2,1\n", "ids", "123"),
        ("7,4,5\n8,6\n9\n", "ids", "789"),
        ("1,2,3\n1,2\n1\n", "header", "123"),
        (",1,2\n1,,3\n2,3,\n", "ids", "12"),
        (".5\n1.5,7\n2.5,8,4\n", "ids", ".51.52.5"),
        ("1e3,7,8\n2e3,4\n3e3\n", "ids", "1e32e33e3"),
        (".5,1.5,2.5\n7,8\n4\n", "header", ".51.52.5"),
        ("4e2,7,8\n1e3,4\n2e2\n", "ids", "4e21e32e2"),
        (f"{LONG},7,8\n3,4\n2\n", "ids", f"{LONG}32"),
        (f",{LONG},3\n{LONG},,7\n3,7,\n", "ids", f"{LONG}3"),
        ("NA 2 1\n2 NA 3\n1 3 NA\n", "ids", "21"),
        ("-,2,1\n2,-,3\n1,3,-\n", "ids", "21"),
    ],
)
def test_what_may_be_names_or_numbers_is_asked_for(put, text, option, names):
    path = put(text)
    with pytest.raises(FileFormatError, match=f"names as well as numbers. Pass {option}=True"):
        load_matrix(path)
    others = {"header": "auto", "ids": "auto"} | {option: True}
    assert "".join(load_matrix(path, **others).square().ids) == names
    assert load_matrix(path, header=False, ids=False).square().ids is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1\n2,0.5\n3,0.1,0.7\n", "123"),
        ("1,0.5,0.1\n2,0.7\n3\n", "123"),
        ("5,2,6\n1.5,6.5\n7.5\n", "526"),
        (",7,8,9\n7,,1,0\n8,,,1\n9,,,\n", "789"),
        ("7,5\n,1\n,\n", "75"),
        ("5\n5,0\n", "5"),
        ("id,3,4\n3\n4,9\n", "34"),
        ("a 3\na 0\n3 1 0\n", "a3"),
        (".5\t0\t7\t8\n1.5\t0\t4\n2.5\t0\n", ".51.52.5"),
        (f"{LONG},0.5\n3\n", f"{LONG}3"),
    ],
)
def test_numbers_are_names_where_the_rest_is_a_relation_of_as_many(put, text, names):
    assert "".join(load_matrix(put(text)).square().ids) == names


def test_a_half_of_zeros_is_mirrored_where_the_other_is_blank(put):
    matrix = load_matrix(put("ann,0,0\nbob,,0\n"))
    assert matrix.values.tolist() == [[0, 0], [0, 0]]


def test_objects_that_are_all_equally_far_are_no_similarities(put):
    assert load_matrix(put("1\n1,1\n")).values.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_half_of_some_similarities_has_its_diagonal(put):
    matrix = load_matrix(put("1\n0.5,1\n0.2,0.1,1\n"))
    assert np.diagonal(matrix.values).tolist() == [1, 1, 1]


def test_names_say_that_zeros_are_no_diagonal(put):
    matrix = load_matrix(put("ann,bob,eve\n0\n0,0\n"))
    assert matrix.values.tolist() == np.zeros((3, 3)).tolist()
    assert matrix.ids.tolist() == NAMES


def test_a_blank_diagonal_of_a_half_is_zero_and_one_gap_in_it_a_gap(put):
    matrix = load_matrix(put("-\n1.5,-\n2,3,-\n"))
    assert matrix.values.tolist() == D
    assert "the diagonal is blank and was taken to be 0" in matrix.notes
    gap = load_matrix(put("0\n1.5,NA\n2,3,0\n"))
    assert np.isnan(np.diagonal(gap.values)).tolist() == [False, True, False]
    assert "1 entries of that half are missing" in gap.notes


def test_new_objects_are_m_by_n_with_names_on_both_sides(put):
    matrix = load_matrix(put("id,ann,bob,eve\nx,1,2,3\ny,4,5,6\n"))
    assert matrix.shape == (2, 3)
    assert matrix.row_ids.tolist() == ["x", "y"]
    assert matrix.column_ids.tolist() == NAMES


def test_new_objects_called_by_numbers_have_names_beside_decimals(put):
    matrix = load_matrix(put("gene,ann,bob\n17,0.5,0.25\n4,0.1,0.75\n"))
    assert matrix.row_ids.tolist() == ["17", "4"]


def test_one_new_object_is_a_row(put):
    matrix = load_matrix(put("id,ann,bob\nx,1,2\n"))
    assert matrix.values.tolist() == [[1, 2]]
    assert load_matrix(put("1,2,3\n")).values.tolist() == [[1, 2, 3]]


def test_one_column_is_a_condensed_vector_unless_it_is_said_to_be_full(put):
    path = put("1\n2\n3\n4\n5\n6\n")
    matrix = load_matrix(path)
    assert matrix.values[0].tolist() == [0, 1, 2, 3]
    assert any("condensed vector of 4 objects" in note for note in matrix.notes)
    assert load_matrix(path, triangle="full").shape == (6, 1)


def test_what_is_said_overrules_what_is_found(put):
    path = put("1,0,2\n2,2,0\n3,5,6\n")
    assert load_matrix(path, ids=True).row_ids.tolist() == ["1", "2", "3"]
    assert load_matrix(path, header=True).column_ids.tolist() == ["1", "0", "2"]
    assert load_matrix(put("1,5\n2,5\n3,5\n"), delimiter=";").values[:2, 2].tolist() == [2.5, 3.5]
    halves = put("0,0,0\n1,0,0\n2,3,0\n")
    assert load_matrix(halves, triangle="full").values[0].tolist() == [0, 0, 0]
    assert load_matrix(put("0,1\n2,0\n"), triangle="upper").values.tolist() == [[0, 1], [1, 0]]
    assert load_matrix(put("0 1,5\n1,5 0\n"), delimiter="space").values[0, 1] == 1.5


def test_ids_keep_what_is_quoted_and_their_zeros(put):
    matrix = load_matrix(put('"007",0,1\n"a, ""b""",1,0\n'))
    assert matrix.ids.tolist() == ["007", 'a, "b"']


def test_columns_in_another_order_than_rows_are_put_in_theirs(put):
    matrix = load_matrix(put(",bob,ann\nann,1,0\nbob,0,1\n"))
    relation = matrix.relation()
    assert relation.ids.tolist() == ["ann", "bob"]
    assert relation.block().tolist() == [[0, 1], [1, 0]]
    assert "columns were put in the order of the rows" in matrix.square().notes
