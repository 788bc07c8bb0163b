"""The full network of many objects, sketched: prototypes on a support, fitted to all.

The n × m activations are never held: two passes over row blocks, one for the m × m normal matrix
and one for responses and leverages, keep the cost linear in n. An object of the support keeps its
own prototype when it is left out, so only the others tell how large the error is.
"""

from collections.abc import Iterator

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.network import Kernel
from relrbf.relations.base import Relation
from relrbf.selection.full import ALPHAS, EQUAL, SMALLEST, FullNetwork

BLOCK = 1024  # objects per block


def fit_sketch(
    relation: Relation,
    support: Indices,
    kernel: Kernel,
    bandwidth: float,
    Y: Array,
    w: Array,
    alpha: float | None = None,
) -> FullNetwork:
    """Fit weights of prototypes on the support to all objects of positive weight, in closed form.

    ``Y`` (n × g) and ``w`` (n) belong to all objects of the relation; so does what is returned.
    """
    w = w / w[w > 0].mean()
    mean = w @ Y / w.sum()
    normal, moments, shares = _normal(relation, support, kernel, bandwidth, Y - mean, w)
    values, V = np.linalg.eigh(normal)
    values = np.maximum(values, 0)  # a square: less than zero is rounding
    top = float(values[-1]) or 1.0
    grid = ALPHAS * top if alpha is None else np.array([max(alpha, SMALLEST * top)])
    by_alpha = 1 / (values[:, None] + grid)
    weights = V @ (by_alpha[:, :, None] * (V.T @ moments)[:, None]).reshape(len(V), -1)
    judges = w * ~np.isin(np.arange(len(w)), support)
    judges = judges if judges.any() else w
    slack, errors = np.empty((len(w), len(grid))), np.zeros(len(grid))
    for rows in _blocks(len(w)):
        Phi = _activations(relation, rows, support, kernel, bandwidth, shares)
        fitted = (Phi @ weights).reshape(len(Phi), len(grid), -1)
        residuals = (Y[rows] - mean)[:, None] - fitted
        slack[rows] = np.maximum(1 - w[rows, None] * (np.square(Phi @ V) @ by_alpha), 1e-6)
        errors += judges[rows] @ np.square(residuals / slack[rows, :, None]).sum(axis=2)
    errors /= judges.sum()
    best = int(np.flatnonzero(errors <= (1 + EQUAL) * errors.min())[-1])
    own = weights.reshape(len(V), len(grid), -1)[:, best]
    responses = np.empty(Y.shape)
    for rows in _blocks(len(w)):
        responses[rows] = _activations(relation, rows, support, kernel, bandwidth, shares) @ own
    residuals = (Y - mean - responses) / slack[:, best, None]
    losses = (judges * np.square(residuals).sum(axis=1))[judges > 0] / judges[judges > 0].mean()
    return FullNetwork(float(grid[best]), losses, responses + mean, Y - residuals)


def _normal(
    relation: Relation, support: Indices, kernel: Kernel, bandwidth: float, T: Array, w: Array
) -> tuple[Array, Array, Array]:
    """Return the normal matrix, its right-hand side and the prototypes' own scales."""
    shares = np.sqrt(w[support])
    normal = np.zeros((len(support), len(support)))
    moments = np.zeros((len(support), T.shape[1]))
    for rows in _blocks(len(w)):
        Phi = _activations(relation, rows, support, kernel, bandwidth, shares)
        Phi *= np.sqrt(w[rows, None])
        normal += Phi.T @ Phi
        moments += Phi.T @ (np.sqrt(w[rows, None]) * T[rows])
    return normal, moments, shares


def _activations(
    relation: Relation,
    rows: slice,
    support: Indices,
    kernel: Kernel,
    bandwidth: float,
    shares: Array,
) -> Array:
    S = relation.block_sq(rows, support)
    return kernel.activate(S.astype(np.float64) / bandwidth**2) * shares


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK))
