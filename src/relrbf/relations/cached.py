"""A relation of which some rows were read, and are kept because reading them again is dear."""

from copy import copy
from typing import Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.blocks import row_blocks
from relrbf.relations.dense import DenseRelation
from relrbf.relations.layer import LayerRelation


class CachedRelation(LayerRelation):
    """Looks up what it can in the rows that were read, and asks the source for the rest.

    Parameters
    ----------
    source : Relation
        The relation.
    objects : ndarray of int of shape (m,)
        Objects whose rows were read, in ascending order.
    rows : ndarray of shape (m, n)
        Their dissimilarities to all.
    """

    def __init__(self, source: Relation, objects: Indices, rows: Array) -> None:
        super().__init__(source)
        self.is_costly = False  # what was read is here
        self.objects = objects
        self.rows = rows
        self._places = np.full(source.n_objects, -1)
        self._places[objects] = np.arange(len(objects))

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, from the rows or columns that are kept."""
        at = self._places[rows]
        if (at >= 0).all():
            return self._cut(at, cols)
        at = self._places[cols]
        return self._cut(at, rows).T if (at >= 0).all() else self.source.block(rows, cols)

    def _cut(self, at: Indices, cols: Index) -> Array:
        is_all = len(at) == len(self.objects) and (np.diff(at) == 1).all()
        kept = self.rows if is_all else self.rows[at]
        return kept[:, cols]

    def product(self, A: Array) -> Array:
        """Return A S; where A is zero outside the rows that are kept, from those alone."""
        used = np.flatnonzero(A.any(axis=0))
        if not (self._places[used] >= 0).all():
            return self.source.with_exponent(self.exponent).product(A)
        result = np.empty((len(A), self.n_objects), dtype=self.dtype)
        for cols in row_blocks(self.n_objects, len(used) * self.dtype.itemsize):
            result[:, cols] = A[:, used] @ self.block_sq(used, cols)
        return result

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects: of kept ones, in memory."""
        if (self._places[objects] >= 0).all():
            ids = None if self.ids is None else self.ids[objects]
            part: Relation = DenseRelation(self.block(objects, objects), ids=ids)
        else:
            part = copy(self.source.restrict(objects))
        part.exponent, part.exponent_given = self.exponent, self.exponent_given
        return part

    def with_exponent(self, exponent: float) -> Self:
        """Return the same dissimilarities under another reading of what is squared."""
        other = super().with_exponent(exponent)
        other.source = self.source.with_exponent(exponent)
        return other
