"""A relation made of a matrix that is none, block by block, as a named policy says."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from copy import copy
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.layer import LayerRelation
from relrbf.relations.stored import tiled_product
from relrbf.relations.validation import SYMMETRIZERS, distances_from


class SymmetrizedRelation(LayerRelation):
    """What a matrix becomes when it is mended, read when asked; the source is not changed.

    Parameters
    ----------
    source : Relation
        Holds the matrix; its blocks need not be symmetric.
    symmetrize : {"mean", "min", "max"} or None, default=None
        What is made of an entry and its mirror image. None: they are equal already.
    self_similarity : float or None, default=None
        Where the source holds similarities, an object's to itself: distances are made of them.
    zero_diagonal : bool, default=False
        Whether the diagonal is zero, whatever it is in the source.
    """

    def __init__(
        self,
        source: Relation,
        symmetrize: str | None = None,
        self_similarity: float | None = None,
        zero_diagonal: bool = False,
    ) -> None:
        super().__init__(source)
        self.symmetrize = symmetrize
        self.self_similarity = self_similarity
        self.zero_diagonal = zero_diagonal

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of what was mended."""
        block = self.source.block(rows, cols)
        if self.symmetrize is not None:
            block = SYMMETRIZERS[self.symmetrize](block, self.source.block(cols, rows).T)
        if self.self_similarity is not None:
            block = distances_from(block, self.self_similarity)
        if self.zero_diagonal:
            numbers = np.arange(self.n_objects)
            block = np.where(numbers[rows][:, None] == numbers[cols], 0, block)
        return block

    def product(self, A: Array) -> Array:
        """Return A S; where mirror images are needed in squares, the way to read both."""
        if self.symmetrize is None:
            return super().product(A)
        return tiled_product(self, A, self.tile, self.tile)

    @property
    def tile(self) -> int:
        """The source's."""
        return self.source.tile

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows as the source does."""
        return self.source.row_blocks()

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row."""
        return Relation.multiplying(self)

    def restrict(self, objects: Index) -> Relation:
        """Return what is mended among some of the objects."""
        part = copy(self)
        part.source = self.source.restrict(objects)
        part.ids = part.source.ids
        return part

    def __repr__(self) -> str:
        how = {"symmetrize": self.symmetrize, "self_similarity": self.self_similarity}
        said = "".join(f", {key}={value!r}" for key, value in how.items() if value is not None)
        return f"{super().__repr__()[:-1]}{said})"
