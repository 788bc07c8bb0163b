"""What is minimised: a loss over the training objects and a ridge on the weights (theory 4).

``f = sum_i w_i loss(y_i, yhat_i) + alpha/2 |W|²``, object weights w summing to one: the mean over
objects, not the sum, so that a step means the same for any number of them (theory 8).
"""

from dataclasses import dataclass, field

import numpy as np

from relrbf._typing import Array
from relrbf.network import (
    LONG,
    ChunkedForward,
    Curvature,
    Forces,
    ForwardPass,
    HiddenGradients,
    Loss,
    Network,
    OutputGradients,
    SquaredError,
    curvature,
)
from relrbf.prototypes.base import Direction, Prototypes, Space

SAME = 1e-6  # relative


@dataclass(frozen=True, eq=False)
class Point:
    """A network with its prototypes, evaluated."""

    network: Network
    prototypes: Prototypes
    forward: ForwardPass
    objective: float


@dataclass(frozen=True, eq=False)
class Motion:
    """A change of every parameter, group by group."""

    weights: Array
    bias: Array
    bandwidths: Array
    prototypes: Direction

    def plus(self, other: "Motion", factor: float) -> "Motion":
        """Add a multiple of another motion."""
        return Motion(
            self.weights + factor * other.weights,
            self.bias + factor * other.bias,
            self.bandwidths + factor * other.bandwidths,
            self.prototypes.plus(other.prototypes, factor),
        )

    def widened(self, n_more: int) -> "Motion":
        """Add prototypes that do not change."""
        return Motion(
            np.pad(self.weights, ((0, n_more), (0, 0))),
            self.bias,
            np.pad(self.bandwidths, (0, n_more)),
            self.prototypes.widened(n_more),
        )


@dataclass(frozen=True, eq=False)
class Problem:
    """A space, targets (n × g), object weights (n, summing to one) and a ridge penalty.

    ``validation`` holds the weights of the validation objects: they sum to one as well, and an
    object has a weight here or in ``weights``, not in both. Where targets are the responses of
    a teacher, ``teacher_bandwidth`` is its bandwidth and ``teacher_error`` its leave-one-out error.
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
        """Pass every object through the network."""
        return self.valued(network, prototypes, network.forward(prototypes.distances_sq))

    def passage(self, network: Network, prototypes: Prototypes) -> ForwardPass:
        """Pass every object through the network; of many, little is kept that can be made again."""
        c, n = len(network.bandwidths), self.space.n_objects
        if c * n <= LONG:
            return network.forward(prototypes.distances_sq)
        return ChunkedForward(network, n, prototypes.distances_sq_at)

    def valued(self, network: Network, prototypes: Prototypes, forward: ForwardPass) -> Point:
        """Return the point of a network that every object has passed."""
        loss = self.loss.value(forward.responses, self.targets, self.weights)
        penalty = self.alpha * float(np.square(network.weights).sum()) / 2
        return Point(network, prototypes, forward, loss + penalty)

    def validation_error(self, point: Point) -> float:
        """Return the loss of the objects that watch."""
        assert self.validation is not None
        return self.loss.value(point.forward.responses, self.targets, self.validation)

    def deviations(self, point: Point) -> Array:
        """Return the largest absolute deviation of each training object's responses (n).

        Minus one for objects that take no part. With cross-entropy, that of the probabilities.
        """
        slopes = self.loss.slope(point.forward.responses, self.targets, np.ones_like(self.weights))
        return np.where(self.weights > 0, np.abs(slopes).max(axis=1), -1)

    def output_gradients(self, network: Network, forward: ForwardPass) -> OutputGradients:
        """Return the gradient by the output layer, the penalty's included."""
        plain = network.to_output(forward, self._slope(forward))
        return OutputGradients(plain.weights + self.alpha * network.weights, plain.bias)

    def hidden_gradients(self, network: Network, forward: ForwardPass) -> HiddenGradients:
        """Return the gradients by bandwidths and distances."""
        return network.to_hidden(forward, self._slope(forward))

    def forces(self, network: Network, forward: ForwardPass) -> Forces:
        """Return the forces on the prototypes, ``h = 2 df/dd`` (theory 4)."""
        return network.forces(forward, self._slope(forward))

    def bandwidth_gradients(self, network: Network, forward: ForwardPass) -> Array:
        """Return the gradient by the bandwidths alone (c)."""
        return network.to_bandwidths(forward, self._slope(forward))

    def descent_step(self, point: Point) -> Motion:
        """Return the negative gradient in all parameters at once."""
        network, forward = point.network, point.forward
        output = self.output_gradients(network, forward)
        hidden = self.hidden_gradients(network, forward)
        direction = self.space.descent(point.prototypes, 2 * hidden.distances_sq)
        return Motion(-output.weights, -output.bias, -hidden.bandwidths, direction)

    def curvature(self, point: Point) -> Curvature:
        """Bound the curvature at a point, group by group."""
        hidden = self.hidden_gradients(point.network, point.forward)
        return curvature(point.network, point.forward, hidden, self.weights, self.alpha)

    def identity(self) -> dict[str, Array]:
        """Return arrays that tell this problem from any other."""
        empty = np.zeros_like(self.weights)
        return {
            "y": self.targets,
            "sample_weight": self.weights,
            "validation part": empty if self.validation is None else self.validation,
            "X": self.space.from_mean_sq(self.weights),
        }

    def _slope(self, forward: ForwardPass) -> Array:
        return self.loss.slope(forward.responses, self.targets, self.weights)


def agree(kept: Array, present: Array) -> bool:
    """Tell whether arrays are the same numbers, be it computed on another machine."""
    if kept.shape != present.shape:
        return False
    scale = float(np.abs(present).max(initial=0.0))
    tolerance = max(SAME, 1e2 * float(np.finfo(present.dtype).eps))
    return bool((np.abs(kept - present) <= tolerance * scale).all())
