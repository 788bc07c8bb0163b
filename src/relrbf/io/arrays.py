"""Where numbers go, halves of symmetric matrices, and files of numpy, scipy and zarr."""

import os
import shutil
import sys
import tempfile
import weakref
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform

from relrbf._typing import Array
from relrbf._utils import open_unnamed
from relrbf.exceptions import FileFormatError, OptionError, RelationError
from relrbf.io.layout import ID_NAMES, LABEL_NAMES
from relrbf.io.source import check_exists, check_expansion, check_file, open_bytes
from relrbf.relations.on_disk import COLUMNS_SUFFIX, load_ids, open_matrix

MEMORY_SHARE = 0.5  # of the free memory that a matrix may take
USUAL_MEMORY = 2**32  # bytes, where the system does not say how many are free
MIN_GROWTH, GROWTH = 2**13, 8  # numbers by which a buffer grows: an eighth of those so far
TILE = 256  # rows and columns; the indices of a tile take as much memory as its numbers
ON_DISK = "it is too large for memory, and was put in a temporary file"
ROW_ID_KEYS = (*ID_NAMES, "row_ids")
COLUMN_ID_KEYS = ("column_ids", "columns")
NEW_KEYS = ("d_new", "new")
SPARSE_KEYS = {"indices", "indptr", "format", "shape", "data"}
NPZ_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


@dataclass
class Table:
    """What a file holds: numbers, names and notes."""

    values: Any
    row_ids: list[str] | None = None
    column_ids: list[str] | None = None
    notes: list[str] = field(default_factory=list)


