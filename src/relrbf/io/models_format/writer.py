"""Values as JSON: numbers and text as they are, all else as an object that says its kind.

Arrays are members of their own. Which kinds there are is written in ``reader`` and ``records``.
"""

from base64 import b64encode
from hashlib import sha256
from math import isfinite
from typing import Any

import numpy as np

from relrbf.exceptions import ModelFileError
from relrbf.io.models_format.arrays import is_plain, to_npy
from relrbf.io.models_format.reader import PLAIN, STREAMS
from relrbf.io.models_format.records import ENUMS, NAMES, RECORDS
from relrbf.io.models_format.text import to_json


class Writer:
    """Turns values into JSON, and arrays into members; equal ones are one member.

    Attributes
    ----------
    members : dict of str to bytes
        What was written beside the JSON.
    left_out : list of str
        What cannot be kept, and is not needed for a prediction.
    """

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}
        self.left_out: list[str] = []
        self._homes: dict[bytes, str] = {}

    def write(self, value: Any, where: str) -> Any:
        """Return a value as JSON; ``where`` names it, and the members it needs."""
        if type(value) in PLAIN:
            return value
        if type(value) is float:
            return value if isfinite(value) else {"kind": "float", "value": repr(value)}
        if type(value) is list:
            return self._list(value, where)
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if isinstance(value, np.generic) and is_plain(value.dtype):
            return self._scalar(value)
        return self._other(value, where)

    def _list(self, values: list[Any], where: str) -> Any:
        if _are_alike(values):
            return {"kind": "rows", "array": self._array(np.stack(values), where)}
        return [self.write(value, f"{where}/{i}") for i, value in enumerate(values)]

    def _array(self, array: np.ndarray, where: str) -> Any:
        if is_plain(array.dtype):
            return {"kind": "array", "member": self._member(to_npy(array), f"{where}.npy")}
        if array.dtype != object:
            raise _unkept(f"an array of {array.dtype}", where)
        inner = Writer()  # no member refers to another: what is read is no more than the file
        values = [inner.write(value, f"{where}/{i}") for i, value in enumerate(array.ravel())]
        if inner.members:
            raise _unkept("an array of arrays", where)
        member = self._member(to_json(values), f"{where}.json")
        return {"kind": "objects", "shape": list(array.shape), "member": member}

    def _member(self, content: bytes, name: str) -> str:
        home = self._homes.setdefault(sha256(content).digest(), name)
        self.members[home] = content
        return home

    def _scalar(self, value: Any) -> Any:
        return {"kind": "scalar", "npy": b64encode(to_npy(np.asarray(value))).decode("ascii")}

    def _other(self, value: Any, where: str) -> Any:
        kind = type(value)
        if kind in (tuple, set, frozenset):
            items = [self.write(item, f"{where}/{i}") for i, item in enumerate(value)]
            # a set has no order of its own
            return {"kind": kind.__name__, "items": items if kind is tuple else _sorted(items)}
        if kind is dict:
            items = [[*map(self.write, pair, 2 * [f"{where}/{i}"])] for i, pair in _numbered(value)]
            return {"kind": "dict", "items": items}
        if kind is bytes:
            return {"kind": "bytes", "base64": b64encode(value).decode("ascii")}
        if kind in ENUMS.values():
            return {"kind": kind.__name__, "name": value.name}
        if kind in NAMES:
            fields, left_out = RECORDS[NAMES[kind]].pack(value)
            self.left_out += [f"{where}.{name}" for name in left_out]
            written = {n: self.write(v, f"{where}/{n}") for n, v in fields.items()}
            return {"kind": NAMES[kind], "fields": written}
        if isinstance(value, np.random.RandomState | np.random.Generator):
            return self._randomness(value, where)
        raise _unkept(f"a {kind.__module__}.{kind.__qualname__}", where)

    def _randomness(self, value: Any, where: str) -> Any:
        is_old = isinstance(value, np.random.RandomState)
        state = value.get_state(legacy=False) if is_old else value.bit_generator.state
        if state["bit_generator"] not in STREAMS:
            raise _unkept(f"a stream of random numbers of {state['bit_generator']}", where)
        kind = "RandomState" if is_old else "Generator"
        return {"kind": kind, "state": self.write(state, f"{where}/state")}


def _are_alike(values: list[Any]) -> bool:
    """Tell whether values are several arrays of one shape, which one array can hold."""
    if len(values) < 2 or not all(isinstance(value, np.ndarray) for value in values):
        return False
    return len({(v.shape, v.dtype) for v in values}) == 1 and is_plain(values[0].dtype)


def _sorted(items: list[Any]) -> list[Any]:
    return sorted(items, key=to_json)


def _numbered(value: dict[Any, Any]) -> Any:
    return enumerate(value.items())


def _unkept(what: str, where: str) -> ModelFileError:
    return ModelFileError(
        f"{where} holds {what}, which cannot be put in a file without code that would run when it "
        "is loaded. Numbers, text, arrays, lists, dicts and sets of those can. A model trained on "
        "dissimilarities, metric='precomputed', needs no objects at all."
    )
