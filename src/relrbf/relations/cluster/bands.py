"""Cutting n objects into bands, and their pairs into tiles of which a cluster holds the upper half.

Tile (i, j) with i ≤ j holds the dissimilarities of band i to band j. What lies below the diagonal
is its mirror image and takes no memory.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Indices

Tile: TypeAlias = tuple[int, int]
Run: TypeAlias = slice | Indices
N_BANDS = 8  # at least
PER_THREAD = 8  # tiles, so that each has about as much to do


@dataclass(frozen=True)
class Place:
    """What a band has of some objects: where they stand among those, and where in the band."""

    among: Run
    within: Run

    @property
    def is_empty(self) -> bool:
        """Whether the band has none of them."""
        return not isinstance(self.among, slice) and self.among.size == 0


def side_for(n_objects: int, n_threads: int, least: int, most: int, step: int) -> int:
    """Return the side of a tile: some tiles for each thread, and a whole number of steps."""
    n_bands = max(N_BANDS, int(np.sqrt(2 * PER_THREAD * n_threads)))
    side = min(max(-(-n_objects // n_bands), least), most)
    return side if side < step else side // step * step


@dataclass(frozen=True)
class Bands:
    """Objects in bands of equal size, the last one perhaps smaller."""

    n_objects: int
    side: int

    def __len__(self) -> int:
        return -(-self.n_objects // self.side)

    def __getitem__(self, band: int) -> slice:
        start = band * self.side
        return slice(start, min(start + self.side, self.n_objects))

    @property
    def tiles(self) -> list[Tile]:
        """The tiles of the upper half."""
        return [(i, j) for i in range(len(self)) for j in range(i, len(self))]

    def size(self, tile: Tile) -> int:
        """Return how many dissimilarities a tile stands for, its mirror image included."""
        n_rows, n_cols = (self[band].stop - self[band].start for band in tile)
        return n_rows * n_cols * (1 if tile[0] == tile[1] else 2)

    def places(self, positions: Indices | None) -> list[Place]:
        """Return for each band what it has of the objects at these positions (None: of all)."""
        if positions is None:
            return [Place(self[band], slice(None)) for band in range(len(self))]
        places = []
        for band in range(len(self)):
            start, stop = self[band].start, self[band].stop
            among = np.flatnonzero((positions >= start) & (positions < stop))
            places.append(Place(as_run(among), as_run(positions[among] - start)))
        return places


@dataclass(frozen=True)
class Piece:
    """What is wanted of a tile or of its mirror image, and where it belongs in a block."""

    tile: Tile
    rows: Run
    cols: Run
    is_mirrored: bool
    target: Any

    def cut(self, values: np.ndarray) -> np.ndarray:
        """Return the piece of a tile's values."""
        whole = values.T if self.is_mirrored else values
        return np.ascontiguousarray(whole[crossed(self.rows, self.cols)])


def pieces_of(bands: Bands, rows: Indices, cols: Indices) -> list[Piece]:
    """Return the pieces that make up a block."""
    pieces = []
    for i, above in enumerate(bands.places(rows)):
        for j, left in enumerate(bands.places(cols)):
            if not (above.is_empty or left.is_empty):
                target = crossed(above.among, left.among)
                tile = min(i, j), max(i, j)
                pieces.append(Piece(tile, above.within, left.within, i > j, target))
    return pieces


def as_run(positions: Indices) -> Run:
    """Return a slice where positions follow one another: that is cut without a copy."""
    if positions.size and (np.diff(positions) == 1).all():
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions


def crossed(rows: Run, cols: Run) -> tuple[Run, Run]:
    """Return an index of all rows with all columns."""
    if isinstance(rows, slice) or isinstance(cols, slice):
        return rows, cols
    return rows[:, None], cols
