"""What the entries of a matrix are like, in one pass: missing, negative, symmetric."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.blocks import TILE_SIDE, for_each_block, spans

N_SYMMETRY_PROBES = 4
N_COLUMNS_READ, N_COLUMNS_SUMMED = 4096, 128  # at a time: longer sums round too much
EMPTY = (np.inf, -np.inf)  # the range of no entries


@dataclass(frozen=True)
class EntrySummary:
    """Facts about a square matrix or a tile of it, from its finite entries; NaN without any."""

    lowest: float
    largest: float
    diagonal: tuple[float, float] = EMPTY  # its lowest and its largest entry
    asymmetry: float = 0.0
    worst_pair: tuple[int, int] = (0, 0)
    n_missing: int = 0
    n_infinite: int = 0

    @property
    def largest_diagonal(self) -> float:
        """The entry of the diagonal that is farthest from zero, without its sign."""
        return max(-self.diagonal[0], self.diagonal[1])


def summarize_tiles(
    read: Callable[[slice, slice], Array],
    n: int,
    after: Callable[[float], None] | None = None,
    side: int = TILE_SIDE,
) -> EntrySummary:
    """Read every entry of n × n once, a square of some side and its mirror image at a time."""
    found: list[EntrySummary] = []

    def look(square: tuple[slice, slice]) -> None:
        rows, cols = square
        upper = read(rows, cols)
        lower = upper if rows == cols else read(cols, rows)
        found.extend(_tiles(upper, lower, rows, cols))

    ends = list(spans(n, side))
    squares = [(rows, cols) for i, rows in enumerate(ends) for cols in ends[i:]]
    for_each_block(look, squares, after)
    return _merged(found)


def _merged(found: list[EntrySummary]) -> EntrySummary:
    worst = max(found, key=lambda tile: tile.asymmetry)
    return EntrySummary(
        lowest=float(np.fmin.reduce([tile.lowest for tile in found])),
        largest=float(np.fmax.reduce([tile.largest for tile in found])),
        diagonal=_joined(tile.diagonal for tile in found),
        asymmetry=worst.asymmetry,
        worst_pair=worst.worst_pair,
        n_missing=sum(tile.n_missing for tile in found),
        n_infinite=sum(tile.n_infinite for tile in found),
    )


def summarize_rows(
    read: Callable[[slice], Array], n: int, dtype: np.dtype[Any], blocks: Iterator[slice]
) -> EntrySummary | None:
    """Read every entry of n × n once, in blocks of whole rows: the order in which a disk is fast.

    None where an entry is not finite, or the matrix may not be symmetric: what is wrong then, and
    where, ``summarize_tiles`` tells. Rows are compared with their columns by sums of their entries
    with random signs. Two entries that differ make the sums of two rows differ, by as much. They
    escape only if other differences of the same size cancel theirs in both rows, in those rows'
    partners and so on in a ring, and under the signs of every probe: for a given ring, one chance
    in 4^4 at most.
    """
    signs = np.random.default_rng(0).choice(np.array([-1, 1], dtype=dtype), (N_SYMMETRY_PROBES, n))
    row_sums, column_sums = np.zeros((N_SYMMETRY_PROBES, n)), np.zeros((N_SYMMETRY_PROBES, n))
    found: list[EntrySummary] = []
    lock = Lock()  # a row is summed by one thread, a column by several

    @np.errstate(over="ignore", invalid="ignore")
    def look(rows: slice) -> None:
        block = read(rows)
        diagonal = _range_of(np.diagonal(block[:, rows]))
        for cols in spans(n, N_COLUMNS_READ):
            part = block[:, cols]
            found.append(EntrySummary(*_range_of(part), diagonal=diagonal))
            for some in spans(part.shape[1], N_COLUMNS_SUMMED):
                row_sums[:, rows] += signs[:, cols][:, some] @ part[:, some].T
            sums = signs[:, rows] @ part
            with lock:
                column_sums[:, cols] += sums

    for_each_block(look, blocks)
    lowest, largest = _joined((tile.lowest, tile.largest) for tile in found)
    if not np.isfinite([lowest, largest]).all():
        return None
    with np.errstate(invalid="ignore"):
        gap = np.abs(row_sums - column_sums).max()
    if not gap <= rounding_of(dtype, largest):  # NaN where sums are out of range
        return None
    return EntrySummary(lowest, largest, _joined(tile.diagonal for tile in found))


def rounding_of(dtype: np.dtype[Any], largest: float) -> float:
    """Return what counts as a rounding error beside the largest entry."""
    return float(np.sqrt(np.finfo(dtype).eps)) * largest


def _tiles(upper: Array, lower: Array, rows: slice, cols: slice) -> Iterator[EntrySummary]:
    """Compare a square with its mirror image in tiles that fit in a processor's cache."""
    for i in spans(rows.stop - rows.start, TILE_SIDE):
        for j in spans(cols.stop - cols.start, TILE_SIDE):
            corner = rows.start + i.start, cols.start + j.start
            if corner[1] >= corner[0]:
                yield _summarize_tile(upper[i, j], lower[j, i].T, corner)


def _summarize_tile(upper: Array, lower: Array, corner: tuple[int, int]) -> EntrySummary:
    """Summarize a tile and its transposed mirror image, from those pairs that are known."""
    is_on_diagonal = corner[0] == corner[1]
    lowest, largest = min(upper.min(), lower.min()), max(upper.max(), lower.max())
    n_missing = n_infinite = 0
    if not (np.isfinite(lowest) and np.isfinite(largest)):
        halves = [upper] if is_on_diagonal else [upper, lower]
        n_missing = sum(int(np.count_nonzero(~np.isfinite(half))) for half in halves)
        n_infinite = sum(int(np.count_nonzero(np.isinf(half))) for half in halves)
        known = np.concatenate([half[np.isfinite(half)] for half in halves])
        if not known.size:
            return EntrySummary(np.nan, np.nan, n_missing=n_missing, n_infinite=n_infinite)
        lowest, largest = _range_of(known)
        pairs = np.isfinite(upper) & np.isfinite(lower)
        upper, lower = np.where(pairs, upper, 0), np.where(pairs, lower, 0)
    gap = np.abs(upper - lower)
    i, j = np.unravel_index(np.argmax(gap), gap.shape)
    return EntrySummary(
        lowest=float(lowest),
        largest=float(largest),
        diagonal=_range_of(np.diagonal(upper)) if is_on_diagonal else EMPTY,
        asymmetry=float(gap[i, j]),
        worst_pair=(corner[0] + int(i), corner[1] + int(j)),
        n_missing=n_missing,
        n_infinite=n_infinite,
    )


def _range_of(entries: Array) -> tuple[float, float]:
    return float(entries.min()), float(entries.max())


def _joined(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*ranges, strict=True)
    return float(np.min(lows)), float(np.max(highs))
