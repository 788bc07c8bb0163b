"""Which cells of a table are names: its first line, its first column, or both.

Numbers can be names as well, so the diagonal is asked, too: where the matrix begins, it is zero.
"""

from relrbf.exceptions import RelationError
from relrbf.io.counted import counted_places, is_ascending
from relrbf.io.text import is_number, is_text, number_of, step_of

ID_NAMES: tuple[str, ...] = ("id", "ids", "name", "names", "object", "objects", "sample")
ID_NAMES += ("sample_id", "key", "unnamed: 0")  # the last is pandas', read and written again

Rows = list[list[str]]
Known = frozenset[str] | None


def has_header(rows: Rows, decimal: str, columns: Known = None) -> bool:
    """Tell whether the first line names the columns, some of whose names may be known."""
    first, body = rows[0], rows[1:]
    if not body:
        return bool(any(first)) and not any(is_number(cell, decimal) for cell in first)
    if _lacks_corner(rows, decimal) or _has_blank_corner(rows) or _has_text_corner(rows, decimal):
        return True
    if columns and _holds_known(rows, decimal, columns):
        return True
    if len(first) == 1 < len(body[0]):
        return False  # the first line of a lower half
    rest = [cell for cell in (first[1:] or first) if cell]
    texts = sum(is_text(cell, decimal) for cell in rest)
    if 2 * texts > len(rest):
        return True
    return _is_numbered(rows, decimal)


def has_ids(rows: Rows, decimal: str, header: bool, columns: Known = None) -> bool:
    """Tell whether the first column names the rows."""
    body, first = rows[header:], rows[0]
    column = [row[0] for row in body if row]
    if sum(is_text(cell, decimal) for cell in column) * 2 > len(column):
        return True
    if max(len(row) for row in body) < 2:
        return False
    if header and (_lacks_corner(rows, decimal) or len(first) == len(body[0]) - 1):
        return True
    if columns and (is_ids := _is_one_too_many(rows, header, columns)) is not None:
        return is_ids
    if header and len(first) == len(body[0]):
        corner, names = first[0], first[1 : 1 + len(column)]
        if not corner or corner.lower() in ID_NAMES or names == column[: len(names)]:
            return True
    return _is_beside_diagonal(body, decimal) or _is_whole_beside_others(body, decimal)


def names_over(first: list[str], ids: bool, width: int | None, name: str) -> list[str]:
    """Return the names of the columns, from a header with a corner cell or without."""
    names = first[1:] if ids and (width is None or len(first) != width) else first
    if width is not None and len(names) != width:
        raise RelationError(
            f"{name}: the header has {len(first)} cells, and the line below it {width + ids}. Name "
            "every column once, or pass delimiter= if cells were cut in the wrong place."
        )
    if "" in names:
        raise RelationError(f"{name}: cell {names.index('') + 1 + ids} of the header is blank.")
    return names


def is_trailing(rows: Rows) -> bool:
    """Tell whether all lines end in a delimiter, and the first of them in no more than one."""
    if len(rows) < 2 or not all(len(row) > 1 and row[-1] == "" for row in rows):
        return False
    return rows[0][-2] != ""


def is_under_title(rows: Rows, decimal: str) -> bool:
    """Tell whether the first line is text of fewer cells than those below, and names no columns."""
    first, body = [cell for cell in rows[0] if cell], rows[1:]
    if len(body) < 2 or not all(is_text(cell, decimal) for cell in first):
        return False
    if len(rows[0]) == len(body[0]):  # spreadsheets fill the line up
        over = [cell for cell in body[0] if is_text(cell, decimal)]
        return len(first) == 1 < len(over) and bool(rows[0][0])
    is_even = step_of([len(row) for row in body]) is not None
    return is_even and len(rows[0]) + 1 < len(body[0])


def are_made(names: list[str], rows: list[str]) -> bool:
    """Tell whether columns are called V1, V2, ... or 0, 1, ... in order, and no row is."""
    places = counted_places(names)
    return places is not None and is_ascending(places) and set(names).isdisjoint(rows)


def _holds_known(rows: Rows, decimal: str, columns: frozenset[str]) -> bool:
    """Tell whether the first line holds known names: nothing else, or most of them and others."""
    if _begins_relation(rows, decimal):
        return False  # of which the first line can read 0, 1, 2, ... as names do
    first = rows[0]
    has_corner = first[0] not in columns and not is_number(first[0], decimal)
    names = first[1:] if has_corner else first
    known = columns.intersection(names)
    if not known or len(set(names)) < len(names):
        return False
    return len(known) == len(names) or 2 * len(known) > len(columns)


def _begins_relation(rows: Rows, decimal: str) -> bool:
    """Tell whether the first line is the first column as well, from a zero on."""
    is_same = [cell for row in rows for cell in row[:1]] == rows[0][: len(rows)]
    return len(rows) > 2 and is_same and _is_zero(rows, 0, decimal)


def _is_one_too_many(rows: Rows, header: bool, columns: frozenset[str]) -> bool | None:
    """Tell from known columns whether there is one of ids; None where they do not say."""
    first, width = rows[0], len(rows[-1])
    if not header:
        return width == len(columns) + 1 if width - len(columns) in (0, 1) else None
    if first[0] in columns:
        return False
    cells = [cell for row in rows[1:] for cell in row[:1]]
    return True if columns.issuperset(first[1:]) and len(set(cells)) == len(cells) else None


def _lacks_corner(rows: Rows, decimal: str) -> bool:
    """Tell whether the first line is one cell shorter than all others, as R writes it."""
    widths = {len(row) for row in rows[1:]}
    if widths != {len(rows[0]) + 1}:
        return False
    # two lines may also be a triangle: a name, or a number, and then one more
    return len(rows) > 2 or (
        len(rows[0]) > 1 and not any(is_number(cell, decimal) for cell in rows[0])
    )


def _has_blank_corner(rows: Rows) -> bool:
    """Tell whether names go round a blank corner: the diagonal, which may be blank, does not."""
    first, body = rows[0], rows[1:]
    if first[0] or len(first) < 2 or not all(first[1:]):
        return False
    if not all(row and row[0] for row in body):
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
    if len(first) < 3 or not all(map(str.isdigit, first)) or len(set(first)) < len(first):
        return False
    if {len(row) for row in body} != {len(first)} or _is_zero(rows, 0, decimal):
        return False
    if _is_zero(body, 0, decimal) and len(body) > 1:
        return True
    counted = [int(cell) for cell in first]
    return counted == list(range(counted[0], counted[0] + len(first))) and all(
        counted[0] in (0, 1) and any(cell and not cell.isdigit() for cell in row) for row in body
    )


def _is_beside_diagonal(body: Rows, decimal: str) -> bool:
    return len(body) > 1 and _is_zero(body, 1, decimal) and not _is_zero(body, 0, decimal)


def _is_whole_beside_others(body: Rows, decimal: str) -> bool:
    """Tell whether different whole numbers stand beside numbers that are not whole."""
    column = [row[0] for row in body]
    if len(body) < 2 or len(set(column)) < len(column) or not all(map(str.isdigit, column)):
        return False
    others = [cell for row in body for cell in row[1:] if cell]
    whole = sum(cell.isdigit() for cell in others)
    return 2 * whole < len(others) and not _is_zero(body, 0, decimal)


def _is_zero(rows: Rows, shift: int, decimal: str) -> bool:
    """Tell whether the diagonal that begins in some column of these rows is zero throughout."""
    diagonal = [row[i + shift] for i, row in enumerate(rows) if i + shift < len(row)]
    return bool(diagonal) and all(number_of(cell, decimal) == 0 for cell in diagonal)
