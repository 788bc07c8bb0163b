"""What is known of the data sets: ``registry.toml``, and a checksum of arrays.

A set may come as different files: an archive that was made from the originals, or the originals
themselves. Whatever the files, the same arrays are read from them, and one checksum of these arrays
says whether they are right. A checksum of the file is known besides where the file was at hand.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.datasets import formats
from relrbf.datasets.formats import Arrays


@dataclass(frozen=True)
class DataFile:
    """A file by name, with its public address and its checksum where they are known."""

    name: str
    url: str | None = None
    sha256: str | None = None
    size: int | None = None


@dataclass(frozen=True)
class Source:
    """Files that together hold a data set, and the function that reads them, in this order."""

    files: tuple[DataFile, ...]
    read: Callable[..., Arrays]

    @property
    def is_public(self) -> bool:
        """Whether every file has a public address."""
        return all(file.url for file in self.files)

    def paths(self, folder: Path) -> list[Path]:
        """Return where the files lie, or would, in a folder."""
        return [folder / file.name for file in self.files]


@dataclass(frozen=True)
class DatasetEntry:
    """A data set: the checksum of its arrays, the files it comes as, citation and licence."""

    name: str
    contents: str
    sources: tuple[Source, ...]
    citation: str
    licence: str
    feature_names: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What the data are, and their traps; then citation, licence and addresses."""
        text = resources.files("relrbf.datasets") / "descriptions" / f"{self.name}.md"
        public = [file for source in self.sources if source.is_public for file in source.files]
        return (
            f"{text.read_text(encoding='utf-8')}\n"
            f"Citation: {self.citation}\nLicence: {self.licence}"
            + "".join(f"\nPublic address: {file.url}" for file in public)
            + "\n"
        )


def read_registry() -> dict[str, DatasetEntry]:
    """Return all data sets by name."""
    file = resources.files("relrbf.datasets") / "registry.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: _entry(name, **fields) for name, fields in table.items()}


def _entry(name: str, sources: Any = (), **fields: Any) -> DatasetEntry:
    made = [
        Source(tuple(DataFile(**file) for file in files), getattr(formats, reader))
        for reader, files in ((source["reader"], source["files"]) for source in sources)
    ]
    return DatasetEntry(name, sources=tuple(made), **fields)


def contents_checksum(arrays: Mapping[str, np.ndarray]) -> str:
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
