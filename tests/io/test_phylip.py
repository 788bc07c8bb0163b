"""PHYLIP's matrices, square and in halves, with strict names and relaxed ones."""

import pytest

from relrbf.exceptions import RelationError
from relrbf.io import load_matrix

D = [[0.0, 1.5, 2.0], [1.5, 0.0, 3.0], [2.0, 3.0, 0.0]]
FILES = {
    "square": "3\nann 0 1.5 2\nbob 1.5 0 3\neve 2 3 0\n",
    "indented count": "    3\nann        0.0 1.5 2.0\nbob        1.5 0.0 3.0\neve        2 3 0\n",
    "lower": "3\nann\nbob 1.5\neve 2 3\n",
    "lower with diagonal": "3\nann 0\nbob 1.5 0\neve 2 3 0\n",
    "upper": "3\nann 1.5 2\nbob 3\neve\n",
    "wrapped": "3\nann 0 1.5\n   2\nbob 1.5 0\n  3\neve 2 3\n 0\n",
    "tabs": "3\nann\t0\t1.5\t2\nbob\t1.5\t0\t3\neve\t2\t3\t0\n",
    "Windows": "3\r\nann 0 1.5 2\r\nbob 1.5 0 3\r\neve 2 3 0\r\n",
}


@pytest.mark.parametrize("name", ["D.phy", "D.txt", "D.dist"])
@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_every_form_is_read(put, text, name):
    matrix = load_matrix(put(text, name))
    assert matrix.values.tolist() == D
    assert matrix.ids.tolist() == ["ann", "bob", "eve"]
    assert "a PHYLIP file of 3 objects" in matrix.notes


def test_strict_names_hold_spaces_and_touch_their_numbers(put):
    text = "3\nHomo sap. 0.0 1.5 2.0\nMus mus   1.5 0.0 3.0\nSpecies_032.0 3.0 0.0\n"
    matrix = load_matrix(put(text, "D.phy"))
    assert matrix.ids.tolist() == ["Homo sap.", "Mus mus", "Species_03"]
    assert matrix.values.tolist() == D


def test_names_may_be_numbers(put):
    matrix = load_matrix(put("3\n1 0 1.5 2\n2 1.5 0 3\n3 2 3 0\n", "D.txt"))
    assert matrix.ids.tolist() == ["1", "2", "3"]
    assert matrix.values.tolist() == D


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3\nann 0 1 2\nbob 1 0 3\n", "says that it has 3 objects, and has 2"),
        ("2\nann 0 1\nbob 1 0\neve 2 3\n", "2 objects were announced, and more come"),
        ("3\nann 0 1 2\nbob 1 0\neve 2 3 0\n", "'bob' has 2 numbers, and 3 were expected"),
        ("3\nann 0 1 2 4\nbob 1 0 3\neve 2 3 0\n", "'ann' has 4 numbers, and 3"),
        ("ann 0 1\nbob 1 0\n", "should be the number of objects"),
        ("2\nann 0 1\nann 1 0\n", "twice: 'ann'"),
        ("3\nNA 1.687 8.389\nNA NA 2.772\nNA NA NA\n", "'NA' has 2 numbers, and 3"),
        ("3\nann 0 1 2\nbob 1.2 5.25 0 3\neve 2 3 0\n", "'bob' has 4 numbers, and 3"),
        ("2\nann xxxx yyyy zzzz\nbob 1 0\n", "no name with numbers after it"),
        ("2\nob0 0 NA\nob1 2.136 0\n", "no name with numbers after it"),
    ],
)
def test_what_is_wrong_is_named(put, text, message):
    with pytest.raises(RelationError, match=message):
        load_matrix(put(text, "D.phy"))


def test_what_is_asked_of_a_table_makes_it_one(put):
    path = put("3\nann 0 1.5 2\nbob 1.5 0 3\neve 2 3 0\n", "D.txt")
    with pytest.raises(RelationError, match="cells, and"):
        load_matrix(path, delimiter=" ", header=False)


COUNTED = {
    "3\n1 0.0\n2 1.5 0.0\n3 2.0 3.0 0.0\n": ["1", "2", "3"],
    "3\n0.0\n1.5 0.0\n2.0 3.0 0.0\n": None,
    "3\n0.0 1.5 2.0\n1.5 0.0 3.0\n2.0 3.0 0.0\n": None,
    "3\nA,0\nB,1.5,0\nC,2,3,0\n": ["A", "B", "C"],
    "3\nA\nB;1.5\nC;2;3\n": ["A", "B", "C"],
    "3\n1,0,1.500,2\n2,1.500,0,3\n3,2,3,0\n": ["1", "2", "3"],
}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "lsmat", "phy", "dist"])
@pytest.mark.parametrize("text", COUNTED)
def test_a_number_of_objects_alone_in_the_first_line_is_no_object(put, text, suffix):
    matrix = load_matrix(put(text, f"D.{suffix}"))
    assert matrix.values.tolist() == D
    assert (None if matrix.ids is None else matrix.ids.tolist()) == COUNTED[text]


def test_a_table_of_fewer_objects_than_its_first_line_says_is_refused(put):
    with pytest.raises(RelationError, match="says that it has 4 objects, and has 3"):
        load_matrix(put("4\nA,0\nB,1,0\nC,2,3,0\n", "D.csv"))


def test_a_lower_half_may_begin_with_a_whole_number(put):
    matrix = load_matrix(put("3\n1.5 5\n2.5 1.5 6\n", "D.txt"))
    assert matrix.values[0].tolist() == [0, 3, 1.5, 2.5]


@pytest.mark.parametrize("name", ["D.phy", "D.txt"])
def test_a_separator_after_the_count_is_blank(put, name):
    assert load_matrix(put("2\x1e\nann 0 1\nbob 1 0\n", name)).values.tolist() == [[0, 1], [1, 0]]
