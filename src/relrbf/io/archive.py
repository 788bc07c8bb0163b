"""Which of the arrays in a .npz is the matrix, which the labels, which the names."""

import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.arrays import refuse_objects
from relrbf.io.names import ID_NAMES
from relrbf.io.table import Table

LABEL_NAMES = ("y", "label", "labels", "target", "targets", "class", "classes", "outcome")
ROW_NAMES = (*ID_NAMES, "row_ids")
COLUMN_NAMES = ("column_ids", "columns")
NEW_NAMES = ("d_new", "new")
SPARSE = {"indices", "indptr", "format", "shape", "data"}


@dataclass
class Archive:
    """The arrays in a file, by name; each is read when asked."""

    path: Path
    arrays: Any

    def get(self, key: str) -> np.ndarray:
        """Return an array, of numbers or text."""
        try:
            return np.asarray(self.arrays[key])
        except ValueError as error:
            if "allow_pickle" in str(error):
                refuse_objects(str(self.path), repr(key))
            raise RelationError(f"{self.path}: {key!r} cannot be read ({error}).") from None
        except (zipfile.BadZipFile, OSError, EOFError) as error:
            raise RelationError(f"{self.path}: {key!r} is damaged ({error}).") from None

    def flat(self, n: int) -> dict[str, np.ndarray]:
        """Return the arrays of n entries, those of Python objects aside."""
        return {
            key: self.get(key)
            for key, (shape, kind) in self.shapes.items()
            if shape == (n,) and kind != "O"
        }

    @cached_property
    def shapes(self) -> dict[str, tuple[tuple[int, ...], str]]:
        """The shape and the kind of every array, from its first bytes alone."""
        return {key: self._shape(key) for key in self.arrays.files}

    def _shape(self, key: str) -> tuple[tuple[int, ...], str]:
        names = self.arrays.zip.namelist()
        try:
            with self.arrays.zip.open(key if key in names else f"{key}.npy") as file:
                version = np.lib.format.read_magic(file)
                is_old = version == (1, 0)
                read = np.lib.format.read_array_header_1_0
                shape, _, dtype = (read if is_old else np.lib.format.read_array_header_2_0)(file)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
            raise RelationError(f"{self.path}: {key!r} is damaged ({error}).") from None
        return shape, dtype.kind


def open_archive(path: Path) -> Archive:
    """Open a .npz, in which nothing is run."""
    if not zipfile.is_zipfile(path):
        raise RelationError(f"{path} cannot be read as .npz: it is no archive, or was cut off.")
    try:
        arrays = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise RelationError(f"{path} cannot be read as .npz ({error}).") from None
    return Archive(path, arrays)


def load_npz(
    path: Path, key: str | None, n_columns: int | None = None
) -> tuple[Table, np.ndarray | None]:
    """Return the matrix of an archive with its names, and labels, if it has any.

    Of new objects, n_columns says how many training objects there are.
    """
    archive = open_archive(path)
    if key is None and set(archive.arrays.files) >= SPARSE:
        from scipy import sparse

        return Table(sparse.load_npz(path), None, None, ["a sparse matrix of scipy"]), None
    key = _matrix_key(archive, key, n_columns)
    values = archive.get(key)
    if values.dtype.kind not in "biuf":
        raise RelationError(f"{path}: {key!r} holds {values.dtype}, not real numbers.")
    notes = [f"the matrix is the array {key!r}"]
    flat = archive.flat(len(values))
    labels = next((name for name in flat if name.lower() in LABEL_NAMES), None)
    if labels is not None:
        notes.append(f"labels are the array {labels!r}")
    rows = _names(flat, labels, notes)
    columns = _column_names(archive, values.shape, rows)
    found = None if labels is None else flat[labels]
    return Table(values, rows, columns, notes, values.dtype.kind == "f"), found


def _matrix_key(archive: Archive, key: str | None, n_columns: int | None) -> str:
    """Return which array is the matrix: the one asked for, or the only one that can be it."""
    names = archive.arrays.files
    if key is not None:
        if key not in names:
            raise OptionError(f"{archive.path} has no array {key!r}, but {names}.")
        if len(archive.shapes[key][0]) != 2:
            raise RelationError(f"{archive.path}: {key!r} is no matrix.")
        return key
    shapes = {name: shape for name, (shape, kind) in archive.shapes.items() if kind in "biuf"}
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    chosen = _new_among({name: shapes[name] for name in matrices}, n_columns)
    if n_columns is None:
        chosen = [name for name in matrices if shapes[name][0] == shapes[name][1]] or matrices
    if len(chosen) != 1:
        found = ", ".join(map(repr, chosen)) if chosen else f"none among {names}"
        raise RelationError(
            f"{archive.path} holds {len(chosen)} matrices ({found}); say which one with key=, for "
            f"example key={(chosen or ['D'])[0]!r}."
        )
    return chosen[0]


def _new_among(matrices: dict[str, tuple[int, ...]], n_columns: int | None) -> list[str]:
    """Return which matrices can be new objects': the square beside them is the training's."""
    fitting = [name for name, shape in matrices.items() if shape[1] == n_columns] or [*matrices]
    called = [name for name in fitting if name.lower() in NEW_NAMES]
    others = [name for name in fitting if matrices[name][0] != n_columns]
    return called or others or fitting


def _names(flat: dict[str, np.ndarray], labels: str | None, notes: list[str]) -> list[str] | None:
    """Return the array that names the objects: one called so, or the only text without repeats."""
    known = [name for name in flat if name.lower() in ROW_NAMES]
    texts = [
        name
        for name, array in flat.items()
        if array.dtype.kind in "US" and name != labels and len(set(array.tolist())) == len(array)
    ]
    chosen = known or (texts if len(texts) == 1 else [])
    if not chosen:
        return None
    notes.append(f"ids are the array {chosen[0]!r}")
    return [_text(name) for name in flat[chosen[0]].tolist()]


def _column_names(
    archive: Archive, shape: tuple[int, ...], rows: list[str] | None
) -> list[str] | None:
    is_square = shape[0] == shape[1]
    known = COLUMN_NAMES if is_square else (*COLUMN_NAMES, *ID_NAMES)  # of D, beside D_new
    for key, array in archive.flat(shape[1]).items():
        if key.lower() in known:
            return [_text(name) for name in array.tolist()]
    return rows if is_square else None


def _text(name: Any) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)
