"""Numbers, text, lists and factors from a file that R's ``save`` wrote; nothing in it is run.

The public originals of PC-102 and protein-213 exist in this format only, and the packages that read
it bring a compiled library. It is described in "R Internals", section 1.8: a tree of items, each
with a word of flags that names its kind, in big-endian numbers, compressed as a whole.
"""

import bz2
import gzip
import lzma
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

SYMBOL, PAIRS, CHARACTERS, LOGICAL, INTEGER, REAL, STRINGS, LIST = 1, 2, 9, 10, 13, 14, 16, 19
NIL, REFERENCE = 254, 255
HAS_ATTRIBUTES, HAS_TAG = 1 << 9, 1 << 10
NUMBER_FORMATS = {LOGICAL: "i4", INTEGER: "i4", REAL: "f8"}
PACKINGS = {b"\x1f\x8b": gzip, b"BZ": bz2, b"\xfd7": lzma}


@dataclass(frozen=True)
class RVector:
    """A vector of R, an atomic one or a list, with its attributes."""

    values: Any
    attributes: dict[str, "RVector"] = field(default_factory=dict)

    def named(self) -> dict[str, "RVector"]:
        """Return the parts of a named list."""
        return dict(zip(self.attributes["names"].values, self.values, strict=True))

    def matrix(self) -> np.ndarray:
        """Return a matrix, or the columns of a data frame as one."""
        if "dim" in self.attributes:
            return np.reshape(self.values, self.attributes["dim"].values, order="F")
        return np.column_stack([column.values for column in self.values])

    def labels(self) -> np.ndarray:
        """Return a factor's labels, one per object."""
        return np.array(self.attributes["levels"].values)[self.values - 1]


def read_rdata(path: Path) -> dict[str, RVector]:
    """Return what was saved, by name."""
    data = path.read_bytes()
    packing = PACKINGS.get(data[:2])
    items = _Items(packing.decompress(data) if packing else data)
    if items.stream.read(7) not in (b"RDX2\nX\n", b"RDX3\nX\n"):
        raise ValueError(f"{path.name} is no binary file of R's save()")
    version = items.integer()
    items.read(8)  # the version of R that wrote it, and the oldest that can read it
    if version == 3:
        items.read(items.integer())  # the name of its encoding
    saved: dict[str, RVector] = items.next()
    return saved


class _Items:
    """Reads item after item; symbols are written once and referred to by number thereafter."""

    def __init__(self, data: bytes) -> None:
        self.stream = BytesIO(data)
        self.symbols: list[str] = []

    def read(self, n: int) -> bytes:
        data = self.stream.read(n)
        if n < 0 or len(data) < n:
            raise EOFError("the file ends in the middle")
        return data

    def integer(self) -> int:
        return int.from_bytes(self.read(4), "big", signed=True)

    def next(self) -> Any:
        flags = self.integer()
        kind = flags & 0xFF
        if kind == NIL:
            return {}
        if kind == SYMBOL:
            self.symbols.append(self.next())
            return self.symbols[-1]
        if kind == REFERENCE:
            return self.symbols[(flags >> 8 or self.integer()) - 1]
        if kind == CHARACTERS:
            length = self.integer()
            return "" if length < 0 else self.read(length).decode("utf-8", "replace")  # -1 is NA
        return self._pairs(flags) if kind == PAIRS else self._vector(kind, flags)

    def _pairs(self, flags: int) -> dict[str, Any]:
        """Read a linked list of tagged values, to its end."""
        pairs: dict[str, Any] = {}
        while flags & 0xFF == PAIRS:
            if flags & HAS_ATTRIBUTES:
                self.next()
            tag = self.next() if flags & HAS_TAG else ""
            pairs[tag] = self.next()
            flags = self.integer()
        return pairs

    def _vector(self, kind: int, flags: int) -> RVector:
        if kind not in (*NUMBER_FORMATS, STRINGS, LIST):
            raise ValueError(f"R's type {kind} is not among those that are read here")
        length = self.integer()
        values: Any
        if kind in NUMBER_FORMATS:
            number = np.dtype(NUMBER_FORMATS[kind])
            data = self.read(length * number.itemsize)
            values = np.frombuffer(data, number.newbyteorder(">")).astype(number)
        else:
            values = [self.next() for _ in range(length)]
        return RVector(values, self.next() if flags & HAS_ATTRIBUTES else {})
