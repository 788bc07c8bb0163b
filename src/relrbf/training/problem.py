"""What is minimised: a loss over the training objects and a ridge on the weights (theory 4).

``f = sum_i w_i loss(y_i, yhat_i) + alpha/2 |W|²``, object weights w summing to one: the mean over
objects, not the sum, so that a step means the same for any number of them (theory 8).
"""

from dataclasses import dataclass, field

import numpy as np

from relrbf._typing import Array
from relrbf.network import (
    ChunkedForward,
    Curvature,
    DistanceGradients,
    ForwardPass,
    Loss,
    Network,
    SquaredError,
    bound_curvature,
)
from relrbf.network.model import MAX_KEPT_ENTRIES
from relrbf.prototypes.base import Prototypes, Space

IDENTITY_TOLERANCE = 1e-6  # relative: numbers computed on another machine are the same


@dataclass(frozen=True, eq=False)
class Point:
    """A network with its prototypes, evaluated."""

    network: Network
    prototypes: Prototypes
    forward: ForwardPass
    objective: float


@dataclass(frozen=True, eq=False)
class Problem:
    """A space, targets (n × g), object weights (n, summing to one) and a ridge penalty.

    ``validation`` holds the weights of the validation objects: they sum to one as well, and an
    object has a weight here or in ``weights``, not in both. Where targets are the responses of a
    teacher, ``teacher_bandwidth`` is its bandwidth and ``teacher_error`` its leave-one-out error.
    ``unit_sq`` is the mean squared dissimilarity where it was measured on some of the objects.
    """

    space: Space
    targets: Array
    weights: Array
    alpha: float
    loss: Loss = field(default_factory=SquaredError)
    validation: Array | None = None
    teacher_bandwidth: float = np.nan
    teacher_error: float = 0.0
    unit_sq: float | None = None

    @property
    def mean_sq(self) -> float:
        """Mean squared dissimilarity of the objects, or of those it was measured on (a unit)."""
        if self.unit_sq is not None:
            return self.unit_sq
        return max(self.space.mean_sq(self.weights), 0.0)

    def evaluate(self, network: Network, prototypes: Prototypes) -> Point:
        """Pass every object through the network, keeping the forward pass."""
        return self.point(network, prototypes, network.forward(prototypes.distances_sq))

    def forward(self, network: Network, prototypes: Prototypes) -> ForwardPass:
        """Pass every object through the network; of many objects only responses are kept."""
        n_entries, n_objects = len(network.bandwidths) * self.space.n_objects, self.space.n_objects
        if n_entries <= MAX_KEPT_ENTRIES:
            return network.forward(prototypes.distances_sq)
        return ChunkedForward(network, n_objects, prototypes.distances_sq_at)

    def point(self, network: Network, prototypes: Prototypes, forward: ForwardPass) -> Point:
        """Return the point of a network, given its forward pass."""
        loss = self.loss.value(forward.responses, self.targets, self.weights)
        penalty = self.alpha * float(np.square(network.weights).sum()) / 2
        return Point(network, prototypes, forward, loss + penalty)

    def validation_error(self, point: Point) -> float:
        """Return the loss of the validation objects."""
        assert self.validation is not None
        return self.loss.value(point.forward.responses, self.targets, self.validation)

    def deviations(self, point: Point) -> Array:
        """Return the largest absolute deviation of each training object's responses (n).

        Minus one for objects of weight zero. With cross-entropy, that of the probabilities.
        """
        ones = np.ones_like(self.weights)
        by_responses = self.loss.gradient(point.forward.responses, self.targets, ones)
        return np.where(self.weights > 0, np.abs(by_responses).max(axis=1), -1)

    def output_gradients(self, network: Network, forward: ForwardPass) -> tuple[Array, Array]:
        """Return the gradient by weights and bias, the penalty's included."""
        by_weights, by_bias = network.backward_to_output(forward, self._by_responses(forward))
        return by_weights + self.alpha * network.weights, by_bias

    def distance_gradients(self, network: Network, forward: ForwardPass) -> DistanceGradients:
        """Return the gradient by the distances, from which prototypes move (theory 4)."""
        return DistanceGradients(network, forward, self._by_responses(forward))

    def bandwidth_gradients(self, network: Network, forward: ForwardPass) -> Array:
        """Return the gradient by the bandwidths alone (c)."""
        return network.backward(forward, self._by_responses(forward)).bandwidths

    def curvature(self, point: Point) -> Curvature:
        """Bound the curvature at a point, group by group."""
        hidden = point.network.backward(point.forward, self._by_responses(point.forward))
        return bound_curvature(point.network, point.forward, hidden, self.weights, self.alpha)

    def identity(self) -> dict[str, Array]:
        """Return arrays that distinguish this problem from any other."""
        empty = np.zeros_like(self.weights)
        return {
            "y": self.targets,
            "sample_weight": self.weights,
            "validation part": empty if self.validation is None else self.validation,
            "X": self.space.distances_sq_to_mean(self.weights),
        }

    def _by_responses(self, forward: ForwardPass) -> Array:
        return self.loss.gradient(forward.responses, self.targets, self.weights)


def agree(kept: Array, present: Array) -> bool:
    """Return whether arrays are the same numbers, even if computed on another machine."""
    if kept.shape != present.shape:
        return False
    scale = float(np.abs(present).max(initial=0.0))
    tolerance = max(IDENTITY_TOLERANCE, 1e2 * float(np.finfo(present.dtype).eps))
    return bool((np.abs(kept - present) <= tolerance * scale).all())
