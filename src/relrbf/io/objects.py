"""Objects in a table with a header: numbers are vectors or series, text is strings."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import FileFormatError
from relrbf.io.layout import (
    DELIMITER_BY_SUFFIX,
    ID_NAMES,
    Rows,
    check_delimiter,
    is_number,
    parse_number,
    split_cells,
)
from relrbf.io.source import TextSource, suffix_of


@dataclass(frozen=True)
class ObjectTable:
    """A file's cells: the names in its first line, and the rows below, as text."""

    name: str
    header: list[str]
    rows: Rows

    def column(self, at: int) -> list[str]:
        """Return the cells of a column; a row may end before it."""
        return [row[at] if at < len(row) else "" for row in self.rows]

    def first_text(self, at: int) -> str | None:
        """Return the first cell of a column that is neither a number nor blank, if there is one."""
        return next((cell for cell in self.column(at) if parse_number(cell) is None), None)


def load_objects(
    path: Path, kind: str, delimiter: str | None = None, ids: str | None = None
) -> tuple[Any, list[str] | None]:
    """Return the objects of a file, of the kind a measure takes, and their names, if it has any.

    The kind is "vectors", "series", "strings" or "molecules"; ids is the column of the names.
    """
    table = _load_cells(path, check_delimiter(delimiter))
    ids_at = _find_ids(table, ids)
    columns = [at for at in range(len(table.header)) if at != ids_at]
    names = None if ids_at is None else table.column(ids_at)
    if kind in ("strings", "molecules"):
        strings = _strings(table, columns or [0])
        return strings, _as_own_names(strings) if names is None else names
    _check_numeric(table, columns)
    if kind == "series":
        return [_series(table, i, columns) for i in range(len(table.rows))], names
    return np.array([_vector(table, i, columns) for i in range(len(table.rows))]), names


def _load_cells(path: Path, delimiter: str | None) -> ObjectTable:
    with TextSource(path) as source:
        lines = [line for _, line in source.lines if line.strip()]
    name, usual = source.name, DELIMITER_BY_SUFFIX.get(suffix_of(path), ",")
    if delimiter is None:  # semicolons where only these separate the columns
        has_only = lines and usual not in lines[0] and len(split_cells(lines[0], ";", name)) > 1
        delimiter = ";" if has_only else usual
    cells = [row for line in lines if any(row := split_cells(line, delimiter, name))]
    if len(cells) < 2:
        problem = f"it has {len(cells)} line(s)"
        raise FileFormatError(name, problem, "A header and one line for each object are needed.")
    # spreadsheets end lines in blank cells, which are no column
    width = max(at for row in cells for at, cell in enumerate(row, start=1) if cell)
    header, *rows = [row[:width] for row in cells]
    if all(map(is_number, header)):
        problem = "it begins with numbers; its first line must name the columns"
        raise FileFormatError(name, problem)
    for i, row in enumerate(rows):
        if len(row) > len(header):
            raise FileFormatError(
                name,
                f"object {i} has {len(row)} cells for {len(header)} columns",
                "Is the delimiter another, or a cell without its quotes?",
            )
    return ObjectTable(name, header, rows)


def _find_ids(table: ObjectTable, ids: str | None) -> int | None:
    """Return the column of names: the one given, one called id, or text beside others."""
    header = table.header
    if ids is not None:
        if ids not in header:
            raise FileFormatError(table.name, f"it has no column {ids!r}, but {header}")
        return header.index(ids)
    if len(header) == 1:
        return None
    words = [name.lower() for name in header]
    if not words[0]:
        return 0  # the row numbers of pandas and of R
    known = [words.index(name) for name in ID_NAMES if name in words]
    texts = (at for at in range(len(header)) if table.first_text(at) is not None)
    return known[0] if known else next(texts, None)


def _strings(table: ObjectTable, columns: list[int]) -> list[str]:
    if len(columns) != 1:
        others = [table.header[at] for at in columns]
        problem = f"it has the columns {others} beside names; for strings there must be one"
        raise FileFormatError(table.name, problem)
    return table.column(columns[0])


def _as_own_names(strings: list[str]) -> list[str] | None:
    """Return strings as the names of themselves, if they are different and each of one line."""
    is_line = all(len(string.splitlines()) == 1 for string in strings)
    return strings if is_line and len(set(strings)) == len(strings) else None


def _check_numeric(table: ObjectTable, columns: list[int]) -> None:
    for at in columns:
        if (text := table.first_text(at)) is not None:
            raise FileFormatError(
                table.name,
                f"column {table.header[at]!r} holds {text!r:.80}, which is no number; this measure "
                "is about numbers",
            )
    if not columns:
        raise FileFormatError(table.name, "it has names only; numbers are needed beside them")


def _vector(table: ObjectTable, i: int, columns: list[int]) -> list[float]:
    row = table.rows[i]
    for at in columns:
        if at >= len(row) or not is_number(row[at]):
            problem = f"object {i} has nothing in column {table.header[at]!r}"
            raise FileFormatError(table.name, problem, "Every number of a vector must be known.")
    return [float(row[at]) for at in columns]


def _series(table: ObjectTable, i: int, columns: list[int]) -> np.ndarray:
    """Return a series without the blanks that fill up its row."""
    cells = [table.rows[i][at] for at in columns if at < len(table.rows[i])]
    while cells and not cells[-1]:
        cells.pop()
    if not cells or not all(map(is_number, cells)):
        problem = f"object {i} has a gap, or no numbers"
        raise FileFormatError(table.name, problem, "Fill it in.")
    return np.array(cells, dtype=float)
