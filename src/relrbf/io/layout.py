"""How the first lines of a table say that it is laid out: delimiter, decimal sign, header, ids.

Numbers can be names as well, so the diagonal is looked at, too: where the matrix begins, it is
zero. pandas reads the cells, but guesses neither a half matrix nor whether numbers are names.
"""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from relrbf._options import require
from relrbf.exceptions import FileFormatError, OptionError
from relrbf.io.source import HEAD_BYTES, HEAD_LINES

DELIMITER_NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "spaces"}
DELIMITER_BY_SUFFIX = dict.fromkeys((".tsv", ".tab", ".lsmat", ".xlsx", ".xlsm"), "\t")
DELIMITER_WORDS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
MISSING_CELLS = frozenset(("", "na", "n/a", "nan", "null", "none", "-", "?"))
SPACED_CELL = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:([.,'\u00a0\u202f])\d{3})(?:\1\d{3})*((?!\1)[.,]\d+)?")
AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # 7,085 may be 7085, or 7.085
# Text that a spreadsheet would run, and no number; an apostrophe before it says that it is text.
FORMULA = re.compile(r"'*(?![+-]?\.?\d[\d.,]*(?:[eE][+-]?\d+)?$|-$)[=+\-@\t\r＝＋－＠]")
COUNTED_NAME = re.compile(r"(V|X|Unnamed: |)(0|[1-9][0-9]{0,8})")
N_SCORED = 40  # cells of a line that tell which delimiter fits
MAX_SHOWN = 5  # names in an error
MAX_DIGITS = 18  # of a whole number
ID_NAMES = (
    *("id", "ids", "name", "names", "object", "objects", "sample", "sample_id", "key"),
    "unnamed: 0",  # pandas', read and written again
)
LABEL_NAMES = ("y", "label", "labels", "target", "targets", "class", "classes", "outcome")
TEXT_CHOICES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("header", "ids"), (True, False, "auto")),
    "decimal": (".", ",", None),
    "triangle": ("auto", "lower", "upper", "full"),
}

Rows = list[list[str]]
KnownNames = frozenset[str] | None


def split_cells(line: str, delimiter: str, name: str = "", number: int | None = None) -> list[str]:
    """Cut a line of a file into cells; a delimiter in quotes belongs to its cell."""
    if '"' not in line:
        cells = (line.split() or [""]) if delimiter == " " else line.split(delimiter)
        return [as_name(cell) for cell in cells]
    problem = "has quotes that it does not close; a name must be of one line"
    if delimiter == " ":
        found = SPACED_CELL.findall(line)
        is_wrong = any(bare.startswith('"') for _, bare in found)
        cells = [quoted.replace('""', '"') or bare for quoted, bare in found]
    else:
        cells, rest = [], []
        try:  # a cell that goes on in the next line takes that in, and no line is left
            cells, *rest = csv.reader([line, ""], delimiter=delimiter, skipinitialspace=True)
            is_wrong = not rest and line.count('"') % 2 == 1
        except csv.Error as error:
            is_wrong, problem = True, f"cannot be read: {error}"
    if is_wrong:
        raise FileFormatError(name, f"a line that starts {line[:40]!r} {problem}", line=number)
    return [as_name(cell) for cell in cells]


