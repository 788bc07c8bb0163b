"""A matrix in a text file, read in one pass: a line is parsed, put in its place and forgotten."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.io.half import HalfRows
from relrbf.io.layout import Asked, Layout, find_layout, repeated, split_comments
from relrbf.io.names import are_made
from relrbf.io.rows import RowReader, strictly
from relrbf.io.source import Source, is_stream, suffix_of
from relrbf.io.target import Target
from relrbf.io.text import BY_SUFFIX
from relrbf.io.triangle import MAPPED, completed, unfold

HEAD_LINES, HEAD_BYTES = 50, 2**16
SHORTEST_CELL = 2  # bytes: a digit and a delimiter

Numbered = tuple[int, bytes]


@dataclass
class Table:
    """What a text file holds: numbers, names and notes."""

    values: Any
    row_ids: list[str] | None
    column_ids: list[str] | None
    notes: list[str] = field(default_factory=list)
    has_gaps: bool = False


def load_table(source: Source, path: Any, asked: Asked, head: list[Numbered]) -> Table:
    """Read a table whose first lines were read already; the others follow from the source."""
    suggested = None if is_stream(path) else BY_SUFFIX.get(suffix_of(Path(path)))
    texts, n_comments = texts_of(source, head, asked)
    layout = find_layout(texts, asked, suggested, source.name)
    lines = Body(chain(head, source.numbered), layout, source.name)
    with strictly():
        read = _read_ragged if layout.half else _read_full
        table = read(lines, layout, source)
    table.notes = [*source.notes, *layout.notes, *table.notes]
    if not layout.half and _is_relation(table, asked, source.name):
        table.notes += completed(table.values, asked.triangle)
    if table.has_gaps and (n_missing := int(np.isnan(table.values).sum())):
        table.notes.append(f"{n_missing} entries are missing")
    if n_comments or lines.n_comments:
        table.notes.append(f"{lines.n_comments} line(s) that begin with # were left out")
    if lines.n_blank:
        table.notes.append(f"{lines.n_blank} line(s) without anything in them were left out")
    return table


def _is_relation(table: Table, asked: Asked, name: str) -> bool:
    """Tell whether rows and columns are the same objects; only then is a half the other's image."""
    rows, columns, is_new = table.row_ids, table.column_ids, asked.columns is not None
    is_same = not is_new
    if rows is not None and columns is not None:
        is_same = rows == columns or (not is_new and are_made(columns, rows))
    if not is_same and asked.triangle in ("lower", "upper"):
        raise RelationError(
            f"{name}: triangle={asked.triangle!r} mirrors half of a relation, whose rows and "
            "columns are the same objects in the same order; here they are not."
        )
    return is_same


def first_lines(source: Source) -> list[Numbered]:
    """Read as many lines as tell how a file is laid out: at least three, if there are."""
    head: list[Numbered] = []
    n_bytes = n_kept = 0
    for number, line in source.numbered:
        head.append((number, line))
        n_bytes += len(line)
        n_kept += bool(line.strip(b" ")) and not line.startswith(b"#")
        if n_kept >= HEAD_LINES or (n_bytes > HEAD_BYTES and n_kept >= 3):
            break
    return head


class Body:
    """The lines below the header that are neither blank nor comments, as ids and rows."""

    def __init__(self, lines: Iterator[Numbered], layout: Layout, name: str) -> None:
        self._lines, self._layout = lines, layout
        self._reader = RowReader(layout, name)
        self.n_comments = self.n_blank = 0

    def __iter__(self) -> Iterator[tuple[int, str, Array]]:
        skip = self._layout.header
        for number, line in self._lines:
            if not line.strip(b" "):
                continue
            if line.startswith(b"#") and self._is_comment(line):
                self.n_comments += 1
                continue
            if skip:
                skip = False
                continue
            yield number, *self._reader.read(line, number)

    def _is_comment(self, line: bytes) -> bool:
        width = self._layout.width + self._layout.ids
        return width < 2 or len(self._layout.cells(line)) not in (width, width - self._layout.ids)


