"""Arrays as the bytes of a ``.npy`` file, in the memory order they have.

The order matters: a product with the same array in another order may round differently.
"""

from io import BytesIO
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy

from relrbf.exceptions import ModelFileError

TEXT = "US"
NUMBERS = "biufMm"  # truth values and dates among them; nothing that is an object
MOST_EMPTY = 2**16  # values or rows without a byte, of which a file could declare any number
WIDEST = 8  # bytes of a number; longer floats differ from machine to machine


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Tell whether arrays of a dtype are bytes that mean the same everywhere."""
    return dtype.kind in TEXT or (dtype.kind in NUMBERS and dtype.itemsize <= WIDEST)


def to_npy(array: np.ndarray) -> bytes:
    """Return an array as the bytes of a ``.npy`` file."""
    buffer = BytesIO()
    npy.write_array(buffer, np.asarray(array), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def from_npy(content: bytes) -> np.ndarray:
    """Return the array in the bytes of a ``.npy`` file, if they are just as many as it declares."""
    buffer = BytesIO(content)
    if npy.read_magic(buffer) != (1, 0):
        raise ModelFileError("an array is in another version of npy than 1.0")
    shape, is_fortran, dtype = npy.read_array_header_1_0(buffer)
    if not is_plain(dtype):
        raise ModelFileError(f"an array holds {dtype!s:.40}, which is neither numbers nor text")
    start, n_values = buffer.tell(), prod(shape)
    if min(shape, default=0) < 0 or n_values * dtype.itemsize != len(content) - start:
        raise ModelFileError(f"an array of shape {shape!s:.40} does not have as many values")
    if start == len(content) and max(shape, default=0) > MOST_EMPTY:
        raise ModelFileError(f"an array of shape {shape!s:.40} is empty, and yet so large")
    if not dtype.itemsize:  # empty texts
        return np.zeros(shape, dtype)
    values = np.frombuffer(content, dtype, n_values, start)
    return values.reshape(shape, order="F" if is_fortran else "C").copy(order="K")
