"""The full network: a prototype on every object, one bandwidth, weights in closed form.

It is too large to keep, but it says what can be learnt from a relation, without training and
without a validation part: *leaving an object out has a closed form*, prototype and all.

With K_ij = kernel(S_ij / s²) and the objective ``|Y - K W|² + alpha |W|²``, let B = K² + alpha I.
Leaving object i out removes row and column i of K. The matrix that remains to be inverted is the
principal minor of B less the square of K's column i; both inverses are rank-one corrections of
B^-1, and the response to the object left out is

    yhat_i = (p [H Y]_i - q [C Y]_i - (p h - q²) y_i) / (alpha p² + q²)

    H = K² B^-1,  C = K B^-1,    h = H_ii,  q = C_ii,  p = (B^-1)_ii .

All of these are functions of K, so that one eigendecomposition serves every alpha. K² is positive
whatever K is: nothing here asks for a Euclidean relation. (Only the row is left out in the usual
formula for ridge regression. The object then keeps a prototype of its own, which a new object does
not have, and narrow bandwidths look better than they are.)

Weights w of the objects enter as copies would: K becomes sqrt(w) K sqrt(w).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.blas import dsymm, dsyrk
from scipy.linalg.lapack import dpotrf, dpotri

from relrbf._typing import Array

ALPHAS = np.logspace(-7, 0, 15)  # relative to the largest eigenvalue of K²
SMALLEST = 1e-14  # of it: a penalty below is rounding
EQUAL = 1e-4  # errors closer than this, relatively, are equal


@dataclass(frozen=True, eq=False)
class FullNetwork:
    """What the full network makes of the objects.

    Attributes
    ----------
    alpha : float
        The ridge penalty, for weights w of mean one.
    losses : ndarray of shape (n,)
        Squared error of each object when it is left out, times its weight; weights have mean one.
    responses : ndarray of shape (n, g)
        Its responses to the objects it was fitted to.
    left_out : ndarray of shape (n, g)
        Its responses to objects it knows nothing of.
    """

    alpha: float
    losses: Array
    responses: Array
    left_out: Array

    @property
    def error(self) -> float:
        """Mean squared error of leaving each object out in turn."""
        return float(self.losses.mean())


def fit_full(K: Array, Y: Array, w: Array, alpha: float | None = None) -> FullNetwork:
    """Fit the full network in closed form.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Activations of the objects' prototypes.
    Y : ndarray of shape (n, g)
        Targets.
    w : ndarray of shape (n,)
        Positive object weights.
    alpha : float or None
        Ridge penalty; None takes the one with the smallest leave-one-out error.
    """
    w = w / w.mean()
    root = np.sqrt(w)[:, None]
    mean = w @ Y / w.sum()
    T = root * (Y - mean)
    if alpha is None:
        alpha, HT, away = _best_of_many(root * K * root.T, T)
    else:
        HT, away = _with_penalty(root * K * root.T, T, alpha)
    losses = np.square(T - away).sum(axis=1)
    return FullNetwork(alpha, losses, HT / root + mean, away / root + mean)


def _best_of_many(K: Array, T: Array) -> tuple[float, Array, Array]:
    """Return the penalty with the smallest error, the responses, and those left out."""
    values, Q = np.linalg.eigh(K)
    grid = ALPHAS * _top(values)
    inverse = 1 / (values[:, None] ** 2 + grid)  # of B, one column per alpha
    squares = np.square(Q)
    p, q = squares @ inverse, squares @ (values[:, None] * inverse)
    projected = (inverse[:, :, None] * (values[:, None] * (Q.T @ T))[:, None]).reshape(len(T), -1)
    shape = len(T), len(grid), -1
    CT, HT = (Q @ projected).reshape(shape), (Q @ (values[:, None] * projected)).reshape(shape)
    away = _left_out(p[:, :, None], q[:, :, None], CT, HT, T[:, None], grid[:, None])
    errors = np.square(T[:, None] - away).sum(axis=(0, 2))
    # of penalties that do equally well the largest: rounding must not choose between them
    best = int(np.flatnonzero(errors <= (1 + EQUAL) * errors.min())[-1])
    return float(grid[best]), HT[:, best], away[:, best]


def _with_penalty(K: Array, T: Array, alpha: float) -> tuple[Array, Array]:
    """Return responses, and those left out, under one penalty: several times faster."""
    B = dsyrk(1.0, K, lower=1)  # K is symmetric, and so is B: half of it is enough
    diagonal = np.einsum("ii->i", B)
    alpha = max(alpha, SMALLEST * float(diagonal.sum()))
    diagonal += alpha
    inverse, failed = dpotri(dpotrf(B, lower=1, clean=1)[0], lower=1)
    assert not failed
    half = inverse * K
    q = (half.sum(axis=0) + half.sum(axis=1) - np.diagonal(half))[:, None]
    CT = dsymm(1.0, inverse, K @ T, lower=1)
    HT = K @ CT
    return HT, _left_out(np.diagonal(inverse)[:, None], q, CT, HT, T, alpha)


def _left_out(p: Array, q: Array, CT: Array, HT: Array, T: Array, alpha: Any) -> Array:
    own = 1 - alpha * p
    return (p * HT - q * CT - (p * own - q * q) * T) / (alpha * p * p + q * q)


def _top(values: Array) -> float:
    return float(np.abs(values).max()) ** 2 or 1.0