def texts_of(source: Source, head: list[Numbered], asked: Asked) -> tuple[list[str], int]:
    """Return the first lines that are neither blank nor comments, and how many of these are."""
    lines = [line for _, line in head if line.strip(b" ")]
    if not lines:
        raise RelationError(f"{source.name} is empty.")
    try:
        return split_comments(lines, asked.delimiter)
    except UnicodeDecodeError:
        number = next(number for number, line in head if not _is_text(line))
        raise RelationError(
            f"{source.name}, line {number} is not UTF-8. If it comes from an old spreadsheet, pass "
            "encoding='cp1252'; or save it as UTF-8."
        ) from None


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read_full(lines: Body, layout: Layout, source: Source) -> Table:
    """Read lines of one width, each straight to its place."""
    target, ids, has_gaps = Target(_expected(source, layout.width), layout.width), [], False
    for number, label, values in lines:
        if len(values) != layout.width:
            _refuse_ragged(source.name, number, len(values), layout)
        if np.isnan(values.sum()):
            if not label and _is_below(values, target, layout):
                lines.n_blank += 1
                continue
            has_gaps = True
        target.put(values)
        ids.append(label)
    notes = [MAPPED] if target.is_mapped else []
    row_ids = _checked(ids, source.name, "first column") if layout.ids else None
    return Table(target.values(), row_ids, _column_ids(layout, source.name), notes, has_gaps)


def _read_ragged(lines: Body, layout: Layout, source: Source) -> Table:
    """Read lines that grow or shrink by one: they state one half of a symmetric matrix."""
    step = 1 if layout.half == "lower" else -1
    rows = HalfRows(str(layout.half))
    ids: list[str] = []
    for number, label, values in lines:
        grown = step * len(ids)
        if len(values) != layout.width + grown:
            _refuse_ragged(source.name, number, len(values), layout, grown)
        rows.put(values)
        ids.append(label)
    row_ids = _checked(ids, source.name, "first column") if layout.ids else None
    column_ids = _column_ids(layout, source.name)
    n_named = len(column_ids or row_ids or ())
    values, notes = unfold(rows, n_named or None, source.name)
    if row_ids is not None and column_ids is not None and len(row_ids) < len(column_ids):
        row_ids = None  # the object whose half is empty has no line
    names = row_ids or column_ids
    return Table(values, names, column_ids or names, notes)


def _is_below(values: Array, target: Target, layout: Layout) -> bool:
    """Tell whether a line is blank cells and nothing else, as spreadsheets write below a table."""
    return bool(np.isnan(values).all()) and (layout.ids or target.n_rows >= layout.width)


def _expected(source: Source, width: int) -> int:
    """Return how many rows to make room for: a square's, or fewer if the file is too short."""
    if source.n_bytes is None or source.is_packed:
        return width
    return min(width, source.n_bytes // (SHORTEST_CELL * max(width, 1)) + 1)


def _column_ids(layout: Layout, name: str) -> list[str] | None:
    return None if layout.column_ids is None else _checked(layout.column_ids, name, "first line")


def _checked(ids: list[str], name: str, where: str) -> list[str]:
    """Return ids of which none is blank, and no two are the same."""
    if "" in ids:
        raise RelationError(
            f"{name} names objects in its {where}, but leaves number {ids.index('') + 1} blank."
        )
    if twice := repeated(ids):
        shown = ", ".join(map(repr, twice[:5]))
        raise RelationError(
            f"{name} names objects in its {where}, and some of them twice: {shown}. Every object "
            "needs a name of its own. If these are no names, pass "
            + ("ids=False." if where == "first column" else "header=False.")
        )
    return ids


def _refuse_ragged(name: str, number: int, found: int, layout: Layout, grown: int = 0) -> None:
    wanted = layout.width + grown + layout.ids
    raise RelationError(
        f"{name}, line {number} has {found + layout.ids} cells, and {wanted} were expected, as in "
        f"the lines before. Cells were cut at {layout.delimiter!r}; a name that holds that needs "
        "quotes round it."
    )
