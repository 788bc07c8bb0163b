"""The network: responses from squared distances, gradients back to them, and losses.

Symbols (theory 1 and 4)
------------------------
d     c × n   squared distances          s       c         bandwidths
u     c × n   d / s²                     W, w_0  c × g, g  weights and biases
phi   c × n   activations                Yhat    n × g     responses
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
from scipy.special import log_softmax

from relrbf._typing import Array
from relrbf.network.kernels import Kernel

CHUNK_ENTRIES = 2**18  # of a c × n array: they fit in a processor's cache
MAX_KEPT_ENTRIES = 2**22  # of a c × n array: more cost less to compute again than to fetch


@dataclass(frozen=True)
class Network:
    """A hidden layer of radial basis functions and a linear output layer.

    Attributes
    ----------
    kernel : Kernel
        The radial basis function.
    bandwidths : ndarray of shape (c,)
        One positive bandwidth per prototype.
    weights : ndarray of shape (c, g)
        Output weights.
    bias : ndarray of shape (g,)
        Output biases.
    """

    kernel: Kernel
    bandwidths: Array
    weights: Array
    bias: Array

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
    step = max(1, CHUNK_ENTRIES // max(n_rows, 1))
    for start in range(0, n_columns, step):
        yield slice(start, min(start + step, n_columns))


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
