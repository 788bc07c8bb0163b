"""Matrices and lists of edges in text, read in one pass: some lines at once are parsed by pandas.

A line is cut at its delimiters into one column of numbers, which pandas reads faster than a table
of thousands of columns, to the last bit as Python does; so the lines of a half, each of another
length, are read as well. What pandas refuses is read cell by cell, to say which one is wrong.
"""

import re
from collections.abc import Iterator, Mapping
from csv import QUOTE_NONE
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import import_library
from relrbf.exceptions import FileFormatError, OptionError
from relrbf.io.cells import (
    DELIMITER_BY_SUFFIX,
    DELIMITER_NAMES,
    MISSING_CELLS,
    find_repeated,
    has_thousands,
    is_made_up,
    is_number,
    parse_number,
    show_names,
    split_cells,
    without_comments,
)
from relrbf.io.halves import ON_DISK, Buffer, complete, square_from_half
from relrbf.io.layout import Layout, TextOptions, find_layout
from relrbf.io.source import Lines, TextSource, suffix_of
from relrbf.relations import GraphRelation

CHUNK_BYTES = 2**19  # of text that are parsed at once
MIN_CELL_BYTES = 2  # a digit and a delimiter
MISSING_SPELLINGS = [*MISSING_CELLS, *map(str.upper, MISSING_CELLS), "NaN", "None", "Null"]

Edge = tuple[str, str] | tuple[str, str, float]
NumberedRow = tuple[int, str, Array]  # number of the line, id, numbers
Part = tuple[int, str, str | None]  # number of the line, id, cells one below the other


@dataclass
class Table:
    """What a file holds: numbers, names and notes."""

    values: Any
    row_ids: list[str] | None = None
    column_ids: list[str] | None = None
    notes: list[str] = field(default_factory=list)


def load_table(source: TextSource, path: Any, options: TextOptions) -> Table:
    """Read a table from text."""
    texts = head_texts(source, options)
    layout = find_layout(texts, options, DELIMITER_BY_SUFFIX.get(suffix_of(path)), source.name)
    rows = TableRows(source.lines, layout, source.name)
    table = (_read_half if layout.half else _read_full)(rows, layout, source)
    table.notes = [*source.notes, *layout.notes, *table.notes]
    if not layout.half:
        if _is_relation(table, options, source.name):
            table.notes += complete(table.values, options.triangle)
        if rows.has_gaps and (n_missing := int(np.isnan(table.values).sum())):
            table.notes.append(f"{n_missing} entries are missing")
    if rows.n_comments:
        table.notes.append(f"{rows.n_comments} line(s) that begin with # were left out")
    if rows.n_blank:
        table.notes.append(f"{rows.n_blank} line(s) without anything in them were left out")
    return table


def head_texts(source: TextSource, options: TextOptions) -> list[str]:
    """Return the first lines that are neither blank nor comments."""
    lines = [line for _, line in source.head if line.strip(" ")]  # tabs are blank cells
    if not lines:
        raise FileFormatError(source.name, "the file is empty")
    return without_comments(lines, options.delimiter)


def _is_relation(table: Table, options: TextOptions, name: str) -> bool:
    """Tell whether rows and columns are the same objects; only then is a half the other's image."""
    rows, columns, is_new = table.row_ids, table.column_ids, options.columns is not None
    is_same = not is_new
    if rows is not None and columns is not None:
        is_same = rows == columns or (not is_new and is_made_up(columns, rows))
    if not is_same and options.triangle in ("lower", "upper"):
        raise FileFormatError(
            name,
            f"triangle={options.triangle!r} mirrors half of a relation, whose rows and columns are "
            "the same objects in the same order; here they are not",
        )
    return is_same


def _read_full(rows: "TableRows", layout: Layout, source: TextSource) -> Table:
    """Read lines of one width."""
    width = layout.width
    ids: list[str] = []
    buffer = Buffer(width * _expected_rows(source, width))
    for number, label, values in rows:
        if len(values) != width:
            raise _ragged(source.name, number, len(values), width, layout)
        is_below = not label and (layout.ids or len(ids) >= width)
        if is_below and rows.has_gaps and np.isnan(values).all():  # as spreadsheets write
            rows.n_blank += 1
            continue
        buffer.put(values)
        ids.append(label)
    values = buffer.numbers().reshape(len(ids), width)
    notes = [ON_DISK] if buffer.is_on_disk else []
    row_ids = check_ids(ids, source.name, "first column") if layout.ids else None
    return Table(values, row_ids, _column_ids(layout, source.name), notes)


def _read_half(rows: "TableRows", layout: Layout, source: TextSource) -> Table:
    """Read lines that grow or shrink by one: they state one half of a symmetric matrix."""
    step = 1 if layout.half == "lower" else -1
    buffer = Buffer(copies=3)
    lengths: list[int] = []
    ids: list[str] = []
    for number, label, values in rows:
        expected = layout.width + step * len(ids)
        if len(values) != expected:
            raise _ragged(source.name, number, len(values), expected, layout)
        buffer.put(values)
        lengths.append(len(values))
        ids.append(label)
    row_ids = check_ids(ids, source.name, "first column") if layout.ids else None
    column_ids = _column_ids(layout, source.name)
    n_named = len(column_ids or row_ids or ()) or None
    half = str(layout.half)
    values, notes = square_from_half(buffer.numbers(), lengths, half, n_named, source.name)
    if row_ids is not None and column_ids is not None and len(row_ids) < len(column_ids):
        row_ids = None  # the object whose half is empty has no line
    names = row_ids or column_ids
    return Table(values, names, column_ids or names, notes)


