"""Marks by which objects and measures are known again after a kill."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from inspect import ismethod
from types import CodeType
from typing import Any

import joblib
import numpy as np

from relrbf.exceptions import RelationError


def mark_of_objects(objects: Any) -> str:
    """Return what tells these objects from others."""
    if isinstance(objects, np.ndarray):
        return mark_of_value(objects)
    whole = sha256()
    for i, each in enumerate(objects):
        text = each if isinstance(each, str) else mark_of_value(each, f"objects[{i}]")
        whole.update(f"{type(each).__name__} {len(text)} {text}".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def mark_of_function(function: Callable[..., Any]) -> str:
    """Return what tells a function from others: its name, its code, what it carries along."""
    if isinstance(function, partial):
        carried = mark_of_value((function.args, function.keywords), "measure")
        return f"partial {mark_of_function(function.func)} {carried}"
    if not hasattr(function, "__qualname__"):  # an object that can be called
        return f"{_name_and_code(type(function).__call__)} {_state(function)}"
    held = [
        _name_and_code(cell.cell_contents) if callable(cell.cell_contents) else cell.cell_contents
        for cell in getattr(function, "__closure__", None) or ()
    ]
    defaults = [getattr(function, name, None) for name in ("__defaults__", "__kwdefaults__")]
    owner = _state(function.__self__) if ismethod(function) else ""
    return f"{_name_and_code(function)} {mark_of_value([held, defaults], 'measure')} {owner}"


def _state(owner: Any) -> str:
    return mark_of_value(getattr(owner, "__dict__", None), "measure")


def _name_and_code(function: Any) -> str:
    name = f"{function.__module__}.{getattr(function, '__qualname__', type(function).__name__)}"
    code = getattr(function, "__code__", None)
    return name if code is None else f"{name} {_mark_of_code(code)}"


def mark_of_value(value: Any, name: str = "measure_params") -> str:
    """Return a hash of a value that another run of Python computes, too."""
    plain = set(value) if isinstance(value, frozenset) else value  # joblib puts sets in order
    try:
        return str(joblib.hash(plain, hash_name="sha1", coerce_mmap=True))
    except Exception as error:
        raise RelationError(
            f"{name} cannot be known again after a kill, for it cannot be pickled ({error}). "
            "Compute in memory with path=None, or pass something that can."
        ) from error


def _mark_of_code(code: CodeType) -> str:
    parts = (code.co_code.hex(), code.co_names, [_constant(each) for each in code.co_consts])
    return sha256(repr(parts).encode()).hexdigest()[:16]


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return _mark_of_code(value)
    # the order in a set of strings differs from run to run
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)
