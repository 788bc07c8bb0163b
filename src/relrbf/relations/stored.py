"""A relation held in chunks that are read when asked, as a zarr array is."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from relrbf._typing import Array
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.dense import DenseRelation


class StoredRelation(DenseRelation):
    """Dissimilarities in a zarr array of shape (n, n); nothing but blocks is ever in memory."""

    matrix: Any  # zarr's, which has no types here

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, read from its chunks."""
        found: Array = self.matrix.oindex[rows, cols]
        return found

    def product(self, A: Array) -> Array:
        """Return A S, block by block."""
        return Relation.product(self, A)

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row."""
        return Relation.multiplying(self)

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows where the chunks are cut: each is decoded once."""
        height = self.matrix.chunks[0]
        starts = range(0, self.n_objects, height)
        return (slice(at, min(at + height, self.n_objects)) for at in starts)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return int(self.matrix.shape[0])

    def restrict(self, objects: Index) -> DenseRelation:
        """Return the relation among some of the objects, in memory."""
        ids = None if self.ids is None else self.ids[objects]
        part = DenseRelation(self.block(objects, objects), self.exponent, ids)
        part.exponent_given = self.exponent_given
        return part
