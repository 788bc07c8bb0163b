"""Matrices as PHYLIP writes them: the number of objects, then a name and numbers for each.

Names take ten columns and may hold spaces (strict), or end at the first space (relaxed). A row may
go on in the lines below. Rows are whole, or state the lower or the upper half.
"""

from collections.abc import Iterator
from itertools import chain, count

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.io.half import HalfRows
from relrbf.io.layout import repeated
from relrbf.io.rows import strictly
from relrbf.io.source import Source
from relrbf.io.table import Numbered, Table
from relrbf.io.target import Target
from relrbf.io.text import is_number
from relrbf.io.triangle import MAPPED, unfold

STRICT = 10  # columns of a name
SUFFIXES = (".phy", ".phylip", ".dist")


def is_phylip(head: list[Numbered]) -> bool:
    """Tell whether the first lines are a number of objects, and a name with numbers or without."""
    lines = [line.split() for _, line in head if line.strip()]
    if len(lines) < 2 or len(lines[0]) != 1 or not lines[0][0].isdigit():
        return False
    n, cells = int(lines[0][0]), [cell.decode(errors="replace") for cell in lines[1]]
    if n < 2 or any(mark in lines[1][0] for mark in (b",", b";")):
        return False
    return not is_number(cells[0]) or len(cells) == n + 1


def load_phylip(source: Source, head: list[Numbered]) -> Table:
    """Read the matrix of a PHYLIP file."""
    lines = (each for each in chain(head, source.numbered) if each[1].strip())
    number, first = next(lines, (0, b""))
    if not number:
        raise RelationError(f"{source.name} is empty.")
    try:
        n = int(first)
    except ValueError:
        raise RelationError(
            f"{source.name}, line {number}: {first.decode(errors='replace')[:40]!r} should be the "
            "number of objects, and nothing else. If this is no PHYLIP file, give it another name."
        ) from None
    try:
        with strictly():
            names, rows = _read(lines, n, source.name)
    except UnicodeDecodeError:
        raise RelationError(
            f"{source.name} is not UTF-8. If it is older, pass encoding='cp1252'."
        ) from None
    if twice := repeated(names):
        raise RelationError(f"{source.name} names objects twice: {', '.join(twice[:5])}.")
    notes = [*source.notes, f"a PHYLIP file of {n} objects"]
    if isinstance(rows, HalfRows):
        values, more = unfold(rows, n, source.name)
        return Table(values, names, names, [*notes, *more])
    return Table(rows.values(), names, names, [*notes, MAPPED] if rows.is_mapped else notes)


def _read(lines: Iterator[Numbered], n: int, name: str) -> tuple[list[str], Target | HalfRows]:
    records, names = Records(lines, n, name), []
    rows: Target | HalfRows | None = None
    for label, values in records:
        names.append(label)
        if rows is None:
            rows = HalfRows(records.half) if records.half else Target(n, n)
        rows.put(values)
    if len(names) != n or rows is None:
        raise RelationError(
            f"{name} says that it has {n} objects, and has {len(names)}. It may have been cut off."
        )
    return names, rows


class Records:
    """The objects of a file: a name and as many numbers as its row has, over several lines."""

    def __init__(self, lines: Iterator[Numbered], n: int, name: str) -> None:
        self._lines, self._n, self._name = lines, n, name
        self.half: str | None = None
        self._first = 0  # numbers in the first row

    def __iter__(self) -> Iterator[tuple[str, Array]]:
        for at in count():
            number, line = next(self._lines, (0, b""))
            if not line:
                return
            if at == self._n:
                raise RelationError(
                    f"{self._name}, line {number}: {self._n} objects were announced, and more come."
                )
            label, values = self._begun(line, at, number)
            parts, wanted = [values], self._wanted(at)
            while sum(map(len, parts)) < wanted:
                number, line = next(self._lines, (number, b"-"))  # which is no number
                more = numbers_in(line)
                if more is None:
                    raise self._error(label, number, sum(map(len, parts)), wanted)
                parts.append(more)
            row = np.concatenate(parts)
            if len(row) != wanted:
                raise self._error(label, number, len(row), wanted)
            yield label, row

    def _begun(self, line: bytes, at: int, number: int) -> tuple[str, Array]:
        """Cut the first line of a row into a name and numbers, in the way that fits."""
        relaxed, strict = _relaxed(line), _strict(line)
        found = relaxed or strict
        if found is None:
            raise RelationError(
                f"{self._name}, line {number}: no name with numbers after it, neither in ten "
                f"columns nor up to a space: {line.decode(errors='replace')[:60]!r}."
            )
        if at == 0:
            self._settle(len(found[1]))
        wanted = self._wanted(at)
        if strict is not None and len(found[1]) != wanted == len(strict[1]):
            return strict  # a name that touches its first number
        return found

    def _settle(self, n_first: int) -> None:
        """Tell from the first row what the others state."""
        self._first = n_first
        if n_first <= 1 < self._n:
            self.half = "lower"
        elif n_first == self._n - 1 and self._is_shorter(n_first):
            self.half = "upper"

    def _is_shorter(self, n_first: int) -> bool:
        """Tell whether the next line is one shorter, and does not go on with this row."""
        following = next(self._lines, (0, b""))
        self._lines = chain([following], self._lines)
        begun = _relaxed(following[1]) or _strict(following[1])
        is_more = numbers_in(following[1]) is not None
        return begun is not None and not is_more and len(begun[1]) == n_first - 1

    def _wanted(self, at: int) -> int:
        if self.half == "lower":
            return at + self._first
        return self._n - 1 - at if self.half == "upper" else self._n

    def _error(self, label: str, number: int, found: int, wanted: int) -> RelationError:
        return RelationError(
            f"{self._name}, line {number}: {label!r} has {found} numbers, and {wanted} were "
            "expected. A row may go on in the lines below, but every number must be there."
        )


def numbers_in(text: bytes) -> Array | None:
    """Return the numbers in a text, None where something else is in it."""
    try:
        return np.fromstring(text, sep=" ")
    except (ValueError, DeprecationWarning):
        return None


def _relaxed(line: bytes) -> tuple[str, Array] | None:
    label, *rest = line.split(None, 1) or [b""]
    values = numbers_in(rest[0] if rest else b"")
    return None if values is None else (label.decode(), values)


def _strict(line: bytes) -> tuple[str, Array] | None:
    text = line.decode()
    values = numbers_in(text[STRICT:].encode())
    return None if values is None else (text[:STRICT].strip(), values)
