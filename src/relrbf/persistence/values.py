"""Values as JSON: numbers and text as they are, all else as an object that says its kind.

Arrays are members of their own. Which kinds there are is written here and in ``records``; a file
can name no others, and reading one imports nothing and calls nothing by a name it brings.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from math import isfinite, prod
from typing import Any

import numpy as np

from relrbf.exceptions import ModelFileError
from relrbf.persistence.arrays import from_npy, is_plain, to_npy
from relrbf.persistence.records import ENUMS, NAMES, RECORDS
from relrbf.persistence.text import from_json, to_json

PLAIN = (type(None), bool, int, str)
ITEMS = {"tuple": tuple, "set": set, "frozenset": frozenset}
STREAMS: dict[str, type[np.random.BitGenerator]] = {
    stream.__name__: stream
    for stream in (
        np.random.MT19937,
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.Philox,
        np.random.SFC64,
    )
}
ODD_FLOATS = ("nan", "inf", "-inf")


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
        values = [self.write(value, f"{where}/{i}") for i, value in enumerate(array.ravel())]
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


class Reader:
    """Turns JSON back into values.

    Parameters
    ----------
    read : callable
        Returns the bytes of a member.
    """

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._arrays: dict[str, np.ndarray] = {}
        self.model: Any = None  # whose attributes are read; its options are known before

    def value(self, node: Any) -> Any:
        """Return the value that JSON stands for."""
        if type(node) in (*PLAIN, float):
            return node
        if type(node) is list:
            return [self.value(item) for item in node]
        kind = node.get("kind")
        parts = {name: part for name, part in node.items() if name != "kind"}
        if type(kind) is str and kind in ENUMS:
            return ENUMS[kind][_only(parts, "name")]
        if type(kind) is str and kind in RECORDS:
            fields = _only(parts, "fields")
            found = {name: self.value(part) for name, part in fields.items()}
            return RECORDS[kind].make(found, self.model)
        if type(kind) is not str or kind not in READERS:
            raise ModelFileError(f"it holds a value of kind {kind!r:.40}, which does not exist")
        return READERS[kind](self, **parts)

    def _float(self, value: str) -> float:
        return float(ODD_FLOATS[ODD_FLOATS.index(value)])

    def _scalar(self, npy: str) -> Any:
        return from_npy(b64decode(npy, validate=True))[()]

    def _bytes(self, base64: str) -> bytes:
        return b64decode(base64, validate=True)

    def _dict(self, items: Any) -> dict[Any, Any]:
        return {self.value(key): self.value(value) for key, value in items}

    def _array(self, member: str) -> np.ndarray:
        if member not in self._arrays:
            self._arrays[member] = from_npy(self._read(member))
        return self._arrays[member]

    def _rows(self, array: Any) -> list[np.ndarray]:
        return list(self._array(_only(array, "member", kind="array")))

    def _objects(self, shape: list[int], member: str) -> np.ndarray:
        values = from_json(self._read(member))
        if type(values) is not list or prod(shape) != len(values):
            raise ModelFileError(f"the member {member} does not have as many values as it should")
        flat = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):
            flat[i] = self.value(value)
        return flat.reshape(shape)

    def _random_state(self, state: Any) -> np.random.RandomState:
        found = self.value(state)
        stream = np.random.RandomState(STREAMS[found["bit_generator"]](0))
        stream.set_state(found)
        return stream

    def _generator(self, state: Any) -> np.random.Generator:
        found = self.value(state)
        stream = STREAMS[found["bit_generator"]](0)
        stream.state = found
        return np.random.Generator(stream)


READERS: dict[str, Callable[..., Any]] = {
    "float": Reader._float,
    "scalar": Reader._scalar,
    "bytes": Reader._bytes,
    "dict": Reader._dict,
    "array": Reader._array,
    "rows": Reader._rows,
    "objects": Reader._objects,
    "RandomState": Reader._random_state,
    "Generator": Reader._generator,
    **{
        name: (lambda self, items, make=make: make([self.value(item) for item in items]))
        for name, make in ITEMS.items()
    },
}


def _only(parts: Any, name: str, kind: str | None = None) -> Any:
    """Return the one part that a node of this kind has."""
    expected = {name} if kind is None else {name, "kind"}
    if set(parts) != expected or (kind is not None and parts["kind"] != kind):
        raise ModelFileError(f"a value has the parts {sorted(parts)!s:.80}, not {name!r}")
    return parts[name]
