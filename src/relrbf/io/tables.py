"""Matrices in text: tables, lists of edges, and PHYLIP, read in one pass.

A line of a table is cut at its delimiters into one column of numbers, of which pandas reads some
lines at once: faster than a table of thousands of columns, and to the last bit as Python does. So
the lines of a half, each of another length, are read as well. What pandas refuses is read cell by
cell, to say which one is wrong.
"""

import re
from collections.abc import Iterator, Mapping
from csv import QUOTE_NONE
from io import BytesIO
from itertools import product
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import import_library
from relrbf.exceptions import FileFormatError, OptionError
from relrbf.io.arrays import Buffer, Table, complete, matrix_from_rows
from relrbf.io.layout import (
    DELIMITER_NAMES,
    MISSING_CELLS,
    THOUSANDS,
    Layout,
    TextOptions,
    as_name,
    check_different,
    find_delimiter,
    find_layout,
    is_made_up,
    is_number,
    is_text,
    is_whole,
    parse_number,
    split_cells,
    width_step,
    without_comments,
)
from relrbf.io.source import HEAD_LINES, TextSource, suffix_of
from relrbf.relations import GraphRelation

CHUNK_BYTES = 2**19  # of text that are parsed at once
MIN_CELL_BYTES = 2  # a digit and a delimiter
MISSING_SPELLINGS = [*MISSING_CELLS, *map(str.upper, MISSING_CELLS), "NaN", "None", "Null"]
PHYLIP_SUFFIXES = (".phy", ".phylip", ".dist")
STRICT_COLUMNS = 10  # of a name in PHYLIP
WIDTH_STEPS = {"lower": 1, "upper": -1, None: 0}  # from one line to the next

NumberedRow = tuple[int, str, Array]  # number of the line, id, numbers
Part = tuple[int, str, str | None]  # number of the line, id, cells one below the other


def load_table(source: TextSource, path: Any, options: TextOptions) -> Table:
    """Read a table from text."""
    texts = head_texts(source, options)
    layout = find_layout(texts, options, suffix_of(path), source.name)
    rows = TableRows(source, layout)
    table = _read_rows(rows, layout, source)
    table.notes = [*source.notes, *layout.notes, *table.notes]
    if not layout.half:
        if _is_relation(table, options, source.name):
            table.notes += complete(table.values, options.triangle)
        if rows.has_gaps and (n_missing := int(np.isnan(table.values).sum())):
            table.notes.append(f"{n_missing} entries are missing")
    left_out = {"that begin with #": rows.n_comments, "without anything in them": rows.n_blank}
    table.notes += [f"{n} line(s) {which} were left out" for which, n in left_out.items() if n]
    return table


def load_counted(source: TextSource, path: Any, options: TextOptions, n: int) -> Table:
    """Read a table below a line that says how many objects it has."""
    next(source.lines)
    source.head = source.head[1:]
    table = load_table(source, path, options)
    if len(table.values) != n:
        problem = f"it says that it has {n} objects, and has {len(table.values)}"
        raise FileFormatError(source.name, problem, "It may have been cut off.")
    table.notes.append(f"the first line says that there are {n} objects")
    return table


def announced_objects(source: TextSource, is_phylip: bool) -> int | None:
    """Return what the first line says, alone, of a table below it; None where it says nothing.

    A lower half can begin so as well, with its first entry: then no line ends in 0. Names up to a
    space with numbers after them are left to PHYLIP, numbers alone are not.
    """
    first, *lines = [line for _, line in source.head] or [""]
    count = first.strip()
    if not is_whole(count) or int(count) < 2 or len(lines) < 2:
        return None
    n, delimiter = int(count), find_delimiter([first, *lines]) or " "
    rows = [split_cells(line, delimiter, source.name) for line in lines]
    widths, ends = [len(row) for row in rows], [row[-1].replace(",", ".") for row in rows]
    has_zeros = all(parse_number(cell) == 0 for cell in ends)
    if max(widths) < 2 or (width_step([1, *widths]) == 1 and not has_zeros):
        return None
    if len(lines) + 1 < HEAD_LINES and len(lines) not in (n, n - 1) and not has_zeros:
        return None
    is_bare = all(len(row) > i and parse_number(row[i]) == 0 for i, row in enumerate(rows))
    return n if is_bare or not is_phylip else None


def head_texts(source: TextSource, options: TextOptions) -> list[str]:
    """Return the first lines that are neither blank nor comments."""
    if not source.head:
        raise FileFormatError(source.name, "the file is empty")
    return without_comments([line for _, line in source.head], options.delimiter)


