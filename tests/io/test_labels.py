"""Labels: one column, or an id and a label."""

import io
import sys

import numpy as np
import pytest

from relrbf.exceptions import OptionError, RelationError
from relrbf.io import load_labels, match_labels, save_rows

ALONE = {
    "one column": "bird\nfish\nbird\nfish\n",
    "header called label": "label\nbird\nfish\nbird\nfish\n",
    "header of another name": "kind\nbird\nfish\nbird\nfish\n",
    "Windows and a mark": "\ufeffy\r\nbird\r\nfish\r\nbird\r\nfish\r\n",
    "comments": "# of animals\nbird\nfish\nbird\nfish\n\n",
    "trailing": "bird;\nfish;\nbird;\nfish;\n;\n",
}
NAMED = {
    "id,label": "id,label\na,bird\nb,fish\nc,bird\nd,fish\n",
    "label,id": "label,id\nbird,a\nfish,b\nbird,c\nfish,d\n",
    "class and name": "class;name\nbird;a\nfish;b\nbird;c\nfish;d\n",
    "no header": "a,bird\nb,fish\nc,bird\nd,fish\n",
    "tabs": "a\tbird\nb\tfish\nc\tbird\nd\tfish\n",
    "header of other names": "beast,kind\na,bird\nb,fish\nc,bird\nd,fish\n",
    "trailing": "id;label;;\na;bird;;\nb;fish;;\nc;bird;;\nd;fish;;\n",
    "blank rows": "id,label\na,bird\nb,fish\n,\nc,bird\nd,fish\n,\n,\n",
    "trailing in some lines": "id,label\na,bird\nb,fish,\nc,bird\nd,fish\n",
    "pandas": ",kind\na,bird\nb,fish\nc,bird\nd,fish\n",
}


@pytest.mark.parametrize("text", ALONE.values(), ids=ALONE)
def test_labels_alone_have_no_ids(put, text):
    labels = load_labels(put(text, "y.csv"))
    assert labels.values.tolist() == ["bird", "fish", "bird", "fish"]
    assert labels.ids is None
    assert not labels.is_numeric


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_labels_beside_ids_are_told_from_them(put, text):
    labels = load_labels(put(text, "y.csv"))
    assert labels.values.tolist() == ["bird", "fish", "bird", "fish"]
    assert labels.ids.tolist() == ["a", "b", "c", "d"]
    assert any("holds ids" in note for note in labels.notes)


def test_what_was_left_out_of_labels_is_said(put):
    notes = load_labels(put("id;label;\na;bird;\nb;fish;\n;;\n", "y.csv")).notes
    assert "cells without anything in them at the end of lines were left out" in notes
    assert "1 line(s) without anything in them were left out" in notes


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1\n2\n1\n", [1, 2, 1]),
        ("y\n1.5\n2\n", [1.5, 2]),
        ("size\n1,5\n2,5\n", [1.5, 2.5]),
        ("-1\n+1\n", [-1, 1]),
        ("1.1\n1.10\n1.2\n", [1.1, 1.1, 1.2]),
        ("001\n002\n", None),
        ("1\n2\nx\n", None),
        ("1.5\n2,5\n", None),
    ],
)
def test_labels_stay_text_and_are_numbers_only_if_all_are(put, text, numbers):
    labels = load_labels(put(text, "y.csv"), delimiter=";")
    assert labels.values.tolist() == [line for line in text.split() if line not in ("y", "size")]
    assert labels.is_numeric == (numbers is not None)
    if numbers is not None:
        assert labels.numbers.tolist() == numbers
        assert labels.numbers.dtype == np.float64


def test_classes_that_are_the_same_number_are_not_the_same_class(put):
    labels = load_labels(put("id,label\na,1.1\nb,1.10\nc,1.2\n", "y.csv"))
    assert len(set(labels.values)) == 3
    assert match_labels(labels, ["c", "b", "a"]).numbers.tolist() == [1.2, 1.1, 1.1]


def test_codes_are_numbers_when_asked_for_and_words_are_refused(put):
    assert load_labels(put("007\n010\n", "y.csv")).numbers.tolist() == [7, 10]
    with pytest.raises(RelationError, match=r"y.csv: the label 'x' is not a number"):
        _ = load_labels(put("1\n2\nx\n", "y.csv")).numbers


def test_the_decimal_sign_that_is_named_counts(put):
    path = put("1.5\n2.5\n", "y.csv")
    assert not load_labels(path, decimal=",", delimiter=";").is_numeric
    assert load_labels(path, decimal=".").is_numeric


def test_ids_stay_text(put):
    labels = load_labels(put("id,label\n007,spy\n0042,spy\n", "y.csv"))
    assert labels.ids.tolist() == ["007", "0042"]


def test_labels_of_two_words_are_one_label(put):
    labels = load_labels(put("great tit\nblue whale\ngreat tit\n", "y.csv"))
    assert labels.values.tolist() == ["great tit", "blue whale", "great tit"]


