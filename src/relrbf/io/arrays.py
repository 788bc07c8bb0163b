"""Matrices that numpy, scipy and zarr wrote: .npy, .npz, .zarr and .mtx."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from relrbf.exceptions import FileFormatError, OptionError
from relrbf.io.cells import ID_NAMES, LABEL_NAMES
from relrbf.io.halves import condensed_size, square_from_condensed
from relrbf.io.source import open_bytes
from relrbf.io.tables import Table
from relrbf.relations.on_disk import load_ids, open_matrix

COLUMNS_SUFFIX = ".columns.txt"  # beside D_new.npy: the names of its columns
ROW_ID_KEYS = (*ID_NAMES, "row_ids")
COLUMN_ID_KEYS = ("column_ids", "columns")
NEW_KEYS = ("d_new", "new")
SPARSE_KEYS = {"indices", "indptr", "format", "shape", "data"}
UNREADABLE = (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError)


def load_array(path: Path, is_mapped: bool = False) -> np.ndarray:
    """Return the array of a .npy, in which nothing is run; it may be mapped to memory."""
    with open_bytes(path) as file:
        if file.read(6) != b"\x93NUMPY":
            problem = "it is no array of numpy, for all its name"
            raise FileFormatError(str(path), problem, "Save it again.")
    try:
        found = np.load(path, mmap_mode="r" if is_mapped else None, allow_pickle=False)
        return np.asanyarray(found)
    except UNREADABLE as error:
        raise _unreadable(path, "the array", error) from None


def load_npy(path: Path) -> Table:
    """Map a matrix to memory; its names are beside it. A condensed vector is unfolded."""
    found = load_array(path, is_mapped=True)
    if found.ndim == 1 and found.dtype.kind in "iuf" and condensed_size(len(found)):
        values, note = square_from_condensed(found)
        return Table(values, *_names_beside(path, len(values), len(values)), [note])
    return load_zarr(path)


def load_zarr(path: Path) -> Table:
    """Open an array that stays in its file; its names are beside it."""
    relation = open_matrix(path, str(path))
    return Table(relation.matrix, *_names_beside(path, *relation.shape))


def _names_beside(path: Path, n: int, m: int) -> tuple[list[str] | None, list[str] | None]:
    """Return the names in D.ids.txt and D.columns.txt; those of a square are the same."""
    ids = load_ids(path)
    rows = None if ids is None else ids.tolist()
    columns, beside = rows if n == m else None, path.with_suffix(COLUMNS_SUFFIX)
    if beside.exists():
        columns = beside.read_text(encoding="utf-8-sig").splitlines()
    for found, n_objects in ((rows, n), (columns, m)):
        if found is not None and len(found) != n_objects:
            problem = f"it has {n_objects} objects, and the text beside it names {len(found)}"
            raise FileFormatError(str(path), problem)
    return rows, columns


def load_mtx(path: Any) -> Table:
    """Read a Matrix Market file: an array, or coordinates that name every pair."""
    from scipy.io import mmread

    try:
        found = mmread(path)
    except Exception as error:  # its parser raises whatever it likes
        problem = f"it cannot be read as Matrix Market: {error}"
        raise FileFormatError(str(path), problem) from None
    if sparse.issparse(found):
        return Table(found, notes=["Matrix Market coordinates"])
    return Table(np.asarray(found, dtype=float), notes=["a Matrix Market array"])


def to_dense(table: Table, name: str) -> Table:
    """Return a dense table: an absent entry is no dissimilarity of 0."""
    matrix = sparse.coo_array(table.values)
    n, m = matrix.shape
    first, second = (part.astype(np.int64) for part in matrix.coords)
    counted = (first != second) if n == m else np.ones(len(first), dtype=bool)
    n_pairs = len(np.unique(first[counted] * m + second[counted]))
    n_wanted = n * m - (n if n == m else 0)  # an object's dissimilarity to itself may be absent
    if n_pairs < n_wanted:
        raise FileFormatError(
            name,
            f"it is sparse: it states {n_pairs} of {n_wanted} pairs of objects, and one that is "
            "absent would count as 0, the same object",
            "If the entries are the edges of a graph, pass {graph}; else write the whole matrix.",
            {"graph": True},
        )
    return Table(matrix.toarray(), table.row_ids, table.column_ids, table.notes)


class NpzArchive:
    """The arrays of a .npz, by name; each is read when needed, and nothing in them is run."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        try:
            if not zipfile.is_zipfile(path):
                raise ValueError("it is no archive, or was cut off")
            self._arrays = np.load(path, allow_pickle=False)
        except UNREADABLE as error:
            raise FileFormatError(self.name, f"it cannot be read as .npz: {error}") from None
        self.keys: list[str] = self._arrays.files
        self.shapes = {key: self._shape(key) for key in self.keys}

    def get(self, key: str) -> np.ndarray:
        """Return an array, of numbers or text."""
        try:
            return np.asarray(self._arrays[key])
        except UNREADABLE as error:
            raise _unreadable(self.name, repr(key), error) from None

    def get_vectors(self, n: int) -> dict[str, np.ndarray]:
        """Return the arrays of n entries, those of Python objects aside."""
        return {
            key: self.get(key)
            for key, (shape, kind) in self.shapes.items()
            if shape == (n,) and kind != "O"
        }

    def _shape(self, key: str) -> tuple[tuple[int, ...], str]:
        """Return the shape and the kind of an array, from its first bytes alone."""
        archive: Any = self._arrays.zip
        try:
            with archive.open(key if key in archive.namelist() else f"{key}.npy") as file:
                is_old = np.lib.format.read_magic(file) == (1, 0)
                read = np.lib.format.read_array_header_1_0
                shape, _, dtype = (read if is_old else np.lib.format.read_array_header_2_0)(file)
        except UNREADABLE as error:
            raise _unreadable(self.name, repr(key), error) from None
        return shape, dtype.kind


