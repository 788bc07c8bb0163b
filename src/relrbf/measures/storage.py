"""Where ``relate`` writes a matrix: memory, a .npy file or a .zarr folder.

A file has its name only when it is complete; until then it is ``NAME.part``.
"""

import io
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import import_library
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.measure_evaluation import Tile

WRITTEN_BYTES = 2**24  # at a time


class MatrixStore:
    """A square matrix that takes tiles of the upper half, and mirrors them.

    With resume, it is what an earlier run wrote. Without a path it is in memory.
    """

    def __init__(
        self, path: Path | None, n_objects: int, dtype: np.dtype[Any], side: int, resume: bool
    ) -> None:
        self.path = path
        self.matrix: Any
        if path is None:
            self.matrix = np.empty((n_objects, n_objects), dtype=dtype)
        elif path.suffix == ".zarr":
            self.matrix = _open_zarr(path, n_objects, dtype, side, resume)
        else:
            self.matrix = _open_npy(path, n_objects, dtype, resume)

    def put(self, tile: Tile, values: Array) -> int:
        """Write a tile and its mirror image; return its checksum."""
        self.matrix[tile.rows, tile.cols] = values
        if not tile.is_diagonal:
            self.matrix[tile.cols, tile.rows] = values.T
        return checksum(values)

    def has(self, tile: Tile, expected: int) -> bool:
        """Tell whether a tile and its mirror image are what was written."""
        try:
            both = (self.matrix[tile.rows, tile.cols], self.matrix[tile.cols, tile.rows])
            return all(checksum(np.asarray(block)) == expected for block in both)
        except Exception:  # a chunk that cannot be decoded raises whatever its codec does
            return False

    def finish(self) -> None:
        """Write all to the disk, then rename; an older matrix of that name is removed."""
        assert self.path is not None
        if isinstance(self.matrix, np.memmap):
            self.matrix.flush()
        del self.matrix
        if self.path.is_dir():
            shutil.rmtree(self.path)
        os.replace(part_path(self.path), self.path)


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


def part_path(path: Path) -> Path:
    """Return the name that a matrix has until it is complete."""
    return path.with_name(path.name + ".part")


def checksum(values: Array) -> int:
    """Return the sum of the bits of all entries, which is the same for the mirror image.

    A tile that was never written, or cut off, has another sum, or it was all zeros anyway.
    """
    words = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return int(words.sum(dtype=np.uint64))


def _open_npy(path: Path, n: int, dtype: np.dtype[Any], resume: bool) -> np.memmap:
    part, header = part_path(path), io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": (n, n)}
    np.lib.format.write_array_header_1_0(header, described)
    offset = header.tell()
    size = offset + n * n * dtype.itemsize
    with open(part, "r+b" if resume else "w+b") as file:
        file.write(header.getvalue())
        file.flush()
        # the space is taken at once: a disk that is full says so now, not in mid-write
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
            os.truncate(file.fileno(), size)
        else:
            missing = size - file.seek(0, os.SEEK_END)
            while missing > 0:
                missing -= file.write(bytes(min(missing, WRITTEN_BYTES)))
    return np.memmap(part, dtype, "r+", offset, (n, n))


def _open_zarr(path: Path, n: int, dtype: np.dtype[Any], side: int, resume: bool) -> Any:
    """Return an array whose chunks are the tiles, so that no two writes meet in one."""
    zarr, part = import_library("zarr", "zarr", f"path={str(path)!r}"), part_path(path)
    if not resume:
        shutil.rmtree(part, ignore_errors=True)
        chunks = (min(side, n),) * 2
        # NaN, so that a chunk of zeros is written, and a missing one noticed
        return zarr.create_array(
            store=str(part), shape=(n, n), chunks=chunks, dtype=dtype, fill_value=np.nan
        )
    try:
        return zarr.open_array(store=str(part), mode="r+")
    except Exception as error:
        raise RelationError(
            f"{part} is damaged ({error}). Pass resume=False to begin anew, or name another path."
        ) from error
