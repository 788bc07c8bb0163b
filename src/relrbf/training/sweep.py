"""One epoch of Algorithm 1: weights, then prototypes, then bandwidths, each from the last's result.

The same text runs in every space. It costs one product with S, for the prototypes' direction;
everything else is O(c n g).
"""

from dataclasses import replace

import numpy as np

from relrbf._typing import Array
from relrbf.network import Forward
from relrbf.training.problem import Motion, Point, Problem
from relrbf.training.rates import Rates


def sweep(
    problem: Problem, point: Point, rates: Rates, floor: float, past: Motion | None, momentum: float
) -> tuple[Point, Motion | None]:
    """Return the point after an epoch, and, where there is momentum, the motion that led there.

    ``past`` is the last motion, of which a share ``momentum`` goes on. No bandwidth falls below
    ``floor``.
    """
    old, step, space = point.network, rates.steps(), problem.space

    def carried(change: Array, name: str) -> Array:
        return change if past is None else change + momentum * getattr(past, name)

    output = problem.output_gradients(old, point.forward)  # equation 2.7
    by_weights = carried(-step.weights * output.weights, "weights")
    by_bias = carried(-step.bias * output.bias, "bias")
    network = replace(old, weights=old.weights + by_weights, bias=old.bias + by_bias)

    activations = point.forward.activations
    forward = Forward(point.forward.scaled_sq, activations, network.respond(activations))
    direction = space.descent(point.prototypes, problem.forces(network, forward))
    steps = step.prototypes
    if momentum:
        direction, steps = direction.scaled(steps), np.ones_like(steps)
    if past is not None:
        direction = direction.plus(past.prototypes, momentum)
    prototypes = space.move(point.prototypes, direction, steps)  # theory 4, for equation 2.9

    forward = network.forward(prototypes.distances_sq)
    slopes = problem.bandwidth_gradients(network, forward)  # equation 2.11
    by_bandwidths = carried(-step.bandwidths * slopes, "bandwidths")
    lowest = np.minimum(old.bandwidths, floor)  # a narrower start may stay, not narrow further
    network = replace(network, bandwidths=np.maximum(old.bandwidths + by_bandwidths, lowest))
    narrowed = network.bandwidths - old.bandwidths
    motion = Motion(by_weights, by_bias, narrowed, direction) if momentum else None
    return problem.evaluate(network, prototypes), motion
