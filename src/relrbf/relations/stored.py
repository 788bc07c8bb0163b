"""A relation held in chunks that are read when asked, as a zarr array is."""

from collections.abc import Iterator
from math import ceil, isqrt, lcm
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.base import EVERY, Index
from relrbf.relations.blocks import MEMORY, for_each_block, row_blocks, spans
from relrbf.relations.filed import FiledRelation, as_span
from relrbf.relations.survey import TILE


class StoredRelation(FiledRelation):
    """Dissimilarities in a zarr array of shape (n, n); nothing but blocks is ever in memory."""

    matrix: Any  # zarr's, which has no types here
    is_costly = True  # for a row, every chunk that it crosses is decoded

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, read from its chunks."""
        first, second = as_span(rows, self.shape[0]), as_span(cols, self.shape[1])
        plain = isinstance(first, slice) and isinstance(second, slice)
        try:
            found = (self.matrix if plain else self.matrix.oindex)[first, second]
        except Exception as error:  # a codec raises whatever it likes
            raise RelationError(
                f"{self.matrix.store_path} cannot be read ({error}). Write the missing or damaged "
                "chunks again. (A chunk of nothing but zeros that is meant to be there has to be "
                "written, too: create the array with config={'write_empty_chunks': True}.)"
            ) from error
        return np.asarray(found).astype(self.dtype, copy=False)

    @property
    def tile(self) -> int:
        """The side of a square whose chunks lie wholly in it, if that is not too large."""
        most = isqrt(MEMORY // (8 * self.dtype.itemsize))
        side = lcm(*self.matrix.chunks)
        return side * max(TILE // side, 1) if side <= most else max(most, *self.matrix.chunks)

    def product(self, A: Array) -> Array:
        """Return A S, chunk by chunk: each is decoded once."""
        return tiled_product(self, A, *self._shape_of_tiles())

    def _shape_of_tiles(self) -> tuple[int, int]:
        """Return the shape of some chunks together that fit in memory, whole rows of them first."""
        height, width = (min(size, self.n_objects) for size in self.matrix.chunks)
        room = MEMORY // 8 // self.dtype.itemsize
        height *= max(min(TILE // height, room // (height * width)), 1)
        return height, width * max(room // (height * width), 1)

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows where the chunks are cut: each is decoded once, if a block is not too large.

        Chunks are cut in several where it would be.
        """
        n, row_bytes = self.n_objects, self.n_objects * self.dtype.itemsize
        height, most = min(self.matrix.chunks[0], n), max(MEMORY // 2 // row_bytes, 1)
        if height > most:
            return spans(n, ceil(height / ceil(height / most)))
        usual = next(row_blocks(n, row_bytes)).stop
        return spans(n, height * max(usual // height, 1))


def tiled_product(relation: Any, A: Array, height: int, width: int) -> Array:
    """Return A S from tiles of S of some height and width, for what is slow to read row by row."""
    n = relation.n_objects
    result = np.zeros((len(A), n), dtype=relation.dtype)

    def fill(rows: slice) -> None:
        for cols in spans(n, width):
            result[:, rows] += A[:, cols] @ relation.block_sq(rows, cols).T

    for_each_block(fill, spans(n, height))
    return result
