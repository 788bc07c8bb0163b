"""A relation held in an array."""

from copy import copy

import numpy as np

from relrbf._typing import Array
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.blocks import BLOCK_BYTES, EntrySummary, summarize_tiles


class DenseRelation(Relation):
    """Dissimilarities in an n × n array, used in place: no copy, no cast.

    The matrix is trusted; ``as_relation`` validates one, and reads a matrix in a file block by
    block.

    Parameters
    ----------
    matrix : ndarray of shape (n, n), float32 or float64
        Symmetric dissimilarities.
    exponent : float, default=2
        ``S = matrix ** exponent``.
    ids : ndarray of shape (n,) or None, default=None
        Names of the objects.
    self_similarity : float or None, default=None
        Where the matrix was made from similarities: an object's similarity to itself.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.relations import DenseRelation
    >>> relation = DenseRelation(np.array([[0.0, 3.0], [3.0, 0.0]]))
    >>> relation.product(np.array([[1.0, 0.0]]))
    array([[0., 9.]])
    """

    is_in_memory = True
    blas_exponent: float | None = 1

    def __init__(
        self,
        matrix: Array,
        exponent: float = 2,
        ids: np.ndarray | None = None,
        self_similarity: float | None = None,
    ) -> None:
        self.matrix, self.exponent, self.ids = matrix, exponent, ids
        self.n_objects, self.dtype = matrix.shape[0], matrix.dtype
        self.self_similarity = self_similarity

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities: a view where both indices are slices."""
        if isinstance(rows, slice) or isinstance(cols, slice):
            return self.matrix[rows, cols]
        return self.matrix[np.ix_(rows, cols)]

    def product(self, A: Array) -> Array:
        """Return A S; where S is the array itself, or small, in one call of BLAS."""
        if self.exponent == self.blas_exponent:
            return A @ self.matrix
        return A @ self.block_sq().T if self.matrix.nbytes <= BLOCK_BYTES else super().product(A)

    def summarize_entries(self) -> EntrySummary:
        """Read every entry once."""
        return summarize_tiles(self.block, self.n_objects, side=self.tile)

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects, copied out of this one."""
        part = copy(self)
        part.matrix, part.ids = self.block(objects, objects), self.ids_of(objects)
        part.n_objects = len(part.matrix)
        return part
