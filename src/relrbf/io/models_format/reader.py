"""JSON back into values, of the kinds there are.

A file can name no other kinds, and reading one imports nothing and calls nothing by a name it
brings.
"""

from base64 import b64decode
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from relrbf.exceptions import ModelFileError
from relrbf.io.models_format.arrays import from_npy
from relrbf.io.models_format.records import ENUMS, RECORDS
from relrbf.io.models_format.text import from_json

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


class Reader:
    """Turns JSON back into values.

    Parameters
    ----------
    read : callable
        Returns the bytes of a member.
    """

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._made: dict[tuple[str, str], Any] = {}  # of members that are named more than once
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
        return self._once("array", member, lambda: from_npy(self._read(member)))

    def _rows(self, array: Any) -> list[np.ndarray]:
        member = _only(array, "member", kind="array")
        return self._once("rows", member, lambda: list(self._array(member)))

    def _objects(self, shape: list[int], member: str) -> np.ndarray:
        found = self._once("objects", member, lambda: self._listed(member))
        if prod(shape) != len(found):
            raise ModelFileError(f"the member {member} does not have as many values as it should")
        return found.reshape(shape)

    def _listed(self, member: str) -> np.ndarray:
        values, inner = from_json(self._read(member)), Reader(_refuse_member)
        flat = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):
            flat[i] = inner.value(value)
        return flat

    def _once(self, kind: str, member: str, make: Callable[[], Any]) -> Any:
        if (kind, member) not in self._made:
            self._made[kind, member] = make()
        return self._made[kind, member]

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


def _refuse_member(name: str) -> bytes:
    raise ModelFileError(f"it holds a list that refers to the member {name!s:.40}")


def _only(parts: Any, name: str, kind: str | None = None) -> Any:
    """Return the one part that a node of this kind has."""
    expected = {name} if kind is None else {name, "kind"}
    if set(parts) != expected or (kind is not None and parts["kind"] != kind):
        raise ModelFileError(f"a value has the parts {sorted(parts)!s:.80}, not {name!r}")
    return parts[name]
