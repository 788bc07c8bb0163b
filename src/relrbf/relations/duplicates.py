"""Equal objects: duplicates in one relation, and training objects among new ones."""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import Relation

N_PROJECTIONS = 3
N_ROWS_COMPARED = 64  # at a time
MAX_ULPS = 8  # by which two measurements of one dissimilarity may differ


def duplicates_and_means(relation: Relation, weights: Array) -> tuple[Indices, Array]:
    """Return each object's first equal and its weighted mean of S (n), in one pass over S.

    Equal objects have the same dissimilarities to all.
    """
    directions = np.random.default_rng(0).standard_normal((N_PROJECTIONS, relation.n_objects))
    products = relation.product(np.vstack([directions, weights]).astype(relation.dtype))
    return find_duplicates(products[:-1].T, relation.block), products[-1]


def find_duplicates(projections: Array, read: Callable[[Indices], Array]) -> Indices:
    """Return for each object the first that is equal to it.

    Random projections of the objects' rows (n × 3) tell which objects may have a duplicate; the
    rows of those, which ``read`` returns, are compared entry by entry, to about half the digits.
    """
    first_equal = np.arange(len(projections))
    seen: dict[bytes, int] = {}
    possible = _possible_duplicates(projections)
    for start in range(0, len(possible), N_ROWS_COMPARED):
        some = possible[start : start + N_ROWS_COMPARED]
        for i, row in zip(some, read(some), strict=True):
            first_equal[i] = seen.setdefault(_digest(row), i)
    return first_equal


def _possible_duplicates(projections: Array) -> Indices:
    """Return, in ascending order, the objects whose projections agree with another's."""
    rounding = 64 * np.finfo(projections.dtype).eps * np.abs(projections).max()
    order = np.argsort(projections[:, 0], kind="stable")
    agrees = np.abs(np.diff(projections[order], axis=0)).max(axis=1) <= rounding
    return np.sort(order[np.append(agrees, False) | np.insert(agrees, 0, False)])


def _digest(row: Array) -> bytes:
    """Return a hash of a row's leading digits; what may be a zero's rounding error is zero."""
    noise, digits = (6e-8, 24) if row.dtype == np.float64 else (1e-4, 18)  # binary digits
    mantissas, exponents = np.frexp(np.where(row > noise * np.median(row), row, 0))
    leading = np.ldexp(np.round(np.ldexp(mantissas, digits)), exponents)
    return blake2b(leading.tobytes(), digest_size=16).digest()


class KnownObjects:
    """The objects of a square matrix, to be recognised by their rows.

    A row belongs to a known object when its dissimilarity to it is zero and all the others are that
    object's, to rounding; three random projections of the row tell, so that the matrix need not
    be kept. Each column counts in units of its own median: one object that is far from all does
    not hide the others. In S (n × n), a zero measured with a rounding error is still one.
    """

    def __init__(self, S: Array) -> None:
        self._dtype: np.dtype[Any] = S.dtype
        self._scale = float(S.max(initial=0)) or 1.0
        scaled = S.astype(np.float64) / self._scale
        np.fill_diagonal(scaled, 0)
        usual = np.median(scaled, axis=0)
        self._units = np.where(usual > 0, usual, 1.0)
        directions = np.random.default_rng(0).standard_normal((len(S), N_PROJECTIONS))
        self._directions = directions / self._units[:, None]
        self._projections = scaled @ self._directions

    def find(self, rows: Array) -> Indices:
        """Return the position of the known object that each row of S (m × n) is, or -1.

        Of several known objects with the same row, the one at the row's own position is meant, and
        where that is none of them, the first.
        """
        eps = max(float(np.finfo(dtype).eps) for dtype in (rows.dtype, self._dtype))
        rows = rows.astype(np.float64) / self._scale
        found = np.full(len(rows), -1, dtype=np.intp)
        projections = rows @ self._directions
        spread = np.sqrt(np.square(rows) @ np.square(self._directions))  # as rounding errors add up
        at_zero = rows <= np.sqrt(eps) * self._units
        for i in np.flatnonzero(at_zero.any(axis=1)):
            near = np.flatnonzero(at_zero[i])
            # its own entry apart: a zero that was measured has the largest rounding error
            others = projections[i] - rows[i, near, None] * self._directions[near]
            gaps = np.abs(self._projections[near] - others)
            if (gaps <= MAX_ULPS * eps * spread[i]).all(axis=1).any():
                best = near[gaps.max(axis=1) == gaps.max(axis=1).min()]
                found[i] = i if i in best else best[0]
        return found