def as_cell(value: Any) -> Any:
    """Return a value as it is written: no spreadsheet takes text for a formula."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def as_name(cell: str) -> str:
    """Return the text of a cell that ``as_cell`` made."""
    cell = cell.strip()
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def parse_number(cell: str, decimal: str = ".") -> float | None:
    """Return the number in a cell, NaN where it says that there is none, None for other text."""
    if cell.lower() in MISSING_CELLS:
        return nan
    if decimal == ",":
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def is_number(cell: str, decimal: str = ".") -> bool:
    """Tell whether a cell holds a number; one that is blank does not."""
    number = parse_number(cell, decimal)
    return number is not None and number == number


def is_whole(cell: str) -> bool:
    """Tell whether a cell is a whole number without a sign, and not longer than numbers are."""
    return cell.isdecimal() and len(cell) < MAX_DIGITS


def is_text(cell: str, decimal: str = ".") -> bool:
    """Tell whether a cell is neither blank nor a number, not even as 1.660,00 is one."""
    found = THOUSANDS.fullmatch(cell)
    return parse_number(cell, decimal) is None and (found is None or found[2] is None)


def check_delimiter(delimiter: str | None) -> str | None:
    """Return a delimiter that is one character; the word for one will do."""
    found = None if delimiter is None else DELIMITER_WORDS.get(delimiter, delimiter)
    is_one = found is None or (len(found) == 1 and found not in '"\r\n.' and not found.isalnum())
    needed = "one character, such as ',', ';', '\\t' or ' ' (which stands for any number of spaces)"
    require(is_one, "delimiter", found, needed)
    return found


def find_delimiter(lines: list[str], among: str = "\t;,| ") -> str | None:
    """Return what separates the cells of most numbers; None where nothing separates any."""
    scores = {delimiter: _score(lines, delimiter) for delimiter in among}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > (0, 0.0) else None


def _score(lines: list[str], delimiter: str) -> tuple[int, float]:
    """Return how well a delimiter cuts lines: evenly or as a triangle, and into numbers."""
    try:
        rows = [split_cells(line, delimiter) for line in lines]
    except FileFormatError:
        return 0, 0.0
    body = rows[1:] or rows
    widths = [len(row) for row in body]
    if max(widths) < 2:
        return 0, 0.0
    inner = [cell for row in body for cell in row[1:N_SCORED]]
    numbers = sum(is_number(cell, ".") or is_number(cell, ",") for cell in inner)
    known = sum(cell != "" for cell in inner)
    return 1 + (width_step(widths) is not None), numbers / max(known, 1)


def width_step(widths: list[int]) -> int | None:
    """Return by how much each line is longer than the one before: 0, 1 or -1; else None."""
    steps = {after - before for before, after in pairwise(widths)}
    if len(steps) > 1 or not steps <= {-1, 0, 1}:
        return None
    return steps.pop() if steps else 0


def find_decimal(rows: Rows) -> str:
    """Return the decimal sign that the numbers in some rows use."""
    cells = [cell for row in rows for cell in row]
    commas = sum("," in cell and is_number(cell, ",") for cell in cells)
    points = sum("." in cell and is_number(cell, ".") for cell in cells) if commas else 0
    return "," if commas > points else "."


def check_commas(cells: Iterable[str], name: str, advice: str, **options: Any) -> None:
    """Refuse commas that may separate thousands, if none says that they do not."""
    commas = [cell for cell in cells if "," in cell and is_number(cell, ",")]
    if commas and all(AMBIGUOUS.fullmatch(cell) for cell in commas):
        whole, parted = commas[0].replace(",", ""), commas[0].replace(",", ".")
        raise FileFormatError(name, f"{commas[0]!r} can mean {whole} or {parted}", advice, options)


def without_comments(lines: list[str], delimiter: str | None, among: str = "\t;,| ") -> list[str]:
    """Return lines without those that begin with #, unless these have as many cells as others."""
    others = [line for line in lines if not line.startswith("#")]
    if len(others) == len(lines) or not others:
        return lines
    delimiter = delimiter or find_delimiter(others, among)
    if delimiter is None or (width := len(split_cells(others[-1], delimiter))) < 2:
        return others
    return [t for t in lines if not t.startswith("#") or len(split_cells(t, delimiter)) == width]


def as_names(names: Any) -> np.ndarray | None:
    """Return names as an array of text."""
    return None if names is None else np.array([str(name) for name in names], dtype=object)


def find_repeated(names: Iterable[str]) -> list[str]:
    """Return the names that appear more than once."""
    return sorted({first for first, second in pairwise(sorted(names)) if first == second})


def check_different(
    names: Iterable[str], name: str, problem: str = "it has objects of the same name", **advice: Any
) -> None:
    """Refuse names of which two are the same."""
    if repeated := find_repeated(names):
        raise FileFormatError(name, f"{problem}: {show_names(repeated)}", **advice)


def show_names(names: Any, n_shown: int = MAX_SHOWN) -> str:
    """Return the first of some names, as they are written in an error."""
    more = ", ..." if len(names) > n_shown else ""
    return ", ".join(repr(str(name)) for name in names[:n_shown]) + more