def load_npz(
    path: Path, key: str | None, n_columns: int | None = None
) -> tuple[Table, np.ndarray | None]:
    """Return the matrix of an archive with its names, and labels, if it has any.

    Of new objects, n_columns says how many training objects there are.
    """
    archive = NpzArchive(path)
    if key is None and set(archive.keys) >= SPARSE_KEYS:
        return Table(sparse.load_npz(path), notes=["a sparse matrix of scipy"]), None
    key = _matrix_key(archive, key, n_columns)
    values = archive.get(key)
    if values.dtype.kind not in "biuf":
        raise FileFormatError(archive.name, f"{key!r} holds {values.dtype}, not real numbers")
    notes = [f"the matrix is the array {key!r}"]
    vectors = archive.get_vectors(len(values))
    labels = next((name for name in vectors if name.lower() in LABEL_NAMES), None)
    if labels is not None:
        notes.append(f"labels are the array {labels!r}")
    rows = None
    if (ids := _ids_key(vectors, labels)) is not None:
        notes.append(f"ids are the array {ids!r}")
        rows = _as_text(vectors[ids])
    columns = _column_ids(archive, values.shape, rows)
    return Table(values, rows, columns, notes), None if labels is None else vectors[labels]


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
        for name, (shape, kind) in archive.shapes.items()
        if kind in "biuf" and len(shape) == 2
    }
    if n_columns is None:
        found = [name for name, shape in matrices.items() if shape[0] == shape[1]] or [*matrices]
    else:
        found = _new_matrices(matrices, n_columns)
    if len(found) != 1:
        shown = ", ".join(map(repr, found)) if found else f"none among {archive.keys}"
        raise FileFormatError(
            archive.name,
            f"it holds {len(found)} matrices ({shown})",
            "Say which one: {key}.",
            {"key": (found or ["D"])[0]},
        )
    return found[0]


def _new_matrices(matrices: dict[str, Any], n_columns: int) -> list[str]:
    """Return which matrices can be new objects': the square beside them is the training's."""
    fitting = [name for name, shape in matrices.items() if shape[1] == n_columns] or [*matrices]
    called = [name for name in fitting if name.lower() in NEW_KEYS]
    return called or [name for name in fitting if matrices[name][0] != n_columns] or fitting


def _ids_key(vectors: dict[str, np.ndarray], labels: str | None) -> str | None:
    """Return the array that names the objects: one called so, or the only text without repeats."""
    known = [name for name in vectors if name.lower() in ROW_ID_KEYS]
    texts = [
        name
        for name, array in vectors.items()
        if array.dtype.kind in "US" and name != labels and len(set(array.tolist())) == len(array)
    ]
    return known[0] if known else texts[0] if len(texts) == 1 else None


def _column_ids(
    archive: NpzArchive, shape: tuple[int, ...], rows: list[str] | None
) -> list[str] | None:
    is_square = shape[0] == shape[1]
    known = COLUMN_ID_KEYS if is_square else (*COLUMN_ID_KEYS, *ID_NAMES)  # of D, beside D_new
    vectors = archive.get_vectors(shape[1])
    key = next((name for name in vectors if name.lower() in known), None)
    return _as_text(vectors[key]) if key is not None else rows if is_square else None


def _as_text(names: np.ndarray) -> list[str]:
    decode = names.dtype.kind == "S"
    return [name.decode(errors="replace") if decode else str(name) for name in names.tolist()]


def _unreadable(path: Any, what: str, error: Exception) -> FileFormatError:
    if "allow_pickle" in str(error) or "pickled data" in str(error):
        return FileFormatError(
            str(path),
            f"{what} holds Python objects, and reading them could run what is in them",
            "Save plain numbers, and names with .astype(str).",
        )
    return FileFormatError(str(path), f"{what} cannot be read ({error})")
