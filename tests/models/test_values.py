"""Values go through JSON and come back as they were."""

import io
import json
from math import isnan

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from relrbf.exceptions import ModelFileError
from relrbf.io.models_format.archive import SUMS
from relrbf.io.models_format.arrays import from_npy, to_npy
from relrbf.io.models_format.reader import Reader
from relrbf.io.models_format.text import from_json, to_json
from relrbf.io.models_format.writer import Writer
from relrbf.network import Polynomial
from relrbf.training import Status


def there_and_back(value):
    writer = Writer()
    node = from_json(to_json(writer.write(value, "value")))
    return Reader(writer.members.__getitem__).value(node)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, -(10**30), 0.1, 5e-324, -0.0, float("inf"), "", "é\ud800\n", b"\x00\xff"),
        *([], [1, [2.5, None]], (), (1, (2,)), {}, {1: "a", "1": (2,), (3, 4): [5]}),
        *({1, 2}, frozenset(["a"]), {"kind": "array"}, {"member": 1}),
        *(np.float32(0.1), np.int64(3), np.bool_(True), np.str_("a"), np.datetime64("2026-11-16")),
        *(Polynomial(2.5), Status.CONVERGED),
    ],
    ids=str,
)
def test_values_come_back_with_their_types(value):
    again = there_and_back(value)
    assert type(again) is type(value)
    assert repr(again) == repr(value)


def test_a_number_that_is_none_comes_back():
    assert isnan(there_and_back(float("nan")))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", ">i2", "?", "U3", "S2", "M8[s]"])
@pytest.mark.parametrize("shape", [(), (0,), (4,), (3, 4), (2, 3, 2), (0, 3)])
def test_arrays_come_back_in_their_memory_order(shape, dtype, order):
    array = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape), order=order)
    array = np.asarray(array.astype(dtype, order=order))
    again = from_npy(to_npy(array))
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


def test_arrays_of_one_shape_are_one_member():
    writer = Writer()
    rows = [np.arange(3.0), np.ones(3), np.zeros(3)]
    node = writer.write(rows, "rows")
    assert len(writer.members) == 1
    assert_array_equal(Reader(writer.members.__getitem__).value(node), rows)
    ragged = there_and_back([np.arange(3.0), np.ones(2)])
    assert [len(row) for row in ragged] == [3, 2]


def test_equal_arrays_are_one_member():
    writer = Writer()
    writer.write([1, np.arange(3)], "a")
    writer.write([2, np.arange(3)], "b")
    assert list(writer.members) == ["a/1.npy"]


@pytest.mark.parametrize(
    "stream",
    [
        np.random.RandomState(3),
        *(np.random.Generator(kind(3)) for kind in (np.random.PCG64, np.random.Philox)),
        *(np.random.Generator(kind(3)) for kind in (np.random.SFC64, np.random.MT19937)),
    ],
    ids=str,
)
def test_streams_of_random_numbers_go_on_where_they_were(stream):
    stream.standard_normal(3)
    again = there_and_back(stream)
    assert type(again) is type(stream)
    assert_array_equal(again.standard_normal(5), stream.standard_normal(5))


@pytest.mark.parametrize(
    "value", [object(), len, np.dtype("f8"), 1j, np.complex128(1), np.ones(1, "c16"), slice(3)]
)
def test_what_has_no_plain_form_is_refused_by_name(value):
    with pytest.raises(ModelFileError, match="params/x holds a"):
        Writer().write(value, "params/x")


def test_sets_have_one_form():
    words = [f"word {i}" for i in range(50)]
    forms = {json.dumps(Writer().write(set(given), "x")) for given in (words, words[::-1])}
    assert len(forms) == 1


def test_no_member_can_be_the_list_of_checksums():
    assert not SUMS.endswith((".npy", ".json"))


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]", "1e999", '{"a": 1, "a": 1}'])
def test_text_that_is_not_strictly_json_is_refused(text):
    with pytest.raises(ModelFileError, match=r"no number of JSON|names a value twice"):
        from_json(text.encode())


@pytest.mark.parametrize(("shape", "dtype"), [((10**7, 0), "<f8"), ((10**9,), "<U0")])
def test_an_array_without_a_byte_cannot_be_large(shape, dtype):
    buffer = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, described)
    with pytest.raises(ModelFileError, match="is empty, and yet so large"):
        from_npy(buffer.getvalue())
