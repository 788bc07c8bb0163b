"""The diagonal of an inverse from the factors, without the inverse (Takahashi 1973).

Symbols
-------
L   n × n   unit lower triangle of a factorisation L D L'
Z   n × n   ``(L D L')^-1``, of which only the entries where L has some are found

``Z = D^-1 L^-1 + (I - L') Z``: a column of Z follows from those to its right, and asks for no entry
where L has none.
"""

from functools import cache
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import compiled, has_numba

MANY = 1000  # unknowns from which on compiling the loop is repaid


def inverse_diagonal(factor: Any, n_wanted: int) -> Array | None:
    """Return the diagonal of the inverse of a symmetric matrix that ``splu`` has factorised.

    None where a solution for each of the entries that are wanted costs less, where there are few
    unknowns or no numba, or where rows and columns were permuted differently.
    """
    order = factor.perm_r
    if len(order) < MANY or not has_numba() or not np.array_equal(order, factor.perm_c):
        return None
    lower = factor.L
    lower.sort_indices()
    per_column, per_row = np.diff(lower.indptr), np.bincount(lower.indices)
    if float(per_column @ per_row) > n_wanted * 2.0 * lower.nnz:  # multiplications of either
        return None
    sweep = compile_sweep()
    return sweep(lower.indptr, lower.indices, lower.data, factor.U.diagonal())[order]


@cache
def compile_sweep() -> Any:
    """Return the loop over columns, compiled."""
    return compiled(sweep_columns)


def sweep_columns(indptr: Any, indices: Any, L: Array, D: Array) -> Array:
    """Return the diagonal of Z, for L by columns with the diagonal first."""
    n = len(D)
    Z, sums, places = np.zeros_like(L), np.zeros(n), np.full(n, -1, np.int64)
    for j in range(n - 1, -1, -1):
        start, stop = indptr[j] + 1, indptr[j + 1]
        for p in range(start, stop):
            places[indices[p]] = p
            sums[indices[p]] = 0.0
        for p in range(start, stop):  # Z is symmetric, and column k holds its lower half
            k = indices[p]
            total = Z[indptr[k]] * L[p]
            for q in range(indptr[k] + 1, indptr[k + 1]):
                at = places[indices[q]]
                if at >= 0:
                    total += Z[q] * L[at]
                    sums[indices[q]] += Z[q] * L[p]
            sums[k] += total
        own = 1 / D[j]
        for p in range(start, stop):
            places[indices[p]] = -1
            Z[p] = -sums[indices[p]]
            own -= L[p] * Z[p]
        Z[indptr[j]] = own
    return Z[indptr[:-1]]
