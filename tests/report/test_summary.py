"""The sentences of the summary hold."""

from types import SimpleNamespace

import pytest

from relrbf.report.summary import _relation


@pytest.mark.parametrize(
    ("negative", "told"), [(1e-5, "less than 0.01%"), (4e-4, "0.04%"), (0.126, "12.60%")]
)
def test_a_small_negative_part_is_not_called_none(negative, told):
    found = SimpleNamespace(has_vector_dual={2: False}, negative_eigenfraction={2: negative})
    case = SimpleNamespace(model=SimpleNamespace(exponent_=2))
    assert f"read as distances: {told} of the spectrum is negative." in _relation(found, case)
