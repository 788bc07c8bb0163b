"""Exact joint gradient descent over weights, biases, bandwidths and prototypes (theory 4).

An epoch costs one product with S, and everything else O(c n) or O(c² n). An epoch whose step is
rejected costs no product: the same direction is tried again, half as far.
"""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from relrbf.exceptions import OptionError
from relrbf.network import CurvatureBounds, Network
from relrbf.spaces.base import Prototypes
from relrbf.training.base import History, OnEpoch, Result, Status, Trainer
from relrbf.training.problem import Downhill, Point, Problem

N_GROUPS = 4  # weights, biases, bandwidths, prototypes share what the curvature allows
ROUNDING = 1e-13  # a relative rise of the objective below this is none
BOUND_EPOCHS = 5  # bounds on the curvature hold for this many short steps
SETTLED_EPOCHS = 10  # in a row, before the objective counts as settled
REJECTED_EPOCHS = 50  # in a row, before no step counts as possible: 2**-50 is a rounding error


@dataclass(frozen=True)
class Descent(Trainer):
    """Joint gradient descent whose steps come from the curvature, so that there is no rate to tune.

    Every parameter steps along its gradient by the inverse of a bound on the objective's curvature
    (``relrbf.network.curvature``). A relational network and its vector twin take the same steps.

    Parameters
    ----------
    min_bandwidth : float, default=0.1
        No bandwidth falls below this fraction of the root mean squared dissimilarity. A prototype
        whose bandwidth collapses onto a single object learns that object by heart, and turns the
        rounding errors of its distance to it into responses.

    Examples
    --------
    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.training import Descent
    >>> model = RBFNetworkClassifier(solver=Descent(min_bandwidth=0.25))
    """

    min_bandwidth: float = 0.1

    def __post_init__(self) -> None:
        given: Any = self.min_bandwidth
        if not isinstance(given, Real) or not 0 <= float(given) < np.inf:
            raise OptionError(
                f"min_bandwidth is {given!r}; it must be a finite number, at least 0."
            )

    def train(
        self,
        problem: Problem,
        network: Network,
        prototypes: Prototypes,
        *,
        max_iter: int,
        tol: float,
        on_epoch: OnEpoch | None = None,
    ) -> Result:
        """Descend for at most max_iter epochs; the objective never rises."""
        floor = self.min_bandwidth * max(problem.space.mean_sq(problem.weights), 0.0) ** 0.5
        point = problem.evaluate(network, prototypes)
        history = History()
        history.record(point.objective, len(prototypes))
        downhill: Downhill | None = None
        curvature: CurvatureBounds | None = None
        reach, settled, rejected, status = 1.0, 0, 0, Status.MAX_ITER
        for epoch in range(max_iter):
            if downhill is None:
                fresh = epoch % BOUND_EPOCHS == 0 or reach < 1
                downhill = problem.downhill(point, None if fresh else curvature)
                curvature = downhill.curvature
            trial = _step(problem, point, downhill, reach, floor)
            if trial.objective <= (1 + ROUNDING) * point.objective:
                fall = point.objective - trial.objective
                settled = settled + 1 if abs(fall) < tol * point.objective else 0
                point, downhill, rejected, reach = trial, None, 0, min(1.0, 1.1 * reach)
            else:
                reach, rejected = reach / 2, rejected + 1
            history.record(point.objective, len(point.prototypes))
            if on_epoch is not None and on_epoch(point.objective):
                status = Status.INTERRUPTED
                break
            if settled >= SETTLED_EPOCHS or rejected >= REJECTED_EPOCHS:
                status = Status.CONVERGED if rejected == 0 else Status.STALLED
                break
        return Result(point.network, point.prototypes, status, len(history) - 1, history)


def _step(problem: Problem, point: Point, downhill: Downhill, reach: float, floor: float) -> Point:
    """Step in every parameter at once, each by its share of what the curvature allows."""
    share = reach / N_GROUPS
    bounds, old = downhill.curvature, point.network
    bandwidths = old.bandwidths + share / bounds.bandwidths * downhill.bandwidths
    network = replace(
        old,
        weights=old.weights + share / bounds.weights[:, None] * downhill.weights,
        bias=old.bias + share / bounds.bias * downhill.bias,
        bandwidths=np.maximum(bandwidths, floor),
    )
    moved = problem.space.move(point.prototypes, downhill.prototypes, share / bounds.prototypes)
    with np.errstate(over="ignore", invalid="ignore"):  # a step that went too far is rejected
        return problem.evaluate(network, moved)