def counted_positions(names: Any) -> np.ndarray | None:
    """Return where each name stands if all only count, from 0 or 1 and in any order; else None.

    Such are the row numbers of pandas, and V1, V2, ..., as R calls columns without names.
    """
    found = [COUNTED_NAME.fullmatch(name) for name in (() if names is None else names)]
    matches = [match for match in found if match is not None]
    if not matches or len(matches) < len(found) or len({match[1] for match in matches}) > 1:
        return None
    numbers = np.array([int(match[2]) for match in matches])
    first = int(numbers.min())
    is_whole = first < 2 and np.array_equal(np.sort(numbers), first + np.arange(len(numbers)))
    return numbers - first if is_whole else None


def is_ascending(positions: np.ndarray) -> bool:
    """Tell whether each number is larger than the one before."""
    return bool((np.diff(positions) > 0).all())


def is_made_up(names: list[str], rows: list[str]) -> bool:
    """Tell whether columns are called V1, V2, ... or 0, 1, ... in order, and no row is."""
    positions = counted_positions(names)
    return positions is not None and is_ascending(positions) and set(names).isdisjoint(rows)


@dataclass(frozen=True)
class TextOptions:
    """What a user says about a text; "auto" and None leave it to the file."""

    header: Any = "auto"
    ids: Any = "auto"
    delimiter: str | None = None
    decimal: str | None = None
    triangle: str = "auto"
    columns: KnownNames = field(default=None, compare=False)  # names that a header may hold

    def __post_init__(self) -> None:
        for name, allowed in TEXT_CHOICES.items():
            require((value := getattr(self, name)) in allowed, name, value, f"one of {[*allowed]}")
        object.__setattr__(self, "delimiter", check_delimiter(self.delimiter))


@dataclass(frozen=True)
class Layout:
    """How a table is laid out."""

    delimiter: str
    decimal: str
    header: bool
    ids: bool
    width: int  # numbers in the first line that has them
    is_trailing: bool = False  # do lines end in a delimiter?
    half: str | None = None  # that lines state which grow, or shrink, by one
    column_ids: list[str] | None = None

    def split(self, line: str, name: str = "", number: int | None = None) -> list[str]:
        """Cut a line into cells, its id first."""
        cells = split_cells(line, self.delimiter, name, number)
        return cells[:-1] if self.is_trailing and cells and not cells[-1] else cells

    @property
    def notes(self) -> list[str]:
        """What was found, where something else would have been possible."""
        notes = [delimiter_note(self.delimiter)]
        if self.decimal == ",":
            notes.append("numbers have decimal commas")
        if self.is_trailing:
            notes.append("every line ends in a delimiter, which was left out")
        found = ["the first line"] * self.header + ["the first column"] * self.ids
        holds = "holds" if len(found) == 1 else "hold"
        notes.append(f"{' and '.join(found)} {holds} ids" if found else "there are no ids")
        return notes


def delimiter_note(delimiter: str) -> str:
    """Say where cells were cut."""
    return f"cells are separated by {DELIMITER_NAMES.get(delimiter, repr(delimiter))}"


