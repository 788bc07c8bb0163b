"""The teacher: a network with a prototype on every object, one bandwidth, weights in closed form.

It is too large to keep, but it says what can be learned from a relation, without training and
without a validation set: *leaving an object out has a closed form*, prototype and all.

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

from relrbf._typing import Array, Indices
from relrbf.network import Kernel
from relrbf.relations.base import Relation
from relrbf.relations.properties import spread_over

MAX_COMPARED_OBJECTS = 256  # on which exponents and bandwidths are compared
MIN_LOG2_WIDTH, MAX_LOG2_WIDTH = -4, 3  # bandwidths tried, in units
LOG2_WIDTH_JUMP = 3  # tried at once where neither half nor twice the width helps
RELATIVE_GAIN = 1e-3  # a smaller gain in error is no reason to change
GAIN_STANDARD_ERRORS = 1.0  # nor is one of fewer standard errors than this
TEACHER_ALPHAS = np.logspace(-7, 0, 15)  # relative to the largest eigenvalue of K²
MIN_TEACHER_ALPHA = 1e-14  # relative to the trace of K²: a smaller penalty is rounding
ERROR_TIE = 1e-4  # leave-one-out errors closer than this, relatively, are equal


@dataclass(frozen=True, eq=False)
class FullNetwork:
    """What a network with a prototype on every object makes of the objects.

    Attributes
    ----------
    alpha : float
        The ridge penalty, for weights w of mean one.
    error : float
        Mean squared error of leaving each object out in turn.
    losses : ndarray of shape (n,)
        Squared error of each object when it is left out, times its weight; weights have mean one.
    responses : ndarray of shape (n, g)
        Its responses to the objects it was fitted to.
    left_out : ndarray of shape (n, g)
        Its responses to each object when that one is left out.
    """

    alpha: float
    error: float
    losses: Array
    responses: Array
    left_out: Array


@dataclass(frozen=True, eq=False)
class Teacher:
    """The full network of all objects, under the exponent and bandwidth that did best.

    Attributes
    ----------
    exponent : float
        ``S = r ** exponent``.
    bandwidth, width : float
        The bandwidth in the root of what S holds, and in units: roots of the median of S.
    alpha, error : float
        The ridge penalty for weights of mean one, and the leave-one-out error.
    responses, left_out : ndarrays of shape (n, g)
        Responses to the objects, and to each of them when it is left out.
    tried : dict of (exponent, width) -> float
        Leave-one-out errors of all that was compared.
    """

    exponent: float
    bandwidth: float
    width: float
    alpha: float
    error: float
    responses: Array
    left_out: Array
    tried: dict[tuple[float, float], float]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The best exponent and width among some objects, and the full network of those."""

    exponent: float
    bandwidth: float
    width: float
    network: FullNetwork
    tried: dict[tuple[float, float], float]


def fit_teacher(
    relation: Relation,
    kernel: Kernel,
    Y: Array,
    w: Array,
    exponents: tuple[float, ...],
    order: Indices,
    alpha: float | None = None,
) -> Teacher:
    """Compare exponents and bandwidths on some of the objects; fit the best to all of them.

    ``order`` holds the objects in an order that does not depend on how they are numbered; objects
    of zero weight take no part and get their targets back as responses. ``alpha`` None chooses the
    penalty as well.
    """
    Y, w, objects = Y.astype(np.float64), w.astype(np.float64), np.flatnonzero(w)
    compared = spread_over(order[w[order] > 0], MAX_COMPARED_OBJECTS)
    growth = (len(objects) / len(compared)) ** 2  # K² grows as the square of their number
    given = None if alpha is None else alpha / growth
    best = compare(relation, kernel, Y, w, compared, exponents, given)
    network = best.network
    if len(compared) < len(objects):
        alpha = network.alpha * growth if alpha is None else alpha
        S = relation.with_exponent(best.exponent).block_sq(objects, objects).astype(np.float64)
        K = kernel.activate(S / best.bandwidth**2)
        network = fit_full_network(K, Y[objects], w[objects], alpha)
    responses, left_out = Y.copy(), Y.copy()
    responses[objects], left_out[objects] = network.responses, network.left_out
    fitted = network.alpha, network.error, responses, left_out
    return Teacher(best.exponent, best.bandwidth, best.width, *fitted, best.tried)


def compare(
    relation: Relation,
    kernel: Kernel,
    Y: Array,
    w: Array,
    objects: Indices,
    exponents: tuple[float, ...],
    alpha: float | None = None,
) -> Comparison:
    """Return the exponent and bandwidth under which the full network of some objects errs least.

    The preferred exponent comes first: another must be clearly better.
    """
    tried: dict[tuple[float, float], float] = {}
    best: Comparison | None = None
    for exponent in exponents:
        S = relation.with_exponent(exponent).block_sq(objects, objects).astype(np.float64)
        apart = S[np.triu_indices(len(S), 1)]
        # the median: one object far out must not stretch the unit
        unit = (
            float(np.median(apart) if len(apart) else 0.0) ** 0.5 or float(S.mean()) ** 0.5 or 1.0
        )
        first = 0 if best is None else round(np.log2(best.width))
        to_beat = None if best is None else best.network.losses
        found = _search_width(S / unit**2, kernel, Y[objects], w[objects], alpha, first, to_beat)
        for width, network in found.items():
            tried[exponent, width] = network.error  # the best comes last
        if best is None or is_clearly_better(network.losses, best.network.losses):
            best = Comparison(exponent, width * unit, width, network, tried)
    assert best is not None
    return best


