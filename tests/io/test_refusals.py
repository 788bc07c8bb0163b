"""Files that cannot be read are refused in words: what, where, and what to do."""

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier
from relrbf.exceptions import OptionError, RelationError
from relrbf.io import load_matrix


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "D.csv: the file is empty"),
        ("\n \n\n", "D.csv: the file is empty"),
        ("a,b,c\n", "a header and nothing below it"),
        ("0,1,2\n1,0,x\n2,3,0\n", "line 2, column 3: 'x' is not a number"),
        (",a,b\na,0,1\nb,1,?!\n", r"line 3, column 3 \('b'\): '\?!' is not a number"),
        ("a;0;1.5\nb;1.5;0\nc;1,5;2\n", "line 3, column 2: '1,5' .* decimal=','"),
        ("a;b\nc;d\n", r"line 2, column 2 \('b'\): 'd' is not a number"),
        ("a\nb\nc\n", "has names only"),
        ("0,1,2\n1,0\n2,3,0\n", "line 2: the line has 2 cells, and 3 were expected"),
        ("a,0,1\na,1,0\n", "twice: 'a'. .* ids=False"),
        (",a,a\nx,0,1\ny,1,0\n", "first line, and some of them twice: 'a'"),
        (",a,\nx,0,1\ny,1,0\n", "of the header is blank"),
        ("a,0,1\n,1,0\nc,5,6\n", "first column, but leaves number 2 blank"),
        (b"0,1\n1,\x00\x01", "is not text"),
        (b"\xe9,0,1\nb,1,0\n", "line 1: the text is not UTF-8.*encoding='cp1252'"),
        (b"PK\x03\x04\x00\x00", "zip archive"),
        (b"\x93NUMPY\x01\x00", "ends in .npy"),
        (b"\x80\x04\x95\x00", "runs what is in it"),
        (b"\x1f\x8b\x08\x00cut", "cannot be read to its end|is not text"),
        ("0,1,2,3\n0,4,5\n0,6\n", "the last one has 2 numbers and not one. It may have been cut"),
        ("0,1\n1_000,0\n", "'1_000' is not a number"),
        ("0,1\nnan(5),0\n", "is not a number"),
        ("0,1,2\n1,0,2\n2," + 400 * "9" + ",0\n", "1 inf entries, the first at row 2, column 1"),
        ("ann,bob,0.5\nann,eve,1\n", "line 1, column 2: 'bob' .* list of edges, pass graph=True"),
        ("a b\na c\nb c\n", "list of edges, pass graph=True"),
        ("a,0,1,x\nb,1,0,2\nc,3,2,0\n", "'x' is not a number. Write a number there"),
        ("a;0;1.660,00\nb;1.660,00;0\n", "'1.660,00' .* It has a thousands separator; write it"),
        ('a,0,"1,660.00"\nb,"1,660.00",0\n', "'1,660.00' .* has a thousands separator"),
        ("0;1.660,5;2.100,5\n1.660,5;0;3\n2.100,5;3;0\n", "has a thousands separator"),
        ("a;0,5;1.660\nb;0,5;0,5\n", "decimal='.'; if it separates thousands, write it without"),
        ("How far\n,a,b\na,0,1\nb,1,0\n", "the first line, 'How far', looks like a title"),
        ("How far,,\n,a,b\na,0,1\nb,1,0\n", "looks like a title. Take it out"),
        ("In all, km\n,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n", "looks like a title. Take it out"),
        ('"a\nx",0,1\n"b",1,0\n', r"D.csv: a line that starts '\"a' .* must be of one line"),
        ('"a\nx" 0 1\n"b" 1 0\n', "a name must be of one line"),
        ('"a",0,1\n' * 60 + '"q\nr",0,1\n', "D.csv, line 61: .* a name must be of one line"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_place(put, content, message):
    with pytest.raises(RelationError, match=message):
        load_matrix(put(content)).relation()


def test_a_decimal_comma_that_comes_late_is_recognised_in_the_advice(put):
    lines = [";".join(["1.5"] * 3)] * 60 + ["1;2,5;3"]
    with pytest.raises(RelationError, match=r"line 61, column 2: '2,5'.*decimal=','"):
        load_matrix(put("\n".join(lines)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("D.xlsx", "spreadsheet"),
        ("D.rds", "write.csv"),
        ("D.pkl", "numpy.save"),
        ("D.h5", "HDF5"),
        ("D.mat", "MATLAB"),
        ("D.parquet", "to_csv"),
    ],
)
def test_a_file_of_another_program_is_named_with_the_way_out(put, name, message):
    with pytest.raises(RelationError, match=message):
        load_matrix(put(b"whatever", name))


def test_a_missing_file_suggests_its_neighbours(put):
    path = put("0,1\n1,0\n", "distances.csv")
    with pytest.raises(RelationError, match=r"does not exist. Is it distances.csv\?"):
        load_matrix(path.with_name("distance.csv"))
    with pytest.raises(RelationError, match=r"does not exist. Is it distances.csv\?"):
        load_matrix(path.with_name("Distances.npy"))
    with pytest.raises(RelationError, match=r"nosuch.csv: the file does not exist.$"):
        load_matrix(put("", "round.csv").with_name("nosuch.csv"))
    with pytest.raises(RelationError, match="nor does its folder"):
        load_matrix(path.parent / "no" / "D.csv")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(RelationError, match="is a folder"):
        load_matrix(tmp_path)


@pytest.mark.parametrize(
    "option",
    [
        {"header": "yes"},
        {"ids": 2},
        {"decimal": ";"},
        {"triangle": "left"},
        {"delimiter": "ab"},
        {"encoding": "utf-5"},
        {"key": "R"},
    ],
)
def test_an_option_that_does_not_exist_is_refused_by_name(put, option):
    with pytest.raises(OptionError, match=next(iter(option))):
        load_matrix(put("0,1\n1,0\n"), **option)


def test_a_sign_cannot_separate_and_be_decimal(put):
    with pytest.raises(OptionError, match="cannot separate cells and be the decimal sign"):
        load_matrix(put("0,1\n1,0\n"), decimal=",", delimiter=",")


def test_similarities_are_recognised_and_refused_with_the_remedy(put):
    matrix = load_matrix(put("1,0.5\n0.5,1\n"))
    with pytest.raises(RelationError, match=r"D.csv looks like similarities.*1 - s.*'convert'"):
        matrix.relation()
    with pytest.warns(UserWarning, match="looks like similarities"):
        converted = matrix.relation(similarities="convert")
    np.testing.assert_allclose(converted.block(), [[0, 1], [1, 0]])


def test_a_relation_refuses_with_the_name_of_the_file(put):
    with pytest.raises(RelationError, match=r"D.csv is not symmetric"):
        load_matrix(put("0,1\n2,0\n")).relation()
    symmetrized = load_matrix(put("0,1\n2,0\n"))
    with pytest.warns(UserWarning, match="changed"):
        assert symmetrized.relation(symmetrize="max").block()[0, 1] == 2


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1,2\n3,4\n5,6\n", "pass header=True"),
        ("1,2,3\n4,5,6\n", "pass ids=True"),
        ("1,2,3\n", "write it in one column"),
        ("1,2\n3,4\n5,6\n7,8\n", "a part of the file missing"),
        ("1 2 3\n1 3 4\n2 3 5\n3 4 6\n4 5 1\n", "list of edges, i j weight, pass graph=True"),
    ],
)
def test_what_is_not_square_is_refused_with_a_guess(put, text, advice):
    with pytest.raises(RelationError, match=advice):
        load_matrix(put(text)).relation()


def test_rows_and_columns_of_other_objects_are_refused(put):
    with pytest.raises(RelationError, match="names its rows and its columns differently"):
        load_matrix(put(",a,b\nc,0,1\nd,1,0\n")).square()


def test_options_about_text_are_refused_for_arrays(tmp_path):
    np.save(tmp_path / "D.npy", np.zeros((2, 2)))
    with pytest.raises(OptionError, match="are about text"):
        load_matrix(tmp_path / "D.npy", triangle="lower")


def test_what_was_read_is_no_array_and_says_what_to_pass(put, blobs):
    _, D, y = blobs
    matrix = load_matrix(put("\n".join(",".join(map(str, row)) for row in D.tolist())))
    with pytest.raises(
        RelationError, match=r"D.csv, names and notes included; pass its numbers, .val"
    ):
        RBFNetworkClassifier(n_prototypes=2).fit(matrix, y)
    model = RBFNetworkClassifier(n_prototypes=2, random_state=0).fit(D, y)
    with pytest.raises(RelationError, match=r"pass its numbers, .values"):
        model.predict(matrix)
