"""Variable projection: the objective as a function of prototypes and log-bandwidths alone.

At every point the output layer is solved exactly, so that the objective's gradient by prototypes
and bandwidths is the one at fixed weights (the weights' own gradient is zero).
"""

from dataclasses import dataclass, replace

import numpy as np

from relrbf._typing import Array
from relrbf.network import Network
from relrbf.network.output import solve_output
from relrbf.prototypes.base import Direction, Prototypes
from relrbf.training.problem import Point, Problem

ARMIJO = 1e-4  # of the fall that the derivative predicts, what a step must bring
MAX_HALVINGS = 30
MAX_DOUBLINGS = 8
MIN_FALL = 1e-13  # a relative fall of the objective below this is rounding


@dataclass(frozen=True, eq=False)
class HiddenChange:
    """A change of log-bandwidths (c) and prototypes."""

    log_bandwidths: Array
    prototypes: Direction

    def plus(self, other: "HiddenChange", factor: float) -> "HiddenChange":
        """Add a multiple of another change."""
        return HiddenChange(
            self.log_bandwidths + factor * other.log_bandwidths,
            self.prototypes.plus(other.prototypes, factor),
        )

    def times(self, factor: float) -> "HiddenChange":
        """Return a multiple."""
        factors = np.full_like(self.log_bandwidths, factor)
        return HiddenChange(factors * self.log_bandwidths, self.prototypes.scaled(factors))


@dataclass(frozen=True, eq=False)
class ProjectedProblem:
    """A problem whose output layer is solved; lengths are in units of ``unit_sq ** 0.5``.

    No bandwidth falls below ``min_bandwidth``, which is in the same unit as the dissimilarities.
    """

    problem: Problem
    unit_sq: float
    min_bandwidth: float

    def negative_gradient(self, point: Point) -> HiddenChange:
        """Return the negative gradient in the inner product below."""
        gradients = self.problem.distance_gradients(point.network, point.forward)
        direction = self.problem.space.descent(point.prototypes, gradients)
        bandwidths = point.network.bandwidths
        units = np.full_like(bandwidths, self.unit_sq)
        return HiddenChange(-bandwidths * gradients.by_bandwidths, direction.scaled(units))

    def inner(self, first: HiddenChange, second: HiddenChange) -> float:
        """Return the inner product, prototypes measured in units."""
        latent = self.problem.space.inner(first.prototypes, second.prototypes).sum() / self.unit_sq
        return float(latent) + float(first.log_bandwidths @ second.log_bandwidths)

    def move(self, start: Point, direction: HiddenChange, length: float) -> Point:
        """Return the point that a step of this length reaches."""
        old = start.network.bandwidths
        scaled = old * np.exp(np.clip(length * direction.log_bandwidths, -1, 1)).astype(old.dtype)
        bandwidths = np.maximum(scaled, np.minimum(old, self.min_bandwidth))
        steps = np.full_like(old, length)
        prototypes = self.problem.space.move(start.prototypes, direction.prototypes, steps)
        return solved(self.problem, replace(start.network, bandwidths=bandwidths), prototypes)

    def line_search(
        self,
        start: Point,
        direction: HiddenChange,
        derivative: float,
        length: float,
        may_double: bool,
    ) -> tuple[Point, float] | None:
        """Return the point a step reaches and its length; lengths are only halved or doubled.

        A choice among few lengths is the same for a network and its vector equivalent, whose
        numbers differ by rounding.
        """

        def accepted(length: float) -> Point | None:
            with np.errstate(over="ignore", invalid="ignore"):
                point = self.move(start, direction, length)
            needed = start.objective + ARMIJO * length * derivative
            lower = start.objective - MIN_FALL * abs(start.objective)
            return point if point.objective <= min(needed, lower) else None

        for _ in range(MAX_HALVINGS):
            point = accepted(length)
            if point is not None:
                break
            length, may_double = length / 2, False
        else:
            return None
        for _ in range(MAX_DOUBLINGS if may_double else 0):
            farther = accepted(2 * length)
            if farther is None or farther.objective >= point.objective:
                break
            point, length = farther, 2 * length
        return point, length


def solved(problem: Problem, network: Network, prototypes: Prototypes) -> Point:
    """Return the point with the best output layer for these prototypes and bandwidths."""
    forward = problem.forward(network, prototypes)
    weights, bias = solve_output(forward, problem.targets, problem.weights, problem.alpha)
    if not np.isfinite(weights).all():
        return Point(network, prototypes, forward, np.inf)
    network = replace(network, weights=weights, bias=bias)
    return problem.point(network, prototypes, forward.with_output_of(network))
