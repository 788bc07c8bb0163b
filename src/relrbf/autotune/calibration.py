"""From responses to objects left out to class probabilities: a small multinomial logistic model.

Squared error hides a class that lies between two others, and responses of different classes are not
on one scale. Both are corrected by logits that are linear in the responses f (g),

    z = s f + D' f + b,

with one scale s, biases b (g) and corrections D (g × g) under a ridge penalty, fitted to the labels
by Newton's method. Since z is linear in f, so it is in the activations: the logistic model becomes
part of the network's output weights.

Its own left-out logits have a closed form up to a Newton step: with J_i the derivative of z_i by
the parameters, H the Hessian, p_i the probabilities, V_i = w_i J_i H^-1 J_i' and C_i = diag(p_i) -
p_i p_i',

    z_i  ->  z_i + V_i (I - C_i V_i)^-1 (p_i - y_i) .
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import softmax

from relrbf._typing import Array

MAX_CORRECTED_CLASSES = 32  # of more classes the responses share one scale, and nothing else
RIDGES = (10.0, 1.0, 0.1)  # on the corrections; without any they are zero
BIAS_RIDGE = 0.1
RIDGE_GAIN = 1e-2  # a smaller relative gain in log-loss is no reason for a smaller ridge
FLOOR = 1e-6  # of the Hessian's largest entry, added to its diagonal
MAX_CALIBRATION_STEPS = 25
MIN_NEWTON_LENGTH = 1e-6  # of a Newton step
NEWTON_ARMIJO = 1e-4  # of the fall that the gradient predicts, what a step must bring
STEP_TOLERANCE = 1e-8
LOG_SCALES = np.linspace(-2, 6, 9)


Derivatives: TypeAlias = tuple[float, Array, Array]
"""A function's value, gradient and Hessian."""


@dataclass(frozen=True, eq=False)
class Logits:
    """A linear map (g × g) and biases (g) from responses to logits, and the left-out ones."""

    matrix: Array
    bias: Array
    left_out: Array
    ridge: float


def cross_entropies(logits: Array, Y: Array) -> Array:
    """Return the negative log-likelihood (... × n) of targets Y (n × g, rows sum to one)."""
    largest = logits.max(axis=-1)
    sums = np.exp(logits - largest[..., None]).sum(axis=-1)
    return largest + np.log(sums) - np.einsum("...k,...k->...", logits, Y)


def log_loss(logits: Array, Y: Array, w: Array) -> float:
    """Return the weighted mean negative log-likelihood of targets Y (n × g, rows sum to one)."""
    return float(w @ cross_entropies(logits, Y) / w.sum())


def fit_logits(F: Array, Y: Array, w: Array, ridge: float | None = None) -> Logits:
    """Fit logits to left-out responses F (n × g); the ridge, where not given, by left-out loss."""
    unit = float(np.sqrt(np.mean(np.square(F - w @ F / w.sum())))) or 1.0
    F = F / unit
    g = F.shape[1]
    scale, bias = _fit_scale(F, Y, w)
    logits = scale * F + bias
    best = Logits(scale * np.eye(g) / unit, bias, logits, np.inf)
    if g > MAX_CORRECTED_CLASSES or not scale:
        return best
    loss = log_loss(logits, Y, w)
    for tried in RIDGES if ridge is None else [ridge] * int(ridge < np.inf):
        corrections, left_out = _fit_corrections(F, logits, Y, w, tried)
        new = log_loss(left_out, Y, w)
        if ridge is None and not new < (1 - RIDGE_GAIN) * loss:
            break
        loss = new
        whole = scale * np.eye(g) + corrections[:-1]
        best = Logits(whole / unit, bias + corrections[-1], left_out, tried)
    return best


