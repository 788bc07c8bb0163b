"""A relation that follows from feature vectors and is never written down."""

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array
from relrbf.relations.base import EVERY, Index, Relation


class VectorRelation(Relation):
    """Euclidean distances between vectors, computed on demand.

    A product with S costs O(n d c) and O(n c) memory.

    Parameters
    ----------
    vectors : ndarray of shape (n, d), float32 or float64
        Feature vectors.
    exponent : float, default=2
        ``S = distance ** exponent``.
    ids : ndarray of shape (n,) or None, default=None
        Names of the objects.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.relations import VectorRelation
    >>> relation = VectorRelation(np.array([[0.0, 0.0], [3.0, 4.0]]))
    >>> relation.block()
    array([[0., 5.],
           [5., 0.]])
    """

    is_in_memory = True
    blas_exponent: float | None = 2

    def __init__(self, vectors: Array, exponent: float = 2, ids: np.ndarray | None = None) -> None:
        self.vectors = vectors - vectors.mean(axis=0)  # smaller numbers, smaller rounding errors
        self.norms_sq = np.einsum("id,id->i", self.vectors, self.vectors)
        self.exponent, self.ids = exponent, ids
        self.n_objects, self.dtype = len(vectors), vectors.dtype

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of distances."""
        return cdist(self.vectors[rows], self.vectors[cols]).astype(self.dtype, copy=False)

    def product(self, A: Array) -> Array:
        """Return A S, for plain distances (exponent 2) without a single entry of S."""
        if self.exponent != self.blas_exponent:
            return super().product(A)
        inner = (A @ self.vectors) @ self.vectors.T
        return np.outer(A.sum(axis=1), self.norms_sq) + (A @ self.norms_sq)[:, None] - 2 * inner

    def restrict(self, objects: Index) -> "VectorRelation":
        """Return the relation among some of the objects."""
        part = VectorRelation(self.vectors[objects], self.exponent, self.ids_of(objects))
        part.exponent_given = self.exponent_given
        return part
