"""What a matrix is like, entry by entry, in one pass: known, negative, symmetric."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from threading import local
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.blocks import for_each_block, spans

TILE = 512
PROBES = 4
STRETCH, SHORT = 4096, 128  # columns read at a time, and summed: longer sums round too much


@dataclass(frozen=True)
class Survey:
    """Facts about a square matrix, from its finite entries; NaN where there are none."""

    lowest: float
    largest: float
    diagonal: tuple[float, float]  # its lowest and its largest entry
    asymmetry: float
    worst_pair: tuple[int, int]
    n_missing: int
    n_infinite: int

    @property
    def largest_diagonal(self) -> float:
        """The entry of the diagonal that is farthest from zero, without its sign."""
        return max(-self.diagonal[0], self.diagonal[1])


@dataclass(frozen=True)
class _Tile:
    """The same about a tile and its mirror image."""

    lowest: float
    largest: float
    asymmetry: float = 0.0
    pair: tuple[int, int] = (0, 0)
    n_missing: int = 0
    n_infinite: int = 0
    diagonal: tuple[float, float] = (np.inf, -np.inf)  # none


def survey_blocks(
    read: Callable[[slice, slice], Array],
    n: int,
    after: Callable[[float], None] | None = None,
    side: int = TILE,
) -> Survey:
    """Read every entry of n × n once, a square of some side and its mirror image at a time."""
    found: list[_Tile] = []

    def look(square: tuple[slice, slice]) -> None:
        rows, cols = square
        upper = read(rows, cols)
        lower = upper if rows == cols else read(cols, rows)
        found.extend(_tiles(upper, lower, rows, cols))

    for_each_block(look, _squares(n, side), after)
    return _survey_of(found)


def survey_part(upper: Array, lower: Array, rows: slice, cols: slice) -> Survey:
    """Survey a part of a matrix (rows × cols) and its mirror image, which may be itself."""
    return _survey_of(list(_tiles(upper, lower, rows, cols)))


def _survey_of(found: list[_Tile]) -> Survey:
    worst = max(found, key=lambda tile: tile.asymmetry)
    return Survey(
        lowest=float(np.fmin.reduce([tile.lowest for tile in found])),
        largest=float(np.fmax.reduce([tile.largest for tile in found])),
        diagonal=_joined(tile.diagonal for tile in found),
        asymmetry=worst.asymmetry,
        worst_pair=worst.pair,
        n_missing=sum(tile.n_missing for tile in found),
        n_infinite=sum(tile.n_infinite for tile in found),
    )


def survey_rows(
    read: Callable[[slice], Array], n: int, dtype: np.dtype[Any], blocks: Iterator[slice]
) -> Survey | None:
    """Read every entry of n × n once, in blocks of whole rows: the order in which a disk is fast.

    None where an entry is not finite, or the matrix may not be symmetric: what is wrong then, and
    where, ``survey_blocks`` tells.
    """
    probes, found = _Probes(n, dtype), []

    def look(rows: slice) -> None:
        block = read(rows)
        diagonal = _range_of(np.diagonal(block[:, rows]))
        for cols in spans(n, STRETCH):
            part = block[:, cols]
            tile = _Tile(*_range_of(part), diagonal=diagonal)
            found.append(tile)
            if np.isfinite([tile.lowest, tile.largest]).all():
                probes.compare(part, rows, cols)

    for_each_block(look, blocks)
    lowest, largest = _joined((tile.lowest, tile.largest) for tile in found)
    if not np.isfinite([lowest, largest]).all():
        return None
    if not probes.gap() <= rounding_of(dtype, largest):  # NaN where sums are out of range
        return None
    diagonal = _joined(tile.diagonal for tile in found)
    return Survey(lowest, largest, diagonal, 0.0, (0, 0), 0, 0)


class _Probes:
    """Compares rows with their columns by sums of their entries with random signs.

    Two entries that differ make the sums of two rows differ, by as much. They escape only if other
    differences of the same size cancel theirs in both rows, in those rows' partners and so on in a
    ring, and under the signs of every probe: for a given ring, one chance in 4^4 at most.
    """

    def __init__(self, n: int, dtype: np.dtype[Any]) -> None:
        self.signs = np.random.default_rng(0).choice(np.array([-1, 1], dtype=dtype), (PROBES, n))
        self.across = np.zeros((PROBES, n))
        self._mine = local()  # rows are one thread's, columns are not
        self._downs: list[Array] = []

    def compare(self, part: Array, rows: slice, cols: slice) -> None:
        """Count a part of the matrix."""
        if not hasattr(self._mine, "down"):
            self._mine.down = np.zeros_like(self.across)
            self._downs.append(self._mine.down)
        with np.errstate(over="ignore", invalid="ignore"):
            for some in spans(part.shape[1], SHORT):
                self.across[:, rows] += self.signs[:, cols][:, some] @ part[:, some].T
            self._mine.down[:, cols] += self.signs[:, rows] @ part

    def gap(self) -> float:
        """Return the largest difference between a row's sum and its column's."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.abs(self.across - np.sum(self._downs, axis=0)).max())


def rounding_of(dtype: np.dtype[Any], largest: float) -> float:
    """Return what counts as a rounding error beside the largest entry."""
    return float(np.sqrt(np.finfo(dtype).eps)) * largest


def _squares(n: int, side: int) -> Iterator[tuple[slice, slice]]:
    """Yield the squares on and above the diagonal, row by row."""
    ends = list(spans(n, side))
    return ((rows, cols) for i, rows in enumerate(ends) for cols in ends[i:])


def _tiles(upper: Array, lower: Array, rows: slice, cols: slice) -> Iterator[_Tile]:
    """Compare a square with its mirror image in tiles that fit in a processor's cache."""
    for i in spans(rows.stop - rows.start, TILE):
        for j in spans(cols.stop - cols.start, TILE):
            at = (_moved(i, rows.start), _moved(j, cols.start))
            if at[1].start >= at[0].start:
                yield _compare(upper[i, j], lower[j, i].T, *at)


def _moved(span: slice, start: int) -> slice:
    return slice(span.start + start, span.stop + start)


def _compare(upper: Array, lower: Array, rows: slice, cols: slice) -> _Tile:
    """Return what there is to say about a tile and its mirror image."""
    lowest = min(upper.min(), lower.min())
    largest = max(upper.max(), lower.max())
    if not (np.isfinite(lowest) and np.isfinite(largest)):
        return _compare_known(upper, lower, rows, cols)
    gap = np.abs(upper - lower)
    where = np.unravel_index(np.argmax(gap), gap.shape)
    pair = int(rows.start + where[0]), int(cols.start + where[1])
    tile = _Tile(float(lowest), float(largest), float(gap[where]), pair)
    return replace(tile, diagonal=_range_of(np.diagonal(upper))) if rows == cols else tile


def _range_of(entries: Array) -> tuple[float, float]:
    return float(entries.min()), float(entries.max())


def _joined(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*ranges, strict=True)
    return float(np.min(lows)), float(np.max(highs))


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
    return replace(rest, lowest=lowest, largest=largest, n_missing=n_missing, n_infinite=n_infinite)