def _fit_scale(F: Array, Y: Array, w: Array) -> tuple[float, Array]:
    """Return the scale, not negative, and the biases under which the labels are most likely.

    Biases are drawn to the classes' shares by a ridge of one object's worth.
    """
    n, g = F.shape
    counts = w @ Y + 0.5
    prior = np.log(counts / counts.sum())
    losses = [log_loss(np.exp(k) * F + prior, Y, w) for k in LOG_SCALES]
    best = int(np.argmin(losses))
    if not losses[best] < log_loss(np.tile(prior, (n, 1)), Y, w):
        return 0.0, prior
    start = np.array([np.exp(LOG_SCALES[best]), *prior])
    if g > MAX_CORRECTED_CLASSES:
        return float(start[0]), prior
    J = np.concatenate([F[:, :, None], np.tile(np.eye(g), (n, 1, 1))], axis=2)
    ridge, center = np.array([0.0, *np.ones(g)]), np.array([0.0, *prior])

    def derivatives(theta: Array) -> Derivatives:
        z, pull = J @ theta, ridge * (theta - center)
        P = softmax(z, axis=1)
        mean = np.einsum("ik,ikd->id", P, J)
        spread = P[:, :, None] * (J - mean[:, None])
        hessian = np.einsum("i,ikd,ike->de", w, J, spread, optimize=True) + np.diag(ridge)
        loss = log_loss(z, Y, w) * w.sum() + pull @ (theta - center) / 2
        return loss, np.einsum("ik,ikd->d", w[:, None] * (P - Y), J) + pull, hessian

    theta = _newton(derivatives, start)
    return max(float(theta[0]), 0.0), theta[1:]


def _fit_corrections(
    F: Array, offset: Array, Y: Array, w: Array, ridge: float
) -> tuple[Array, Array]:
    """Return corrections (g + 1 × g), the biases' last, and left-out logits (n × g)."""
    n, g = F.shape
    X = np.column_stack([F, np.ones(n)])
    penalty = np.array([*np.full(g, ridge), BIAS_RIDGE])[:, None]
    diagonal = np.diag(np.tile(penalty[:, 0], g))

    def derivatives(theta: Array) -> Derivatives:
        D = theta.reshape(g, g + 1).T
        z = offset + X @ D
        P = softmax(z, axis=1)
        gradient = X.T @ (w[:, None] * (P - Y)) + penalty * D
        loss = log_loss(z, Y, w) * w.sum() + (penalty * D**2).sum() / 2
        return loss, gradient.T.ravel(), _class_blocks(X, P, w) + diagonal

    theta = _newton(derivatives, np.zeros(g * (g + 1)))
    D = theta.reshape(g, g + 1).T
    z = offset + X @ D
    inverse = np.linalg.inv(derivatives(theta)[2]).reshape(g, g + 1, g, g + 1)
    return D, z + _step_without(X, softmax(z, axis=1), Y, w, inverse)


def _class_blocks(X: Array, P: Array, w: Array) -> Array:
    """Return the Hessian of the negative log-likelihood, by classes k, j: X' w C_kj X."""
    g, q = P.shape[1], X.shape[1]
    blocks = np.empty((g, q, g, q))
    for k in range(g):
        for j in range(k, g):
            curvature = w * P[:, k] * ((k == j) - P[:, j])
            blocks[k, :, j] = (X * curvature[:, None]).T @ X
            blocks[j, :, k] = blocks[k, :, j].T
    return blocks.reshape(g * q, g * q)


def _step_without(X: Array, P: Array, Y: Array, w: Array, inverse: Array) -> Array:
    """Return how each object's logits change when it is left out, to first order (n × g)."""
    V = np.einsum("ia,kajb,ib->ikj", X, inverse, X, optimize=True) * w[:, None, None]
    identity = np.eye(P.shape[1])
    C = P[:, :, None] * (identity - P[:, None])
    return (V @ np.linalg.solve(identity - C @ V, (P - Y)[:, :, None]))[:, :, 0]


def _newton(derivatives: Callable[[Array], Derivatives], theta: Array) -> Array:
    """Minimise by Newton's method, steps halved until the objective falls."""
    loss, gradient, hessian = derivatives(theta)
    for _ in range(MAX_CALIBRATION_STEPS):
        floor = FLOOR * (float(np.abs(hessian).max()) or 1.0)
        step = np.linalg.solve(hessian + floor * np.eye(len(theta)), gradient)
        decrease, length = float(gradient @ step), 1.0
        if decrease <= STEP_TOLERANCE * abs(loss):
            break
        new = derivatives(theta - step)
        while new[0] > loss - NEWTON_ARMIJO * length * decrease and length > MIN_NEWTON_LENGTH:
            length /= 2
            new = derivatives(theta - length * step)
        if not new[0] < loss:
            break
        theta = theta - length * step
        loss, gradient, hessian = new
    return theta
