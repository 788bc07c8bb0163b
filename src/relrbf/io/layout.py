"""How the first lines of a table say it is laid out: delimiter, decimal sign, header, ids, half."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.names import has_header, has_ids, is_trailing, is_under_title, names_over
from relrbf.io.text import (
    DELIMITERS,
    cells_of,
    check_delimiter,
    find_decimal,
    find_delimiter,
    step_of,
)

TRIANGLES = ("auto", "lower", "upper", "full")
HALVES = {1: "lower", -1: "upper"}


@dataclass(frozen=True)
class Asked:
    """What a user says about a file; "auto" and None leave it to the file."""

    header: Any = "auto"
    ids: Any = "auto"
    delimiter: str | None = None
    decimal: str | None = None
    triangle: str = "auto"
    columns: frozenset[str] | None = field(default=None, compare=False)  # names a header may hold

    def __post_init__(self) -> None:
        for name, value in (("header", self.header), ("ids", self.ids)):
            if value not in (True, False, "auto"):
                raise OptionError(f"{name} is {value!r}; it must be True, False or 'auto'.")
        if self.decimal not in (None, ".", ","):
            raise OptionError(f"decimal is {self.decimal!r}; it must be '.' or ','.")
        if self.triangle not in TRIANGLES:
            raise OptionError(f"triangle={self.triangle!r} must be one of {[*TRIANGLES]}.")
        object.__setattr__(self, "delimiter", check_delimiter(self.delimiter))


@dataclass(frozen=True)
class Layout:
    """How a table is laid out.

    Attributes
    ----------
    delimiter, decimal : str
        What separates cells, and what a number's whole part from the rest.
    header, ids : bool
        Whether the first line, and the first cell of each line, are names.
    width : int
        Numbers in the first line of them.
    trailing : bool
        Whether lines end in a delimiter.
    half : {"lower", "upper"} or None
        Which half a file states whose lines grow, or shrink, by one.
    column_ids : list of str or None
        The names in the header.
    notes : list of str
        What was assumed.
    """

    delimiter: str
    decimal: str
    header: bool
    ids: bool
    width: int
    trailing: bool = False
    half: str | None = None
    column_ids: list[str] | None = None
    notes: list[str] = field(default_factory=list)

    def cells(self, line: bytes) -> list[str]:
        """Cut a line into cells, its id first."""
        cells = cells_of(line.decode(), self.delimiter)
        return cells[:-1] if self.trailing and cells and not cells[-1] else cells


def find_layout(lines: list[str], asked: Asked, suggested: str | None, name: str) -> Layout:
    """Return the layout of a table from its first lines, which are neither blank nor comments."""
    delimiter = asked.delimiter or _delimiter(lines, suggested)
    rows = [cells_of(line, delimiter, name) for line in lines]
    trailing = delimiter != " " and is_trailing(rows)
    if trailing:
        rows = [row[:-1] for row in rows]
    decimal = asked.decimal or find_decimal(rows)
    if decimal == delimiter and not any('"' in line for line in lines):
        raise OptionError(f"{name}: {delimiter!r} cannot separate cells and be the decimal sign.")
    if is_under_title(rows, decimal):
        raise RelationError(
            f"{name}: the first line, {lines[0]!r:.60}, looks like a title; take it out."
        )
    names = asked.columns
    header = has_header(rows, decimal, names) if asked.header == "auto" else bool(asked.header)
    if len(rows) == header:
        raise RelationError(f"{name} has a header and nothing below it; no numbers were found.")
    ids = has_ids(rows, decimal, header, names) if asked.ids == "auto" else bool(asked.ids)
    widths = [len(row) - ids for row in rows[header:]]
    if max(widths) < 1:
        raise RelationError(f"{name} has names only, cut at {delimiter!r}; no numbers were found.")
    half = _half(widths, asked.triangle)
    over = names_over(rows[0], ids, None if half else widths[0], name) if header else None
    layout = Layout(delimiter, decimal, header, ids, widths[0], trailing, half, over)
    layout.notes.extend(_told(layout))
    return layout


def _delimiter(lines: list[str], suggested: str | None) -> str:
    """Return the delimiter that fits; what the file's name suggests, where nothing does."""
    return find_delimiter(lines) or suggested or ","


def _half(widths: list[int], triangle: str) -> str | None:
    """Return the half that ragged lines state: they must begin, or end, with one cell or none."""
    step = step_of(widths) if len(widths) > 1 else 0
    if not step or triangle == "full":
        return None
    return HALVES[step] if step == -1 or widths[0] < 2 else None


def _told(layout: Layout) -> list[str]:
    """Say what was found, where another reading would have been possible."""
    notes = [f"cells are separated by {DELIMITERS.get(layout.delimiter, repr(layout.delimiter))}"]
    if layout.decimal == ",":
        notes.append("numbers have decimal commas")
    if layout.trailing:
        notes.append("every line ends in a delimiter, which was left out")
    first = {
        (True, True): "the first line and the first column hold ids",
        (True, False): "the first line holds ids",
        (False, True): "the first column holds ids",
        (False, False): "there are no ids",
    }
    return [*notes, first[layout.header, layout.ids]]


def split_comments(lines: list[bytes], delimiter: str | None) -> tuple[list[str], int]:
    """Return the first lines without comments, and how many of these there are.

    A line that begins with # is one, unless it has as many cells as the lines that do not.
    """
    texts = [line.decode() for line in lines]
    plain = [text for text in texts if not text.startswith("#")]
    if len(plain) == len(texts) or not plain:
        return (plain or texts), 0
    delimiter = delimiter or find_delimiter(plain)
    if delimiter is None:
        return plain, len(texts) - len(plain)
    width = len(cells_of(plain[-1], delimiter))
    kept = [
        text
        for text in texts
        if not text.startswith("#") or (width > 1 and len(cells_of(text, delimiter)) == width)
    ]
    return kept, len(texts) - len(kept)


def repeated(names: list[str]) -> list[str]:
    """Return the names that appear more than once."""
    ordered = sorted(names)
    return sorted({first for first, second in pairwise(ordered) if first == second})
