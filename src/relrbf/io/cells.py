"""Lines of a table as cells, and cells as numbers."""

import csv
import re
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np

from relrbf.exceptions import FileFormatError, OptionError

DELIMITER_NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "spaces"}
DELIMITER_BY_SUFFIX = {".tsv": "\t", ".tab": "\t", ".lsmat": "\t"}
DELIMITER_WORDS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
MISSING_CELLS = frozenset(("", "na", "n/a", "nan", "null", "none", "-", "?"))
SPACED_CELL = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:([.,'\u00a0\u202f])\d{3})(?:\1\d{3})*((?!\1)[.,]\d+)?")
COUNTED_NAME = re.compile(r"(V|X|Unnamed: |)(0|[1-9][0-9]{0,8})")
N_SCORED = 40  # cells of a line that tell which delimiter fits
MAX_SHOWN = 5  # names in an error
ID_NAMES = (
    *("id", "ids", "name", "names", "object", "objects", "sample", "sample_id", "key"),
    "unnamed: 0",  # pandas', read and written again
)
LABEL_NAMES = ("y", "label", "labels", "target", "targets", "class", "classes", "outcome")

Rows = list[list[str]]


def split_cells(line: str, delimiter: str, name: str = "", number: int | None = None) -> list[str]:
    """Cut a line of a file into cells; a delimiter in quotes belongs to its cell."""
    if '"' not in line:
        cells = line.split() if delimiter == " " else line.split(delimiter)
        return [cell.strip() for cell in cells]
    if delimiter == " ":
        found = SPACED_CELL.findall(line)
        is_open = any(plain.startswith('"') for _, plain in found)
        cells = [quoted.replace('""', '"') or plain for quoted, plain in found]
    else:
        try:
            (cells,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
        except csv.Error as error:
            raise _line_error(line, f"cannot be read: {error}", name, number) from None
        is_open = line.count('"') % 2 == 1 and _ends_in_quotes(line, delimiter)
    if is_open:
        problem = "has quotes that it does not close; a name must be of one line"
        raise _line_error(line, problem, name, number)
    return [cell.strip() for cell in cells]


def _ends_in_quotes(line: str, delimiter: str) -> bool:
    """Tell whether a cell in quotes goes on in the next line."""
    try:
        list(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _line_error(line: str, problem: str, name: str, number: int | None) -> FileFormatError:
    return FileFormatError(name, f"a line that starts {line[:40]!r} {problem}", line=number)


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


def has_thousands(cell: str) -> bool:
    """Tell whether a cell may be a number whose thousands are separated."""
    return THOUSANDS.fullmatch(cell) is not None


def is_text(cell: str, decimal: str = ".") -> bool:
    """Tell whether a cell is neither blank nor a number, not even as 1.660,00 is one."""
    found = THOUSANDS.fullmatch(cell)
    return parse_number(cell, decimal) is None and (found is None or found[2] is None)


def check_delimiter(delimiter: str | None) -> str | None:
    """Return a delimiter that is one character; the word for one will do."""
    if delimiter is None:
        return None
    delimiter = DELIMITER_WORDS.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n.' or delimiter.isalnum():
        raise OptionError(
            f"delimiter is {delimiter!r}; it must be one character, such as ',', ';', '\\t' or "
            "' ' (which stands for any number of spaces).",
            "delimiter",
        )
    return delimiter


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


def without_comments(lines: list[str], delimiter: str | None) -> list[str]:
    """Return lines without comments.

    A line that begins with # is one, unless it has as many cells as the lines that do not.
    """
    plain = [line for line in lines if not line.startswith("#")]
    if len(plain) == len(lines) or not plain:
        return plain or lines
    delimiter = delimiter or find_delimiter(plain)
    width = len(split_cells(plain[-1], delimiter)) if delimiter else 0
    return [
        line
        for line in lines
        if not line.startswith("#")
        or (delimiter and width > 1 and len(split_cells(line, delimiter)) == width)
    ]


def as_names(names: Any) -> np.ndarray | None:
    """Return names as an array of text."""
    return None if names is None else np.array([str(name) for name in names], dtype=object)


def find_repeated(names: Any) -> list[str]:
    """Return the names that appear more than once."""
    return sorted({first for first, second in pairwise(sorted(names)) if first == second})


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