def test_of_many_columns_one_is_named(put):
    path = put("gene,family,length\ng1,A,3\ng2,B,4\n", "y.csv")
    with pytest.raises(RelationError, match=r"3 columns.*'family'.*column="):
        load_labels(path)
    labels = load_labels(path, column="family")
    assert labels.values.tolist() == ["A", "B"]
    assert labels.ids.tolist() == ["g1", "g2"]
    assert load_labels(path, column=2, header=True).numbers.tolist() == [3, 4]
    with pytest.raises(OptionError, match="no column 'colour'"):
        load_labels(path, column="colour")
    with pytest.raises(OptionError, match=r"header=False.*pass a position from 0, or header=True"):
        load_labels(path, column="family", header=False)
    with pytest.raises(OptionError, match="the columns 0 to 2"):
        load_labels(path, column=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("id,label\n", "no labels|a header and nothing below it"),
        ("id,label\na,bird\nb,\n", "no label for 'b'"),
        ("bird\nNA\nbird\n", r"no label for object 1 \(counted from 0\)"),
        ("a,bird\na,fish\n", "labels objects twice: 'a'"),
        ("a,bird\nb\n", "cells in line.*pass delimiter="),
        ("a,bird,x\nb,fish\nc,bird\n", "3 cells in line 1 .*pass delimiter="),
        ("id,label,\na,bird,\nb,,\n", "no label for 'b'"),
        ('bird\n""\nfish\n', "no label for object 1"),
        (",\n,\n", "nothing in its cells"),
        ('id,label\n"a\nb",x\n', "y.csv: a line that starts .* a name must be of one line"),
        (b"\xe9\nb\n", "is not UTF-8"),
    ],
)
def test_what_is_wrong_with_labels_is_named(put, text, message):
    with pytest.raises(RelationError, match=message):
        load_labels(put(text, "y.csv"))


def test_arrays_of_labels_are_read(tmp_path):
    np.save(tmp_path / "y.npy", ["u", "v"])
    assert load_labels(tmp_path / "y.npy").values.tolist() == ["u", "v"]
    np.savez(tmp_path / "D.npz", R=np.zeros((2, 2)), y=[1, 2], ids=["a", "b"], z=[3, 4])
    labels = load_labels(tmp_path / "D.npz")
    assert (labels.values.tolist(), labels.ids.tolist()) == ([1, 2], ["a", "b"])
    assert load_labels(tmp_path / "D.npz", column="z").values.tolist() == [3, 4]
    assert labels.numbers.tolist() == [1, 2]
    np.save(tmp_path / "bad.npy", [1.0, np.nan])
    with pytest.raises(RelationError, match="no label for object 1"):
        load_labels(tmp_path / "bad.npy")
    np.save(tmp_path / "objects.npy", np.array(["u", None], dtype=object))
    with pytest.raises(RelationError, match="Python objects"):
        load_labels(tmp_path / "objects.npy")


@pytest.mark.parametrize(
    ("array", "values", "is_numeric"),
    [
        (["1.1", "1.10"], ["1.1", "1.10"], True),
        ([b"u", "\xe9".encode()], ["u", "\xe9"], False),
        ([1.0, 2.0], [1.0, 2.0], True),
        ([True, False], [True, False], False),
    ],
)
def test_labels_of_an_array_are_what_it_holds(tmp_path, array, values, is_numeric):
    np.save(tmp_path / "y.npy", np.array(array))
    labels = load_labels(tmp_path / "y.npy")
    assert labels.values.tolist() == values
    assert labels.is_numeric == is_numeric


def test_labels_come_through_a_pipe(monkeypatch):
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"a,1\nb,2\n")))
    )
    labels = load_labels("-")
    assert (labels.path, labels.values.tolist()) == ("standard input", ["1", "2"])


def test_the_shared_labels_are_read(shared_data):
    assert len(load_labels(shared_data / "HG-194" / "HG-194.npz").values) == 194


@pytest.mark.parametrize("name", ["#x", "# x"])
def test_an_object_whose_name_begins_as_a_comment_is_kept(tmp_path, name):
    rows = [("a,b", "10"), (name, "y"), ("o2", "x")]
    save_rows(tmp_path / "y.csv", ["id", "label"], rows)
    found = load_labels(tmp_path / "y.csv")
    assert list(zip(found.ids, found.values, strict=True)) == rows


def test_comments_that_are_left_out_are_counted(put):
    found = load_labels(put("# two animals\n# seen today\nid,kind\na,bird\nb,fish\n"))
    assert found.ids.tolist() == ["a", "b"]
    assert "2 line(s) that begin with # were left out" in found.notes


@pytest.mark.parametrize("delimiter", [None, ","])
def test_a_comment_with_a_comma_is_no_label(put, delimiter):
    found = load_labels(put("# kinds, of animals\nbird\nfish\n"), delimiter=delimiter)
    assert found.values.tolist() == ["bird", "fish"]
