"""Where the numbers of a text go, and files that state one half of a symmetric matrix."""

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import FileFormatError, RelationError

MEMORY_SHARE = 0.5  # of the free memory that a matrix may take
MIN_GROWTH, GROWTH = 2**13, 8  # numbers by which a buffer grows: an eighth of those so far
TILE = 256  # rows and columns; the indices of a tile take as much memory as its numbers
ON_DISK = "it is too large for memory, and was put in a temporary file"


class Buffer:
    """Numbers one after the other, in memory, or in a temporary file where they would fill it."""

    def __init__(self, n_expected: int = 0, copies: int = 1) -> None:
        self.n_numbers, self._copies = 0, copies
        self._numbers = make_array((max(n_expected, 1),), copies)

    @property
    def is_on_disk(self) -> bool:
        """Tell whether the numbers are in a file."""
        return isinstance(self._numbers, np.memmap)

    def put(self, values: Array) -> None:
        """Add numbers."""
        end = self.n_numbers + len(values)
        if end > len(self._numbers):
            self._resize(end + max(MIN_GROWTH, end // GROWTH))
        self._numbers[self.n_numbers : end] = values
        self.n_numbers = end

    def numbers(self) -> Array:
        """Return all numbers; what was not used was never touched, and costs nothing."""
        return self._numbers[: self.n_numbers]

    def _resize(self, n: int) -> None:
        wider = make_array((n,), self._copies)
        if self.is_on_disk or isinstance(wider, np.memmap):
            wider[: self.n_numbers] = self.numbers()
            self._numbers = wider
        else:
            del wider
            self._numbers.resize(n, refcheck=False)


def make_array(shape: tuple[int, ...], copies: int = 1) -> Array:
    """Return an array in memory, or in a temporary file where so many would fill that."""
    n_bytes = 8 * int(np.prod(shape, dtype=object))
    if copies * n_bytes <= MEMORY_SHARE * free_memory():
        return np.empty(shape)
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise RelationError(
            f"the matrix takes {n_bytes / 1e9:.3g} GB, more than half of the free memory, and "
            f"{folder} has only {free / 1e9:.3g} GB left. Set TMPDIR to a folder on a larger disk."
        )
    handle, path = tempfile.mkstemp(".npy", "relrbf-", folder)
    os.close(handle)
    array = np.lib.format.open_memmap(path, "w+", np.float64, shape)
    weakref.finalize(array, Path(path).unlink, missing_ok=True)  # with the last part of the array
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


def square_from_half(
    numbers: Array, lengths: list[int], half: str, n_named: int | None, name: str
) -> tuple[Array, list[str]]:
    """Return the square matrix of which rows that grow, or shrink, state one half."""
    has_diagonal = _has_diagonal(numbers, lengths, half, n_named)
    n = max(lengths) + (not has_diagonal)
    _check_whole(lengths, n, n_named, name)
    matrix = make_array((n, n))
    start, first_row = 0, int(not has_diagonal and half == "lower")
    for i, length in enumerate(filter(None, lengths), start=first_row):
        first = 0 if half == "lower" else n - length
        matrix[i, first : first + length] = numbers[start : start + length]
        start += length
    notes = [f"the file states the {half} half, which was mirrored"]
    if not has_diagonal:
        np.fill_diagonal(matrix, 0)
        notes.append("it states no diagonal, which was taken to be 0")
    mirror(matrix, half)
    n_missing = int(np.isnan(numbers).sum())
    if has_diagonal and (filled := _fill_diagonal(matrix)):
        n_missing -= n
        notes += filled
    if n_missing:
        notes.append(f"{n_missing} entries of that half are missing")
    return matrix, [*notes, ON_DISK] if isinstance(matrix, np.memmap) else notes


def _has_diagonal(numbers: Array, lengths: list[int], half: str, n_named: int | None) -> bool:
    """Tell whether rows go up to the diagonal: zeros stand there, blanks, or ones of similarities.

    Any other number that all rows end in says that neighbours in the file are equally far.
    """
    if 0 in lengths or n_named == max(lengths) + 1:
        return False
    stops = np.cumsum(lengths)
    ends = numbers[stops - 1 if half == "lower" else stops - lengths]
    if bool((ends[~np.isnan(ends)] == 0).all()):
        return True
    if not bool((ends == 1).all()):
        return False
    return bool(np.fmin.reduce(numbers) < np.fmax.reduce(numbers) == 1)


def _check_whole(lengths: list[int], n: int, n_named: int | None, name: str) -> None:
    """Refuse rows that do not go on to the shortest, and names that are not as many as objects."""
    shortest = min(filter(None, lengths))
    if shortest > 1:
        raise FileFormatError(
            name,
            "every line is one cell shorter than the one before, as in the upper half of a matrix, "
            f"but the last one has {shortest} numbers and not one",
            "It may have been cut off.",
        )
    if n_named not in (None, n):
        problem = f"it states one half of a matrix of {n} objects, and names {n_named} of them"
        raise FileFormatError(name, problem)


def complete(values: Array, triangle: str) -> list[str]:
    """Mirror the half of a square matrix that is stated, if only one is; say so."""
    if triangle == "full" or values.shape[0] != values.shape[1] or len(values) < 2:
        return []
    notes = _fill_diagonal(values)
    if triangle != "auto":
        mirror(values, triangle)
        return [*notes, f"the {triangle} half was mirrored, as triangle says"]
    for half, other in (("lower", "upper"), ("upper", "lower")):
        for is_empty, how in ((np.isnan, "blank"), (np.logical_not, "zero")):
            if _is_all(values, other, is_empty) and not _is_all(values, half, is_empty):
                mirror(values, half)
                return [*notes, f"the {half} half was mirrored: the other is {how} throughout"]
    return notes


def _is_all(values: Array, half: str, is_empty: Any) -> bool:
    """Tell whether a half without its diagonal is empty; the first entry that is not ends it."""
    return all(
        bool(is_empty(row[:i] if half == "lower" else row[i + 1 :]).all())
        for i, row in enumerate(values)
    )


def _fill_diagonal(values: Array) -> list[str]:
    """Set a diagonal of which nothing is stated to zero."""
    if not np.isnan(np.diagonal(values)).all() or np.isnan(values).all():
        return []
    np.fill_diagonal(values, 0)
    return ["the diagonal is blank and was taken to be 0"]


def mirror(matrix: Array, half: str) -> None:
    """Copy one half of a square matrix to the other, tile by tile."""
    whole = matrix if half == "lower" else matrix.T
    for i in range(0, len(whole), TILE):
        rows = slice(i, i + TILE)
        for j in range(0, i, TILE):
            cols = slice(j, j + TILE)
            whole[cols, rows] = whole[rows, cols].T
        tile = whole[rows, rows]
        below = np.tril_indices(len(tile), -1)
        tile.T[below] = tile[below]


def condensed_size(n_entries: int) -> int | None:
    """Return how many objects have so many pairs, or None."""
    n = round((1 + np.sqrt(1 + 8 * n_entries)) / 2)
    return n if n > 2 and n * (n - 1) // 2 == n_entries else None


def square_from_condensed(vector: Array) -> tuple[Array, str]:
    """Return the square matrix of a condensed vector, and a note."""
    n = condensed_size(len(vector)) or 0
    matrix = np.zeros((n, n))
    start = 0
    for i in range(n - 1):  # not by indices, which take more memory than the matrix
        matrix[i, i + 1 :] = vector[start : start + n - 1 - i]
        start += n - 1 - i
    mirror(matrix, "upper")
    return matrix, (
        f"one column of {len(vector)} numbers is a condensed vector of {n} objects, as "
        "scipy.spatial.distance.pdist returns it, and was unfolded"
    )
