"""The network: responses from squared distances, and gradients back to them.

Symbols (theory, sections 1 and 4)
----------------------------------
d     c × n   squared distances          s       c       bandwidths
u     c × n   d / s²                     W, w_0  c × g, g  weights and biases
phi   c × n   activations                Yhat    n × g   responses
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array
from relrbf.network.forward_pass import Forward, ForwardPass
from relrbf.network.kernels import Kernel


@dataclass(frozen=True)
class OutputGradients:
    """Derivatives of an objective by the output layer."""

    weights: Array
    bias: Array


@dataclass(frozen=True)
class HiddenGradients:
    """Derivatives of an objective by the bandwidths and by the squared distances.

    ``slopes`` (c × n) are the kernel's own, dk/du.
    """

    bandwidths: Array
    distances_sq: Array
    slopes: Array


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

    def forward(self, distances_sq: Array) -> Forward:
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

    def to_output(self, forward: ForwardPass, by_responses: Array) -> OutputGradients:
        """Carry df/dYhat (n × g) back to the output layer (theory 4)."""
        return OutputGradients(forward.activations @ by_responses, by_responses.sum(axis=0))

    def to_hidden(self, forward: ForwardPass, by_responses: Array) -> HiddenGradients:
        """Carry df/dYhat (n × g) back to the bandwidths and the distances (theory 4)."""
        by_scaled, slopes = self._to_scaled(forward, by_responses)
        bandwidths = self._to_bandwidths(by_scaled, forward)
        by_scaled *= (1 / np.square(self.bandwidths))[:, None]
        return HiddenGradients(bandwidths, by_scaled, slopes)

    def to_bandwidths(self, forward: ForwardPass, by_responses: Array) -> Array:
        """Carry df/dYhat (n × g) back to the bandwidths alone (c)."""
        return self._to_bandwidths(self._to_scaled(forward, by_responses)[0], forward)

    def forces(self, passage: ForwardPass, by_responses: Array) -> "Forces":
        """Carry df/dYhat (n × g) back to the forces on the prototypes (theory 4)."""
        return Forces(self, passage, by_responses)

    def forces_on(self, forward: ForwardPass, by_responses: Array) -> tuple[Array, Array]:
        """Return forces ``h = 2 df/dd`` (c × n), and the gradient by the bandwidths (c)."""
        by_scaled, _ = self._to_scaled(forward, by_responses)
        bandwidths = self._to_bandwidths(by_scaled, forward)
        by_scaled *= (2 / np.square(self.bandwidths))[:, None]
        return by_scaled, bandwidths

    def _to_scaled(self, forward: ForwardPass, by_responses: Array) -> tuple[Array, Array]:
        """Return df/du (c × n), and the kernel's slopes."""
        slopes = self.kernel.differentiate(forward.scaled_sq, forward.activations)
        by_scaled = self.weights @ by_responses.T
        by_scaled *= slopes
        return by_scaled, slopes

    def _to_bandwidths(self, by_scaled: Array, forward: ForwardPass) -> Array:
        return -2 * np.einsum("ji,ji->j", by_scaled, forward.scaled_sq) / self.bandwidths


class Forces:
    """Forces h on the prototypes (c × n), made part by part.

    Attributes
    ----------
    by_bandwidths : ndarray of shape (c,)
        The gradient by the bandwidths, complete when all parts were made.
    """

    def __init__(self, network: Network, passage: ForwardPass, by_responses: Array) -> None:
        self.network = network
        self.passage = passage
        self.by_responses = by_responses
        self.by_bandwidths = np.zeros_like(network.bandwidths)

    def parts(self) -> Iterator[tuple[slice, Array]]:
        """Return which objects, and the forces from them."""
        self.by_bandwidths = np.zeros_like(self.network.bandwidths)
        for cols, forward in self.passage.parts():
            forces, by_bandwidths = self.network.forces_on(forward, self.by_responses[cols])
            self.by_bandwidths += by_bandwidths
            yield cols, forces

    def whole(self) -> Array:
        """Return the forces of all objects (c × n)."""
        return np.hstack([forces for _, forces in self.parts()])
