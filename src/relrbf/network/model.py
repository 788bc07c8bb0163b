"""The network: responses from squared distances, gradients back to them, and losses.

Symbols (theory 1 and 4)
------------------------
d     c × n   squared distances          s       c         bandwidths
u     c × n   d / s²                     W, w_0  c × g, g  weights and biases
phi   c × n   activations                Yhat    n × g     responses

Output weights in closed form, ridge regression on the activations, and initial bandwidths.

``alpha`` can be chosen by leave-one-out, whose error has a closed form too (Allen's PRESS): for
every alpha at once from one singular value decomposition.

Symbols: Phi (n × c) activations, Y (n × g) targets, w (n) object weights that sum to one.
The objective is ``sum_i w_i |y_i - yhat_i|² + alpha |W|²``; the bias is not penalised.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls
from scipy.special import log_softmax

from relrbf._typing import Array, Indices
from relrbf.network.kernels import Kernel
from relrbf.relations.blocks import spans
from relrbf.relations.properties import spread_along

CHUNK_ENTRIES = 2**18  # of a c × n array: they fit in a processor's cache
N_SCALE_NEIGHBOURS = 7  # objects that set the scale around one
SAME_OBJECT = 64  # times rounding, relative to the farthest: no distance at all
MAX_KEPT_ENTRIES = 2**22  # of a c × n array: more cost less to compute again than to fetch


@dataclass(frozen=True)
class Network:
    """A hidden layer of radial basis functions and a linear output layer."""

    kernel: Kernel
    bandwidths: Array  # one per prototype, positive (c)
    weights: Array  # output weights (c × g)
    bias: Array  # output biases (g)

    def forward(self, distances_sq: Array) -> "Forward":
        """Pass squared distances (c × n) to responses (n × g)."""
        scaled_sq = distances_sq * (1 / np.square(self.bandwidths))[:, None]
        activations = self.kernel.activate(scaled_sq)
        return Forward(scaled_sq, activations, activations.T @ self.weights + self.bias)

    def backward(self, forward: "Forward", by_responses: Array) -> "HiddenGradients":
        """Carry df/dYhat (n × g) back to the bandwidths and the distances (theory 4)."""
        kernel_derivatives = self.kernel.differentiate(forward.scaled_sq, forward.activations)
        by_scaled = self.weights @ by_responses.T  # df/du, from here on
        by_scaled *= kernel_derivatives
        bandwidths = -2 * np.einsum("ji,ji->j", by_scaled, forward.scaled_sq) / self.bandwidths
        by_scaled *= (1 / np.square(self.bandwidths))[:, None]
        return HiddenGradients(bandwidths, by_scaled, kernel_derivatives)


@dataclass(frozen=True)
class LocallyScaledNetwork(Network):
    """A network in which distances count in units of what is near where an object lies.

    Local scaling (Zelnik-Manor and Perona 2004): ``d / sqrt(t_j t(x))``, with t the mean squared
    distance to the nearest objects. That of the object under a prototype is part of the prototype's
    bandwidth, that of a new object is found from its own distances. So neighbours are near where
    objects lie close together and where they are sparse: relations may span decades.
    """

    n_sites: int  # the first so many prototypes lie on different objects

    def forward(self, distances_sq: Array) -> "Forward":
        """Pass squared distances (c × n) to responses (n × g)."""
        scales = local_scales(distances_sq[: self.n_sites])
        return super().forward(distances_sq / np.sqrt(scales))


def local_scales(distances_sq: Array) -> Array:
    """Return the mean squared distance (n) of objects to the nearest of m others (m × n).

    An object at distance zero is the same object, and does not count.
    """
    m = len(distances_sq)
    largest = distances_sq.max(axis=0)
    is_same = distances_sq <= SAME_OBJECT * np.finfo(distances_sq.dtype).eps * largest
    others = np.where(is_same, np.inf, distances_sq)
    nearest = np.partition(others, min(N_SCALE_NEIGHBOURS, m) - 1, axis=0)[:N_SCALE_NEIGHBOURS]
    n_found = np.isfinite(nearest).sum(axis=0)
    sums = np.where(np.isfinite(nearest), nearest, 0).sum(axis=0)
    return np.where(n_found > 0, sums / np.maximum(n_found, 1), 1)


@dataclass(frozen=True)
class HiddenGradients:
    """Derivatives of an objective by the bandwidths (c) and by the squared distances (c × n).

    ``kernel_derivatives`` (c × n) are the kernel's own, dk/du.
    """

    bandwidths: Array
    distances_sq: Array
    kernel_derivatives: Array


@dataclass(frozen=True)
class Forward:
    """Squared distances over squared bandwidths, activations (c × n), responses (n × g)."""

    scaled_sq: Array
    activations: Array
    responses: Array

    def chunks(self) -> Iterator[tuple[slice, "Forward"]]:
        """Return the objects chunk by chunk: which ones, and their forward pass."""
        for cols in column_chunks(*self.activations.shape):
            arrays = self.scaled_sq[:, cols], self.activations[:, cols], self.responses[cols]
            yield cols, Forward(*arrays)

    def with_output_of(self, network: Network) -> Self:
        """Return the pass through a network that differs in its output layer only."""
        return replace(self, responses=self.activations.T @ network.weights + network.bias)


@dataclass(frozen=True, eq=False)
class ChunkedForward:
    """A forward pass of many objects, of which only the responses are kept.

    All else is computed again, chunk by chunk, when it is used. ``distances_sq_at`` returns the
    squared distances (c × k) of a slice of the objects.
    """

    network: Network
    n_objects: int
    distances_sq_at: Callable[[slice], Array]

    @cached_property
    def responses(self) -> Array:
        """Responses (n × g)."""
        return np.concatenate([chunk.responses for _, chunk in self.chunks()])

    def chunks(self) -> Iterator[tuple[slice, Forward]]:
        """Pass the objects chunk by chunk."""
        for cols in column_chunks(len(self.network.bandwidths), self.n_objects):
            yield cols, self.network.forward(self.distances_sq_at(cols))

    def with_output_of(self, network: Network) -> "ChunkedForward":
        """Return the pass through a network that differs in its output layer only."""
        return replace(self, network=network)


ForwardPass: TypeAlias = Forward | ChunkedForward


def column_chunks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut the columns of an array into chunks of about CHUNK_ENTRIES entries."""
    return spans(n_columns, max(1, CHUNK_ENTRIES // max(n_rows, 1)))


@dataclass(eq=False)
class DistanceGradients:
    """Derivatives of an objective by the squared distances (c × n), computed chunk by chunk.

    ``by_bandwidths`` (c) is the gradient by the bandwidths, once all chunks were computed.
    """

    network: Network
    forward: ForwardPass
    by_responses: Array

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        """Return chunks: which objects, and the derivatives by the distances to them."""
        self.by_bandwidths = np.zeros_like(self.network.bandwidths)
        for cols, forward in self.forward.chunks():
            hidden = self.network.backward(forward, self.by_responses[cols])
            self.by_bandwidths += hidden.bandwidths
            yield cols, hidden.distances_sq


class Loss(ABC):
    """A weighted mean over objects, and its gradient by the responses.

    No object's loss may be curved more than the squared error: ``relrbf.network.curvature`` relies
    on it. (The softmax's Hessian never exceeds 1/2; Böhning 1992.)
    """

    @abstractmethod
    def value(self, responses: Array, targets: Array, weights: Array) -> float:
        """Return the loss of responses (n × g) under object weights that sum to one."""

    @abstractmethod
    def gradient(self, responses: Array, targets: Array, weights: Array) -> Array:
        """Return the derivative by the responses (n × g)."""


class SquaredError(Loss):
    """``1/2 sum_i w_i |y_i - yhat_i|²``: the paper's objective, with a linear output."""

    def value(self, responses: Array, targets: Array, weights: Array) -> float:
        """Return half the mean squared error."""
        squares = np.square(targets - responses).sum(axis=1)
        if not np.isfinite(squares).all():  # an object of weight zero does not count
            squares = np.where(weights > 0, squares, 0)
        return float(weights @ squares) / 2

    def gradient(self, responses: Array, targets: Array, weights: Array) -> Array:
        """Return minus the weighted residuals."""
        return weights[:, None] * (responses - targets)


class CentredSquaredError(SquaredError):
    """The same of errors less their mean over the outputs: a softmax depends on no more."""

    def value(self, responses: Array, targets: Array, weights: Array) -> float:
        """Return half the mean squared error."""
        errors = responses - targets
        return super().value(errors, errors.mean(axis=1, keepdims=True), weights)

    def gradient(self, responses: Array, targets: Array, weights: Array) -> Array:
        """Return minus the weighted residuals."""
        errors = responses - targets
        return super().gradient(errors, errors.mean(axis=1, keepdims=True), weights)


class CrossEntropy(Loss):
    """``-sum_i w_i sum_k y_ik log p_ik`` with p the softmax of the responses."""

    def value(self, responses: Array, targets: Array, weights: Array) -> float:
        """Return the mean negative log-likelihood."""
        return -float(weights @ (targets * log_softmax(responses, axis=1)).sum(axis=1))

    def gradient(self, responses: Array, targets: Array, weights: Array) -> Array:
        """Return the probabilities minus the targets, weighted."""
        probabilities = np.exp(log_softmax(responses, axis=1))
        shares = targets.sum(axis=1)[:, None]  # one, but for rounding
        return weights[:, None] * (shares * probabilities - targets)


LOSSES: dict[str, type[Loss]] = {"squared-error": SquaredError, "cross-entropy": CrossEntropy}


MIN_POSITIVE_PENALTY = 1e-13  # of the trace: what keeps prototypes that coincide apart
LOO_TIE = 1e-4  # leave-one-out errors closer than this, relatively, are equal
ALPHA_GRID = np.logspace(-6, 1, 15)  # relative to the largest eigenvalue of Phi' w Phi
MAX_BANDWIDTH_OBJECTS = 1024  # on which bandwidths are compared
BANDWIDTHS = 2.0 ** np.arange(-3, 3)  # in units of the root mean squared dissimilarity


@dataclass(frozen=True)
class OutputFit:
    """Weights (c × g), bias (g), the ridge penalty and the leave-one-out error it reached."""

    weights: Array
    bias: Array
    alpha: float
    loo_error: float


def fit_output(Phi: Array, Y: Array, w: Array, alpha: float | None = None) -> OutputFit:
    """Fit the output layer; alpha None means: whichever leaves the smallest leave-one-out error.

    In float64, whatever the activations' own precision, which decides what counts as noise.
    """
    noise_level = np.sqrt(np.finfo(Phi.dtype).eps)
    Phi, Y, w = Phi.astype(np.float64), Y.astype(np.float64), w.astype(np.float64)
    mean_phi, mean_y = w @ Phi, w @ Y
    root = np.sqrt(w)[:, None]
    U, sigma, Vt = np.linalg.svd(root * (Phi - mean_phi), full_matrices=False)
    # activations that vary by no more than rounding carry nothing; noise must not be fitted
    noise = noise_level * np.linalg.norm(root * Phi)
    sigma = np.where(sigma > noise, sigma, 0)
    projected = U.T @ (root * (Y - mean_y))
    grid = [alpha] if alpha is not None else ALPHA_GRID * (float(sigma[0]) ** 2 or 1.0)
    errors = [_loo_error(U, sigma, projected, root, Y - mean_y, a) for a in grid]
    # of penalties that do equally well the largest: rounding must not choose between them
    best = int(np.flatnonzero(errors <= (1 + LOO_TIE) * np.min(errors))[-1])
    weights = Vt.T @ (_shrinkage(sigma, grid[best])[:, None] * projected)
    return OutputFit(weights, mean_y - mean_phi @ weights, float(grid[best]), errors[best])


def _shrinkage(sigma: Array, alpha: float) -> Array:
    """Return sigma / (sigma² + alpha), with 0 where sigma is 0."""
    return np.divide(sigma, sigma**2 + alpha, out=np.zeros_like(sigma), where=sigma > 0)


def _loo_error(U: Array, sigma: Array, projected: Array, root: Array, Y: Array, a: float) -> float:
    """Return the weighted mean squared error of leaving each object out."""
    kept = sigma * _shrinkage(sigma, a)
    residuals = root * Y - U @ (kept[:, None] * projected)
    leverages = np.square(U) @ kept + root[:, 0] ** 2  # the second term is the bias's own
    slack = (1 - leverages)[:, None]
    # an object that the fit passes through whatever its target: without it nothing is known of it
    left_out = np.divide(residuals, slack, out=root * Y, where=slack > 1e-6)
    return float(np.sum(np.square(left_out)))


def solve_output(
    forward: ForwardPass, Y: Array, w: Array, alpha: float, outputs: Indices | None = None
) -> tuple[Array, Array]:
    """Return weights (c × g) and bias (g) of the ridge fit to activations (c × n).

    As ``fit_output`` with a given alpha, several times faster; in the activations' precision, but
    for the normal equations. NaN where activations are not finite. With ``outputs`` (c), each
    prototype has a weight for this output alone, which is not negative.
    """
    w = w.astype(np.float64)
    mean_y, root = w @ Y, np.sqrt(w)
    mean_phi: Any = 0.0
    normal: Any = 0.0
    moments: Any = 0.0
    shift: Array | None = None
    for cols, chunk in forward.chunks():
        activations, dtype = chunk.activations, chunk.activations.dtype
        if shift is None:  # all chunks are centred at the first one's mean, which is near theirs
            share = float(w[cols].sum())
            shift = activations @ w[cols] / share if share > 0 else activations.mean(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            centred = activations - shift[:, None]
            centred *= root[cols]
            mean_phi = mean_phi + activations @ w[cols]
            normal = normal + centred @ centred.T
            moments = moments + centred @ (root[cols, None] * (Y[cols] - mean_y))
    assert shift is not None
    if not np.isfinite(normal).all():
        return np.full(moments.shape, np.nan, dtype), np.full(len(mean_y), np.nan, dtype)
    normal -= np.outer(mean_phi - shift, mean_phi - shift)
    if outputs is not None:
        weights = _solve_positive(normal, moments, alpha, outputs)
        return weights.astype(dtype), (mean_y - mean_phi @ weights).astype(dtype)
    normal[np.diag_indices_from(normal)] += alpha
    try:
        weights = np.linalg.solve(normal, moments)
    except np.linalg.LinAlgError:  # prototypes that coincide, and no penalty
        weights = np.linalg.lstsq(normal, moments)[0]
    return weights.astype(dtype), (mean_y - mean_phi @ weights).astype(dtype)


def _solve_positive(normal: Array, moments: Array, alpha: float, outputs: Indices) -> Array:
    """Return the best weights of which each row has one, for its output, that is not negative.

    The loss is ``CentredSquaredError``: for ``C = I - 1 1' / g`` the normal equations become
    ``N_ij C_kl``, with k and l the outputs of i and j. With ``N = L L'``, ``w' N w / 2 - m' w`` is
    ``|L' w - L^-1 m|² / 2`` but for a constant.
    """
    rows, g = np.arange(len(outputs)), moments.shape[1]
    N = normal * ((outputs[:, None] == outputs) - 1 / g)
    N[rows, rows] += max(alpha, MIN_POSITIVE_PENALTY * float(np.trace(N)))
    L = np.linalg.cholesky(N)
    m = (moments - moments.mean(axis=1, keepdims=True))[rows, outputs]
    weights = np.zeros_like(moments)
    weights[rows, outputs] = nnls(L.T, solve_triangular(L, m, lower=True))[0]
    return weights


def fitted_network(
    kernel: Kernel, distances_sq: Array, Y: Array, w: Array, mean_sq: float, alpha: float | None
) -> tuple[Network, OutputFit]:
    """Return the network with the smallest leave-one-out error over a few bandwidths, and its fit.

    Prototypes are given by their squared distances (c × n), the unit of length by the mean squared
    dissimilarity ``mean_sq``. Y (n × g) are targets, w (n) object weights that sum to one. Without
    ``alpha``, the ridge penalty, it is chosen as well.
    """
    used, dtype = np.flatnonzero(w), distances_sq.dtype
    is_sample = len(used) > MAX_BANDWIDTH_OBJECTS
    if is_sample:
        used = used[spread_along(distances_sq.mean(axis=0)[used], MAX_BANDWIDTH_OBJECTS)]
    shares = w[used] / w[used].sum() if is_sample else w[used]
    unit = np.sqrt(mean_sq) if mean_sq > 0 else 1.0
    best: tuple[Array, OutputFit] | None = None
    for bandwidth in BANDWIDTHS:
        bandwidths = np.full(len(distances_sq), bandwidth * unit, dtype=dtype)
        u = distances_sq[:, used] / np.square(bandwidths)[:, None]
        fit = fit_output(kernel.activate(u).T, Y[used], shares, alpha)
        # of bandwidths that do equally well the smallest: rounding must not choose between them
        if best is None or fit.loo_error < (1 - LOO_TIE) * best[1].loo_error:
            best = bandwidths, fit
    assert best is not None
    bandwidths, fit = best
    network = Network(kernel, bandwidths, fit.weights.astype(dtype), fit.bias.astype(dtype))
    if is_sample:
        forward = ChunkedForward(network, len(Y), lambda cols: distances_sq[:, cols])
        weights, bias = solve_output(forward, Y, w, fit.alpha)
        network = replace(network, weights=weights, bias=bias)
    return network, fit
