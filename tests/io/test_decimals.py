"""Numbers are read to the last bit as Python reads them."""

import pytest

from relrbf.exceptions import RelationError
from relrbf.io import load_matrix


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
