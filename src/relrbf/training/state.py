"""Where training stands: all that the next epoch needs."""

from copy import deepcopy
from dataclasses import dataclass, field, replace

import numpy as np

from relrbf.network import Network
from relrbf.prototypes.base import Prototypes
from relrbf.training.base import History, InitialState, Status
from relrbf.training.conjugate import Conjugate
from relrbf.training.problem import Motion, Point, Problem
from relrbf.training.rates import Rates

EQUAL = 1e-9  # errors closer than this, relatively, are equal: rounding must not decide


@dataclass(eq=False)
class State:
    """The present point, the best one so far, and what the optimiser remembers.

    Attributes
    ----------
    point : Point
        Where training is.
    initial : InitialState
        Where training began.
    best : tuple of Network and Prototypes
        The state with the smallest validation error; without validation, the present one.
    rates : Rates
        Learning rates.
    past : Motion, Conjugate or None
        The last motion, for momentum and conjugate gradients.
    rng : numpy Generator
        Draws the weights, bandwidths and rates of further prototypes.
    history : History
        What happened.
    began : int
        Epoch at which the present fit began; others went before with ``warm_start``.
    increases, since_growth : int
        Rises of the validation error in a row, in all and since a prototype was added.
    settled, rejected : int
        Epochs in a row that hardly changed the objective, and that were rejected.
    age : int
        Epochs since the curvature was looked at.
    ended : Status or None
        Why there is nothing more to do.
    """

    point: Point
    initial: InitialState
    best: tuple[Network, Prototypes]
    rates: Rates
    rng: np.random.Generator
    past: Motion | Conjugate | None = None
    history: History = field(default_factory=History)
    began: int = 0
    increases: int = 0
    since_growth: int = 0
    settled: int = 0
    rejected: int = 0
    age: int = 0
    ended: Status | None = None

    @property
    def epoch(self) -> int:
        """Epochs trained."""
        return len(self.history) - 1

    def continued(self) -> "State":
        """Return a copy from which a further fit begins; it leaves this one as it is.

        What had ended gets a new chance; what had not goes on as if it had never stopped.
        """
        history, rng = deepcopy(self.history), deepcopy(self.rng)
        again = replace(self, history=history, rng=rng, began=self.epoch, ended=None)
        if self.ended is not None:
            again.increases = again.since_growth = again.settled = again.rejected = 0
        return again

    def record(self, problem: Problem) -> None:
        """Note where training is; keep the state that validates best."""
        history = self.history
        history.objective.append(self.point.objective)
        history.n_prototypes.append(len(self.point.prototypes))
        if problem.validation is None:
            self._keep()
            return
        error = problem.validation_error(self.point)
        errors = history.validation_error
        lowest = errors[history.best_epoch] if errors else np.inf
        errors.append(error)
        if error < (1 - EQUAL) * lowest:
            self._keep()

    def record_again(self, problem: Problem) -> None:
        """Note what a further prototype made of the epoch just recorded."""
        history = self.history
        for values in (history.objective, history.n_prototypes, history.validation_error):
            values.pop()
        self.record(problem)

    def watch(self) -> None:
        """Count the rises of the validation error in a row; an unchanged one is neither."""
        if len(self.history.validation_error) < 2:
            return
        before, now = self.history.validation_error[-2:]
        if now > (1 + EQUAL) * before:
            self.increases += 1
            self.since_growth += 1
        elif now < (1 - EQUAL) * before:
            self.increases = self.since_growth = 0

    def _keep(self) -> None:
        self.best = self.point.network, self.point.prototypes
        self.history.best_epoch = self.epoch
