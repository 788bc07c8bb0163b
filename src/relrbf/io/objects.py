"""Reading objects from a table: numbers are vectors or series, text is strings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import RelationError
from relrbf.io.names import ID_NAMES
from relrbf.io.source import Source, suffix_of
from relrbf.io.text import BY_SUFFIX, cells_of, check_delimiter, is_number, number_of


@dataclass(frozen=True)
class Table:
    """A file's cells: the names in its first line, and the rows below, as text."""

    path: Path
    header: list[str]
    rows: list[list[str]]

    def column(self, at: int) -> list[str]:
        """Return the cells of a column; a row may end before it."""
        return [row[at] if at < len(row) else "" for row in self.rows]

    def is_numeric(self, at: int) -> bool:
        """Tell whether all of a column's cells are numbers, or say that there is none."""
        return all(number_of(cell) is not None for cell in self.column(at))


def load_objects(
    path: Path, kind: str, delimiter: str | None = None, ids: str | None = None
) -> tuple[Any, list[str] | None]:
    """Return the objects of a file, of the kind a measure takes, and their names, if it has any."""
    table = _load_table(path, check_delimiter(delimiter))
    named = _id_column(table, ids)
    columns = [at for at in range(len(table.header)) if at != named]
    names = None if named is None else table.column(named)
    if kind in ("strings", "molecules"):
        strings = _strings(table, columns or [0])
        return strings, _own_names(strings) if names is None else names
    _refuse_text(table, columns)
    if kind == "series":
        return [_series(table, i, columns) for i in range(len(table.rows))], names
    return np.array([_vector(table, i, columns) for i in range(len(table.rows))]), names


def _load_table(path: Path, delimiter: str | None) -> Table:
    with Source(path) as source:
        try:
            lines = [line.decode() for _, line in source.numbered if line.strip()]
        except UnicodeDecodeError as error:
            raise RelationError(f"{path} cannot be read as text: {error}.") from None
    delimiter = delimiter or _delimiter(path, lines[0] if lines else "")
    cut = [cells_of(line, delimiter, str(path)) for line in lines]
    cells = [row for row in cut if any(row)]
    if len(cells) < 2:
        raise RelationError(f"{path} has {len(cells)} line(s); a header and one per object go in.")
    # spreadsheets end lines in blank cells, which are no column
    width = max(at for row in cells for at, cell in enumerate(row, start=1) if cell)
    header, *rows = [row[:width] for row in cells]
    if all(map(is_number, header)):
        raise RelationError(f"{path} begins with numbers; its first line must name the columns.")
    for i, row in enumerate(rows):
        if len(row) > len(header):
            raise RelationError(
                f"{path}: object {i} has {len(row)} cells for {len(header)} columns. Is the "
                "delimiter another, or a cell without its quotes?"
            )
    return Table(path, header, rows)


def _delimiter(path: Path, header: str) -> str:
    """Return what the file's name says, or semicolons where only these separate its columns."""
    usual = BY_SUFFIX.get(suffix_of(path), ",")
    is_cut = len(cells_of(header, usual)) > 1
    return ";" if not is_cut and len(cells_of(header, ";")) > 1 else usual


def _id_column(table: Table, asked: str | None) -> int | None:
    """Return the column of names: the one asked for, one called id, or text beside others."""
    if asked is not None:
        if asked not in table.header:
            raise RelationError(f"{table.path} has no column {asked!r}, but {table.header}.")
        return table.header.index(asked)
    if len(table.header) == 1:
        return None
    words = [name.lower() for name in table.header]
    if not words[0]:
        return 0  # the row numbers of pandas and of R
    if known := [words.index(name) for name in ID_NAMES if name in words]:
        return known[0]
    texts = [at for at in range(len(table.header)) if not table.is_numeric(at)]
    return texts[0] if texts else None


def _strings(table: Table, columns: Sequence[int]) -> list[str]:
    if len(columns) != 1:
        others = [table.header[at] for at in columns]
        raise RelationError(
            f"{table.path} has the columns {others} beside names; for strings there must be one."
        )
    return table.column(columns[0])


def _own_names(strings: list[str]) -> list[str] | None:
    """Return strings as the names of themselves, if they are different and each of one line."""
    is_line = all(len(string.splitlines()) == 1 for string in strings)
    return strings if is_line and len(set(strings)) == len(strings) else None


def _vector(table: Table, i: int, columns: Sequence[int]) -> list[float]:
    row = table.rows[i]
    for at in columns:
        if at >= len(row) or not is_number(row[at]):
            raise RelationError(
                f"{table.path}: object {i} has nothing in column {table.header[at]!r}; every "
                "number of a vector must be known."
            )
    return [float(row[at]) for at in columns]


def _series(table: Table, i: int, columns: Sequence[int]) -> np.ndarray:
    """Return a series without the blanks that fill up its row."""
    cells = [table.rows[i][at] for at in columns if at < len(table.rows[i])]
    while cells and not cells[-1]:
        cells.pop()
    if not cells or not all(map(is_number, cells)):
        raise RelationError(f"{table.path}: object {i} has a gap, or no numbers; fill it in.")
    return np.array(cells, dtype=float)


def _refuse_text(table: Table, columns: Sequence[int]) -> None:
    for at in columns:
        if not table.is_numeric(at):
            cell = next(cell for cell in table.column(at) if number_of(cell) is None)
            raise RelationError(
                f"{table.path}: column {table.header[at]!r} holds {cell!r:.80}, which is no "
                "number; this measure is about numbers."
            )
    if not columns:
        raise RelationError(f"{table.path} has names only; numbers are needed beside them.")