def find_layout(lines: list[str], options: TextOptions, suffix: str, name: str) -> Layout:
    """Return the layout of a table from its first lines, which are neither blank nor comments."""
    delimiter = options.delimiter or find_delimiter(lines)
    if len(lines) == 2:  # of an upper half the second line is one cell
        delimiter = delimiter or find_delimiter(lines[::-1])
    delimiter = delimiter or DELIMITER_BY_SUFFIX.get(suffix, ",")
    rows = [split_cells(line, delimiter, name) for line in lines]
    is_trailing = all(len(row) > 1 and row[-1] == "" for row in rows) and rows[0][-2] != ""
    is_trailing = is_trailing and delimiter != " " and len(rows) > 1
    rows = [row[: len(row) - is_trailing] for row in rows]
    decimal = options.decimal or find_decimal(rows)
    if options.decimal is None and decimal == ",":
        advice = "If the comma separates thousands, write the numbers without it; if it is a "
        advice += "decimal comma, pass {decimal}."
        check_commas((cell for row in rows for cell in row), name, advice, decimal=",")
    if decimal == delimiter and not any('"' in line for line in lines):
        text = f"{name}: {delimiter!r} cannot separate cells and be the decimal sign."
        raise OptionError(text, "decimal")
    if _is_under_title(rows, decimal):
        problem = f"the first line, {lines[0]!r:.60}, looks like a title"
        raise FileFormatError(name, problem, "Take it out.")
    known, header, ids = options.columns, options.header, options.ids
    if known is None and "auto" in (header, ids):
        from relrbf.io.names import find_names

        is_complete = len(lines) < HEAD_LINES and sum(map(len, lines)) < HEAD_BYTES
        halves = options.triangle != "full"
        found = find_names(
            rows, decimal, header, ids, halves=halves, is_complete=is_complete, name=name
        )
        header, ids = found or (header, ids)
    header = has_header(rows, decimal, known) if header == "auto" else bool(header)
    if len(rows) == header:
        raise FileFormatError(name, "it has a header and nothing below it; no numbers were found")
    ids = has_ids(rows, decimal, header, known) if ids == "auto" else bool(ids)
    widths = [len(row) - ids for row in rows[header:]]
    if max(widths) < 1:
        raise FileFormatError(name, f"it has names only, cut at {delimiter!r}; no numbers follow")
    step = width_step(widths) if len(widths) > 1 and options.triangle != "full" else 0
    half = "upper" if step == -1 else "lower" if step == 1 and widths[0] < 2 else None
    names = None
    if header:
        labels = [row[0] for row in rows[1:] if ids]
        has_corner = ids and rows[0] != labels[: len(rows[0])]
        names = rows[0][has_corner:] if half else _column_names(rows[0], ids, widths[0], name)
        if "" in names:
            where = names.index("") + 1 + ids
            raise FileFormatError(name, f"cell {where} of the header is blank")
    return Layout(delimiter, decimal, header, ids, widths[0], is_trailing, half, names)


def _column_names(first: list[str], ids: bool, width: int, name: str) -> list[str]:
    """Return the names of the columns, from a header with a corner cell or without."""
    names = first[1:] if ids and len(first) != width else first
    if len(names) != width:
        problem = f"the header has {len(first)} cells, and the line below it {width + ids}"
        advice = "Name every column once, or pass {delimiter} if cells were cut in the wrong place."
        raise FileFormatError(name, problem, advice, {"delimiter": ...})
    return names


def _is_under_title(rows: Rows, decimal: str) -> bool:
    """Tell whether the first line is text of fewer cells than those below, and names no columns."""
    first, body = [cell for cell in rows[0] if cell], rows[1:]
    if len(body) < 2 or not all(is_text(cell, decimal) for cell in first):
        return False
    if len(rows[0]) == len(body[0]):  # spreadsheets fill the line up
        over = [cell for cell in body[0] if is_text(cell, decimal)]
        return len(first) == 1 < len(over) and bool(rows[0][0])
    is_even = width_step([len(row) for row in body]) is not None
    return is_even and len(rows[0]) + 1 < len(body[0])


def has_header(rows: Rows, decimal: str, columns: KnownNames = None) -> bool:
    """Tell whether the first line names the columns, some of whose names may be known."""
    first, body = rows[0], rows[1:]
    if not body:
        return bool(any(first)) and not any(is_number(cell, decimal) for cell in first)
    if _lacks_corner(rows, decimal) or _has_blank_corner(rows) or _has_text_corner(rows, decimal):
        return True
    if columns and _holds_known_names(rows, decimal, columns):
        return True
    if len(first) == 1 < len(body[0]):
        return False  # the first line of a lower half
    rest = [cell for cell in (first[1:] or first) if cell]
    texts = sum(is_text(cell, decimal) for cell in rest)
    return 2 * texts > len(rest) or _is_numbered(rows, decimal)


def has_ids(rows: Rows, decimal: str, header: bool, columns: KnownNames = None) -> bool:
    """Tell whether the first column names the rows."""
    body, first = rows[header:], rows[0]
    column = [row[0] for row in body if row]
    if sum(is_text(cell, decimal) for cell in column) * 2 > len(column):
        return True
    if max(len(row) for row in body) < 2:
        return False
    if header and (_lacks_corner(rows, decimal) or len(first) == len(body[0]) - 1):
        return True
    if columns and (is_extra := _has_extra_column(rows, decimal, header, columns)) is not None:
        return is_extra
    if header and len(first) == len(body[0]):
        corner, names = first[0], first[1 : 1 + len(column)]
        if not corner or corner.lower() in ID_NAMES or names == column[: len(names)]:
            return True
    if len(body) < 2 or _has_zero_diagonal(body, 0, decimal):
        return False
    return _has_zero_diagonal(body, 1, decimal) or _has_whole_numbers_first(body)


