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
from relrbf.repair.sweeps import soft

FIRST_STEP = 0.1  # of the mean dissimilarity
PACE = 1.05  # by how much the step changes at a time
ROUNDING = 1e-13


class Objective(ABC):
    """A distance from the given dissimilarities.

    Parameters
    ----------
    d : ndarray of shape (pairs,)
        Given dissimilarities.
    inverse : ndarray of shape (pairs,)
        One over each pair's weight; zero where a pair must not change.
    """

    order: int  # of the norm
    reluctance = 0.0
    step = 1.0

    def __init__(self, d: Array, inverse: Array) -> None:
        self.d = d
        self.inverse = inverse
        self.centre = d
        self.free = inverse > 0
        self.weights = np.divide(1, inverse, out=np.zeros_like(inverse), where=self.free)

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

    @abstractmethod
    def bound(self, pull: Array) -> tuple[float, float]:
        """Return a lower bound of every cost, and the rounding error it may have."""

    @abstractmethod
    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Go on to the next inner problem, from the x of this one."""


class LeastSquares(Objective):
    """Half the sum of the squared changes; the inner problem is all there is."""

    order = 2

    def cost(self, x: Array) -> float:
        """Return half the sum of squares."""
        return float(0.5 * (self.weights @ (x - self.d) ** 2))

    def bound(self, pull: Array) -> tuple[float, float]:
        """Return the dual value."""
        return self.dual(pull), ROUNDING * float(np.abs(pull) @ self.d)

    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Stay: there is one inner problem only."""


class LeastSum(Objective):
    """The sum of the absolute changes."""

    order = 1
    reluctance = 1.0

    def __init__(self, d: Array, inverse: Array) -> None:
        super().__init__(d, inverse)
        self.step = FIRST_STEP * float(d.mean())

    def cost(self, x: Array) -> float:
        """Return the sum of sizes."""
        return float(self.weights @ np.abs(x - self.d))

    def bound(self, pull: Array) -> tuple[float, float]:
        """Return the least of the Lagrangian over ``0 <= x <= max d``, where an optimum lies.

        Capped at the largest dissimilarity, a metric stays one and comes nearer.
        """
        largest = self.d.max()
        up = np.where(self.free, np.maximum(-pull - self.weights, 0), 0) * (largest - self.d)
        down = np.where(self.free, np.maximum(pull - self.weights, 0), 0) * self.d
        return float(pull @ self.d - up.sum() - down.sum()), ROUNDING * float(np.abs(pull) @ self.d)

    def advance(self, x: Array, closed_cost: float, bound: float) -> None:
        """Move the centre to x.

        Longer steps bring the duals closer to feasible, shorter ones bring x: whichever is behind
        decides.
        """
        cost = self.cost(x)
        self.step *= PACE if abs(cost - bound) > abs(closed_cost - cost) else 1 / PACE
        self.centre = x


NORMS: dict[str, type[Objective]] = {"l2": LeastSquares, "l1": LeastSum}
