"""What a matrix is like, entry by entry, in one pass: known, negative, symmetric."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array
from relrbf.relations._blocks import for_each_block

TILE = 512


@dataclass(frozen=True)
class Survey:
    """Facts about a square matrix, from its finite entries; NaN where there are none."""

    lowest: float
    largest: float
    largest_diagonal: float
    asymmetry: float
    worst_pair: tuple[int, int]
    n_missing: int
    n_infinite: int


@dataclass(frozen=True)
class _Tile:
    """The same about a tile and its mirror image."""

    lowest: float
    largest: float
    asymmetry: float = 0.0
    pair: tuple[int, int] = (0, 0)
    n_missing: int = 0
    n_infinite: int = 0
    diagonal: float = 0.0


def survey_matrix(matrix: Array) -> Survey:
    """Read every entry of a square matrix once."""
    return survey_blocks(lambda rows, cols: matrix[rows, cols], len(matrix))


def survey_blocks(
    read: Callable[[slice, slice], Array],
    n: int,
    after: Callable[[float], None] | None = None,
) -> Survey:
    """Read every entry of n × n once, a tile and its mirror image at a time."""
    found: list[_Tile] = []

    def look(rows: slice) -> None:
        for start in range(rows.start, n, TILE):
            cols = slice(start, min(start + TILE, n))
            found.append(_compare(read(rows, cols), read(cols, rows).T, rows, cols))

    for_each_block(look, (slice(i, min(i + TILE, n)) for i in range(0, n, TILE)), after)
    return _joined(found)


def survey_part(upper: Array, lower: Array, rows: slice, cols: slice) -> Survey:
    """Survey a part of a matrix (rows × cols) and its mirror image, which may be itself."""
    found = []
    for a in range(rows.start, rows.stop, TILE):
        for b in range(a if rows == cols else cols.start, cols.stop, TILE):
            some, others = slice(a, min(a + TILE, rows.stop)), slice(b, min(b + TILE, cols.stop))
            here, there = _within(some, rows), _within(others, cols)
            found.append(_compare(upper[here, there], lower[there, here].T, some, others))
    return _joined(found)


def _within(some: slice, whole: slice) -> slice:
    return slice(some.start - whole.start, some.stop - whole.start)


def _joined(found: list[_Tile]) -> Survey:
    worst = max(found, key=lambda tile: tile.asymmetry)
    return Survey(
        lowest=float(np.fmin.reduce([tile.lowest for tile in found])),
        largest=float(np.fmax.reduce([tile.largest for tile in found])),
        largest_diagonal=max(tile.diagonal for tile in found),
        asymmetry=worst.asymmetry,
        worst_pair=worst.pair,
        n_missing=sum(tile.n_missing for tile in found),
        n_infinite=sum(tile.n_infinite for tile in found),
    )


def _compare(upper: Array, lower: Array, rows: slice, cols: slice) -> _Tile:
    """Return what there is to say about a tile and its mirror image."""
    lowest = min(upper.min(), lower.min())
    largest = max(upper.max(), lower.max())
    if not (np.isfinite(lowest) and np.isfinite(largest)):
        return _compare_known(upper, lower, rows, cols)
    gap = np.abs(upper - lower)
    where = np.unravel_index(np.argmax(gap), gap.shape)
    pair = int(rows.start + where[0]), int(cols.start + where[1])
    diagonal = float(np.abs(np.diagonal(upper)).max()) if rows == cols else 0.0
    return _Tile(float(lowest), float(largest), float(gap[where]), pair, diagonal=diagonal)


def _compare_known(upper: Array, lower: Array, rows: slice, cols: slice) -> _Tile:
    """Do the same where entries are missing, with those that are not."""
    both = [upper] if rows == cols else [upper, lower]
    n_missing = sum(int(np.count_nonzero(~np.isfinite(half))) for half in both)
    n_infinite = sum(int(np.count_nonzero(np.isinf(half))) for half in both)
    known = np.concatenate([half[np.isfinite(half)] for half in both])
    if not known.size:
        nothing = float("nan")
        return _Tile(nothing, nothing, n_missing=n_missing, n_infinite=n_infinite)
    pairs = np.isfinite(upper) & np.isfinite(lower)
    rest = _compare(np.where(pairs, upper, 0), np.where(pairs, lower, 0), rows, cols)
    lowest, largest = float(known.min()), float(known.max())
    return _Tile(lowest, largest, rest.asymmetry, rest.pair, n_missing, n_infinite, rest.diagonal)