def _is_relation(table: Table, options: TextOptions, name: str) -> bool:
    """Tell whether rows and columns are the same objects; only then is a half the other's image."""
    rows, columns, is_new = table.row_ids, table.column_ids, options.columns is not None
    is_same = not is_new
    if rows is not None and columns is not None:
        is_same = rows == columns or (not is_new and is_made_up(columns, rows))
    if not is_same and options.triangle in ("lower", "upper"):
        problem = f"triangle={options.triangle!r} mirrors half of a relation, whose rows and "
        problem += "columns are the same objects in the same order; here they are not"
        raise FileFormatError(name, problem)
    return is_same


def _read_rows(rows: "TableRows", layout: Layout, source: TextSource) -> Table:
    """Read lines of one width, or those of one half, which grow or shrink by one."""
    width, step, ids = layout.width, WIDTH_STEPS[layout.half], list[str]()
    n_rows = width  # of a square, or fewer if the file is too short
    if source.n_bytes is not None and not source.is_compressed:
        n_rows = min(width, source.n_bytes // (MIN_CELL_BYTES * max(width, 1)) + 1)
    buffer = Buffer(copies=3) if step else Buffer(width * n_rows)
    for number, label, values in rows:
        expected = width + step * len(ids)
        if len(values) != expected:
            n_found, n_wanted = len(values) + layout.ids, expected + layout.ids
            problem = f"the line has {n_found} cells, and {n_wanted} were expected, as in the "
            problem += f"lines before; cells were cut at {layout.delimiter!r}"
            advice = "A name that holds that needs quotes round it."
            raise FileFormatError(source.name, problem, advice, line=number)
        is_below = not step and not label and (layout.ids or len(ids) >= width)
        if is_below and rows.has_gaps and np.isnan(values).all():  # as spreadsheets write
            rows.n_blank += 1
            continue
        buffer.put(values)
        ids.append(label)
    row_ids = check_ids(ids, source.name, "first column") if layout.ids else None
    column_ids = layout.column_ids and check_ids(layout.column_ids, source.name, "first line")
    n_named = len(column_ids or row_ids or ()) or None
    lengths = [width + step * i for i in range(len(ids))]
    values, notes = matrix_from_rows(buffer, lengths, layout.half, n_named, source.name)
    if layout.half:
        if row_ids is not None and column_ids is not None and len(row_ids) < len(column_ids):
            row_ids = None  # the object whose half is empty has no line
        row_ids = row_ids or column_ids
        column_ids = column_ids or row_ids
    return Table(values, row_ids, column_ids, notes)


def check_ids(ids: list[str], name: str, where: str) -> list[str]:
    """Return ids of which none is blank, and no two are the same."""
    problem = f"it names objects in its {where}"
    if "" in ids:
        raise FileFormatError(name, f"{problem}, but leaves number {ids.index('') + 1} blank")
    option = "ids" if where == "first column" else "header"
    advice = f"Every object needs a name of its own. If these are no names, pass {{{option}}}."
    problem += ", and some of them twice"
    check_different(ids, name, problem, advice=advice, options={option: False})
    return ids


class TableRows:
    """The rows of a table: line numbers, ids and numbers; comments and blank lines are left out."""

    def __init__(self, source: TextSource, layout: Layout) -> None:
        self._lines, self._layout, self._name = source.lines, layout, source.name
        self._pandas = import_library("pandas", "'relrbf[io]'", "a table in text")
        self.n_comments = self.n_blank = 0
        self.has_gaps = False

    def __iter__(self) -> Iterator[NumberedRow]:
        chunk, n_bytes, is_header = list[Part](), 0, self._layout.header
        for number, line in self._lines:
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
                return as_name(label), None
        return as_name(label), line.replace(layout.delimiter, "\n")

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
        # from pandas 3.1 on numbers are exact, and the option for it is deprecated
        version = tuple(map(int, self._pandas.__version__.split(".")[:2]))
        exact = {"float_precision": "round_trip"} if version < (3, 1) else {}
        missing = {"na_values": MISSING_SPELLINGS, "keep_default_na": False}
        layout = {"sep": "\x01", "quoting": QUOTE_NONE, "header": None, "skip_blank_lines": False}
        options = {**exact, **missing, **layout, "decimal": self._layout.decimal}
        try:
            found = self._pandas.read_csv(BytesIO(text), dtype=np.float64, **options)
        except (ValueError, OverflowError):  # which pandas lets out of long integers
            return None
        return found.to_numpy()[:, 0] if found.shape == (n_cells, 1) else None

    def _parse_cells(self, number: int, label: str, text: str | None) -> list[float | None]:
        """Read a line cell by cell, and say which one is wrong."""
        cells = [] if text is None else [cell.strip() for cell in text.split("\n")]
        numbers = [parse_number(cell, self._layout.decimal) for cell in cells]
        if None not in numbers:
            return numbers
        at, names = numbers.index(None), self._layout.column_ids
        column = f"column {at + 1 + self._layout.ids}"
        if names is not None and at < len(names):
            column += f" ({names[at]!r:.40})"
        problem, (advice, options) = f"{cells[at]!r:.60} is not a number", self._advise(cells, at)
        raise FileFormatError(self._name, problem, advice, options, number, column)

    def _advise(self, cells: list[str], at: int) -> tuple[str, dict[str, Any]]:
        """Return what to do about a cell that is not a number: the likely cause, and the remedy."""
        cell, decimal = cells[at], self._layout.decimal
        is_edge = self._layout.ids and at == 0 and len(cells) < 3 and re.search(r"[^\W\d]", cell)
        if is_edge and all(is_number(other, decimal) for other in cells[1:]):
            text = "If this is a list of edges, pass {graph}; else write a number there."
            return text, {"graph": True}
        other = "." if decimal == "," else ","
        has_thousands = THOUSANDS.fullmatch(cell)
        if is_number(cell, other):
            sign = "comma" if other == "," else "point"
            also = "; if it separates thousands, write it without" if has_thousands else ""
            return f"If it has a decimal {sign}, pass {{decimal}}{also}.", {"decimal": other}
        if has_thousands:
            return "It has a thousands separator; write it without.", {}
        if re.search(r"\d[,;|\s]+-?\d", cell):
            delimiter = self._layout.delimiter
            text = f"Cells were cut at {delimiter!r}; if that is wrong, pass {{delimiter}}."
            return text, {"delimiter": ...}
        return "Write a number there, or leave it blank if it is unknown.", {}


def load_edges(source: TextSource, options: TextOptions, graph: Mapping[str, Any]) -> Table:
    """Return the graph whose edges a file lists; nodes are known by name."""
    texts = head_texts(source, options)
    kinds = product((_is_weighted, lambda row: len(row) in (2, 3)), DELIMITER_NAMES)
    fitting = (d for is_edge, d in kinds if all(is_edge(split_cells(t, d)) for t in texts))
    delimiter = options.delimiter or next(fitting, None)
    as_table = TextOptions(False, True, delimiter, options.decimal, "full")
    layout = find_layout(texts, as_table, "", source.name)
    edges, header, notes = list[tuple[Any, ...]](), options.header, [*source.notes]
    for number, line in source.lines:
        if not line.strip() or line.startswith(("#", "%")):
            continue
        cells = layout.split(line, source.name, number)
        if header == "auto":  # names columns, if something else is in the place of a weight
            header = len(cells) == 3 and is_text(cells[2], layout.decimal)
        if header:
            notes.append(f"the first line names the columns: {', '.join(cells)}")
            header = False
        else:
            edges.append(_edge(cells, layout, source.name, number))
    if not edges:
        raise FileFormatError(source.name, "it has no edges", "Each line is i j, or i j weight.")
    names = list(dict.fromkeys(end for edge in edges for end in edge[:2]))
    if all(map(is_whole, names)):
        names.sort(key=int)
    kind = " weight" * (len(edges[0]) == 3)
    notes.append(f"a graph of {len(names)} nodes, from {len(edges)} edges i j{kind}")
    return Table(make_graph(edges, names, graph), names, names, notes)


def _is_weighted(row: list[str]) -> bool:
    """Tell whether a line was cut into i j weight, and not at the space behind a comma."""
    is_cut = len(row) == 3 and not any(cell.endswith(",") for cell in row)
    return is_cut and is_number(row[2].replace(",", "."))


def _edge(cells: list[str], layout: Layout, name: str, number: int) -> tuple[Any, ...]:
    if len(cells) not in (2, 3) or not all(cells):
        problem = f"the line has {len(cells)} cells, cut at {layout.delimiter!r}"
        raise FileFormatError(name, problem, "An edge is i j, or i j weight.", line=number)
    *ends, weight = cells if len(cells) == 3 else (*cells, "1")
    if not is_number(weight, layout.decimal):
        raise FileFormatError(name, f"the weight {weight!r:.60} is not a number", line=number)
    return (*ends, parse_number(weight, layout.decimal))[: len(cells)]


def make_graph(adjacency: Any, ids: list[str] | None, options: Mapping[str, Any]) -> GraphRelation:
    """Return the relation between the nodes of a graph."""
    try:
        return GraphRelation(adjacency, **{"ids": ids, **options})
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        text = f"graph={dict(options)!r} is not understood: {error}."
        raise OptionError(text, "graph") from None


# PHYLIP: the number of objects, then a name and numbers for each. Names take ten columns and may
# hold spaces (strict), or end at the first space (relaxed). A row may go on in the lines below.
# Rows are whole, or state the lower or the upper half.


def is_phylip(head: list[tuple[int, str]], is_called: bool, is_free: bool) -> bool:
    """Tell whether the first lines are a number of objects, and a name with numbers or without.

    What is called PHYLIP is that, unless something else than spaces separates its cells.
    """
    texts = [line for _, line in head if line.strip()]
    if not texts or not (is_called or is_free) or find_delimiter(texts) not in ("\t", " ", None):
        return False
    lines = [text.split() for text in texts]
    if is_called or len(lines) < 2 or len(lines[0]) != 1 or not is_whole(lines[0][0]):
        return is_called
    n, cells = int(lines[0][0]), lines[1]
    if n < 2 or "," in cells[0] or ";" in cells[0]:
        return False
    return not is_number(cells[0]) or len(cells) == n + 1


def load_phylip(source: TextSource) -> Table:
    """Read the matrix of a PHYLIP file."""
    lines = (each for each in source.lines if each[1].strip())
    number, first = next(lines)
    if not is_whole(first.strip()):
        problem = f"{first[:40]!r} should be the number of objects, and nothing else"
        advice = "If this is no PHYLIP file, give it another name."
        raise FileFormatError(source.name, problem, advice, line=number)
    n, names, buffer = int(first.strip()), list[str](), Buffer(copies=3)
    width, half = _first_width([line for _, line in source.head if line.strip()], n)
    for number, line in lines:
        if len(names) == n:
            problem = f"{n} objects were announced, and more come"
            raise FileFormatError(source.name, problem, line=number)
        expected = width + WIDTH_STEPS[half] * len(names)
        found = _split_row(line, expected)
        if found is None:
            problem = "no name with numbers after it, neither in ten columns nor up to a space"
            raise FileFormatError(source.name, f"{problem}: {line[:60]!r}", line=number)
        label, row = found
        while len(row) < expected:
            number, line = next(lines, (number, "?"))
            if (more := parse_numbers(line)) is None:
                break
            row = np.concatenate([row, more])
        if len(row) != expected:
            problem = f"{label!r} has {len(row)} numbers, and {expected} were expected"
            advice = "A row may go on in the lines below, but every number must be there."
            raise FileFormatError(source.name, problem, advice, line=number)
        buffer.put(row)
        names.append(label)
    if len(names) != n:
        problem = f"it says that it has {n} objects, and has {len(names)}"
        raise FileFormatError(source.name, problem, "It may have been cut off.")
    check_different(names, source.name, "it names objects twice")
    lengths = [width + WIDTH_STEPS[half] * i for i in range(n)]
    values, notes = matrix_from_rows(buffer, lengths, half, n, source.name)
    return Table(values, names, names, [*source.notes, f"a PHYLIP file of {n} objects", *notes])


def _first_width(head: list[str], n: int) -> tuple[int, str | None]:
    """Return how many numbers the first row has, and which half the rows state, if they do."""
    rows = [_split_row(line) for line in head[1:3]]
    width = len(rows[0][1]) if rows and rows[0] else n
    if width <= 1 < n:
        return width, "lower"
    if width == n - 1 and len(rows) > 1 and rows[1] and parse_numbers(head[2]) is None:
        # the next line is one shorter, or goes on with this row
        return (width, "upper") if len(rows[1][1]) == width - 1 else (n, None)
    return n, None


def _split_row(line: str, expected: int | None = None) -> tuple[str, Array] | None:
    """Cut the first line of a row into a name and numbers, as many as expected if that fits."""
    label, *rest = line.split(None, 1)
    found, strict = parse_numbers("".join(rest)), parse_numbers(line[STRICT_COLUMNS:])
    words = list(re.finditer(r"\S+", line[: 4 * STRICT_COLUMNS]))
    is_cut = any(w.start() < STRICT_COLUMNS < w.end() and is_number(w[0]) for w in words)
    cells = [parse_number(w[0]) for w in words[1:] if w.end() <= STRICT_COLUMNS]
    n_missing = sum(cell != cell for cell in cells)
    if is_cut or 0 < n_missing < sum(cell is not None for cell in cells):
        strict = None  # the name would end within a number, or hold a row with blanks
    if found is None or (strict is not None and len(found) != expected == len(strict)):
        # a name that holds spaces, or touches its first number
        label, found = line[:STRICT_COLUMNS].strip(), strict
    return None if found is None else (label, found)


def parse_numbers(text: str) -> Array | None:
    """Return the numbers in a text, None where something else is in it."""
    try:
        return None if "_" in text else np.array(text.split(), dtype=np.float64)
    except ValueError:
        return None