def _expected_rows(source: TextSource, width: int) -> int:
    """Return how many rows are likely: a square's, or fewer if the file is too short."""
    if source.n_bytes is None or source.is_compressed:
        return width
    return min(width, source.n_bytes // (MIN_CELL_BYTES * max(width, 1)) + 1)


def _column_ids(layout: Layout, name: str) -> list[str] | None:
    return None if layout.column_ids is None else check_ids(layout.column_ids, name, "first line")


def check_ids(ids: list[str], name: str, where: str) -> list[str]:
    """Return ids of which none is blank, and no two are the same."""
    if "" in ids:
        number = ids.index("") + 1
        problem = f"it names objects in its {where}, but leaves number {number} blank"
        raise FileFormatError(name, problem)
    if repeated := find_repeated(ids):
        option = "ids" if where == "first column" else "header"
        raise FileFormatError(
            name,
            f"it names objects in its {where}, and some of them twice: {show_names(repeated)}",
            f"Every object needs a name of its own. If these are no names, pass {{{option}}}.",
            {option: False},
        )
    return ids


def _ragged(name: str, number: int, found: int, wanted: int, layout: Layout) -> FileFormatError:
    return FileFormatError(
        name,
        f"the line has {found + layout.ids} cells, and {wanted + layout.ids} were expected, as in "
        f"the lines before; cells were cut at {layout.delimiter!r}",
        "A name that holds that needs quotes round it.",
        line=number,
    )


class TableRows:
    """The rows of a table: line numbers, ids and numbers; comments and blank lines are left out."""

    def __init__(self, lines: Lines, layout: Layout, name: str) -> None:
        self._lines, self._layout, self._name = lines, layout, name
        self._pandas = import_library("pandas", "'relrbf[io]'", "a table in text")
        self.n_comments = self.n_blank = 0
        self.has_gaps = False

    def __iter__(self) -> Iterator[NumberedRow]:
        chunk: list[Part] = []
        n_bytes = 0
        is_header = self._layout.header
        for number, line in self._lines:
            if not line.strip(" "):
                continue
            if line.startswith("#") and self._is_comment(line):
                self.n_comments += 1
            elif is_header:
                is_header = False
            else:
                chunk.append((number, *self._split(line, number)))
                n_bytes += len(line)
                if n_bytes >= CHUNK_BYTES:
                    yield from self._parse(chunk)
                    chunk, n_bytes = [], 0
        yield from self._parse(chunk)

    def _is_comment(self, line: str) -> bool:
        width = self._layout.width + self._layout.ids
        return width < 2 or len(self._layout.split(line)) not in (width, width - self._layout.ids)

    def _split(self, line: str, number: int) -> tuple[str, str | None]:
        """Return the id of a line, or "", and its numbers one below the other, None for none."""
        layout, label = self._layout, ""
        if '"' in line or layout.delimiter == " ":
            cells = layout.split(line, self._name, number)
            label = cells.pop(0) if layout.ids and cells else ""
            return label, "\n".join(cells) if cells else None
        if layout.is_trailing:
            line = line.rstrip(" ").removesuffix(layout.delimiter)
        if layout.ids:
            label, delimiter, line = line.partition(layout.delimiter)
            if not delimiter:
                return label.strip(), None
        return label.strip(), line.replace(layout.delimiter, "\n")

    def _parse(self, chunk: list[Part]) -> Iterator[NumberedRow]:
        counts = [0 if text is None else text.count("\n") + 1 for _, _, text in chunk]
        numbers = self._parse_column([text for *_, text in chunk if text is not None], sum(counts))
        if numbers is None:
            numbers = np.array([cell for part in chunk for cell in self._parse_cells(*part)])
        self.has_gaps = self.has_gaps or bool(np.isnan(numbers).any())
        start = 0
        for (number, label, _), count in zip(chunk, counts, strict=True):
            yield number, label, numbers[start : start + count]
            start += count

    def _parse_column(self, texts: list[str], n_cells: int) -> Array | None:
        """Return the numbers of some lines, NaN for a blank; None where one is no number."""
        text = "\n".join([*texts, ""]).encode()
        if not texts or (self._layout.decimal == "," and b"." in text):
            return None
        try:
            found = self._pandas.read_csv(
                BytesIO(text),
                header=None,
                dtype=np.float64,
                sep="\x01",
                quoting=QUOTE_NONE,
                skip_blank_lines=False,
                decimal=self._layout.decimal,
                na_values=MISSING_SPELLINGS,
                keep_default_na=False,
                # from pandas 3.1 on numbers are exact, and the option for it is deprecated
                **({"float_precision": "round_trip"} if _version(self._pandas) < (3, 1) else {}),
            )
        except ValueError:
            return None
        return found.to_numpy()[:, 0] if found.shape == (n_cells, 1) else None

    def _parse_cells(self, number: int, label: str, text: str | None) -> list[float | None]:
        """Read a line cell by cell, and say which one is wrong."""
        cells = [] if text is None else [cell.strip() for cell in text.split("\n")]
        numbers = [parse_number(cell, self._layout.decimal) for cell in cells]
        if None in numbers:
            raise self._not_a_number(cells, numbers.index(None), number)
        return numbers

    def _not_a_number(self, cells: list[str], at: int, number: int) -> FileFormatError:
        names, cell = self._layout.column_ids, cells[at]
        column = f"column {at + 1 + self._layout.ids}"
        if names is not None and at < len(names):
            column += f" ({names[at]!r:.40})"
        advice, options = self._advise(cells, at)
        problem = f"{cell!r:.60} is not a number"
        return FileFormatError(self._name, problem, advice, options, number, column)

    def _advise(self, cells: list[str], at: int) -> tuple[str, dict[str, Any]]:
        """Return what to do about a cell that is not a number: the likely cause, and the remedy."""
        cell, decimal = cells[at], self._layout.decimal
        is_edge = self._layout.ids and at == 0 and len(cells) < 3 and re.search(r"[^\W\d]", cell)
        if is_edge and all(is_number(other, decimal) for other in cells[1:]):
            text = "If this is a list of edges, pass {graph}; else write a number there."
            return text, {"graph": True}
        other = "." if decimal == "," else ","
        if is_number(cell, other):
            sign = "comma" if other == "," else "point"
            also = "; if it separates thousands, write it without" if has_thousands(cell) else ""
            return f"If it has a decimal {sign}, pass {{decimal}}{also}.", {"decimal": other}
        if has_thousands(cell):
            return "It has a thousands separator; write it without.", {}
        if re.search(r"\d[,;|\s]+-?\d", cell):
            delimiter = self._layout.delimiter
            text = f"Cells were cut at {delimiter!r}; if that is wrong, pass {{delimiter}}."
            return text, {"delimiter": ...}
        return "Write a number there, or leave it blank if it is unknown.", {}


def load_edges(source: TextSource, options: TextOptions, graph: Mapping[str, Any]) -> Table:
    """Return the graph whose edges a file lists; nodes are known by name."""
    texts = head_texts(source, options)
    fitting = (d for d in DELIMITER_NAMES if all(len(split_cells(t, d)) in (2, 3) for t in texts))
    delimiter = options.delimiter or next(fitting, None)
    as_table = TextOptions(False, True, delimiter, options.decimal, "full")
    layout = find_layout(texts, as_table, None, source.name)
    edges: list[Edge] = []
    header: list[str] = []
    for number, line in source.lines:
        if not line.strip() or line.startswith(("#", "%")):
            continue
        cells = layout.split(line, source.name, number)
        if not edges and not header and _is_header(cells, layout, options):
            header = cells
            continue
        edges.append(_edge(cells, layout, source.name, number))
    if not edges:
        raise FileFormatError(source.name, "it has no edges", "Each line is i j, or i j weight.")
    names = list(dict.fromkeys(end for edge in edges for end in edge[:2]))
    if all(map(str.isdecimal, names)):
        names.sort(key=int)
    notes = [f"the first line names the columns: {', '.join(header)}"] if header else []
    kind = "i j weight" if len(edges[0]) == 3 else "i j"
    notes.append(f"a graph of {len(names)} nodes, from {len(edges)} edges {kind}")
    return Table(make_graph(edges, names, graph), names, names, [*source.notes, *notes])


def make_graph(adjacency: Any, ids: list[str] | None, options: Mapping[str, Any]) -> GraphRelation:
    """Return the relation between the nodes of a graph."""
    try:
        return GraphRelation(adjacency, **{"ids": ids, **options})
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        text = f"graph={dict(options)!r} is not understood: {error}."
        raise OptionError(text, "graph") from None


def _is_header(cells: list[str], layout: Layout, options: TextOptions) -> bool:
    """Tell whether a line names columns: it has something else in the place of a weight."""
    if options.header != "auto":
        return bool(options.header)
    return len(cells) == 3 and not is_number(cells[2], layout.decimal)


def _edge(cells: list[str], layout: Layout, name: str, number: int) -> Edge:
    if len(cells) not in (2, 3) or not all(cells):
        problem = f"the line has {len(cells)} cells, cut at {layout.delimiter!r}"
        raise FileFormatError(name, problem, "An edge is i j, or i j weight.", line=number)
    if len(cells) == 2:
        return cells[0], cells[1]
    weight = parse_number(cells[2], layout.decimal)
    if weight is None or weight != weight:
        problem = f"the weight {cells[2]!r:.60} is not a number"
        raise FileFormatError(name, problem, line=number)
    return cells[0], cells[1], weight


def _version(module: Any) -> tuple[int, ...]:
    return tuple(map(int, module.__version__.split(".")[:2]))
