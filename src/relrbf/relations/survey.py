"""What a matrix is like, entry by entry, in one pass: finite, negative, symmetric."""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array
from relrbf.relations._blocks import for_each_block

TILE = 512


@dataclass(frozen=True)
class Survey:
    """Facts about a square matrix; lowest and largest are NaN where an entry is not finite."""

    lowest: float
    largest: float
    largest_diagonal: float
    asymmetry: float
    worst_pair: tuple[int, int]


def survey_matrix(matrix: Array) -> Survey:
    """Read every entry of a square matrix once, a tile and its mirror image at a time."""
    n = len(matrix)
    starts = range(0, n, TILE)
    found: list[tuple[float, float, float, tuple[int, int]]] = []

    def read(rows: slice) -> None:
        for start in range(rows.start, n, TILE):
            found.append(_compare(matrix, rows, slice(start, min(start + TILE, n))))

    for_each_block(read, (slice(start, min(start + TILE, n)) for start in starts))
    worst = max(found, key=lambda tile: tile[2])
    return Survey(
        lowest=float(np.min([tile[0] for tile in found])),
        largest=float(np.max([tile[1] for tile in found])),
        largest_diagonal=float(np.abs(np.diagonal(matrix)).max()),
        asymmetry=worst[2],
        worst_pair=worst[3],
    )


def _compare(
    matrix: Array, rows: slice, cols: slice
) -> tuple[float, float, float, tuple[int, int]]:
    """Return lowest, largest, largest difference and where, for a tile and its mirror image."""
    upper, lower = matrix[rows, cols], matrix[cols, rows].T
    lowest = min(upper.min(), lower.min())
    largest = max(upper.max(), lower.max())
    if not (np.isfinite(lowest) and np.isfinite(largest)):
        return float("nan"), float("nan"), 0.0, (0, 0)
    gap = np.abs(upper - lower)
    where = np.unravel_index(np.argmax(gap), gap.shape)
    pair = int(rows.start + where[0]), int(cols.start + where[1])
    return float(lowest), float(largest), float(gap[where]), pair
