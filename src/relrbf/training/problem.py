"""What is minimised: weighted squared error plus a ridge on the output weights (theory 4).

``f = 1/2 sum_i w_i |y_i - yhat_i|² + alpha/2 |W|²``, object weights w summing to one: the mean over
objects, not the sum, so that a step means the same for any number of them (theory 8).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.network import CurvatureBounds, Forward, Network, curvature_bounds
from relrbf.spaces.base import Prototypes, Space


@dataclass(frozen=True)
class Point:
    """A network with its prototypes, evaluated."""

    network: Network
    prototypes: Prototypes
    forward: Forward
    objective: float


@dataclass(frozen=True)
class Downhill:
    """The negative gradient at a point, group by group, and bounds on the curvature there.

    ``prototypes`` is a direction of the space, whatever that is.
    """

    weights: Array
    bias: Array
    bandwidths: Array
    prototypes: Any
    curvature: CurvatureBounds


@dataclass(frozen=True)
class Problem:
    """A space, targets (n × g), object weights (n, summing to one) and a ridge penalty."""

    space: Space
    targets: Array
    weights: Array
    alpha: float

    def evaluate(self, network: Network, prototypes: Prototypes) -> Point:
        """Pass every object through the network."""
        forward = network.forward(prototypes.distances_sq)
        errors_sq = np.square(self.targets - forward.responses).sum(axis=1)
        penalty = self.alpha * np.square(network.weights).sum()
        return Point(network, prototypes, forward, float(self.weights @ errors_sq + penalty) / 2)

    def downhill(self, point: Point, curvature: CurvatureBounds | None = None) -> Downhill:
        """Return the way down; the forces on the prototypes are ``h = 2 df/dd`` (theory 4).

        Bounds on the curvature that are already known are taken as they are.
        """
        network, forward = point.network, point.forward
        by_responses = self.weights[:, None] * (forward.responses - self.targets)
        gradients = network.backward(forward, by_responses)
        if curvature is None:
            curvature = curvature_bounds(network, forward, gradients, self.weights, self.alpha)
        forces = gradients.distances_sq
        forces *= 2
        return Downhill(
            weights=-gradients.weights - self.alpha * network.weights,
            bias=-gradients.bias,
            bandwidths=-gradients.bandwidths,
            prototypes=self.space.descent(point.prototypes, forces),
            curvature=curvature,
        )