def _search_width(
    scaled_sq: Array,
    kernel: Kernel,
    Y: Array,
    w: Array,
    alpha: float | None,
    first: int,
    to_beat: Array | None,
) -> dict[float, FullNetwork]:
    """Halve the bandwidth while that helps; else double it while that does.

    Begins at 2**first units, and ends there if that does not beat the losses under another
    exponent. Where neither helps, an eighth may: targets that change over short distances look like
    noise to every wider kernel. Returns the networks by width, the best width last.
    """
    tried: dict[float, FullNetwork] = {}

    def losses(k: int) -> Array:
        if 2.0**k not in tried:
            K = kernel.activate(scaled_sq / 4.0**k)
            tried[2.0**k] = fit_full_network(K, Y, w, alpha)
        return tried[2.0**k].losses

    def improve(start: int, step: int) -> int:
        best, k = start, start + step
        while MIN_LOG2_WIDTH <= k <= MAX_LOG2_WIDTH and is_clearly_better(losses(k), losses(best)):
            best, k = k, k + step
        return best

    best = first
    if to_beat is None or is_clearly_better(losses(first), to_beat):
        best = improve(first, -1)
        best = improve(first, 1) if best == first else best
        fine = max(first - LOG2_WIDTH_JUMP, MIN_LOG2_WIDTH)
        if best == first and is_clearly_better(losses(fine), losses(first)):
            best = improve(improve(fine, -1), 1)
    tried[2.0**best] = tried.pop(2.0**best)
    return tried


def is_clearly_better(new: Array, old: Array) -> bool:
    """Tell whether losses (n) are smaller by more than chance: of few objects few tell much."""
    gains = old - new
    standard_error = float(gains.std()) / len(gains) ** 0.5
    needed = max(RELATIVE_GAIN * float(old.mean()), GAIN_STANDARD_ERRORS * standard_error)
    return float(gains.mean()) > needed


def fit_full_network(K: Array, Y: Array, w: Array, alpha: float | None = None) -> FullNetwork:
    """Fit a network with a prototype on every object in closed form.

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
        alpha, HT, left_out = _fit_best_alpha(root * K * root.T, T)
    else:
        HT, left_out = _fit_alpha(root * K * root.T, T, alpha)
    losses = np.square(T - left_out).sum(axis=1)
    responses = HT / root + mean
    return FullNetwork(alpha, float(losses.mean()), losses, responses, left_out / root + mean)


def _fit_best_alpha(K: Array, T: Array) -> tuple[float, Array, Array]:
    """Return the penalty with the smallest error, the responses, and those left out."""
    values, Q = np.linalg.eigh(K)
    alphas = TEACHER_ALPHAS * (float(np.abs(values).max()) ** 2 or 1.0)
    inverse = 1 / (values[:, None] ** 2 + alphas)  # of B, one column per alpha
    squares = np.square(Q)
    p, q = squares @ inverse, squares @ (values[:, None] * inverse)
    projected = (inverse[:, :, None] * (values[:, None] * (Q.T @ T))[:, None]).reshape(len(T), -1)
    shape = len(T), len(alphas), -1
    CT, HT = (Q @ projected).reshape(shape), (Q @ (values[:, None] * projected)).reshape(shape)
    left_out = _leave_out(p[:, :, None], q[:, :, None], CT, HT, T[:, None], alphas[:, None])
    errors = np.square(T[:, None] - left_out).sum(axis=(0, 2))
    # of penalties that do equally well the largest: rounding must not choose between them
    best = int(np.flatnonzero(errors <= (1 + ERROR_TIE) * errors.min())[-1])
    return float(alphas[best]), HT[:, best], left_out[:, best]


def _fit_alpha(K: Array, T: Array, alpha: float) -> tuple[Array, Array]:
    """Return responses, and those left out, under one penalty: several times faster."""
    B = dsyrk(1.0, K, lower=1)  # K is symmetric, and so is B: half of it is enough
    diagonal = np.einsum("ii->i", B)
    alpha = max(alpha, MIN_TEACHER_ALPHA * float(diagonal.sum()))
    diagonal += alpha
    inverse, failed = dpotri(dpotrf(B, lower=1, clean=1)[0], lower=1)
    assert not failed
    half = inverse * K
    q = (half.sum(axis=0) + half.sum(axis=1) - np.diagonal(half))[:, None]
    CT = dsymm(1.0, inverse, K @ T, lower=1)
    HT = K @ CT
    return HT, _leave_out(np.diagonal(inverse)[:, None], q, CT, HT, T, alpha)


def _leave_out(p: Array, q: Array, CT: Array, HT: Array, T: Array, alpha: Any) -> Array:
    h = 1 - alpha * p
    return (p * HT - q * CT - (p * h - q * q) * T) / (alpha * p * p + q * q)
