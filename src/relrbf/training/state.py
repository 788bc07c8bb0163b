"""Where training stands: all that the next epoch needs, and the loop over the epochs."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from relrbf.network import Network
from relrbf.prototypes.base import Prototypes
from relrbf.training.base import History, InitialState, OnEpoch, Result, Status
from relrbf.training.problem import Point, Problem
from relrbf.training.rates import Rates


@dataclass(eq=False)
class TrainingState:
    """The present point, the best one so far, and what happened."""

    point: Point
    initial: InitialState
    best: tuple[Network, Prototypes]  # by validation error; without validation, the present one
    history: History = field(default_factory=History, kw_only=True)
    start_epoch: int = field(default=0, kw_only=True)  # not 0 with ``warm_start``
    n_unchanged: int = field(default=0, kw_only=True)  # epochs in a row, of the objective
    status: Status | None = field(default=None, kw_only=True)  # why there is nothing more to do
    # validation errors closer than this, relatively, are equal: rounding must not decide
    error_tie: ClassVar[float] = 1e-9

    @property
    def epoch(self) -> int:
        """Epochs trained."""
        return len(self.history) - 1

    def continued(self) -> Self:
        """Return a copy from which a further fit begins; it leaves this one as it is."""
        history = deepcopy(self.history)
        return replace(self, history=history, start_epoch=self.epoch, status=None)

    def record(self, problem: Problem) -> None:
        """Add the present point to the history; keep the state with the best validation error."""
        history, errors = self.history, self.history.validation_error
        history.objective.append(self.point.objective)
        history.n_prototypes.append(len(self.point.prototypes))
        if problem.validation is not None:
            lowest = errors[history.best_epoch] if errors else np.inf
            errors.append(problem.validation_error(self.point))
            if not errors[-1] < (1 - self.error_tie) * lowest:
                return
        self.best = self.point.network, self.point.prototypes
        history.best_epoch = self.epoch

    def run(self, epoch: Callable[[], None], max_iter: int, on_epoch: OnEpoch | None) -> Result:
        """Call ``epoch`` until a status is set, max_iter is reached or on_epoch returns True."""
        limit, status = self.start_epoch + max_iter, self.status or Status.MAX_ITER
        while self.epoch < limit and self.status is None:
            epoch()
            status = self.status or status
            if on_epoch is not None and on_epoch(self.point.objective):
                status = Status.INTERRUPTED
                break
        return Result(*self.best, status, self.epoch - self.start_epoch, self.history, self)


@dataclass(eq=False)
class DescentState(TrainingState):
    """What gradient descent needs besides."""

    rates: Rates
    rng: np.random.Generator  # draws the parameters and rates of further prototypes
    n_increases: int = 0  # of the validation error, in a row
    n_increases_since_growth: int = 0
    n_rejected: int = 0  # epochs in a row
    bound_age: int = 0  # epochs since the curvature was bounded

    def continued(self) -> Self:
        """Return a copy from which a further fit begins.

        What had ended starts counting anew; what had not continues as if it had never stopped.
        """
        again = replace(super().continued(), rng=deepcopy(self.rng))
        if self.status is not None:
            again.n_increases = again.n_increases_since_growth = 0
            again.n_unchanged = again.n_rejected = 0
        return again

    def record_again(self, problem: Problem) -> None:
        """Replace the last record, of an epoch after which a prototype was added."""
        history = self.history
        for values in (history.objective, history.n_prototypes, history.validation_error):
            values.pop()
        self.record(problem)

    def count_increases(self) -> None:
        """Count the rises of the validation error in a row; an unchanged one is neither."""
        if len(self.history.validation_error) < 2:
            return
        before, now = self.history.validation_error[-2:]
        if now > (1 + self.error_tie) * before:
            self.n_increases += 1
            self.n_increases_since_growth += 1
        elif now < (1 - self.error_tie) * before:
            self.n_increases = self.n_increases_since_growth = 0