class Buffer:
    """Numbers one after the other, in memory, or in a temporary file where they would fill it."""

    def __init__(self, n_expected: int = 0, copies: int = 1) -> None:
        self.n_numbers, self._copies = 0, copies
        self._numbers = make_array((max(n_expected, 1),), copies)

    def put(self, values: Array) -> None:
        """Add numbers."""
        end = self.n_numbers + len(values)
        if end > len(self._numbers):
            larger = make_array((end + max(MIN_GROWTH, end // GROWTH),), self._copies)
            larger[: self.n_numbers] = self.numbers()
            self._numbers = larger
        self._numbers[self.n_numbers : end] = values
        self.n_numbers = end

    def numbers(self) -> Array:
        """Return all numbers; what was not used was never touched, and costs nothing."""
        return self._numbers[: self.n_numbers]


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
    if (file := open_unnamed(Path(folder))) is not None:  # and gone, even by a kill
        path, remove = f"/proc/{os.getpid()}/fd/{file.fileno()}", file.close
    else:
        handle, path = tempfile.mkstemp(".npy", "relrbf-", folder)
        os.close(handle)
        remove = Path(path).unlink
    array = np.lib.format.open_memmap(path, "w+", np.float64, shape)
    weakref.finalize(array, remove)  # with the last part of the array
    return array


def free_memory() -> int:
    """Return how many bytes of memory can be had without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return int(dict(line.split(":", 1) for line in lines)["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):  # not Linux
        return USUAL_MEMORY


def matrix_from_rows(
    buffer: Buffer, lengths: list[int], half: str | None, n_named: int | None, name: str
) -> tuple[Array, list[str]]:
    """Return the matrix of rows of equal length, or of those that state one half; and notes."""
    numbers = buffer.numbers()
    if half is None:
        notes = [ON_DISK] if isinstance(numbers, np.memmap) else []
        return numbers.reshape(len(lengths), lengths[0] if lengths else 0), notes
    if not any(lengths):
        raise FileFormatError(name, "it holds no numbers")
    has_diagonal = _has_diagonal(numbers, lengths, half, n_named)
    n, shortest = max(lengths) + (not has_diagonal), min(filter(None, lengths))
    if shortest > 1:
        problem = "every line is one cell shorter than the one before, as in the upper half of a "
        problem += f"matrix, but the last one has {shortest} numbers and not one"
        raise FileFormatError(name, problem, "It may have been cut off.")
    if n_named not in (None, n):
        problem = f"it states one half of a matrix of {n} objects, and names {n_named} of them"
        raise FileFormatError(name, problem)
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
    if (ends[~np.isnan(ends)] == 0).all():
        return True
    return bool((ends == 1).all() and np.fmin.reduce(numbers) < np.fmax.reduce(numbers) == 1)


def complete(values: Array, triangle: str) -> list[str]:
    """Mirror the half of a square matrix that is stated, if only one is; say so."""
    if triangle == "full" or values.shape[0] != values.shape[1] or len(values) < 2:
        return []
    notes = _fill_diagonal(values)
    if triangle != "auto":
        mirror(values, triangle)
        return [*notes, f"the {triangle} half was mirrored, as triangle says"]
    for is_empty, how in ((np.isnan, "blank"), (np.logical_not, "zero")):
        for half, other in (("lower", "upper"), ("upper", "lower")):
            if _is_all(values, other, is_empty) and not _is_all(values, half, is_empty):
                mirror(values, half)
                return [*notes, f"the {half} half was mirrored: the other is {how} throughout"]
    return notes


def _is_all(values: Array, half: str, is_empty: Any) -> bool:
    """Tell whether a half without its diagonal is empty; the first entry that is not ends it."""
    parts = (row[:i] if half == "lower" else row[i + 1 :] for i, row in enumerate(values))
    return all(is_empty(part).all() for part in parts)


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


def is_condensed(n_entries: int) -> bool:
    """Tell whether three objects or more have so many pairs."""
    n = round((1 + np.sqrt(1 + 8 * n_entries)) / 2)
    return n > 2 and n * (n - 1) // 2 == n_entries


def square_from_condensed(vector: Array) -> tuple[Array, str]:
    """Return the square matrix of a condensed vector, and a note."""
    matrix = squareform(np.asarray(vector, dtype=np.float64))
    note = f"one column of {len(vector)} numbers is a condensed vector of {len(matrix)} objects, as"
    return matrix, f"{note} scipy.spatial.distance.pdist returns it, and was unfolded"


def load_array(path: Path, is_mapped: bool = False) -> np.ndarray:
    """Return the array of a .npy, in which nothing is run; it may be mapped to memory."""
    check_file(path)
    with open_bytes(path) as file, _readable(path, "the array"):
        if file.read(6) != b"\x93NUMPY":
            raise FileFormatError(str(path), "it is no array of numpy, for all its name")
        file.seek(0)
        read_header(file, path.stat().st_size)
        found = np.load(path, mmap_mode="r", allow_pickle=False)
        return found if is_mapped else _checked_text(np.array(found))


def read_header(file: Any, n_bytes: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return shape and dtype of an array that is as large as it declares."""
    is_old = np.lib.format.read_magic(file) == (1, 0)
    read = np.lib.format.read_array_header_1_0
    shape, _, dtype = (read if is_old else np.lib.format.read_array_header_2_0)(file)
    if not dtype.hasobject:
        n_left, n_declared = n_bytes - file.tell(), prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or not dtype.itemsize or n_declared > n_left:
            raise ValueError(f"it declares {shape} entries of {dtype} in {n_left} bytes")
    return shape, dtype


def _checked_text(array: np.ndarray) -> np.ndarray:
    """Return an array whose text, if it holds any, is of characters that exist."""
    if array.dtype.kind == "U":
        points = np.frombuffer(array.tobytes(), np.dtype("u4").newbyteorder(array.dtype.byteorder))
        exists = (points < 0xD800) | ((points > 0xDFFF) & (points <= sys.maxunicode))
        if not exists.all():  # Python makes text of them all the same
            raise ValueError("some characters do not exist")
    return array


def load_npy(path: Path) -> Table:
    """Map a matrix to memory; its names are beside it. A condensed vector is unfolded."""
    found = load_array(path, is_mapped=True)
    if found.ndim == 1 and found.dtype.kind in "iuf" and is_condensed(len(found)):
        values, note = square_from_condensed(found)
        return Table(values, *_names_beside(path, len(values), len(values)), [note])
    return load_zarr(path)


def load_zarr(path: Path) -> Table:
    """Open an array that stays in its file; its names are beside it."""
    check_exists(path)
    relation = open_matrix(path, str(path))
    return Table(relation.matrix, *_names_beside(path, *relation.shape))


def _names_beside(path: Path, n: int, m: int) -> tuple[list[str] | None, list[str] | None]:
    """Return the names in D.ids.txt and D.columns.txt; those of a square are the same."""
    ids, others = load_ids(path), load_ids(path, COLUMNS_SUFFIX)
    rows = None if ids is None else ids.tolist()
    columns = others.tolist() if others is not None else rows if n == m else None
    for found, n_objects in ((rows, n), (columns, m)):
        if found is not None and len(found) != n_objects:
            problem = f"it has {n_objects} objects, and the text beside it names {len(found)}"
            raise FileFormatError(str(path), problem)
    return rows, columns


def to_dense(values: Any, name: str) -> Array:
    """Return a dense matrix: an absent entry is no dissimilarity of 0."""
    matrix = sparse.coo_array(values)
    n, m = matrix.shape
    first, second = (part.astype(np.int64) for part in matrix.coords)
    counted = (first != second) if n == m else np.ones(len(first), dtype=bool)
    n_pairs = len(np.unique(first[counted] * m + second[counted]))
    n_wanted = n * m - (n if n == m else 0)  # an object's dissimilarity to itself may be absent
    if n_pairs < counted.sum():
        raise FileFormatError(name, "it is sparse, and states a pair of objects twice")
    if n_pairs < n_wanted:
        problem = f"it is sparse: it states {n_pairs} of {n_wanted} pairs of objects, and one that "
        problem += "is absent would count as 0, the same object"
        advice = "If its entries are edges of a graph, pass {graph}; else write the whole matrix."
        raise FileFormatError(name, problem, advice, {"graph": True})
    return matrix.toarray()


class NpzArchive:
    """The arrays of a .npz, by name; each is read when needed, and nothing in them is run."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        check_file(path)
        with _readable(path, "the archive"):
            self._zip = zipfile.ZipFile(path)
        members = {member.filename.removesuffix(".npy"): member for member in self._zip.infolist()}
        if {member.compress_type for member in members.values()} - NPZ_COMPRESSIONS:
            raise FileFormatError(self.name, "it is compressed as numpy never does")
        n_bytes = sum(member.file_size for member in members.values())
        check_expansion(self.name, n_bytes, path.stat().st_size)
        self.keys, self._members = [*members], members
        self.shapes = {key: self._read(key, read_header) for key in self.keys}

    def get(self, key: str) -> np.ndarray:
        """Return an array, of numbers or text."""
        read = np.lib.format.read_array
        return self._read(key, lambda file, _: _checked_text(read(file, allow_pickle=False)))

    def _read(self, key: str, read: Any) -> Any:
        """Return what a function reads from a member of known size."""
        member = self._members[key]
        with _readable(self.name, repr(key)), self._zip.open(member) as file:
            return read(file, member.file_size)

    def get_vectors(self, n: int) -> dict[str, np.ndarray]:
        """Return the arrays of n entries, those of Python objects aside."""
        found = [key for key in self.keys if self.shapes[key][0] == (n,)]
        return {key: self.get(key) for key in found if not self.shapes[key][1].hasobject}


@contextmanager
def _readable(path: Any, what: str) -> Iterator[None]:
    """Say what cannot be read of a file."""
    try:
        with catch_warnings(action="ignore"):
            yield
    except FileFormatError:
        raise
    except Exception as error:  # whatever a damaged file makes of numpy
        problem, advice = f"{what} cannot be read ({error!s:.300})", ""
        if "allow_pickle" in str(error) or "pickled data" in str(error):
            problem = f"{what} holds Python objects, and reading them could run what is in them"
            advice = "Save plain numbers, and names with .astype(str)."
        raise FileFormatError(str(path), problem, advice) from None


def load_npz(
    path: Path, key: str | None, n_columns: int | None = None
) -> tuple[Table, np.ndarray | None]:
    """Return the matrix of an archive with its names, and labels, if it has any.

    Of new objects, n_columns says how many training objects there are.
    """
    archive = NpzArchive(path)
    if key is None and set(archive.keys) >= SPARSE_KEYS:
        return Table(_sparse(archive), notes=["a sparse matrix of scipy"]), None
    key = _matrix_key(archive, key, n_columns)
    values = archive.get(key)
    if values.dtype.kind not in "biuf":
        raise FileFormatError(archive.name, f"{key!r} holds {values.dtype}, not real numbers")
    table = Table(values, notes=[f"the matrix is the array {key!r}"])
    vectors = archive.get_vectors(len(values))
    labels = next((name for name in vectors if name.lower() in LABEL_NAMES), None)
    if labels is not None:
        table.notes.append(f"labels are the array {labels!r}")
    if (ids := _ids_key(vectors, labels)) is not None:
        table.notes.append(f"ids are the array {ids!r}")
        table.row_ids = _as_text(vectors[ids])
    is_square = values.shape[0] == values.shape[1]
    known = COLUMN_ID_KEYS if is_square else (*COLUMN_ID_KEYS, *ID_NAMES)  # of D, beside D_new
    others = archive.get_vectors(values.shape[1])
    columns = next((name for name in others if name.lower() in known), None)
    own = table.row_ids if is_square else None
    table.column_ids = own if columns is None else _as_text(others[columns])
    return table, None if labels is None else vectors[labels]


def _sparse(archive: NpzArchive) -> Any:
    """Return the sparse matrix that scipy saved, its indices checked."""
    kind, shape = archive.get("format"), archive.get("shape")
    with _readable(archive.name, "the sparse matrix"):
        make = {b"csr": sparse.csr_array, b"csc": sparse.csc_array}[kind.astype("S").item()]
        parts = [archive.get(key) for key in ("data", "indices", "indptr")]
        matrix = make(tuple(parts), shape=tuple(map(int, shape)))
        matrix.check_format(full_check=True)
        return matrix


def _matrix_key(archive: NpzArchive, key: str | None, n_columns: int | None) -> str:
    """Return which array is the matrix: that of the key, or the only one that can be it."""
    if key is not None:
        if key not in archive.keys:
            raise OptionError(f"{archive.name} has no array {key!r}, but {archive.keys}.", "key")
        if len(archive.shapes[key][0]) != 2:
            raise FileFormatError(archive.name, f"{key!r} is no matrix")
        return key
    matrices = {
        name: shape
        for name, (shape, dtype) in archive.shapes.items()
        if dtype.kind in "biuf" and len(shape) == 2
    }
    if n_columns is None:
        found = [name for name, shape in matrices.items() if shape[0] == shape[1]] or [*matrices]
    else:  # of new objects: the square beside them is the training's
        found = [name for name, shape in matrices.items() if shape[1] == n_columns] or [*matrices]
        called = [name for name in found if name.lower() in NEW_KEYS]
        found = called or [name for name in found if matrices[name][0] != n_columns] or found
    if len(found) != 1:
        shown = ", ".join(map(repr, found)) if found else f"none among {archive.keys}"
        problem, option = f"it holds {len(found)} matrices ({shown})", {"key": (found or ["D"])[0]}
        raise FileFormatError(archive.name, problem, "Say which one: {key}.", option)
    return found[0]


def _ids_key(vectors: dict[str, np.ndarray], labels: str | None) -> str | None:
    """Return the array that names the objects: one called so, or the only text without repeats."""
    known = [name for name in vectors if name.lower() in ROW_ID_KEYS]
    texts = [name for name in vectors if vectors[name].dtype.kind in "US" and name != labels]
    own = [name for name in texts if len(set(vectors[name].tolist())) == len(vectors[name])]
    return known[0] if known else own[0] if len(own) == 1 else None


def _as_text(names: np.ndarray) -> list[str]:
    return [n.decode(errors="replace") if isinstance(n, bytes) else str(n) for n in names.tolist()]
