"""Where the numbers of a text go: to memory, or to a temporary file where they would fill it."""

import os
import shutil
import tempfile
import weakref
from pathlib import Path

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError

SHARE = 0.5  # of the free memory that a matrix may take


class Target:
    """Rows of numbers, of one width, of which there may be more than were expected."""

    def __init__(self, n_rows: int, width: int) -> None:
        self.width = width
        self.n_rows = 0
        self.is_mapped = n_rows * width * 8 > SHARE * free_memory()
        self._rows = self._room(n_rows)

    def put(self, values: Array) -> None:
        """Add a row."""
        if self.n_rows == len(self._rows):
            self._grow()
        self._rows[self.n_rows] = values
        self.n_rows += 1

    def values(self) -> Array:
        """Return the rows that were put; what was not used was never touched, and costs nothing."""
        return self._rows[: self.n_rows]

    def _room(self, n_rows: int) -> Array:
        shape = (max(n_rows, 1), self.width)
        return mapped_room(shape) if self.is_mapped else np.empty(shape)

    def _grow(self) -> None:
        wider = self._room(self.n_rows + max(self.n_rows // 2, 16))
        wider[: self.n_rows] = self._rows
        self._rows = wider


def square_room(n: int) -> tuple[Array, bool]:
    """Return an n × n array, and whether it lies in a temporary file."""
    is_mapped = n * n * 8 > SHARE * free_memory()
    return (mapped_room((n, n)) if is_mapped else np.empty((n, n))), is_mapped


def mapped_room(shape: tuple[int, int]) -> Array:
    """Return an array in a temporary file, which goes when the last part of the array goes."""
    folder, n_bytes = tempfile.gettempdir(), shape[0] * shape[1] * 8
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise RelationError(
            f"the matrix takes {n_bytes / 1e9:.3g} GB, more than half of the free memory, and "
            f"{folder} has only {free / 1e9:.3g} GB left. Set TMPDIR to a folder with more room."
        )
    handle, path = tempfile.mkstemp(".npy", "relrbf-", folder)
    os.close(handle)
    array = np.lib.format.open_memmap(path, "w+", np.float64, shape)
    weakref.finalize(array, Path(path).unlink, missing_ok=True)
    return array


def free_memory() -> int:
    """Return how many bytes of memory can be had without swapping."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            facts = dict(line.split(":", 1) for line in file)
        return int(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):  # not Linux
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return 2**32
