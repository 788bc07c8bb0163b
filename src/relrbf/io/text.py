"""Lines, cells and numbers of a table in text."""

import csv
import re
from itertools import pairwise
from math import nan
from typing import NoReturn

from relrbf.exceptions import OptionError, RelationError

DELIMITERS = {
    "\t": "tabs",
    ";": "semicolons",
    ",": "commas",
    "|": "bars",
    " ": "spaces",
}  # the first of several that fit is taken
BY_SUFFIX = {".tsv": "\t", ".tab": "\t", ".lsmat": "\t"}
UNCLOSED = "has quotes that it does not close; a name must be of one line."
MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "-", "?"))
SPACED = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:([.,'\u00a0\u202f])\d{3})(?:\1\d{3})*((?!\1)[.,]\d+)?")
LOOKED_AT = 40  # cells of a line that tell which delimiter fits


def cells_of(line: str, delimiter: str, name: str = "") -> list[str]:
    """Cut a line of a file into cells; a delimiter in quotes belongs to its cell."""
    if delimiter == " ":
        if '"' not in line:
            return line.split()
        found = SPACED.findall(line)
        if any(plain.startswith('"') for _, plain in found):
            _refuse_line(line, UNCLOSED, name)
        return [quoted.replace('""', '"') or plain for quoted, plain in found]
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    try:
        (cells,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
    except csv.Error as error:
        _refuse_line(line, f"cannot be read: {error}.", name)
    if line.count('"') % 2 and _ends_in_quotes(line, delimiter):
        _refuse_line(line, UNCLOSED, name)
    return [cell.strip() for cell in cells]


def _ends_in_quotes(line: str, delimiter: str) -> bool:
    """Tell whether a cell in quotes goes on in the next line."""
    try:
        list(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _refuse_line(line: str, why: str, name: str) -> NoReturn:
    where = f"{name}: " if name else ""
    raise RelationError(f"{where}a line that starts {line[:40]!r} {why}")


def number_of(cell: str, decimal: str = ".") -> float | None:
    """Return the number in a cell, NaN where it says that there is none, None for other text."""
    if cell.lower() in MISSING:
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
    number = number_of(cell, decimal)
    return number is not None and number == number


def has_thousands(cell: str) -> bool:
    """Tell whether a cell may be a number whose thousands are separated."""
    return THOUSANDS.fullmatch(cell) is not None


def is_text(cell: str, decimal: str = ".") -> bool:
    """Tell whether a cell is neither blank nor a number, not even as 1.660,00 is one."""
    found = THOUSANDS.fullmatch(cell)
    return number_of(cell, decimal) is None and (found is None or found[2] is None)


def find_delimiter(lines: list[str], among: str = "\t;,| ") -> str | None:
    """Return what separates the cells of most numbers; None where nothing separates any."""
    scores = {delimiter: _score(lines, delimiter) for delimiter in among}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > (0, 0.0) else None


def find_decimal(rows: list[list[str]]) -> str:
    """Return the decimal sign that the numbers in some rows use."""
    cells = [cell for row in rows for cell in row]
    commas = sum("," in cell and is_number(cell, ",") for cell in cells)
    if not commas:
        return "."
    points = sum("." in cell and is_number(cell, ".") for cell in cells)
    return "," if commas > points else "."


def check_delimiter(delimiter: str | None) -> str | None:
    """Return a delimiter that is one character; the word for one will do."""
    words = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
    if delimiter is None:
        return None
    delimiter = words.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n.' or delimiter.isalnum():
        raise OptionError(
            f"delimiter is {delimiter!r}; it must be one character, such as ',', ';', '\\t' or "
            "' ' (which stands for any number of spaces)."
        )
    return delimiter


def _score(lines: list[str], delimiter: str) -> tuple[int, float]:
    """Return how well a delimiter cuts lines: evenly or as a triangle, and into numbers."""
    try:
        rows = [cells_of(line, delimiter) for line in lines]
    except RelationError:
        return 0, 0.0
    body = rows[1:] or rows
    widths = [len(row) for row in body]
    if max(widths) < 2:
        return 0, 0.0
    inner = [cell for row in body for cell in row[1:LOOKED_AT]]
    numbers = sum(is_number(cell, ".") or is_number(cell, ",") for cell in inner)
    known = sum(cell != "" for cell in inner)
    return 1 + (step_of(widths) is not None), numbers / max(known, 1)


def step_of(widths: list[int]) -> int | None:
    """Return by how much each line is longer than the one before: 0, 1 or -1; else None."""
    steps = {after - before for before, after in pairwise(widths)}
    if len(steps) > 1 or not steps <= {-1, 0, 1}:
        return None
    return steps.pop() if steps else 0
