"""``load_matrix``: a file becomes numbers and names, whatever it was written with."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from relrbf.exceptions import FileFormatError, OptionError, RelationError
from relrbf.io import arrays, tables
from relrbf.io.arrays import Table
from relrbf.io.layout import TextOptions, as_names, check_different, is_made_up, show_names
from relrbf.io.matrix_market import load_mtx
from relrbf.io.source import Progress, TextSource, name_of, suffix_of
from relrbf.relations import Relation, as_relation
from relrbf.relations.on_disk import open_matrix
from relrbf.relations.validation import is_on_disk

ROWS_PER_COPY = 256
TEXT_OPTIONS = "header, ids, delimiter, decimal, triangle and encoding are about text"


@dataclass(frozen=True, eq=False)
class LoadedMatrix:
    """A matrix from a file; whether it is square, and what its entries are, is not validated.

    Attributes
    ----------
    values : array of shape (m, n), or GraphRelation
        The numbers: an array; a ``numpy.memmap`` of a ``.npy``, or of a temporary file where they
        would fill the memory; a zarr array; the relation of a graph.
    row_ids, column_ids : ndarray of str, or None
        The names of the objects in the rows and in the columns.
    notes : tuple of str
        What was assumed, in sentences.
    path : str
        The file.
    labels : ndarray or None
        The labels that a ``.npz`` brought along.
    """

    values: Any
    row_ids: np.ndarray | None
    column_ids: np.ndarray | None
    notes: tuple[str, ...]
    path: str
    labels: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(number of rows, number of columns)."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def ids(self) -> np.ndarray | None:
        """The names of a square matrix's objects: of its rows, or else of its columns."""
        return self.column_ids if self.row_ids is None else self.row_ids

    def square(self) -> "LoadedMatrix":
        """Return the same with its columns in the order of its rows; refuse what is not square."""
        n_rows, n_columns = self.shape
        if n_rows != n_columns:
            problem = f"it has {n_rows} rows and {n_columns} columns; dissimilarities are n × n"
            advice, options = _advise(n_rows, n_columns, self.row_ids is not None)
            raise FileFormatError(self.path, problem, advice, options)
        rows, columns = self.row_ids, self.column_ids
        if rows is None or columns is None or np.array_equal(rows, columns):
            return self
        check_different(rows, self.path)
        if set(rows) != set(columns):
            problem = "it names its rows and its columns differently (rows begin "
            problem += f"{show_names(rows, 3)}, columns {show_names(columns, 3)})"
            raise FileFormatError(self.path, problem, "Both must name the same objects.")
        positions = {name: at for at, name in enumerate(columns.tolist())}
        order = np.array([positions[name] for name in rows])
        values = arrays.make_array((n_rows, n_rows))
        for start in range(0, n_rows, ROWS_PER_COPY):
            some = slice(start, start + ROWS_PER_COPY)
            values[some] = self.values[some][:, order]
        note = "columns were put in the order of the rows"
        return replace(self, values=values, column_ids=rows).with_notes(note)

    def relation(
        self, *, similarities: Literal["convert", "refuse"] = "refuse", **options: Any
    ) -> Relation:
        """Return the relation of the objects, validated.

        Parameters
        ----------
        similarities : {"refuse", "convert"}, default="refuse"
            What to do with similarities: "convert" takes the distances ``sqrt(2 (s_ii - s_ij))``.
        **options
            Of ``relrbf.as_relation``: exponent, symmetrize.
        """
        if isinstance(self.values, Relation):
            if options.keys() - {"exponent"}:
                raise OptionError(f"{self.path} is a graph; {sorted(options)} do not apply to it.")
            return as_relation(self.values, **options)
        matrix = self.square()
        try:
            ids = matrix.ids
            with replace(matrix, row_ids=ids, column_ids=ids).naming_errors():
                return as_relation(matrix.values, ids=ids, similarities=similarities, **options)
        except RelationError:
            raise
        except ValueError as error:  # of scikit-learn's, about fewer than two objects
            raise RelationError(f"{self.path}: {error}") from error

    @contextmanager
    def naming_errors(self) -> Iterator[None]:
        """Let errors about X, as which the values are passed on, name the file and its objects."""

        def named(match: re.Match[str]) -> str:
            positions = zip(map(int, match.groups()), (self.row_ids, self.column_ids), strict=True)
            row, column = (i if ids is None else ids[i] for i, ids in positions)
            return f"row {row!r}, column {column!r}"

        try:
            yield
        except RelationError as error:  # which speaks of X, and of X[i, j] or (i, j)
            problem = re.sub(r"(?:\bX\[|\()(\d+), (\d+)[\])]", named, error.problem)
            problem = re.sub(r"\bX\b", lambda _: self.path, problem)
            where = "" if problem.startswith(self.path) else f"{self.path}: "
            raise RelationError(where + problem, error.advice, error.options) from error

    def with_notes(self, *notes: str) -> "LoadedMatrix":
        """Return the same with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        """Refuse to be taken for its numbers: estimators then say what to pass instead."""
        raise RelationError(
            f"X is what load_matrix read from {self.path}, names and notes included; pass its "
            "numbers, .values, or the relation of training objects, .relation()."
        )


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

    Text is read in one pass, some lines at once; ``.npy`` and ``.zarr`` stay where they are. Every
    assumption is in ``notes``, and an option overrules it.

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
        With values, row_ids, column_ids and notes; ``.relation()`` validates it.

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
    if isinstance(columns, str):
        raise OptionError(f"columns is {columns!r}; it must be a list of names.", "columns")
    known = None if columns is None else frozenset(map(str, columns))
    options, name = TextOptions(header, ids, delimiter, decimal, triangle, known), name_of(path)
    table, labels = _load_binary(path, key, known)
    if table is None:
        table = _load_text(path, options, graph, encoding, progress)
    elif options != TextOptions() or encoding is not None:
        raise OptionError(f"{TEXT_OPTIONS}, and {name} is none.")
    if graph is False:
        table = _as_matrix(table, options, name)
    elif not isinstance(table.values, Relation):  # a matrix of weights
        if is_on_disk(weights := table.values):
            weights = open_matrix(weights, name).block()
        table.values = tables.make_graph(weights, table.row_ids, {} if graph is True else graph)
    rows, cols = as_names(table.row_ids), as_names(table.column_ids)
    return LoadedMatrix(table.values, rows, cols, tuple(table.notes), name, labels)


def _advise(n_rows: int, n_columns: int, has_ids: bool) -> tuple[str, dict[str, Any]]:
    """Return what to do about a matrix that is not square."""
    if n_columns == n_rows + 1:
        text = "If the first column holds names, pass {ids}; the last may be something else."
        return text, {"ids": True}
    if n_rows == n_columns + 1:
        return "If the first line holds names, pass {header}.", {"header": True}
    if n_rows == 1:
        return "If this is a condensed vector, write it in one column.", {}
    if n_columns + has_ids == 3:
        return "If this is a list of edges, i j weight, pass {graph}.", {"graph": True}
    return "Is a part of the file missing, or are these feature vectors?", {}


def _load_binary(
    path: Any, key: str | None, columns: frozenset[str] | None
) -> tuple[Table | None, np.ndarray | None]:
    """Read what is not text, with the labels in it; None where the file may be text."""
    suffix = suffix_of(path)
    if suffix == ".npz":
        return arrays.load_npz(Path(path), key, None if columns is None else len(columns))
    if key is not None:
        text = f"key={key!r} is for .npz files; {name_of(path)} holds one matrix."
        raise OptionError(text, "key")
    if any(Path(path, name).exists() for name in ("zarr.json", ".zarray")):
        suffix = ".zarr"
    load = {".npy": arrays.load_npy, ".zarr": arrays.load_zarr}.get(suffix)
    return None if load is None else load(Path(path)), None


def _load_text(
    path: Any, options: TextOptions, graph: Any, encoding: str | None, progress: Progress | None
) -> Table:
    with closing(TextSource(path, encoding, progress)) as source:
        first = source.head[0][1] if source.head else ""
        if first.startswith("%%MatrixMarket") or suffix_of(path) == ".mtx":
            if options != TextOptions():
                raise OptionError(f"{TEXT_OPTIONS}, and {name_of(path)} is a Matrix Market file.")
            return load_mtx(source)
        if graph is not False:
            return tables.load_edges(source, options, {} if graph is True else graph)
        # options are about a table
        is_called = suffix_of(path) in tables.PHYLIP_SUFFIXES
        is_found = tables.is_phylip(source.head, is_called, options == TextOptions())
        n = tables.announced_objects(source, is_found) if options.header == "auto" else None
        if n is not None:
            return tables.load_counted(source, path, options, n)
        if is_found:
            return tables.load_phylip(source)
        return tables.load_table(source, path, options)


def _as_matrix(table: Table, options: TextOptions, name: str) -> Table:
    """Return a table whose entries are all there: of a sparse matrix, of a condensed vector."""
    if sparse.issparse(table.values):
        table.values = arrays.to_dense(table.values, name)
    values, is_new = table.values, options.columns is not None
    if not isinstance(values, np.ndarray):
        return table
    is_column = values.ndim == 2 and values.shape[1] == 1 and not table.row_ids
    is_kept = is_new or options.triangle == "full" or isinstance(values, np.memmap)
    if is_column and not is_kept and arrays.is_condensed(len(values)):
        values, note = arrays.square_from_condensed(values[:, 0])
        table = Table(values, notes=[*table.notes, note])
    rows, columns = table.row_ids, table.column_ids
    if rows and columns and len(rows) == len(columns) and not is_new and is_made_up(columns, rows):
        called = f"the columns are called {columns[0]} to {columns[-1]}"
        table.notes.append(f"{called} and were taken to be in the order of the rows")
        table.column_ids = rows
    if 0 in values.shape:
        raise FileFormatError(name, "it holds no numbers")
    return table
