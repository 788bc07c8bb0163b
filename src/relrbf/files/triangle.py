"""Files that state one half of a symmetric matrix: the other half is its mirror image."""

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.files.target import square_room

TILE = 1024
MAPPED = "it is too large for memory, and was put in a temporary file"


def unfold(rows: list[Array], half: str, n_named: int | None, name: str) -> tuple[Array, list[str]]:
    """Return the square matrix of which lines that grow, or shrink, state one half."""
    has_diagonal = _has_diagonal(rows, half)
    n = max(len(row) for row in rows) + (not has_diagonal)
    if n_named not in (None, n):
        raise RelationError(
            f"{name} states one half of a matrix of {n} objects, and names {n_named} of them."
        )
    matrix, is_mapped = square_room(n)
    stated = [row for row in rows if len(row)]
    for i, row in enumerate(stated):
        if half == "lower":
            at = i if has_diagonal else i + 1
            matrix[at, : len(row)] = row
        else:
            matrix[i, n - len(row) :] = row
    if not has_diagonal:
        np.fill_diagonal(matrix, 0)
    mirror(matrix, half)
    notes = [f"the file states the {half} half, which was mirrored"]
    if not has_diagonal:
        notes.append("it states no diagonal, which was taken to be 0")
    if missing := sum(int(np.isnan(row).sum()) for row in rows):
        notes.append(f"{missing} entries of that half are missing")
    if is_mapped:
        notes.append(MAPPED)
    return matrix, notes


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
    matrix[np.triu_indices(n, 1)] = vector
    mirror(matrix, "upper")
    return matrix, (
        f"one column of {len(vector)} numbers is a condensed vector of {n} objects, as "
        "scipy.spatial.distance.pdist returns it, and was unfolded"
    )


def _has_diagonal(rows: list[Array], half: str) -> bool:
    """Tell whether lines go up to the diagonal: what stands there is the same for all objects."""
    if not all(map(len, rows)):
        return False
    ends = np.array([row[-1] if half == "lower" else row[0] for row in rows])
    shortest = min(map(len, rows))
    return shortest == 1 and bool((ends == ends[0]).all() or np.isnan(ends).all())


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
