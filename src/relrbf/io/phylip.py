"""Matrices as PHYLIP writes them: the number of objects, then a name and numbers for each.

Names take ten columns and may hold spaces (strict), or end at the first space (relaxed). A row may
go on in the lines below. Rows are whole, or state the lower or the upper half.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import FileFormatError
from relrbf.io.cells import find_repeated, is_number
from relrbf.io.halves import ON_DISK, Buffer, square_from_half
from relrbf.io.source import Lines, TextSource
from relrbf.io.tables import Table

STRICT_COLUMNS = 10  # of a name
PHYLIP_SUFFIXES = (".phy", ".phylip", ".dist")

NamedRow = tuple[str, Array]


def is_phylip(head: list[tuple[int, str]]) -> bool:
    """Tell whether the first lines are a number of objects, and a name with numbers or without."""
    lines = [line.split() for _, line in head if line.strip()]
    if len(lines) < 2 or len(lines[0]) != 1 or not lines[0][0].isdecimal():
        return False
    n, cells = int(lines[0][0]), lines[1]
    if n < 2 or "," in cells[0] or ";" in cells[0]:
        return False
    return not is_number(cells[0]) or len(cells) == n + 1


def load_phylip(source: TextSource) -> Table:
    """Read the matrix of a PHYLIP file."""
    lines = (each for each in source.lines if each[1].strip())
    number, first = next(lines)
    if not first.strip().isdecimal():
        raise FileFormatError(
            source.name,
            f"{first[:40]!r} should be the number of objects, and nothing else",
            "If this is no PHYLIP file, give it another name.",
            line=number,
        )
    records = PhylipRows(lines, int(first), source.name)
    buffer, names, lengths = Buffer(copies=3), [], []
    for label, values in records:
        buffer.put(values)
        names.append(label)
        lengths.append(len(values))
    if len(names) != records.n:
        problem = f"it says that it has {records.n} objects, and has {len(names)}"
        raise FileFormatError(source.name, problem, "It may have been cut off.")
    if repeated := find_repeated(names):
        raise FileFormatError(source.name, f"it names objects twice: {', '.join(repeated[:5])}")
    notes = [*source.notes, f"a PHYLIP file of {records.n} objects"]
    if records.half:
        half, n_named = records.half, records.n
        values, more = square_from_half(buffer.numbers(), lengths, half, n_named, source.name)
        return Table(values, names, names, [*notes, *more])
    values = buffer.numbers().reshape(records.n, records.n)
    return Table(values, names, names, [*notes, ON_DISK] if buffer.is_on_disk else notes)


class PhylipRows:
    """The objects of a file: a name and as many numbers as its row has, over several lines."""

    def __init__(self, lines: Lines, n: int, name: str) -> None:
        self._lines, self.n, self._name = lines, n, name
        self.half: str | None = None
        self._n_first = 0  # numbers in the first row

    def __iter__(self) -> Iterator[NamedRow]:
        n_rows = 0
        while (begun := next(self._lines, None)) is not None:
            number, line = begun
            if n_rows == self.n:
                problem = f"{self.n} objects were announced, and more come"
                raise FileFormatError(self._name, problem, line=number)
            label, row = self._split(line, n_rows, number)
            expected = self._expected(n_rows)
            while len(row) < expected:
                number, line = next(self._lines, (number, "?"))
                more = parse_numbers(line)
                if more is None:
                    break
                row = np.concatenate([row, more])
            if len(row) != expected:
                raise FileFormatError(
                    self._name,
                    f"{label!r} has {len(row)} numbers, and {expected} were expected",
                    "A row may go on in the lines below, but every number must be there.",
                    line=number,
                )
            yield label, row
            n_rows += 1

    def _split(self, line: str, n_rows: int, number: int) -> NamedRow:
        """Cut the first line of a row into a name and numbers, as fits."""
        relaxed, strict = _split_relaxed(line), _split_strict(line)
        found = relaxed or strict
        if found is None:
            problem = "no name with numbers after it, neither in ten columns nor up to a space"
            raise FileFormatError(self._name, f"{problem}: {line[:60]!r}", line=number)
        if n_rows == 0:
            self._find_half(len(found[1]))
        expected = self._expected(n_rows)
        if strict is not None and len(found[1]) != expected == len(strict[1]):
            return strict  # a name that touches its first number
        return found

    def _find_half(self, n_first: int) -> None:
        """Tell from the first row what the others state."""
        self._n_first = n_first
        if n_first <= 1 < self.n:
            self.half = "lower"
        elif n_first == self.n - 1:  # the next line is one shorter, or goes on with this row
            number, line = next(self._lines, (0, ""))
            self._lines = chain([(number, line)] if number else [], self._lines)
            begun = _split_relaxed(line) or _split_strict(line)
            is_row = begun is not None and parse_numbers(line) is None
            if is_row and begun is not None and len(begun[1]) == n_first - 1:
                self.half = "upper"

    def _expected(self, n_rows: int) -> int:
        if self.half == "lower":
            return n_rows + self._n_first
        return self.n - 1 - n_rows if self.half == "upper" else self.n


def parse_numbers(text: str) -> Array | None:
    """Return the numbers in a text, None where something else is in it."""
    try:
        return None if "_" in text else np.array(text.split(), dtype=np.float64)
    except ValueError:
        return None


def _split_relaxed(line: str) -> NamedRow | None:
    label, *rest = line.split(None, 1) or [""]
    values = parse_numbers(rest[0] if rest else "")
    return None if values is None else (label, values)


def _split_strict(line: str) -> NamedRow | None:
    values = parse_numbers(line[STRICT_COLUMNS:])
    return None if values is None else (line[:STRICT_COLUMNS].strip(), values)
