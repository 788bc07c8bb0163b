"""Recognising the training objects among new ones."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices

N_PRINTS = 3
ULPS = 8  # by which two measurements of one dissimilarity may differ


class KnownObjects:
    """The objects of a square matrix, to be recognised by their rows.

    Whoever changes a matrix of dissimilarities treats an object that it already holds differently
    from a new one. A row belongs to a known object when its dissimilarity to it is zero and all the
    others are that object's, to rounding; three random projections of the row tell, so that
    the matrix need not be kept. Each column counts in units of its own median: one object that is
    far from all does not drown the others.

    Parameters
    ----------
    squares : ndarray of shape (n, n)
        Squared dissimilarities S, in which a zero measured with a rounding error is still one.
    """

    def __init__(self, squares: Array) -> None:
        self._dtype: np.dtype[Any] = squares.dtype
        self._scale = float(squares.max(initial=0)) or 1.0
        scaled = squares.astype(np.float64) / self._scale
        np.fill_diagonal(scaled, 0)
        usual = np.median(scaled, axis=0)
        self._units = np.where(usual > 0, usual, 1.0)
        directions = np.random.default_rng(0).standard_normal((len(squares), N_PRINTS))
        self._directions = directions / self._units[:, None]
        self._prints = scaled @ self._directions

    def find(self, rows: Array) -> Indices:
        """Return the position of the known object that each row of S (m × n) is, or -1.

        Of several known objects with the same row, the one at the row's own position is meant, and
        where that is none of them, the first.
        """
        eps = max(float(np.finfo(dtype).eps) for dtype in (rows.dtype, self._dtype))
        rows = rows.astype(np.float64) / self._scale
        found = np.full(len(rows), -1, dtype=np.intp)
        prints = rows @ self._directions
        spread = np.sqrt(np.square(rows) @ np.square(self._directions))  # as rounding errors add up
        at_zero = rows <= np.sqrt(eps) * self._units
        for i in np.flatnonzero(at_zero.any(axis=1)):
            near = np.flatnonzero(at_zero[i])
            # its own entry apart: a zero that was measured has the largest rounding error
            others = prints[i] - rows[i, near, None] * self._directions[near]
            gaps = np.abs(self._prints[near] - others)
            if (gaps <= ULPS * eps * spread[i]).all(axis=1).any():
                best = near[gaps.max(axis=1) == gaps.max(axis=1).min()]
                found[i] = i if i in best else best[0]
        return found
