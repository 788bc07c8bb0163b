"""One line of a table becomes an id and a row of numbers, all cells at once where that can be."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.io.decimals import plain_decimals
from relrbf.io.foreign import refuse_bytes
from relrbf.io.layout import Layout
from relrbf.io.text import has_thousands, is_number, number_of

MANY = 2**13  # bytes of a line from which on its digits are worth being weighed together
QUOTED = re.compile(rb' *"((?:[^"]|"")*)" *')


class RowReader:
    """Reads lines of one layout."""

    def __init__(self, layout: Layout, name: str) -> None:
        self.layout, self.name = layout, name
        self._delimiter = layout.delimiter.encode()
        self._is_plain = True  # until a line is not, of a file that is alike throughout

    def read(self, line: bytes, number: int) -> tuple[str, Array]:
        """Return the id of a line, or "", and its numbers, NaN where there is none."""
        try:
            label, rest = self._split(line)
            if rest is not None:
                values = self._parsed(rest)
                if values is not None:
                    return label, values
            return self._read_cells(line, number)
        except UnicodeDecodeError:
            self._refuse_encoding(line, number)
            raise

    def _split(self, line: bytes) -> tuple[str, bytes | None]:
        """Cut the id off a line; None where the line has to be cut cell by cell."""
        if not self.layout.ids:
            return "", line
        if line.lstrip(b" ").startswith(b'"'):
            quoted = QUOTED.match(line)
            if quoted is None:
                return "", None
            rest = line[quoted.end() :].removeprefix(self._delimiter)
            return quoted[1].replace(b'""', b'"').decode().strip(), None if b'"' in rest else rest
        if self.layout.delimiter == " ":
            first, *others = line.split(None, 1)
            return first.decode(), others[0] if others else b""
        first, _, rest = line.partition(self._delimiter)
        return first.decode().strip(), rest

    def _parsed(self, rest: bytes) -> Array | None:
        """Return numbers at once, or None where a cell is blank, quoted or no number."""
        if self.layout.decimal == ",":
            if b"." in rest:
                return None
            rest = rest.replace(b",", b".")
        separator = self._delimiter
        if separator == b"\t":  # which numpy would also take for a space, and for two tabs
            if b";" in rest:
                return None
            rest, separator = rest.replace(b"\t", b";"), b";"
        if self.layout.trailing:
            rest = rest.rstrip(b" ").removesuffix(separator)
        if self._is_plain and len(rest) >= MANY and separator != b" ":
            plain = plain_decimals(rest, separator)
            if plain is not None:
                return plain
            self._is_plain = False
        try:
            values = np.fromstring(rest, sep=separator.decode())
        except (ValueError, DeprecationWarning):
            return None
        n_cells = len(values) if separator == b" " else rest.count(separator) + 1
        # numpy takes nan(5) for a number
        return values if len(values) == n_cells and b"(" not in rest else None

    def _read_cells(self, line: bytes, number: int) -> tuple[str, Array]:
        """Read a line cell by cell, and say which one is wrong."""
        try:
            cells = self.layout.cells(line)
        except RelationError as error:
            raise RelationError(f"{self.name}, line {number}: {error}") from None
        label = cells.pop(0) if self.layout.ids and cells else ""
        numbers = [number_of(cell, self.layout.decimal) for cell in cells]
        if None in numbers:
            at = numbers.index(None)
            self._refuse_cell(cells, at, number)
        return label, np.array(numbers, dtype=float)

    def _refuse_cell(self, cells: list[str], at: int, number: int) -> None:
        names = self.layout.column_ids
        column = f"column {at + 1 + self.layout.ids}"
        if names is not None and at < len(names):
            column += f" ({names[at]!r:.40})"
        raise RelationError(
            f"{self.name}, line {number}, {column}: {cells[at]!r:.60} is not a number. "
            + (self._edge_advice(cells, at) or self._likely_cause(cells[at]))
        )

    def _edge_advice(self, cells: list[str], at: int) -> str:
        """Return what to do if a line is two names, and perhaps a weight."""
        is_edge = self.layout.ids and at == 0 and len(cells) < 3 and re.search(r"[^\W\d]", cells[0])
        if not is_edge or not all(is_number(cell, self.layout.decimal) for cell in cells[1:]):
            return ""
        return "If this is a list of edges, pass graph=True; else write a number there."

    def _likely_cause(self, cell: str) -> str:
        other = "." if self.layout.decimal == "," else ","
        if is_number(cell, other):
            sign = "comma" if other == "," else "point"
            also = "; if it separates thousands, write it without" if has_thousands(cell) else ""
            return f"If it has a decimal {sign}, pass decimal={other!r}{also}."
        if has_thousands(cell):
            return "It has a thousands separator; write it without."
        if re.search(r"\d[,;|\s]+-?\d", cell):
            return f"Cells were cut at {self.layout.delimiter!r}; if that is wrong, pass delimiter="
        return "Write a number there, or leave it blank if it is unknown."

    def _refuse_encoding(self, line: bytes, number: int) -> None:
        if b"\0" in line:
            refuse_bytes(self.name)
        raise RelationError(
            f"{self.name}, line {number} is not UTF-8. If it comes from an old spreadsheet, pass "
            "encoding='cp1252'; or save it as UTF-8."
        )


@contextmanager
def strictly() -> Iterator[None]:
    """Let numpy raise where it would only warn of text that is no number."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        yield
