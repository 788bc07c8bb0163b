"""What the workers do with the tiles they hold: multiply them, and cut pieces out of them."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import to_power
from relrbf.relations.blocks import row_blocks
from relrbf.relations.cluster.bands import Bands, Piece, Place, Tile, crossed

Held: TypeAlias = tuple[Array | None, Any]  # a tile's dissimilarities, what was found about them
Share: TypeAlias = tuple[bool, Array]


@dataclass(frozen=True)
class Product:
    """A S of some objects (None: all), as far as a worker's tiles make it up."""

    bands: Bands
    positions: Indices | None
    exponent: float

    def __call__(self, worker: str, tiles: list[Tile], held: list[Held], A: Array) -> Share:
        """Return whether this is another worker than was meant, and its share (c × n)."""
        places = self.bands.places(self.positions)
        total = np.zeros(A.shape, dtype=np.result_type(A, values_of(held[0])))
        for (i, j), each in zip(tiles, held, strict=True):
            if not (places[i].is_empty or places[j].is_empty):
                self._add(total, A, values_of(each), places[i], places[j], is_mirrored=i != j)
        return own_address() != worker, total

    def _add(
        self, total: Array, A: Array, values: Array, rows: Place, cols: Place, is_mirrored: bool
    ) -> None:
        """Add what one tile has to say about its rows, and mirrored about its columns."""
        values = values[crossed(rows.within, cols.within)]
        above, left = A[:, cols.among], A[:, rows.among]
        for_rows = np.empty((len(A), len(values)), dtype=total.dtype)
        for_cols = np.zeros((len(A), values.shape[1]), dtype=total.dtype)
        blocks = list(row_blocks(len(values), values.shape[1] * values.dtype.itemsize))
        scratch = np.empty((blocks[0].stop, values.shape[1]), dtype=values.dtype)
        for part in blocks:  # each is raised and multiplied, both ways, while in the cache
            S = to_power(values[part], self.exponent, scratch[: part.stop - part.start])
            for_rows[:, part] = above @ S.T
            if is_mirrored:
                for_cols += left[:, part] @ S
        total[:, rows.among] += for_rows
        if is_mirrored:
            total[:, cols.among] += for_cols


def added(*shares: Share) -> Share:
    """Return the sum of shares, and whether one of them came from another worker than was meant."""
    total = shares[0][1].copy()
    for _, share in shares[1:]:
        total += share
    return any(is_moved for is_moved, _ in shares), total


def cut(pieces: list[Piece], held: list[Held]) -> list[Array]:
    """Return what is wanted of each tile."""
    return [piece.cut(values_of(each)) for piece, each in zip(pieces, held, strict=True)]


def values_of(held: Held) -> Array:
    """Return a tile's dissimilarities, or raise what went wrong when it was made once more."""
    values, found = held
    if values is None:
        raise found
    return values


def findings(held: Held) -> Any:
    """Return what was found about a tile, or what went wrong with it."""
    return held[1]


def own_address() -> str:
    """Return the address of the worker that this runs on."""
    from distributed import get_worker

    return str(get_worker().address)
