"""Recognising the training objects among new ones."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices

N_PRINTS = 3
ULPS = 64  # by which two measurements of one dissimilarity may differ


class KnownObjects:
    """The objects of a square matrix, to be recognised by their rows.

    Whoever changes a matrix of dissimilarities treats an object that it already holds differently
    from a new one. A row belongs to a known object when its dissimilarity to it is zero and all its
    dissimilarities are that object's, to rounding; three random projections of the row tell, so
    that the matrix need not be kept. Each column counts in units of its own median: one object that
    is far from all does not drown the others.

    Parameters
    ----------
    squares : ndarray of shape (n, n)
        Squared dissimilarities S, in which a zero measured with a rounding error is still one.
    """

    def __init__(self, squares: Array) -> None:
        usual = np.median(squares, axis=0).astype(np.float64)
        self._units = np.where(usual > 0, usual, float(squares.max(initial=0)) or 1.0)
        directions = np.random.default_rng(0).standard_normal((len(squares), N_PRINTS))
        self._directions = directions / self._units[:, None]
        self._prints = squares @ self._directions
        self._dtype: np.dtype[Any] = squares.dtype

    def find(self, rows: Array) -> Indices:
        """Return the position of the known object that each row of S (m × n) is, or -1.

        Of several known objects with the same row, the one at the row's own position is meant, and
        where that is none of them, the first.
        """
        rounding = ULPS * max(float(np.finfo(dtype).eps) for dtype in (rows.dtype, self._dtype))
        found = np.full(len(rows), -1, dtype=np.intp)
        prints, sizes = rows @ self._directions, np.abs(rows) @ np.abs(self._directions)
        at_zero = rows <= rounding * self._units
        for i in np.flatnonzero(at_zero.any(axis=1)):
            near = np.flatnonzero(at_zero[i])
            gaps = (np.abs(self._prints[near] - prints[i]) - rounding * sizes[i]).max(axis=1)
            best = near[gaps == gaps.min()]
            if gaps.min() <= 0:
                found[i] = i if i in best else best[0]
        return found
