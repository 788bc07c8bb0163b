"""Writing matrices and results: a file is there as a whole or not at all."""

import csv
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import import_library, replacing
from relrbf.exceptions import OptionError, RelationError
from relrbf.io.layout import as_cell, as_names
from relrbf.io.source import is_stream
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.on_disk import check_names_beside, check_replaceable

WRITTEN_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t", ".lsmat": "\t"}
MATRIX_SUFFIXES = (*WRITTEN_DELIMITERS, ".npy", ".zarr")
WRITTEN_BLOCK_BYTES = 2**25
CHUNK_SIDE = 512


def save_matrix(path: Any, values: Any, row_ids: Any = None, column_ids: Any = None) -> None:
    """Write a matrix to a file, with the names of its objects; every bit of a number is kept.

    Parameters
    ----------
    path : str or path
        Ends in .csv, .tsv, .txt, .npy or .zarr. Beside the last two, names go to ``D.ids.txt`` or
        ``D.zarr.ids.txt``, and those of columns that are others to ``D.columns.txt`` or
        ``D.zarr.columns.txt``. "-" is the standard output.
    values : array of shape (m, n), or Relation
        The numbers.
    row_ids : sequence of str or None, default=None
        The names of the rows.
    column_ids : sequence of str or None, default=None
        The names of the columns; None takes those of the rows, where there are as many.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from relrbf.io import save_matrix
    >>> path = Path(tempfile.mkdtemp()) / "D.csv"
    >>> save_matrix(path, [[0, 0.1], [0.1, 0]], ["Doe, Ann", "bob"])
    >>> print(path.read_text())
    ,"Doe, Ann",bob
    "Doe, Ann",0.0,0.1
    bob,0.1,0.0
    """
    matrix = values if isinstance(values, Relation | CrossRelation) else np.asarray(values)
    if len(matrix.shape) != 2:
        raise RelationError(f"values has shape {matrix.shape}; a matrix has two axes.")
    suffix = _suffix(path, MATRIX_SUFFIXES)
    rows = _checked(row_ids, matrix.shape[0], "row_ids")
    columns = _checked(column_ids, matrix.shape[1], "column_ids")
    if columns is None and rows is not None and matrix.shape[0] == matrix.shape[1]:
        columns = rows
    if suffix in WRITTEN_DELIMITERS:
        header = None if columns is None else [*([] if rows is None else [""]), *columns]
        _write(path, WRITTEN_DELIMITERS[suffix], header, _lines(matrix, rows))
        return
    same = rows is not None and columns is not None and np.array_equal(rows, columns)
    lists = check_names_beside(Path(path), rows, None if same else columns)
    with ExitStack() as files:  # which take their places together, when all are written
        for file, text in lists.items():
            if text is not None:
                files.enter_context(replacing(file)).write(text.encode())
        (_save_npy if suffix == ".npy" else _save_zarr)(Path(path), matrix)
        for file in [file for file, text in lists.items() if text is None]:
            file.unlink(missing_ok=True)  # of a matrix that was replaced


