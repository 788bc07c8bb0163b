"""Plain decimals are read to the last bit as Python reads them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relrbf.io import load_matrix
from relrbf.io.decimals import plain_decimals

WHOLE = st.integers(0, 10**9).map(str)
CELLS = st.one_of(
    WHOLE,
    st.tuples(WHOLE, st.text("0123456789", max_size=5)).map(".".join),
    st.integers(1, 10**6).map(".{}".format),
)


@settings(deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=30), st.sampled_from([",", ";", "|"]))
def test_every_bit_is_pythons(cells, separator):
    found = plain_decimals(separator.join(cells).encode(), separator.encode())
    assert found.tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize("n_digits", range(1, 16))
def test_digits_of_one_length_are_exact(rng, n_digits):
    cells = [f"{value:.{n_digits - 1}f}" for value in rng.random(500) * 9]
    found = plain_decimals(",".join(cells).encode(), b",")
    assert found.tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize(
    "text",
    [
        *("", ",", "1,", ",1", "1,,2", "1,.", "-1,2", "1e5,2", "1, 2", "1.2.3,4", "nan,1"),
        *("1;2,3", "0.1234567890123456,1"),
    ],
)
def test_anything_else_is_left_to_others(text):
    assert plain_decimals(text.encode(), b",") is None


def test_a_point_too_many_in_one_cell_is_not_lent_to_the_next():
    assert plain_decimals(b"1.2.3,45", b",") is None
    assert np.array_equal(plain_decimals(b"1.5,45", b","), [1.5, 45])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("form", ["{:.3f}", "{:.6g}", "{!r}", "{:e}"])
def test_long_lines_are_read_to_the_last_bit(put, rng, delimiter, form):
    D = rng.random((3, 3000))
    cells = [[form.format(value) for value in row] for row in D.tolist()]
    path = put("\n".join(delimiter.join(row) for row in cells))
    found = load_matrix(path).values
    assert found.tolist() == [[float(cell) for cell in row] for row in cells]
