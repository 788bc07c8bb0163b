"""Some objects of a relation that is too large to copy them out of it."""

from collections.abc import Iterator

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.blocks import MEMORY, spans
from relrbf.relations.layer import LayerRelation


class PartRelation(LayerRelation):
    """The relation among some objects of another, which is asked for every block.

    Parameters
    ----------
    source : Relation
        The relation among all.
    objects : ndarray of int of shape (m,)
        Positions of the objects, in any order; an object may come several times.
    """

    def __init__(self, source: Relation, objects: Indices) -> None:
        super().__init__(source)
        self.objects = objects
        self.ids = None if source.ids is None else source.ids[objects]

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.objects)

    @property
    def self_similarity(self) -> float | None:
        """The source's, where that was made from similarities."""
        return getattr(self.source, "self_similarity", None)

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities."""
        return self.source.block(self.objects[rows], self.objects[cols])

    def product(self, A: Array) -> Array:
        """Return A S; of most objects, through a product with the source, which reads in order."""
        if 2 * self.n_objects < self.source.n_objects:
            return super().product(A)
        spread = np.zeros((self.source.n_objects, len(A)), dtype=A.dtype)
        np.add.at(spread, self.objects, A.T)
        whole = self.source.with_exponent(self.exponent)
        return whole.product(np.ascontiguousarray(spread.T))[:, self.objects]

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into few blocks: each may have to look at all of the source."""
        height = MEMORY // 8 // (self.n_objects * self.dtype.itemsize)
        return spans(self.n_objects, max(height, 1))

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of these objects."""
        part = self.source.restrict(self.objects[objects])
        part.exponent, part.exponent_given = self.exponent, self.exponent_given
        return part
