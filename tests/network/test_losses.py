"""The loss of responses, and of which objects."""

import numpy as np
import pytest

from relrbf.network import SquaredError


def test_an_object_without_weight_does_not_count_however_wrong_it_is():
    responses, targets = np.array([[1.0], [np.inf]]), np.array([[3.0], [0.0]])
    value = SquaredError().value(responses, targets, np.array([1.0, 0.0]))
    assert value == pytest.approx(2.0)
