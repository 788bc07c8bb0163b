"""numba is used where it works, and missed nowhere."""

import sys

import numpy as np
import pytest

from relrbf._utils import compiled, has_numba


@pytest.fixture(autouse=True)
def anew():
    has_numba.cache_clear()
    yield
    has_numba.cache_clear()


def test_an_installed_numba_is_used():
    pytest.importorskip("numba")
    assert has_numba()


def test_a_numba_that_cannot_be_loaded_is_done_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert not has_numba()


def test_without_a_place_for_a_cache_functions_are_compiled_all_the_same(monkeypatch):
    numba = pytest.importorskip("numba")
    real = numba.njit

    def no_place(*functions, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return real(*functions, **options)

    monkeypatch.setattr(numba, "njit", no_place)
    assert compiled(lambda x: x + 1)(np.float64(2)) == 3
