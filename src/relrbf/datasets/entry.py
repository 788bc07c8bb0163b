"""What the registry knows of a data set: its files, where they come from, what is in them.

A set may come as different files: an archive that was made from the originals, or the originals
themselves. Whatever the files, the same arrays are read from them, and one checksum of these arrays
says whether they are right. A checksum of the file is known besides where the file was at hand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import numpy as np

Arrays: TypeAlias = dict[str, np.ndarray]
Reader: TypeAlias = Callable[..., Arrays]


@dataclass(frozen=True)
class File:
    """A file by name, with its public address and its checksum where they are known."""

    name: str
    address: str | None = None
    sha256: str | None = None
    size: int | None = None


@dataclass(frozen=True)
class Source:
    """Files that together hold a data set, and the function that reads them, in this order."""

    files: tuple[File, ...]
    read: Reader

    @property
    def is_public(self) -> bool:
        """Whether every file has a public address."""
        return all(file.address for file in self.files)

    def paths(self, folder: Path) -> list[Path]:
        """Return where the files lie, or would, in a folder of data sets."""
        return [folder / file.name for file in self.files]


@dataclass(frozen=True)
class Entry:
    """A data set: the checksum of its arrays, the files it comes as, whom to thank."""

    name: str
    contents: str
    sources: tuple[Source, ...]
    citation: str
    licence: str


def checksum(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with open(path, "rb") as file:
        digest = sha256()
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def contents(arrays: Mapping[str, np.ndarray]) -> str:
    """Return the sha256 of arrays: of names, shapes, kinds and values, however they were stored."""
    digest = sha256()
    for name in sorted(arrays):
        kind, data = _canonical(np.asarray(arrays[name]))
        digest.update(f"{name} {np.shape(arrays[name])} {kind}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _canonical(array: np.ndarray) -> tuple[str, bytes]:
    """Return an array as bytes that depend neither on the machine nor on the width of strings."""
    if array.dtype.kind in "UO":
        return "text", "\n".join(map(str, array.ravel())).encode()
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if array.dtype.kind == "f":
        little = np.where(np.isnan(little), np.nan, little) + 0.0  # one NaN, and no minus zero
        little = little.astype(array.dtype.newbyteorder("<"))
    return little.dtype.str, little.tobytes()
