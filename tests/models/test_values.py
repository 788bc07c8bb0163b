"""Values of a model come back from skops as they were."""

from math import isnan

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_array_equal

from relrbf.exceptions import ModelFileError
from relrbf.io.model_values import Record, decode, encode
from relrbf.network import Polynomial
from relrbf.training import Status


def there_and_back(value):
    dumped = skops.io.dumps(encode(value, "value", []))
    return decode(skops.io.loads(dumped, trusted=[Record]))


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, -(10**30), 0.1, 5e-324, -0.0, float("inf"), "", "é\ud800\n", b"\x00\xff"),
        *([], [1, [2.5, None]], (), (1, (2,)), {}, {1: "a", "1": (2,), (3, 4): [5]}),
        *({1, 2}, frozenset(["a"]), {"kind": "array"}, {"__class__": 1}),
        *(np.float32(0.1), np.int64(3), np.bool_(True), np.str_("a"), np.datetime64("2026-11-16")),
        *(Polynomial(2.5), Status.CONVERGED, np.dtype("f4")),
        *([0.1] * 20, [*range(20)], [True] * 20, [10**30] * 20, [1, 2.0] * 20),
    ],
    ids=str,
)
def test_values_come_back_with_their_types(value):
    again = there_and_back(value)
    assert type(again) is type(value)
    assert repr(again) == repr(value)


def test_nan_comes_back():
    assert isnan(there_and_back(float("nan")))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", ">i2", "?", "U3", "S2", "M8[s]"])
@pytest.mark.parametrize("shape", [(), (0,), (4,), (3, 4), (2, 3, 2), (0, 3)])
def test_arrays_come_back_in_their_memory_order(shape, dtype, order):
    array = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape), order=order)
    array = np.asarray(array.astype(dtype, order=order))
    again = there_and_back(array)
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.flags.c_contiguous == array.flags.c_contiguous
    assert again.flags.f_contiguous == array.flags.f_contiguous
    assert again.flags.writeable
    assert again.flags.aligned
    assert_array_equal(again, array)


def test_arrays_of_objects_keep_shape_and_types():
    array = np.array([["a", 1, (2, "b")], [None, 2.5, True]], dtype=object)
    array[1, 0] = np.int64(3)
    again = there_and_back(array)
    assert again.shape == (2, 3)
    assert [type(v) for v in again.flat] == [type(v) for v in array.flat]
    assert again.tolist() == array.tolist()


@pytest.mark.parametrize(
    "generator",
    [
        np.random.RandomState(3),
        *(np.random.Generator(kind(3)) for kind in (np.random.PCG64, np.random.Philox)),
        *(np.random.Generator(kind(3)) for kind in (np.random.SFC64, np.random.MT19937)),
    ],
    ids=str,
)
def test_random_generators_go_on_where_they_were(generator):
    generator.standard_normal(3)
    again = there_and_back(generator)
    assert type(again) is type(generator)
    assert_array_equal(again.standard_normal(5), generator.standard_normal(5))


@pytest.mark.parametrize(
    "value", [object(), len, 1j, np.complex128(1), np.ones(1, "c16"), slice(3), np.longdouble(1)]
)
def test_what_has_no_plain_form_is_refused_by_name(value):
    with pytest.raises(ModelFileError, match="params/x holds a"):
        encode(value, "params/x", [])


def test_sets_have_one_form():
    words = [f"word {i}" for i in range(50)]
    forms = {str(encode(set(given), "x", [])) for given in (words, words[::-1])}
    assert len(forms) == 1
