"""Objects in a table with a header: numbers are vectors or series, text is strings."""

from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import FileFormatError
from relrbf.io import layout
from relrbf.io.layout import Rows, is_number, split_cells
from relrbf.io.source import TextSource, suffix_of


def load_objects(
    path: Path, kind: str, delimiter: str | None = None, ids: str | None = None
) -> tuple[Any, list[str] | None]:
    """Return the objects of a file, of the kind a measure takes, and their names, if it has any.

    The kind is "vectors", "series", "strings" or "molecules"; ids is the column of the names.
    """
    header, rows = _load_cells(path, layout.check_delimiter(delimiter))
    name, columns = str(path), {at: [row[at] for row in rows] for at in range(len(header))}
    ids_at = _find_ids(header, columns, ids, name)
    names = None if ids_at is None else columns.pop(ids_at)
    if kind in ("strings", "molecules"):
        columns = columns or {0: names or []}  # names can be the objects themselves
        if len(columns) != 1:
            others = [header[at] for at in columns]
            problem = f"it has the columns {others} beside names; for strings there must be one"
            raise FileFormatError(name, problem)
        (strings,) = columns.values()
        is_own_name = all(len(string.splitlines()) == 1 for string in strings)
        is_own_name = is_own_name and len(set(strings)) == len(strings)
        return strings, strings if names is None and is_own_name else names
    for at, cells in columns.items():
        if (text := _first_text(cells)) is not None:
            raise FileFormatError(
                name,
                f"column {header[at]!r} holds {text!r:.80}, which is no number; this measure is "
                "about numbers",
            )
    if not columns:
        raise FileFormatError(name, "it has names only; numbers are needed beside them")
    objects = [[row[at] for at in columns] for row in rows]
    if kind == "series":
        return [_series(cells, i, name) for i, cells in enumerate(objects)], names
    for i, cells in enumerate(objects):
        for at, cell in zip(columns, cells, strict=True):
            if not is_number(cell):
                problem = f"object {i} has nothing in column {header[at]!r}"
                raise FileFormatError(name, problem, "Every number of a vector must be known.")
    return np.array(objects, dtype=float), names


def _load_cells(path: Path, delimiter: str | None) -> tuple[list[str], Rows]:
    """Return the names in the first line, and the cells below, as many in each row."""
    with TextSource(path) as source:
        lines = [line for _, line in source.lines if line.strip()]
    name, usual = source.name, layout.DELIMITER_BY_SUFFIX.get(suffix_of(path), ",")
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
            problem = f"object {i} has {len(row)} cells for {len(header)} columns"
            advice = "Is the delimiter another, or a cell without its quotes?"
            raise FileFormatError(name, problem, advice)
    return header, [[*row, *[""] * (len(header) - len(row))] for row in rows]


def _find_ids(
    header: list[str], columns: dict[int, list[str]], ids: str | None, name: str
) -> int | None:
    """Return the column of names: the one given, one called id, or text beside others."""
    if ids is not None:
        if ids not in header:
            raise FileFormatError(name, f"it has no column {ids!r}, but {header}")
        return header.index(ids)
    if len(header) == 1:
        return None
    words = [cell.lower() for cell in header]
    if not words[0]:
        return 0  # the row numbers of pandas and of R
    known = [words.index(word) for word in layout.ID_NAMES if word in words]
    texts = (at for at, cells in columns.items() if _first_text(cells) is not None)
    return known[0] if known else next(texts, None)


def _first_text(cells: list[str]) -> str | None:
    """Return the first cell that is neither a number nor blank, if there is one."""
    return next((cell for cell in cells if layout.parse_number(cell) is None), None)


def _series(cells: list[str], i: int, name: str) -> np.ndarray:
    """Return a series without the blanks that fill up its row."""
    while cells and not cells[-1]:
        cells.pop()
    if not cells or not all(map(is_number, cells)):
        raise FileFormatError(name, f"object {i} has a gap, or no numbers", "Fill it in.")
    return np.array(cells, dtype=float)
