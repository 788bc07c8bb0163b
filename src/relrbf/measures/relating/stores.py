"""Where a matrix grows: in memory, in a .npy file or in a .zarr folder.

A file bears its name only when it is whole; until then it is ``NAME.part``.
"""

import io
import os
import shutil
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError
from relrbf.measures.named.entry import library
from relrbf.relations.measure_evaluation import Tile

PART = ".part"
CHUNK = 2**24  # bytes


class Store(ABC):
    """Takes tiles of the upper half, and mirrors them."""

    matrix: Any

    def put(self, tile: Tile, values: Array) -> int:
        """Write a tile and its mirror image; return the sum of its bits."""
        self.matrix[tile.rows, tile.cols] = values
        if not tile.is_diagonal:
            self.matrix[tile.cols, tile.rows] = values.T
        return bits(values)

    def has(self, tile: Tile, total: int) -> bool:
        """Tell whether a tile and its mirror image are what was written."""
        try:
            both = (self.matrix[tile.rows, tile.cols], self.matrix[tile.cols, tile.rows])
            return all(bits(np.asarray(block)) == total for block in both)
        except Exception:  # a chunk that cannot be decoded raises whatever its codec does
            return False

    @abstractmethod
    def finish(self) -> Any:
        """Put the file in its place and return the matrix, to be read."""


class InMemory(Store):
    """A plain array."""

    def __init__(self, n_objects: int, dtype: np.dtype[Any]) -> None:
        self.matrix = np.empty((n_objects, n_objects), dtype=dtype)

    def finish(self) -> Any:
        """Return the array."""
        return self.matrix


class NpyFile(Store):
    """A file as numpy writes it, mapped to memory."""

    def __init__(self, path: Path, n_objects: int, dtype: np.dtype[Any], resume: bool) -> None:
        self.path, self.part = path, part_of(path)
        header, shape = _header(n_objects, dtype), (n_objects, n_objects)
        with open(self.part, "r+b" if resume and self.part.exists() else "w+b") as file:
            file.write(header)
            file.flush()
            _reserve(file, len(header) + n_objects * n_objects * dtype.itemsize)
        self.matrix = np.memmap(self.part, dtype, "r+", len(header), shape)

    def finish(self) -> Any:
        """Write all to the disk, then rename."""
        self.matrix.flush()
        del self.matrix
        os.replace(self.part, self.path)
        return np.load(self.path, mmap_mode="r")


class ZarrFolder(Store):
    """A zarr array whose chunks are the tiles, so that no two writes meet in one."""

    def __init__(
        self, path: Path, n_objects: int, dtype: np.dtype[Any], resume: bool, side: int
    ) -> None:
        self.path, self.part = path, part_of(path)
        self.zarr = library("zarr", "zarr", f"path={str(path)!r}")
        if not (resume and self.part.exists()):
            shutil.rmtree(self.part, ignore_errors=True)
            side, shape = min(side, n_objects), (n_objects, n_objects)
            self.matrix = self.zarr.create_array(
                store=str(self.part),
                shape=shape,
                chunks=(side, side),
                dtype=dtype,
                fill_value=np.nan,  # so that a chunk of zeros is written, and one is missed
            )
            return
        try:
            self.matrix = self.zarr.open_array(store=str(self.part), mode="r+")
        except Exception as error:
            raise RelationError(
                f"{self.part} is damaged ({error}). Pass resume=False to begin anew, or name "
                "another path."
            ) from error

    def finish(self) -> Any:
        """Rename; an older array of that name goes."""
        if self.path.exists():
            shutil.rmtree(self.path)
        os.replace(self.part, self.path)
        return self.zarr.open_array(store=str(self.path), mode="r")


def store_for(
    path: Path | None, n_objects: int, dtype: np.dtype[Any], resume: bool, side: int
) -> Store:
    """Return where the matrix grows, going on with what is there if resume."""
    if path is None:
        return InMemory(n_objects, dtype)
    if path.suffix == ".zarr":
        return ZarrFolder(path, n_objects, dtype, resume, side)
    return NpyFile(path, n_objects, dtype, resume)


def check_path(path: Any) -> Path:
    """Return a path that can be written to."""
    target = Path(path)
    if target.suffix not in (".npy", ".zarr"):
        raise OptionError(f"path={str(path)!r} must end in .npy or .zarr.")
    if not target.parent.is_dir():
        raise OptionError(
            f"path={str(path)!r} lies in a folder that does not exist; make it, or name another."
        )
    return target


def part_of(path: Path) -> Path:
    """Return the name that a matrix has until it is whole."""
    return path.with_name(path.name + PART)


def bits(values: Array) -> int:
    """Return the sum of the bits of all entries, as one number: of a tile as of its mirror image.

    A tile that was never written, or cut off, has another sum, or it was all zeros anyway.
    """
    words = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return int(words.sum(dtype=np.uint64))


def _header(n_objects: int, dtype: np.dtype[Any]) -> bytes:
    file = io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": (n_objects, n_objects)}
    np.lib.format.write_array_header_1_0(file, described)
    return file.getvalue()


def _reserve(file: Any, size: int) -> None:
    """Take the room on the disk at once: a disk that is full says so now, not in mid-write."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        os.truncate(file.fileno(), size)
        return
    missing = size - file.seek(0, os.SEEK_END)
    while missing > 0:
        missing -= file.write(bytes(min(missing, CHUNK)))
