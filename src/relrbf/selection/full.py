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

import numpy as np

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
    root = np.sqrt(w)
    mean = w @ Y / w.sum()
    T = root[:, None] * (Y - mean)
    values, Q = np.linalg.eigh(root[:, None] * K * root)
    top = float(np.abs(values).max()) ** 2 or 1.0
    grid = ALPHAS * top if alpha is None else np.array([max(alpha, SMALLEST * top)])
    by_alpha = 1 / (values[:, None] ** 2 + grid)  # of B^-1, one column per alpha
    squares = np.square(Q)
    p, q = squares @ by_alpha, squares @ (values[:, None] * by_alpha)
    h = 1 - grid * p
    QT = Q.T @ T
    fits = []
    for k in range(len(grid)):
        inverse = by_alpha[:, k, None]
        both = np.hstack([values[:, None] * inverse * QT, inverse * QT])
        HT, CT = np.split(Q @ (values[:, None] * both), 2, axis=1)
        P, C, own = p[:, k, None], q[:, k, None], h[:, k, None]
        away = (P * HT - C * CT - (P * own - C * C) * T) / (grid[k] * P * P + C * C)
        fits.append((np.square(T - away).sum(axis=1), HT, away))
    errors = np.array([losses.mean() for losses, _, _ in fits])
    # of penalties that do equally well the largest: rounding must not choose between them
    best = int(np.flatnonzero(errors <= (1 + EQUAL) * errors.min())[-1])
    losses, HT, away = fits[best]
    responses, left_out = (rows / root[:, None] + mean for rows in (HT, away))
    return FullNetwork(float(grid[best]), losses, responses, left_out)
