"""Reading a part of a stored matrix, on whichever worker needs it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.asking import REAL_KINDS
from relrbf.relations.on_disk import is_zarr
from relrbf.relations.validation import refuse_shape
from relrbf.relations.zarr_store import inner_store


class Reader(ABC):
    """A matrix that every worker can read parts of, by itself and again."""

    where: str

    @abstractmethod
    def read(self, rows: slice, cols: slice) -> Any:
        """Return a part as it is stored."""

    def part(self, rows: slice, cols: slice, dtype: np.dtype[Any]) -> Array:
        """Return a part as an array, or say which one cannot be read."""
        try:
            return np.asarray(self.read(rows, cols)).astype(dtype, copy=False)
        except Exception as error:  # a codec raises whatever it likes
            raise RelationError(
                f"{self.where} cannot be read at [{rows.start}:{rows.stop}, "
                f"{cols.start}:{cols.stop}] ({type(error).__name__}: {error!s:.200}). It is "
                "damaged, or not to be found from the workers: they need the same path, or an "
                "array that is sent to them."
            ) from None


@dataclass(frozen=True)
class NpyReader(Reader):
    """A file as numpy writes it, or a part of any file."""

    where: str
    path: str
    stored: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    order: Any

    def read(self, rows: slice, cols: slice) -> Any:
        """Map the file and read the pages of a part."""
        matrix = np.memmap(self.path, self.stored, "r", self.offset, self.shape, self.order)
        return np.array(matrix[rows, cols])


@dataclass(frozen=True)
class ZarrReader(Reader):
    """A zarr array, which knows where it is stored."""

    where: str
    array: Any

    def read(self, rows: slice, cols: slice) -> Any:
        """Decode the chunks of a part."""
        return self.array[rows, cols]


def reader_of(matrix: Any) -> Reader | None:
    """Return how workers can read an array by themselves, or None."""
    if isinstance(matrix, np.memmap):
        base: Any = matrix.base
        if not isinstance(base, mmap):
            return None  # a view of a map does not know where in the file it begins
        path = str(Path(str(matrix.filename)).resolve())
        order = "C" if matrix.flags.c_contiguous else "F"
        return NpyReader(path, path, matrix.dtype, matrix.shape, matrix.offset, order)
    if is_zarr(matrix) and "Memory" not in type(inner_store(matrix.store)).__name__:
        return ZarrReader(f"the zarr array {matrix.store_path}", matrix)
    return None


def checked_kind(matrix: Any) -> np.dtype[Any]:
    """Return the precision of a square matrix of numbers: float32 stays, all else is float64."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        refuse_shape(tuple(matrix.shape), "source")
    if matrix.shape[0] < 2:
        raise RelationError(f"source has {matrix.shape[0]} objects; at least two are needed.")
    if matrix.dtype.kind not in REAL_KINDS:
        raise RelationError(f"source holds {matrix.dtype}; dissimilarities are real numbers.")
    return np.dtype(np.float32 if matrix.dtype == np.float32 else np.float64)
