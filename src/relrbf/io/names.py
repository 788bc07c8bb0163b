"""Whether the first line and the first column of a relation in text are names or numbers.

Numbers can be names as well. Each of the four answers is tried on the lines: with it, the rest must
be a square or a half, of as many objects as there are names. A diagonal of zeros or blanks, names
that agree, and whole numbers beside others speak for an answer. Where two are equally good, the
user has to say.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from relrbf.exceptions import FileFormatError
from relrbf.io.layout import Rows, counted_positions, is_number, parse_number, width_step


class Shape(NamedTuple):
    """A relation that rows may state: with a diagonal or without; which objects have a line."""

    n_objects: int
    has_diagonal: bool
    lines: slice = slice(None)


def find_names(
    rows: Rows, decimal: str, header: Any, ids: Any, *, halves: bool, is_complete: bool, name: str
) -> tuple[bool, bool] | None:
    """Return whether there is a header, and a column of ids; None where the lines do not tell."""
    answers = [(True, False) if given == "auto" else (bool(given),) for given in (header, ids)]
    scores = {
        (header, ids): _score(rows, decimal, header, ids, halves=halves, is_complete=is_complete)
        for header, ids in product(*answers)
    }
    best = max(scores.values())
    found = [answer for answer, score in scores.items() if score == best]
    if best <= 0:
        return None
    if len(found) > 1:
        unclear, where = ("ids", "column") if found[0][1] != found[1][1] else ("header", "line")
        problem = f"its first {where} can be names as well as numbers"
        advice = f"Pass {{{unclear}}} if these are names; else say that there are none."
        raise FileFormatError(name, problem, advice, {unclear: True})
    return found[0]


def _score(
    rows: Rows, decimal: str, header: bool, ids: bool, *, halves: bool, is_complete: bool
) -> int:
    """Return how much speaks for a header and ids; 0 where they cannot be."""
    first, body = (rows[0], rows[1:]) if header else ([], rows)
    trimmed = [*body]
    while trimmed and not any(trimmed[-1]):  # as spreadsheets write
        trimmed.pop()
    scores = [0]
    for some in (body, trimmed):
        cells = [row[ids:] for row in some]
        numbers = [[parse_number(cell, decimal) for cell in row] for row in cells]
        if not any(None in row for row in numbers):
            entries = [cell for row in cells for cell in row if cell]
            labels = [row[0] for row in some] if ids else None
            # a single line is a half of two objects, or names the only one
            is_half = halves and (len(some) > 1 or [len(row) for row in cells] == [not ids])
            for shape in _shapes(numbers, is_half):
                columns = _columns(first, shape, ids, decimal, is_complete) if header else None
                is_blank = any(corner != corner for corner in map(parse_number, first[:1]))
                scores.append(_score_names(labels, columns, entries, shape, decimal, is_blank))
    return max(scores)


def _columns(
    first: list[str], shape: Shape, ids: bool, decimal: str, is_complete: bool
) -> list[str]:
    """Return the names in the first line, without a corner; [] where their number is wrong."""
    if ids and len(first) == shape.n_objects + 1:
        return [] if is_number(first[0], decimal) else first[1:]
    is_enough = len(first) == shape.n_objects or (len(first) > shape.n_objects and not is_complete)
    return first if is_enough else []


def _score_names(
    labels: list[str] | None,
    columns: list[str] | None,
    entries: list[str],
    shape: Shape,
    decimal: str,
    has_blank_corner: bool,
) -> int:
    """Return how much speaks for names, of rows and of columns, that go with a shape."""
    if columns == [] or (columns is None and labels is not None and shape.lines != slice(None)):
        return 0
    is_same = columns is not None and labels == columns[shape.lines][: len(labels or ())]
    if labels and columns and not is_same:
        is_reordered = set(labels) == set(columns)
        if not is_reordered and counted_positions(columns) is None:
            return 0
    named = [names for names in (labels, columns) if names]
    if any("" in names or len(set(names)) < len(names) for names in named):
        return 0
    scores = [_plausibility(names, entries, decimal) for names in named]
    if is_same:  # round a blank corner, which may be the diagonal, numbers agree by symmetry
        scores = [(min(scores) >= 0 and not has_blank_corner) - (min(scores) < 0)]
    return 1 + shape.has_diagonal + sum(scores)


def _plausibility(names: list[str], entries: list[str], decimal: str) -> int:
    """Return 1 for whole numbers beside others, and -2 for others, which are no names.

    Text, whole numbers beside whole ones, and three that ascend speak neither for nor against them.
    """
    numbers = [name for name in names if is_number(name, decimal)]
    if not all(name.lower().replace("e", "").isdecimal() for name in numbers):  # 1e4 too
        values = [parse_number(name, decimal) or 0.0 for name in numbers]
        return 0 if len(values) > 2 and values == sorted(values) else -2
    n_whole = sum(cell.lower().replace("e", "").isdecimal() for cell in entries)
    return int(bool(numbers) and len(numbers) == len(names) and 2 * n_whole < len(entries))


def _shapes(numbers: list[list[Any]], halves: bool) -> Iterator[Shape]:
    """Yield the relations that rows may state: a square with its diagonal, a half, a single object.

    A square without a diagonal says nothing about names.
    """
    widths, n_lines = [len(row) for row in numbers], len(numbers)
    if n_lines and set(widths) == {n_lines} and _is_mirrored(numbers):
        yield Shape(n_lines, True)
    if not halves or not n_lines:
        return
    step = width_step(widths) if n_lines > 1 else 1
    if step == -1 or (step == 1 and widths[0] < 2):
        ends = [row[-1 if step == 1 else 0] for row in numbers if row]
        has_diagonal = min(widths) > 0 and n_lines > 1 and not any(e for e in ends if e == e)
        if has_diagonal or min(widths) == 0:
            yield Shape(max(widths) + (not has_diagonal), has_diagonal)
        else:
            yield Shape(max(widths) + 1, False, slice(1, None) if step == 1 else slice(None, -1))


def _is_mirrored(numbers: list[list[Any]]) -> bool:
    """Tell whether a square has a diagonal, and halves that are equal or of which one is empty."""
    pairs = [(row[j], numbers[j][i]) for i, row in enumerate(numbers) for j in range(i)]
    is_equal = all(below == above or below != below != above != above for below, above in pairs)
    has_empty = any(
        all(not pair[side] or pair[side] != pair[side] for pair in pairs) for side in (0, 1)
    )
    diagonal = [row[i] for i, row in enumerate(numbers)]  # all zero, or all blank
    is_diagonal = not any(diagonal) or all(entry != entry for entry in diagonal)
    return is_diagonal and (is_equal or has_empty)
