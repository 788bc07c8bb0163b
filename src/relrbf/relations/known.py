"""Recognising the training objects among new ones."""

import numpy as np

from relrbf._typing import Array, Indices

N_PRINTS = 3
ZERO = 1e-6  # of the largest dissimilarity, in float64; half its digits or less in float32


class KnownObjects:
    """The objects of a square matrix, to be recognised by their rows.

    Whoever changes a matrix of dissimilarities treats an object that it already holds differently
    from a new one. A row belongs to a known object when its dissimilarity to it is zero and all its
    dissimilarities agree with that object's, to rounding; three random projections of the row tell,
    so that the matrix need not be kept.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Dissimilarities, or their squares.
    """

    def __init__(self, matrix: Array) -> None:
        n = len(matrix)
        self._directions = np.random.default_rng(0).standard_normal((n, N_PRINTS))
        self._prints = matrix @ self._directions
        half = max(ZERO, float(np.sqrt(np.finfo(matrix.dtype).eps)))
        self._zero = half * float(matrix.max(initial=0))

    def find(self, rows: Array) -> Indices:
        """Return the position of the known object that each row (m × n) is, or -1.

        Of several known objects with the same row, the first is returned.
        """
        found = np.full(len(rows), -1, dtype=np.intp)
        prints = rows @ self._directions
        for i in np.flatnonzero(rows.min(axis=1, initial=np.inf) <= self._zero):
            near = np.flatnonzero(rows[i] <= self._zero)
            gaps = np.abs(self._prints[near] - prints[i]).max(axis=1)
            same = near[gaps <= self._zero * np.sqrt(rows.shape[1])]
            if len(same):
                found[i] = same[0]
        return found