def _holds_known_names(rows: Rows, decimal: str, columns: frozenset[str]) -> bool:
    """Tell whether the first line holds known names: nothing else, or most of them and others."""
    first = rows[0]
    is_symmetric = [cell for row in rows for cell in row[:1]] == first[: len(rows)]
    if len(rows) > 2 and is_symmetric and _has_zero_diagonal(rows, 0, decimal):
        return False  # a relation, whose first line can read 0, 1, 2, ... as names do
    has_corner = first[0] not in columns and not is_number(first[0], decimal)
    names = first[1:] if has_corner else first
    known = columns.intersection(names)
    if not known or len(set(names)) < len(names):
        return False
    return len(known) == len(names) or 2 * len(known) > len(columns)


def _has_extra_column(rows: Rows, decimal: str, header: bool, known: frozenset[str]) -> bool | None:
    """Tell from known columns whether there is one of ids; None where they do not say."""
    first, width = rows[0], len(rows[-1])
    if not header:
        can_be = all(is_whole(row[0]) or not is_number(row[0], decimal) for row in rows)
        return width > len(known) and can_be if width - len(known) in (0, 1) else None
    if first[0] in known:
        return False
    cells = [cell for row in rows[1:] for cell in row[:1]]
    return True if known.issuperset(first[1:]) and len(set(cells)) == len(cells) else None


def _lacks_corner(rows: Rows, decimal: str) -> bool:
    """Tell whether the first line is one cell shorter than all others, as R writes it."""
    if {len(row) for row in rows[1:]} != {len(rows[0]) + 1}:
        return False
    # two lines may also be a triangle: a name, or a number, and then one more
    has_number = any(is_number(cell, decimal) for cell in rows[0])
    return len(rows) > 2 or (len(rows[0]) > 1 and not has_number)


def _has_blank_corner(rows: Rows) -> bool:
    """Tell whether names go round a blank corner: the diagonal, which may be blank, does not."""
    first, body = rows[0], rows[1:]
    if first[0] or len(first) < 2 or not all(first[1:]) or not all(row and row[0] for row in body):
        return False
    diagonal = [row[i + 1] for i, row in enumerate(body) if i + 1 < len(row)]
    return any(diagonal) or not diagonal


def _has_text_corner(rows: Rows, decimal: str) -> bool:
    """Tell whether text stands over a column of numbers, which are names then, or entries."""
    if len(rows[0]) != len(rows[1]) or not is_text(rows[0][0], decimal):
        return False
    return all(row and is_number(row[0], decimal) for row in rows[1:])


def _is_numbered(rows: Rows, decimal: str) -> bool:
    """Tell whether a first line of whole numbers names columns that have no names beside them."""
    first, body = rows[0], rows[1:]
    if len(first) < 3 or not all(map(is_whole, first)) or len(set(first)) < len(first):
        return False
    if {len(row) for row in body} != {len(first)} or _has_zero_diagonal(rows, 0, decimal):
        return False
    if _has_zero_diagonal(body, 0, decimal) and len(body) > 1:
        return True
    start = int(first[0])
    is_count = start in (0, 1) and first == [str(start + i) for i in range(len(first))]
    return is_count and all(any(cell and not is_whole(cell) for cell in row) for row in body)


def _has_whole_numbers_first(body: Rows) -> bool:
    """Tell whether different whole numbers stand beside numbers that are not whole."""
    column = [row[0] for row in body]
    if len(set(column)) < len(column) or not all(map(is_whole, column)):
        return False
    others = [cell for row in body for cell in row[1:] if cell]
    return 2 * sum(is_whole(cell) for cell in others) < len(others)


def _has_zero_diagonal(rows: Rows, first: int, decimal: str) -> bool:
    """Tell whether the diagonal that begins in some column of these rows is zero throughout."""
    diagonal = [row[i + first] for i, row in enumerate(rows) if i + first < len(row)]
    return bool(diagonal) and all(parse_number(cell, decimal) == 0 for cell in diagonal)
