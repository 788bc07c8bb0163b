"""The network: responses from squared distances, and gradients back to them.

Symbols (theory 1 and 4)
------------------------
d     c × n   squared distances          s       c         bandwidths
u     c × n   d / s²                     W, w_0  c × g, g  weights and biases
phi   c × n   activations                Yhat    n × g     responses
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np

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
        scaled_sq, activations = self.activate(distances_sq)
        return Forward(scaled_sq, activations, self.respond(activations))

    def activate(self, distances_sq: Array) -> tuple[Array, Array]:
        """Return squared distances over squared bandwidths, and the activations (c × n each)."""
        scaled_sq = distances_sq * (1 / np.square(self.bandwidths))[:, None]
        return scaled_sq, self.kernel.activate(scaled_sq)

    def respond(self, activations: Array) -> Array:
        """Pass activations (c × n) to responses (n × g)."""
        return activations.T @ self.weights + self.bias

    def backward_to_output(
        self, forward: "ForwardPass", by_responses: Array
    ) -> tuple[Array, Array]:
        """Carry df/dYhat (n × g) back to the weights (c × g) and the bias (g) (theory 4)."""
        return forward.activations @ by_responses, by_responses.sum(axis=0)

    def backward(self, forward: "ForwardPass", by_responses: Array) -> "HiddenGradients":
        """Carry df/dYhat (n × g) back to the bandwidths and the distances (theory 4)."""
        kernel_derivatives = self.kernel.differentiate(forward.scaled_sq, forward.activations)
        by_scaled = self.weights @ by_responses.T  # df/du, from here on
        by_scaled *= kernel_derivatives
        bandwidths = -2 * np.einsum("ji,ji->j", by_scaled, forward.scaled_sq) / self.bandwidths
        by_scaled *= (1 / np.square(self.bandwidths))[:, None]
        return HiddenGradients(bandwidths, by_scaled, kernel_derivatives)


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
        return replace(self, responses=network.respond(self.activations))


class ChunkedForward:
    """A forward pass of many objects, of which only the responses are kept.

    All else is computed again, chunk by chunk, when it is used. ``distances_sq_at`` returns the
    squared distances (c × k) of a slice of the objects.
    """

    def __init__(
        self, network: Network, n_objects: int, distances_sq_at: Callable[[slice], Array]
    ) -> None:
        self.network = network
        self.n_objects = n_objects
        self.distances_sq_at = distances_sq_at

    @cached_property
    def responses(self) -> Array:
        """Responses (n × g)."""
        network = self.network
        responses = np.empty((self.n_objects, len(network.bias)), dtype=network.weights.dtype)
        for cols, distances_sq in self._distances():
            responses[cols] = network.respond(network.activate(distances_sq)[1])
        return responses

    @property
    def scaled_sq(self) -> Array:
        """Squared distances over squared bandwidths (c × n), of all objects."""
        return self.network.activate(self.distances_sq_at(slice(None)))[0]

    @property
    def activations(self) -> Array:
        """Activations (c × n), of all objects."""
        return self.network.activate(self.distances_sq_at(slice(None)))[1]

    def chunks(self) -> Iterator[tuple[slice, Forward]]:
        """Pass the objects chunk by chunk; responses are left out unless they are known already."""
        known = self.__dict__.get("responses")
        for cols, distances_sq in self._distances():
            arrays = self.network.activate(distances_sq)
            yield cols, Forward(*arrays, np.empty(0) if known is None else known[cols])

    def with_output_of(self, network: Network) -> "ChunkedForward":
        """Return the pass through a network that differs in its output layer only."""
        return ChunkedForward(network, self.n_objects, self.distances_sq_at)

    def _distances(self) -> Iterator[tuple[slice, Array]]:
        for cols in column_chunks(len(self.network.bandwidths), self.n_objects):
            yield cols, self.distances_sq_at(cols)


ForwardPass: TypeAlias = Forward | ChunkedForward


def column_chunks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut the columns of an array into chunks of about CHUNK_ENTRIES entries."""
    step = max(1, CHUNK_ENTRIES // max(n_rows, 1))
    return (slice(at, min(at + step, n_columns)) for at in range(0, n_columns, step))


@dataclass(frozen=True)
class HiddenGradients:
    """Derivatives of an objective by the bandwidths (c) and by the squared distances (c × n).

    ``kernel_derivatives`` (c × n) are the kernel's own, dk/du.
    """

    bandwidths: Array
    distances_sq: Array
    kernel_derivatives: Array


class DistanceGradients:
    """Derivatives of an objective by the squared distances (c × n), computed chunk by chunk.

    ``by_bandwidths`` (c) is the gradient by the bandwidths, once all chunks were computed.
    """

    def __init__(self, network: Network, forward: ForwardPass, by_responses: Array) -> None:
        self.network = network
        self.forward = forward
        self.by_responses = by_responses
        self.by_bandwidths = np.zeros_like(network.bandwidths)

    def chunks(self) -> Iterator[tuple[slice, Array]]:
        """Return chunks: which objects, and the derivatives by the distances to them."""
        self.by_bandwidths = np.zeros_like(self.network.bandwidths)
        for cols, forward in self.forward.chunks():
            hidden = self.network.backward(forward, self.by_responses[cols])
            self.by_bandwidths += hidden.bandwidths
            yield cols, hidden.distances_sq

    def whole(self) -> Array:
        """Return the derivatives by all distances (c × n)."""
        return np.hstack([gradients for _, gradients in self.chunks()])
