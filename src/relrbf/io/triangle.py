"""Files that state one half of a symmetric matrix: the other half is its mirror image."""

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.io.half import HalfRows
from relrbf.io.target import square_room

TILE = 256  # rows and columns; the indices of a tile take as much room as its numbers
MAPPED = "it is too large for memory, and was put in a temporary file"


def unfold(rows: HalfRows, n_named: int | None, name: str) -> tuple[Array, list[str]]:
    """Return the square matrix of which lines that grow, or shrink, state one half."""
    has_diagonal = _has_diagonal(rows, n_named)
    n = max(rows.lengths) + (not has_diagonal)
    _check_whole(rows, n, n_named, name)
    matrix, is_mapped = square_room(n)
    n_missing, shift = 0, int(not has_diagonal and rows.half == "lower")
    for i, row in enumerate(rows.taken()):
        first = 0 if rows.half == "lower" else n - len(row)
        matrix[i + shift, first : first + len(row)] = row
        n_missing += int(np.isnan(row).sum())
    notes = [f"the file states the {rows.half} half, which was mirrored"]
    if not has_diagonal:
        np.fill_diagonal(matrix, 0)
        notes.append("it states no diagonal, which was taken to be 0")
    mirror(matrix, rows.half)
    if has_diagonal and (filled := _filled(matrix)):
        n_missing -= n
        notes += filled
    if n_missing:
        notes.append(f"{n_missing} entries of that half are missing")
    return matrix, [*notes, MAPPED] if is_mapped else notes


def completed(values: Array, triangle: str) -> list[str]:
    """Mirror the half of a square matrix that is stated, if only one is; say so."""
    if triangle == "full" or values.shape[0] != values.shape[1] or len(values) < 2:
        return []
    if triangle != "auto":
        return [*_filled(values), _mirrored(values, triangle, "as was asked")]
    for half, other in (("lower", "upper"), ("upper", "lower")):
        for is_empty, how in ((np.isnan, "blank"), (lambda part: part == 0, "zero")):
            if _is_all(values, other, is_empty) and not _is_all(values, half, is_empty):
                notes = _filled(values)
                return [*notes, _mirrored(values, half, f"the other is {how} throughout")]
    return _filled(values)


def mirror(matrix: Array, half: str) -> None:
    """Copy one half of a square matrix to the other, tile by tile."""
    n = len(matrix)
    for i in range(0, n, TILE):
        rows = slice(i, min(i + TILE, n))
        for j in range(0, i, TILE):
            cols = slice(j, j + TILE)
            if half == "lower":
                matrix[cols, rows] = matrix[rows, cols].T
            else:
                matrix[rows, cols] = matrix[cols, rows].T
        tile = matrix[rows, rows]
        below = np.tril_indices(len(tile), -1)
        if half == "lower":
            tile.T[below] = tile[below]
        else:
            tile[below] = tile.T[below]


def condensed_size(n_entries: int) -> int | None:
    """Return how many objects have so many pairs, or None."""
    n = round((1 + np.sqrt(1 + 8 * n_entries)) / 2)
    return n if n > 2 and n * (n - 1) // 2 == n_entries else None


def uncondensed(vector: Array) -> tuple[Array, str]:
    """Return the square matrix of a condensed vector, and a note."""
    n = condensed_size(len(vector)) or 0
    matrix = np.zeros((n, n))
    start = 0
    for i in range(n - 1):  # not by indices, which take more room than the matrix
        matrix[i, i + 1 :] = vector[start : start + n - 1 - i]
        start += n - 1 - i
    mirror(matrix, "upper")
    return matrix, (
        f"one column of {len(vector)} numbers is a condensed vector of {n} objects, as "
        "scipy.spatial.distance.pdist returns it, and was unfolded"
    )


def _has_diagonal(rows: HalfRows, n_named: int | None) -> bool:
    """Tell whether rows go up to the diagonal: zeros stand there, blanks, or ones of similarities.

    Any other number that all rows end in says that neighbours in the file are equally far.
    """
    if 0 in rows.lengths or n_named == max(rows.lengths) + 1:
        return False
    ends = np.array(rows.ends)
    if bool((ends[~np.isnan(ends)] == 0).all()):
        return True
    if not bool((ends == 1).all()):
        return False
    smallest, largest = rows.extremes()
    return smallest < largest == 1


def _check_whole(rows: HalfRows, n: int, n_named: int | None, name: str) -> None:
    """Refuse rows that do not go on to the shortest, and names that are not as many as objects."""
    shortest = min(filter(None, rows.lengths))
    if shortest > 1:
        raise RelationError(
            f"{name}: every line is one cell shorter than the one before, as in the upper half of "
            f"a matrix, but the last one has {shortest} numbers and not one. It may have been cut "
            "off."
        )
    if n_named not in (None, n):
        raise RelationError(
            f"{name} states one half of a matrix of {n} objects, and names {n_named} of them."
        )


def _is_all(values: Array, half: str, is_empty: object) -> bool:
    """Tell whether a half without its diagonal is empty; the first entry that is not ends it."""
    assert callable(is_empty)
    return all(
        bool(is_empty(row[:i] if half == "lower" else row[i + 1 :]).all())
        for i, row in enumerate(values)
    )


def _filled(values: Array) -> list[str]:
    """Set a diagonal of which nothing is stated to zero."""
    if not np.isnan(np.diagonal(values)).all() or np.isnan(values).all():
        return []
    np.fill_diagonal(values, 0)
    return ["the diagonal is blank and was taken to be 0"]


def _mirrored(values: Array, half: str, why: str) -> str:
    mirror(values, half)
    return f"the {half} half was mirrored: {why}"
