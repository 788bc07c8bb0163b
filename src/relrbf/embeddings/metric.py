"""A metric learnt on feature vectors, after Xing et al. (2002).

Symbols
-------
V   n × k, orthonormal columns that sum to zero: the objects' feature vectors, whitened
M   k × k positive semidefinite; ``(v_i - v_j)' M (v_i - v_j)`` is the learnt squared distance
q   n, the squared norms ``v_i' M v_i``

Both problems are convex; both are solved by projected gradient steps, with an eigendecomposition of
k × k in each.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.embeddings.gram import distances_sq_of, split
from relrbf.embeddings.projection import Ending, Report

RIDGE = 1e-3  # of the mean, on the scatter within classes: directions without any are not free
TINY = 1e-6  # of the mean squared distance: the root is smooth where two objects coincide


@dataclass(frozen=True, eq=False)
class Learnt:
    """A metric and how its search ended."""

    M: Array
    n_iter: int
    ending: Ending


def match_relation(V: Array, S: Array, tol: float, max_iter: int, report: Report) -> Learnt:
    """Return the metric whose squared distances are nearest to S, in least squares.

    With ``K(G)_ij = G_ii + G_jj - 2 G_ij`` and ``V' 1 = 0``,
    ``|K(V M V')|^2 = 4 |M|^2 + 2 n |q|^2 + 2 tr(M)^2``: S is needed once, in a k × k matrix.
    """
    n, k = V.shape
    goal = 2 * (V.T @ (S.sum(axis=1)[:, None] * V) - V.T @ (S @ V))

    def gradient(M: Array) -> Array:
        q = ((V @ M) * V).sum(axis=1)
        return 4 * M + 2 * n * (V.T @ (q[:, None] * V)) + 2 * np.trace(M) * np.eye(k) - goal

    steepest = 4 + 2 * n * float(np.square(V).sum(axis=1).max()) + 2 * k
    size = float(np.linalg.norm(goal)) or 1.0
    return _descend(gradient, steepest, size, np.zeros((k, k)), tol, max_iter, report)


def _descend(
    gradient: Callable[[Array], Array],
    steepest: float,
    size: float,
    M: Array,
    tol: float,
    max_iter: int,
    report: Report,
) -> Learnt:
    """Take accelerated projected steps (Nesterov), starting anew where they turn back."""
    ahead, speed = M, 1.0
    for iteration in range(1, max_iter + 1):
        moved = split(ahead - gradient(ahead) / steepest)[2]
        residual = steepest * float(np.linalg.norm(moved - ahead)) / size
        if residual <= tol:
            return Learnt(moved, iteration, Ending.CONVERGED)
        if report(residual):
            return Learnt(moved, iteration, Ending.INTERRUPTED)
        turned = float(((ahead - moved) * (moved - M)).sum()) > 0
        faster = 1.0 if turned else (1 + np.sqrt(1 + 4 * speed * speed)) / 2
        push = 0.0 if turned else (speed - 1) / faster
        ahead, M, speed = moved + push * (moved - M), moved, faster
    return Learnt(M, max_iter, Ending.MAX_ITER)


def part_classes(V: Array, labels: Indices, tol: float, max_iter: int, report: Report) -> Learnt:
    """Return the metric that pushes classes apart and holds each together (Xing et al., eq. 3-5).

    The sum of distances between objects of different classes is largest, subject to a sum of
    squared distances within classes of one. In coordinates where that sum is a trace, the
    feasible metrics are those of trace one, on which projecting is exact.
    """
    same = labels[:, None] == labels
    within = _scatter(V, same.astype(np.float64))
    ridge = RIDGE * np.trace(within) / len(within)
    values, vectors = np.linalg.eigh(within + (ridge or 1.0) * np.eye(len(within)))
    root = (vectors / np.sqrt(values)) @ vectors.T  # of the inverse
    U = V @ root
    learnt = _ascend(U, ~same, tol, max_iter, report)
    return Learnt(root @ learnt.M @ root, learnt.n_iter, learnt.ending)


def _scatter(V: Array, weights: Array) -> Array:
    """Return the weighted sum of ``(v_i - v_j)(v_i - v_j)'`` over ordered pairs."""
    return 2 * (V.T @ (weights.sum(axis=1)[:, None] * V) - V.T @ (weights @ V))


def _ascend(U: Array, apart: Array, tol: float, max_iter: int, report: Report) -> Learnt:
    """Maximise the sum of distances between objects apart, over metrics of trace one."""
    k = U.shape[1]
    M = np.eye(k) / k
    floor = TINY * float(distances_sq_of(U @ M @ U.T).mean())

    def measure(M: Array) -> tuple[float, Array]:
        distances = np.sqrt(distances_sq_of(U @ M @ U.T) + floor)
        return float(distances[apart].sum()), _scatter(U, np.where(apart, 0.5 / distances, 0))

    total, slope = measure(M)
    length = 1 / (float(np.linalg.norm(slope)) or 1.0)
    for iteration in range(1, max_iter + 1):
        while True:
            moved = onto_trace_one(M + length * slope)
            step = moved - M
            new_total, new_slope = measure(moved)
            expected = float((slope * step).sum())
            if new_total >= total + 0.1 * expected or np.linalg.norm(step) <= 1e-14:
                break
            length /= 2
        # concave: no metric of trace one is better by more than this
        best = float(np.linalg.eigvalsh(new_slope)[-1]) - float((new_slope * moved).sum())
        # Barzilai and Borwein's length, from how much the slope changed on the way
        bend = float(((slope - new_slope) * step).sum())
        length = float(np.square(step).sum()) / bend if bend > 0 else 2 * length
        M, total, slope = moved, new_total, new_slope
        gap = best / (total or 1.0)
        if gap <= tol:
            return Learnt(M, iteration, Ending.CONVERGED)
        if report(gap):
            return Learnt(M, iteration, Ending.INTERRUPTED)
    return Learnt(M, max_iter, Ending.MAX_ITER)


def onto_trace_one(matrix: Array) -> Array:
    """Return the nearest positive semidefinite matrix of trace one."""
    values, vectors = np.linalg.eigh(matrix)
    falling = values[::-1]
    levels = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    kept = np.maximum(values - levels[np.flatnonzero(falling > levels)[-1]], 0)
    return (vectors * kept) @ vectors.T
