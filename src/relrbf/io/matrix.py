"""``load_matrix``: a file becomes numbers and names, whatever it was written with."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.archive import load_npz
from relrbf.io.arrays import from_sparse, load_mtx, load_npy, load_zarr, refuse_key
from relrbf.io.edges import load_edges, made_graph
from relrbf.io.layout import Asked
from relrbf.io.loaded import LoadedMatrix, as_names
from relrbf.io.names import are_made
from relrbf.io.phylip import SUFFIXES, is_phylip, load_phylip
from relrbf.io.source import Progress, Source, check_exists, is_stream, name_of, suffix_of
from relrbf.io.table import Table, first_lines, load_table
from relrbf.io.triangle import condensed_size, uncondensed
from relrbf.relations import Relation

MARKET = b"%%MatrixMarket"


def load_matrix(
    path: Any,
    *,
    graph: bool | Mapping[str, Any] = False,
    key: str | None = None,
    header: Any = "auto",
    ids: Any = "auto",
    delimiter: str | None = None,
    decimal: str | None = None,
    triangle: str = "auto",
    columns: Iterable[str] | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> LoadedMatrix:
    r"""Read a matrix of dissimilarities from a file, with the names of its objects.

    Text is read in one pass and line by line; ``.npy`` and ``.zarr`` stay where they are. Every
    assumption is told in ``notes``, and can be overruled.

    Parameters
    ----------
    path : str or path
        A file of text (csv, tsv, lsmat, PHYLIP; also compressed, as .csv.gz), .npy, .npz, .mtx, a
        .zarr folder, or "-" for text on the standard input.
    graph : bool or dict, default=False
        Whether the file lists the edges ``i j weight`` of a graph; or options of
        ``relrbf.relations.GraphRelation``, such as ``{"directed": "mean"}``.
    key : str or None, default=None
        Which array of a .npz is the matrix, where there are several.
    header : {"auto", True, False}, default="auto"
        Whether the first line names the columns.
    ids : {"auto", True, False}, default="auto"
        Whether the first column names the rows.
    delimiter : str or None, default=None
        What separates cells; " " stands for any number of spaces. None finds out.
    decimal : {".", ","} or None, default=None
        The decimal sign. None finds out.
    triangle : {"auto", "lower", "upper", "full"}, default="auto"
        The half that is mirrored. "auto" mirrors the only one that is stated; "full" leaves all
        as it is.
    columns : iterable of str or None, default=None
        Of new objects, which are in rows: the names that columns may have, those of the training
        objects. They tell a header of numbers from entries, and a column of ids from another.
        Nothing is mirrored then, unless rows and columns have the same names.
    encoding : str or None, default=None
        That of the text; None means UTF-8, or what a byte order mark says.
    progress : callable or None, default=None
        Called as ``progress(bytes_done, bytes_in_all)`` now and then; all may be None.

    Returns
    -------
    LoadedMatrix
        With values, row_ids, column_ids and notes; ``.relation()`` judges it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from relrbf.io import load_matrix
    >>> path = Path(tempfile.mkdtemp()) / "D.csv"
    >>> _ = path.write_text("ann\nbob;0,5\neve;1,5;1\n")
    >>> matrix = load_matrix(path)
    >>> matrix.values.tolist()
    [[0.0, 0.5, 1.5], [0.5, 0.0, 1.0], [1.5, 1.0, 0.0]]
    >>> matrix.ids.tolist()
    ['ann', 'bob', 'eve']
    >>> for note in matrix.notes:
    ...     print(note)
    cells are separated by semicolons
    numbers have decimal commas
    the first column holds ids
    the file states the lower half, which was mirrored
    it states no diagonal, which was taken to be 0
    """
    asked = Asked(header, ids, delimiter, decimal, triangle, _as_known(columns))
    labels = None
    table = None if is_stream(path) else _load_array(Path(path), key, asked)
    if isinstance(table, tuple):
        table, labels = table
    if table is not None and (asked != Asked() or encoding is not None):
        raise OptionError(
            f"header, ids, delimiter, decimal, triangle and encoding are about text, and {path} "
            "is none."
        )
    if table is None:
        refuse_key(key, name_of(path))
        table = _load_text(path, asked, graph, encoding, progress)
    table = _settled(table, asked, graph, name_of(path))
    return LoadedMatrix(
        table.values,
        as_names(table.row_ids),
        as_names(table.column_ids),
        tuple(table.notes),
        name_of(path),
        labels,
    )


def _as_known(columns: Any) -> frozenset[str] | None:
    if isinstance(columns, str):
        raise OptionError(f"columns is {columns!r}; it must be a list of names.")
    return None if columns is None else frozenset(map(str, columns))


def _load_array(path: Path, key: str | None, asked: Asked) -> Any:
    """Read what is not text, None where the file may be text."""
    check_exists(path)
    suffix = suffix_of(path)
    if suffix == ".npz":
        return load_npz(path, key, None if asked.columns is None else len(asked.columns))
    loads = {".npy": load_npy, ".mtx": load_mtx, ".zarr": load_zarr}
    is_zarr = path.is_dir() and any((path / name).exists() for name in ("zarr.json", ".zarray"))
    load = load_zarr if is_zarr else loads.get(suffix)
    if load is None:
        return None
    refuse_key(key, str(path))
    return load(path)


def _load_text(
    path: Any, asked: Asked, graph: Any, encoding: str | None, progress: Progress | None
) -> Table:
    with Source(path, encoding, progress) as source:
        head = first_lines(source)
        if head and head[0][1].startswith(MARKET) and source.n_bytes is not None:
            return load_mtx(path)
        is_named = not is_stream(path) and suffix_of(Path(path)) in SUFFIXES
        is_found = asked == Asked() and is_phylip(head)  # what is asked is about a table
        if head and (is_found or is_named) and graph is False:
            return load_phylip(source, head)
        if graph is not False:
            return load_edges(source, asked, head, {} if graph is True else graph)
        return load_table(source, path, asked, head)


def _settled(table: Table, asked: Asked, graph: Any, name: str) -> Table:
    """Return a table whose entries are all there: of a sparse matrix, of a graph, unfolded."""
    if sparse.issparse(table.values) and graph is False:
        table = from_sparse(table, name)
    if graph is not False and not isinstance(table.values, Relation):
        adjacency = table.values if sparse.issparse(table.values) else np.asarray(table.values)
        table.values = made_graph(adjacency, table.row_ids, {} if graph is True else graph)
    if not isinstance(table.values, np.ndarray):
        return table
    if not isinstance(table.values, np.memmap) and table.values.ndim == 2:
        table = _unfolded(table, asked)
    if asked.columns is None:
        _drop_made_names(table)
    if 0 in table.values.shape:
        raise RelationError(f"{name} holds no numbers.")
    return table


def _unfolded(table: Table, asked: Asked) -> Table:
    """Return the square of a column that can only be a condensed vector."""
    n, m = table.values.shape
    is_asked = asked.triangle != "full" and asked.columns is None
    if m != 1 or not is_asked or table.row_ids or not condensed_size(n):
        return table
    values, note = uncondensed(table.values[:, 0])
    return Table(values, None, None, [*table.notes, note])


def _drop_made_names(table: Table) -> None:
    """Forget the names that R and pandas make up for columns, where the rows have other ones."""
    rows, columns = table.row_ids, table.column_ids
    if rows and columns and len(rows) == len(columns) and are_made(columns, rows):
        table.column_ids = rows
        table.notes.append(
            f"the columns are called {columns[0]} to {columns[-1]} and were taken to be in the "
            "order of the rows"
        )