def save_rows(path: Any, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table of results, such as predictions: the names of its columns, and rows.

    Parameters
    ----------
    path : str or path
        Ends in .csv, .tsv or .txt; "-" is the standard output.
    header : sequence of str
        The names of the columns.
    rows : iterable of sequences
        Text and numbers; every bit of a number is kept. Text that a spreadsheet would run, such as
        ``=1+1``, gets an apostrophe before it, which ``load_matrix`` and ``load_labels`` take away.

    Examples
    --------
    >>> from relrbf.io import save_rows
    >>> save_rows("-", ["id", "prediction"], [("owl", "bird"), ("eel", "fish")])
    id,prediction
    owl,bird
    eel,fish
    """
    _write(path, WRITTEN_DELIMITERS[_suffix(path, tuple(WRITTEN_DELIMITERS))], list(header), rows)


def _write(path: Any, delimiter: str, header: Any, rows: Iterable[Sequence[Any]]) -> None:
    with nullcontext() if is_stream(path) else replacing(Path(path)) as file:
        text: Any = sys.stdout if file is None else TextIOWrapper(file, "utf-8", newline="")
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        if header is not None:
            writer.writerow(map(as_cell, header))
        for row in rows:  # numbers of numpy's as Python's, which keep every bit
            cells = (cell.item() if isinstance(cell, np.generic) else cell for cell in row)
            writer.writerow(map(as_cell, cells))
        if file is not None:
            text.flush()
            text.detach()  # which would close the file when it goes


def _lines(matrix: Any, rows: np.ndarray | None) -> Iterator[list[Any]]:
    lines = (line for block in _blocks(matrix) for line in block.tolist())
    if rows is None:
        return lines
    return ([name, *line] for name, line in zip(rows, lines, strict=True))


def _blocks(matrix: Any) -> Iterator[Array]:
    n, m = matrix.shape
    height = max(WRITTEN_BLOCK_BYTES // (8 * max(m, 1)), 1)
    for start in range(0, n, height):
        some = slice(start, start + height)
        block = matrix[some] if isinstance(matrix, np.ndarray) else matrix.block(some)
        yield block.astype(float, copy=False) if block.dtype.kind != "f" else block


def _save_npy(path: Path, matrix: Any) -> None:
    dtype = _dtype(matrix)
    described = {"descr": dtype.str, "fortran_order": False, "shape": tuple(matrix.shape)}
    with replacing(path) as file:
        np.lib.format.write_array_header_2_0(file, described)
        for block in _blocks(matrix):
            file.write(block.astype(dtype, copy=False).tobytes())


def _save_zarr(path: Path, matrix: Any) -> None:
    zarr = import_library("zarr", "zarr", f"path={str(path)!r}")
    part, old = (path.with_name(f".{path.name}.{which}") for which in ("part", "old"))
    check_replaceable(path, path)
    for left in (part, old):  # by a save that was killed
        shutil.rmtree(left, ignore_errors=True)
    chunks = tuple(max(min(CHUNK_SIDE, size), 1) for size in matrix.shape)
    # a chunk that is missing reads as NaN, so that one of zeros is written
    options = {"chunks": chunks, "dtype": _dtype(matrix), "fill_value": np.nan}
    array = zarr.create_array(store=str(part), shape=matrix.shape, **options)
    start = 0
    for block in _blocks(matrix):
        array[start : start + len(block)] = block
        start += len(block)
    if path.exists():
        os.replace(path, old)
    os.replace(part, path)
    shutil.rmtree(old, ignore_errors=True)


def _dtype(matrix: Any) -> np.dtype[Any]:
    return matrix.dtype if matrix.dtype in (np.float32, np.float64) else np.dtype(np.float64)


def _suffix(path: Any, suffixes: tuple[str, ...]) -> str:
    suffix = ".csv" if is_stream(path) else Path(path).suffix.lower()
    if suffix not in suffixes:
        raise OptionError(f"{path} must end in one of {', '.join(suffixes)}.")
    if not is_stream(path) and not Path(path).absolute().parent.is_dir():
        raise OptionError(f"{path} is in a folder that does not exist; make it first.")
    return suffix


def _checked(ids: Any, n: int, name: str) -> np.ndarray | None:
    names = as_names(ids)
    if names is None:
        return None
    if len(names) != n:
        raise RelationError(f"{name} has {len(names)} names for {n} objects.")
    if len(set(names)) < n:
        raise RelationError(f"{name} holds the same name twice; every object needs its own.")
    for each in names:
        is_known = each == each.encode(errors="replace").decode("utf-8-sig")  # all characters are
        if len(each.splitlines()) != 1 or each != each.strip() or not is_known:
            raise RelationError(f"{name} holds {each!r:.80}, which is not one line of plain text.")
    return names
