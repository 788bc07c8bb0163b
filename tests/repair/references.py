"""Independent references: triangles by brute force, optima by cvxpy on every constraint."""

from itertools import combinations

import cvxpy
import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform


def largest_violation(matrix):
    """The most by which an entry exceeds the detour over a third object."""
    matrix = np.asarray(matrix, dtype=np.float64)
    return max(float((matrix - (column[:, None] + column)).max()) for column in matrix)


def random_relation(rng, n, draw=None):
    entries = rng.random(n * (n - 1) // 2) if draw is None else draw(n * (n - 1) // 2)
    return squareform(entries)


def triangle_rows(n):
    """The matrix whose rows are ``x_ij - x_ik - x_kj``, one for each side of each triangle."""
    position = squareform(np.arange(n * (n - 1) // 2)).astype(int)
    sides = []
    for i, j, k in combinations(range(n), 3):
        a, b, c = position[i, j], position[i, k], position[j, k]
        sides += [(a, b, c), (b, a, c), (c, a, b)]
    rows = np.repeat(np.arange(len(sides)), 3)
    signs = np.tile([1.0, -1.0, -1.0], len(sides))
    return sparse.csr_matrix((signs, (rows, np.ravel(sides))), (len(sides), n * (n - 1) // 2))


def cvxpy_distance(matrix, norm):
    """The distance of the nearest metric, by a general solver."""
    d = squareform(matrix, checks=False)
    x = cvxpy.Variable(len(d))
    size = cvxpy.sum_squares(x - d) if norm == "l2" else cvxpy.norm1(x - d)
    cvxpy.Problem(cvxpy.Minimize(size), [triangle_rows(len(matrix)) @ x <= 0]).solve("CLARABEL")
    return float(np.sqrt(size.value) if norm == "l2" else size.value)


def cvxpy_row_distance(row, metric, norm):
    """The distance of the nearest row that fits a metric."""
    t = cvxpy.Variable(len(row))
    size = cvxpy.sum_squares(t - row) if norm == "l2" else cvxpy.norm1(t - row)
    i, j = np.triu_indices(len(row), 1)
    sides = metric[i, j]
    limits = [t[i] - t[j] <= sides, t[j] - t[i] <= sides, t[i] + t[j] >= sides]
    cvxpy.Problem(cvxpy.Minimize(size), limits).solve("CLARABEL")
    return float(np.sqrt(size.value) if norm == "l2" else size.value)
