"""Numbers are read to the last bit as Python reads them."""

import pytest

from relrbf.exceptions import RelationError
from relrbf.io import load_labels, load_matrix


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("form", ["{:.3f}", "{:.6g}", "{!r}", "{:e}"])
def test_long_lines_are_read_to_the_last_bit(put, rng, delimiter, form):
    D = rng.random((3, 3000))
    cells = [[form.format(value) for value in row] for row in D.tolist()]
    path = put("\n".join(delimiter.join(row) for row in cells))
    found = load_matrix(path).values
    assert found.tolist() == [[float(cell) for cell in row] for row in cells]


def test_a_control_character_is_not_a_delimiter(put):
    with pytest.raises(RelationError, match="is not a number"):
        load_matrix(put("0\x015,1\n1,0\n"), header=False, ids=False)


@pytest.mark.parametrize(
    "text", ['0,"7,085"\n"7,085",0\n', "0\t7,085\t100\n7,085\t0\t1,200\n100\t1,200\t0\n"]
)
def test_commas_that_may_separate_thousands_are_asked_about(put, text):
    path = put(text)
    with pytest.raises(RelationError, match=r"'7,085' can mean 7085 or 7\.085.*decimal"):
        load_matrix(path)
    assert load_matrix(path, decimal=",").values[0, 1] == 7.085


def test_commas_before_other_than_three_digits_are_decimal(put):
    found = load_matrix(put("0;7,085;0,5\n7,085;0;1,2\n0,5;1,2;0\n")).values
    assert found[0].tolist() == [0, 7.085, 0.5]


def test_a_comma_in_labels_that_may_separate_thousands_is_asked_about(put):
    with pytest.raises(RelationError, match=r"'7,085' can mean 7085 or 7\.085"):
        load_labels(put('id,price\na,"7,085"\nb,"1,200"\nc,100\n'))
