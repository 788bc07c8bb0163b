"""Whether what a file holds can be a model: types, shapes that fit each other, positions in range.

Every judge is called with a value, the sizes met so far, and the value's name. A size has a letter:
c prototypes, g outputs, m objects of the support, n training objects, w columns of X. What is
called by the same letter must have the same size throughout a model.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from relrbf.exceptions import ModelFileError

Sizes: TypeAlias = dict[str, int]
Judge: TypeAlias = Callable[[Any, Sizes, str], None]
Fields: TypeAlias = Mapping[str, Judge]


def judge_fields(fields: Fields, values: Any, sizes: Sizes, where: str) -> None:
    """Judge several values by their names."""
    for name, judge in fields.items():
        judge(values[name], sizes, f"{where}.{name}" if where else name)


def anything(value: Any, sizes: Sizes, where: str) -> None:
    """Accept every value: options, which are judged together."""


def of_type(*types: type) -> Judge:
    """Return a judge that accepts values of these types."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        _demand(type(value) in types, where, value)

    return judge


MOST_WORKERS = 2**12
WHOLE = (int, np.int64, np.int32)
REAL = (*WHOLE, float, np.float64, np.float32)
whole, number = of_type(*WHOLE), of_type(*REAL)


def workers(value: Any, sizes: Sizes, where: str) -> None:
    """Judge a number of processes, which a file must not make absurd."""
    whole(value, sizes, where)
    _demand(value != 0 and abs(value) <= MOST_WORKERS, where, value)


def one_of(*choices: Any) -> Judge:
    """Return a judge that accepts these values."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        _demand(type(value) in (int, float, str) and value in choices, where, value)

    return judge


def maybe(judge_some: Judge) -> Judge:
    """Return a judge that accepts None besides."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        if value is not None:
            judge_some(value, sizes, where)

    return judge


def size(letter: str) -> Judge:
    """Return a judge of a number that is a size."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        whole(value, sizes, where)
        _agree(letter, int(value), sizes, where)

    return judge


def floats(*letters: str) -> Judge:
    """Return a judge of arrays of floats."""
    return _array("f", letters)


def names(letter: str) -> Judge:
    """Return a judge of names or labels, of whatever type."""
    return _array("biufUSMmO", (letter,))


def positions(*letters: str, below: str) -> Judge:
    """Return a judge of positions among objects."""
    judge_array = _array("i", letters)

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        judge_array(value, sizes, where)
        if value.size:
            _demand(value.min() >= 0 and value.max() < sizes[below], where, value)

    return judge


def listed(*types: type) -> Judge:
    """Return a judge of lists of values of these types."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        _demand(type(value) is list and all(type(v) in types for v in value), where, value)

    return judge


def objects(letter: str) -> Judge:
    """Return a judge of a list of objects of any kind."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        _demand(type(value) is list and value, where, value)
        _agree(letter, len(value), sizes, where)

    return judge


def by_exponent(kind: type) -> Judge:
    """Return a judge of what was found under either exponent."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        is_right = type(value) is dict and set(value) == {1, 2}
        _demand(is_right and all(type(v) is kind for v in value.values()), where, value)

    return judge


def _array(kinds: str, letters: tuple[str, ...]) -> Judge:
    def judge(value: Any, sizes: Sizes, where: str) -> None:
        is_array = isinstance(value, np.ndarray) and value.dtype.kind in kinds
        _demand(is_array and value.ndim == len(letters), where, value)
        for letter, length in zip(letters, value.shape, strict=True):
            _agree(letter, length, sizes, where)

    return judge


def _agree(letter: str, length: int, sizes: Sizes, where: str) -> None:
    """Refuse a size that is another elsewhere; 1 is itself."""
    expected = 1 if letter == "1" else sizes.setdefault(letter, length)
    if length != expected:
        raise ModelFileError(f"{where} has a size of {length} where others have {expected}")


def _demand(is_right: Any, where: str, value: Any) -> None:
    if not is_right:
        raise ModelFileError(f"{where} cannot be {value!r:.60}")
