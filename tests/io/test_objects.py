"""Objects in a table; tests/cli/test_relate.py has more."""

import pandas as pd
import pytest

from relrbf.exceptions import RelationError
from relrbf.io import load_labels, load_matrix
from relrbf.io import load_objects as load


def load_objects(*given, **options):
    """Return objects and names."""
    found = load(*given, **options)
    return found.objects, found.ids


def test_semicolons_are_found_in_the_header(put):
    objects, ids = load_objects(put("id;x;y\na;1;2\nb;3;4\n"), "vectors")
    assert objects.tolist() == [[1, 2], [3, 4]]
    assert ids == ["a", "b"]


def test_semicolons_within_text_are_left_alone(put):
    objects, ids = load_objects(put("id,word\nk1,a; b\nk2,c\n"), "strings")
    assert objects == ["a; b", "c"]
    assert ids == ["k1", "k2"]


def test_a_missing_table_is_refused_in_words(tmp_path):
    with pytest.raises(RelationError, match="does not exist"):
        load_objects(tmp_path / "none.csv", "vectors")


@pytest.mark.parametrize("name", ["sample", "key", "object"])
def test_a_column_that_is_called_so_holds_names_even_if_they_are_numbers(put, name):
    objects, ids = load_objects(put(f"x,{name},y\n1,7,2\n3,8,4\n"), "vectors")
    assert objects.tolist() == [[1, 2], [3, 4]]
    assert ids == ["7", "8"]


def test_a_column_called_id_comes_before_one_called_object(put):
    assert load_objects(put("object,id\nowl,1\neel,2\n"), "strings") == (["owl", "eel"], ["1", "2"])


@pytest.mark.parametrize("number", ["inf", "-1e999", "1e200", 400 * "9"])
def test_numbers_whose_squares_are_none_are_refused(put, number):
    with pytest.raises(RelationError, match=r"object 1 has .* in column 'y'. .* below 1e.150"):
        load_objects(put(f"x,y\n1,2\n3,{number}\n5,6\n"), "vectors")


@pytest.mark.parametrize("gap", ["NA", "nan", "?", ""])
def test_a_column_of_numbers_with_a_gap_is_no_column_of_names(put, gap):
    path = put(f"x,y\n1,2\n3,{gap}\n5,6\n")
    with pytest.raises(RelationError, match="object 1 has nothing in column 'y'"):
        load_objects(path, "vectors")
    path = put(f"x,y,z\n1,2,3\n3,{gap},4\n5,6,7\n")
    with pytest.raises(RelationError, match="object 1 has a gap"):
        load_objects(path, "series")


@pytest.mark.parametrize("corner", ["", "Unnamed: 0"])
def test_row_numbers_that_pandas_writes_are_names_and_no_features(put, corner):
    objects, ids = load_objects(put(f"{corner},x,y\n0,1,2\n1,3,4\n"), "vectors")
    assert objects.tolist() == [[1, 2], [3, 4]]
    assert ids == ["0", "1"]


def test_delimiters_at_the_end_of_lines_are_no_column(put):
    assert load_objects(put("word;;\nape;;\nbee;;\n"), "strings")[0] == ["ape", "bee"]


def test_a_spreadsheet_is_read_as_a_table_is(tmp_path):
    pytest.importorskip("openpyxl")
    table = pd.DataFrame({"id": ["a", "b"], "x": [1.5, 3], "y": [2, 4]})
    table.to_excel(tmp_path / "t.xlsx", index=False)
    objects, ids = load_objects(tmp_path / "t.xlsx", "vectors")
    assert objects.tolist() == [[1.5, 2], [3, 4]]
    assert ids == ["a", "b"]
    labels = load_labels(tmp_path / "t.xlsx", column="y")
    assert labels.numbers.tolist() == [2, 4]


def test_a_matrix_in_a_spreadsheet_keeps_its_names(tmp_path):
    pytest.importorskip("openpyxl")
    D = pd.DataFrame([[0, 1.25], [1.25, 0]], ["a", "b"], ["a", "b"])
    D.to_excel(tmp_path / "D.xlsx")
    found = load_matrix(tmp_path / "D.xlsx")
    assert found.values.tolist() == D.to_numpy().tolist()
    assert found.ids.tolist() == ["a", "b"]


def test_without_openpyxl_a_spreadsheet_is_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr("relrbf.io.source.find_spec", lambda name: None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(RelationError, match=r"pip install openpyxl\), or save the sheet as csv"):
        load_matrix(tmp_path / "t.xlsx")
