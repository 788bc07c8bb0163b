"""The network: responses from squared distances, and gradients back to them.

Symbols (theory, sections 1 and 4)
----------------------------------
d     c × n   squared distances          s       c       bandwidths
u     c × n   d / s²                     W, w_0  c × g, g  weights and biases
phi   c × n   activations                Yhat    n × g   responses
"""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array
from relrbf.network.kernels import Kernel


@dataclass(frozen=True)
class Forward:
    """What a pass through the network leaves for the way back."""

    scaled_sq: Array
    activations: Array
    responses: Array


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
        scaled_sq = distances_sq * (1 / np.square(self.bandwidths))[:, None]
        activations = self.kernel.activate(scaled_sq)
        return Forward(scaled_sq, activations, self.respond(activations))

    def respond(self, activations: Array) -> Array:
        """Pass activations (c × n) to responses (n × g)."""
        return activations.T @ self.weights + self.bias

    def to_output(self, forward: Forward, by_responses: Array) -> OutputGradients:
        """Carry df/dYhat (n × g) back to the output layer (theory 4)."""
        return OutputGradients(forward.activations @ by_responses, by_responses.sum(axis=0))

    def to_hidden(self, forward: Forward, by_responses: Array) -> HiddenGradients:
        """Carry df/dYhat (n × g) back to the bandwidths and the distances (theory 4)."""
        by_scaled, slopes = self._to_scaled(forward, by_responses)
        bandwidths = self._to_bandwidths(by_scaled, forward)
        by_scaled *= (1 / np.square(self.bandwidths))[:, None]
        return HiddenGradients(bandwidths, by_scaled, slopes)

    def to_bandwidths(self, forward: Forward, by_responses: Array) -> Array:
        """Carry df/dYhat (n × g) back to the bandwidths alone (c)."""
        return self._to_bandwidths(self._to_scaled(forward, by_responses)[0], forward)

    def forces(self, forward: Forward, by_responses: Array) -> Array:
        """Carry df/dYhat (n × g) back to the forces ``h = 2 df/dd`` (c × n; theory 4)."""
        by_scaled, _ = self._to_scaled(forward, by_responses)
        by_scaled *= (2 / np.square(self.bandwidths))[:, None]
        return by_scaled

    def _to_scaled(self, forward: Forward, by_responses: Array) -> tuple[Array, Array]:
        """Return df/du (c × n), and the kernel's slopes."""
        slopes = self.kernel.differentiate(forward.scaled_sq, forward.activations)
        by_scaled = self.weights @ by_responses.T
        by_scaled *= slopes
        return by_scaled, slopes

    def _to_bandwidths(self, by_scaled: Array, forward: Forward) -> Array:
        return -2 * np.einsum("ji,ji->j", by_scaled, forward.scaled_sq) / self.bandwidths
