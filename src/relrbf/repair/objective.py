"""How far from the given dissimilarities: what is minimised, and what bounds it from below.

Both norms lead to the same inner problem, over the pairs of objects,

    minimise  reluctance · Σ w |x - d|  +  Σ w (x - centre)² / (2 step)   subject to the triangles,

and to its dual: with duals z of the triangles and their pull v on the pairs (``v = A' z``), the
best x is ``d + soft(centre - d - step v / w, reluctance · step)``. Least squares has reluctance 0,
step 1 and centre d. The least sum has reluctance 1; it is a linear programme, solved by the
proximal-point method: the centre follows x until it stays where it is.

Symbols: d given dissimilarities of the pairs, w their weights, inverse 1 / w, and zero for a pair
that must stay as it is, x the dissimilarities sought.
"""

from abc import ABC, abstractmethod

import numpy as np

from relrbf._typing import Array
from relrbf.repair.constraints import Constraints
from relrbf.repair.sweeps import soft

FIRST_STEP = 0.1  # of the usual violation
PACE = 0.04  # by how much the logarithm of the step changes at a time
ROUNDING = float(np.finfo(np.float64).eps)


class Objective(ABC):
    """A distance from the given dissimilarities.

    Parameters
    ----------
    d : ndarray of shape (pairs,)
        Given dissimilarities.
    inverse : ndarray of shape (pairs,)
        One over each pair's weight; zero where a pair must not change.
    constraints : Constraints
        What x must obey.
    """

    order: int  # of the norm
    reluctance = 0.0
    step = 1.0

    def __init__(self, d: Array, inverse: Array, constraints: Constraints) -> None:
        self.d = d
        self.inverse = inverse
        self.centre = d
        self.weights = np.divide(1, inverse, out=np.zeros_like(inverse), where=inverse > 0)

    @property
    def threshold(self) -> float:
        """What is taken off every displacement."""
        return self.reluctance * self.step

    def displacements(self, pull: Array) -> Array:
        """Return u, the displacements that a pull asks for, before the threshold is taken off."""
        return self.centre - self.d - self.step * self.inverse * pull

    def at(self, pull: Array) -> Array:
        """Return the best x under a pull."""
        return self.d + soft(self.displacements(pull), self.threshold)

    def dual(self, pull: Array) -> float:
        """Return the dual value of the inner problem."""
        x = self.at(pull)
        size = self.reluctance * np.abs(x - self.d) + (x - self.centre) ** 2 / (2 * self.step)
        return float(self.weights @ size + pull @ x)

    @abstractmethod
    def cost(self, x: Array) -> float:
        """Return what is minimised."""

    @staticmethod
    @abstractmethod
    def cost_at(distance: float) -> float:
        """Return the cost at a distance in the norm."""

    @abstractmethod
    def bound(self, pull: Array, best: float) -> tuple[float, float]:
        """Return a lower bound of every cost, and the rounding error it may have.

        The best cost found so far may help.
        """

    @abstractmethod
    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Go on to the next inner problem, from the x of this one."""


class LeastSquares(Objective):
    """Half the sum of the squared changes; the inner problem is all there is."""

    order = 2

    def cost(self, x: Array) -> float:
        """Return half the sum of squares."""
        return float(0.5 * (self.weights @ (x - self.d) ** 2))

    @staticmethod
    def cost_at(distance: float) -> float:
        """Return half the square."""
        return 0.5 * distance**2

    def bound(self, pull: Array, best: float) -> tuple[float, float]:
        """Return the dual value."""
        return self.dual(pull), ROUNDING * float(np.abs(pull) @ self.d)

    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Stay: there is one inner problem only."""


class LeastSum(Objective):
    """The sum of the absolute changes."""

    order = 1
    reluctance = 1.0

    def __init__(self, d: Array, inverse: Array, constraints: Constraints) -> None:
        super().__init__(d, inverse, constraints)
        self.step = FIRST_STEP * constraints.violated(d).usual
        # so much of a pair will be cut off anyway; one that is wrong by orders of magnitude
        # would need many steps to get there
        self.centre = constraints.cut(d)

    def cost(self, x: Array) -> float:
        """Return the sum of sizes."""
        return float(self.weights @ np.abs(x - self.d))

    @staticmethod
    def cost_at(distance: float) -> float:
        """Return the distance itself."""
        return distance

    def bound(self, pull: Array, best: float) -> tuple[float, float]:
        """Return the least of the Lagrangian where an optimum must lie.

        That is within ``0 <= x <= max d``, since a metric capped there stays one and comes nearer,
        and where no pair alone costs more than the best cost so far.
        """
        largest = self.d.max()
        reach = best * self.inverse
        up = np.maximum(-pull - self.weights, 0) * np.minimum(largest - self.d, reach)
        down = np.maximum(pull - self.weights, 0) * np.minimum(self.d, reach)
        return float(pull @ self.d - up.sum() - down.sum()), ROUNDING * float(np.abs(pull) @ self.d)

    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Move the centre to x.

        Longer steps bring the duals closer to feasible, shorter ones bring x: whichever is behind
        decides.
        """
        cost = self.cost(x)
        pace = PACE if abs(cost - bound) > abs(closed_cost - cost) else -PACE
        self.step *= float(np.exp(pace))
        self.centre = x


NORMS: dict[str, type[Objective]] = {"l2": LeastSquares, "l1": LeastSum}
