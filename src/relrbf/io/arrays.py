"""Matrices that numpy, scipy and zarr wrote: .npy, .npz, .zarr and .mtx."""

from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.source import open_bytes
from relrbf.io.table import Table
from relrbf.io.triangle import condensed_size, uncondensed
from relrbf.relations.on_disk import load_ids, open_matrix

MAGIC = b"\x93NUMPY"
COLUMNS = ".columns.txt"  # beside D_new.npy: the names of its columns


def load_npy(path: Path) -> Table:
    """Map a matrix to memory; its names are beside it."""
    with open_bytes(path) as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise RelationError(f"{path} is no array of numpy, for all its name; save it again.")
    vector = _as_vector(path)
    if vector is not None:
        values, note = uncondensed(vector)
        return Table(values, *_names_beside(path, len(values), len(values)), [note])
    return _filed(path)


def load_zarr(path: Path) -> Table:
    """Open a zarr array; its names are beside it."""
    return _filed(path)


def load_mtx(path: Any) -> Table:
    """Read a Matrix Market file: an array, or coordinates that name every pair."""
    from scipy.io import mmread

    try:
        found = mmread(path)
    except Exception as error:  # its parser raises whatever it likes
        raise RelationError(f"{path} cannot be read as Matrix Market: {error}.") from None
    if not sparse.issparse(found):
        return Table(np.asarray(found, dtype=float), None, None, ["a Matrix Market array"])
    return Table(found, None, None, ["Matrix Market coordinates"])


def from_sparse(table: Table, name: str) -> Table:
    """Return a dense table: an absent entry is no dissimilarity of 0."""
    matrix = sparse.coo_array(table.values)
    n, m = matrix.shape
    first, second = (part.astype(np.int64) for part in matrix.coords)
    counted = (first != second) if n == m else np.ones(len(first), dtype=bool)
    n_pairs = len(np.unique(first[counted] * m + second[counted]))
    wanted = n * m - (n if n == m else 0)  # an object's dissimilarity to itself may be absent
    if n_pairs < wanted:
        raise RelationError(
            f"{name} is sparse: it states {n_pairs} of {wanted} pairs of objects. One that is "
            "absent would count as 0, the same object. If the entries are the edges of a graph, "
            "pass graph=True; else write the whole matrix."
        )
    return Table(matrix.toarray(), table.row_ids, table.column_ids, table.notes)


def refuse_objects(name: str, key: str) -> NoReturn:
    """Refuse an array whose reading could run what is in it."""
    raise RelationError(
        f"{name}: {key} holds Python objects, and reading them could run what is in them. Save "
        "plain numbers, and names with .astype(str)."
    )


def refuse_key(key: str | None, name: str) -> None:
    """Refuse a key where there are no names of arrays."""
    if key is not None:
        raise OptionError(f"key={key!r} is for .npz files; {name} holds one matrix.")


def _as_vector(path: Path) -> Any:
    """Return the array of a file, if that is a condensed vector."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        return None  # opened says what is wrong
    is_vector = isinstance(found, np.ndarray) and found.ndim == 1 and found.dtype.kind in "iuf"
    return found if is_vector and condensed_size(len(found)) else None


def _filed(path: Path) -> Table:
    relation = open_matrix(path, str(path))
    return Table(relation.matrix, *_names_beside(path, *relation.shape))


def _names_beside(path: Path, n: int, m: int) -> tuple[list[str] | None, list[str] | None]:
    """Return the names in D.ids.txt and D.columns.txt; those of a square are the same."""
    rows = load_ids(path)
    beside = path.with_suffix(COLUMNS)
    names = None if rows is None else rows.tolist()
    columns = names if n == m else None
    if beside.exists():
        columns = beside.read_text(encoding="utf-8-sig").splitlines()
    for found, wanted in ((names, n), (columns, m)):
        if found is not None and len(found) != wanted:
            raise RelationError(
                f"{path} has {wanted} objects, and the text beside it names {len(found)}."
            )
    return names, columns
