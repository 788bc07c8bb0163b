"""The fast solver: output weights in closed form, prototypes and bandwidths by L-BFGS.

Variable projection: at every point the output layer is solved exactly, so that the objective is a
function of prototypes and log-bandwidths alone, whose gradient is the one at fixed weights (the
weights' own gradient is zero).

L-BFGS uses nothing but sums, scalings and inner products of latent vectors: a network and its
vector equivalent take the same steps (theory 3). The space's inner product is positive, Euclidean
relation or not, so that every direction descends (theory 6), and a step that does not lower the
objective is halved until it does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from relrbf._options import check_choice, check_number
from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.network import DistanceGradients, Kernel, Loss, Network, SquaredError
from relrbf.network.model import solve_output
from relrbf.prototypes.base import Direction, Prototypes, plus, scaled
from relrbf.training.base import (
    InitialState,
    OnEpoch,
    Point,
    Problem,
    Result,
    Status,
    Trainer,
    TrainingState,
    draw_validation_mask,
)

EARLY_STOPPING = ("auto", "distillation", "validation")
LBFGS_NUMBERS: dict[str, tuple[Any, float]] = {  # kind and lowest value
    "teacher_tolerance": (Real, 0),
    "max_epochs": (Integral, 1),
    "memory": (Integral, 1),
    "min_bandwidth": (Real, 0),
}
MAX_DISTILLED_AUTO = 1000  # objects: of more, a given number of prototypes learns the targets
VALIDATION_FRACTION = 0.1
VALIDATION_PATIENCE = 3  # epochs without a new smallest validation error
CONVERGED_STEPS = 3  # in a row that hardly lower the objective
ARMIJO = 1e-4  # of the fall that the derivative predicts, what a step must bring
MAX_HALVINGS = 30
MAX_DOUBLINGS = 8
MIN_FALL = 1e-13  # a relative fall of the objective below this is rounding


@dataclass(frozen=True, eq=False)
class ProjectedProblem:
    """A problem whose output layer is solved; lengths are in units of ``unit_sq ** 0.5``.

    No bandwidth falls below ``min_bandwidth``, which is in the same unit as the dissimilarities.
    """

    problem: Problem
    unit_sq: float
    min_bandwidth: float

    def negative_gradient(self, point: Point) -> Direction:
        """Return the negative gradient in the inner product below."""
        network, by_responses = point.network, self.problem.by_responses(point.forward)
        gradients = DistanceGradients(network, point.forward, by_responses)
        direction = self.problem.space.descent(point.prototypes, gradients)
        log_bandwidths = -network.bandwidths * gradients.by_bandwidths
        return log_bandwidths, *scaled(direction, self.unit_sq)

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite ends a search
    def inner(self, first: Direction, second: Direction) -> float:
        """Return the inner product, prototypes measured in units."""
        latent = self.problem.space.inner(first[1:], second[1:]).sum() / self.unit_sq
        return float(latent) + float(first[0] @ second[0])

    def line_search(
        self, start: Point, direction: Direction, derivative: float, length: float, may_double: bool
    ) -> tuple[Point, float] | None:
        """Return the point a step reaches and its length; lengths are only halved or doubled.

        A choice among few lengths is the same for a network and its vector equivalent, whose
        numbers differ by rounding.
        """
        lower = start.objective - MIN_FALL * abs(start.objective)
        for _ in range(MAX_HALVINGS):
            point = self.move(start, direction, length)
            if point.objective <= min(start.objective + ARMIJO * length * derivative, lower):
                break
            length, may_double = length / 2, False
        else:
            return None
        for _ in range(MAX_DOUBLINGS if may_double else 0):
            farther = self.move(start, direction, 2 * length)
            needed = start.objective + ARMIJO * 2 * length * derivative
            if not (farther.objective <= needed and farther.objective < point.objective):
                break
            point, length = farther, 2 * length
        return point, length

    def move(self, start: Point, direction: Direction, length: float) -> Point:
        """Return the point that a step of this length reaches."""
        old = start.network.bandwidths
        with np.errstate(over="ignore", invalid="ignore"):
            factors = np.exp(np.clip(length * direction[0], -1, 1)).astype(old.dtype)
            bandwidths = np.maximum(old * factors, np.minimum(old, self.min_bandwidth))
            steps = np.full_like(old, length)
            prototypes = self.problem.space.move(start.prototypes, direction[1:], steps)
            network = replace(start.network, bandwidths=bandwidths)
            return solved(self.problem, network, prototypes)


def solved(problem: Problem, network: Network, prototypes: Prototypes) -> Point:
    """Return the point with the best output layer for these prototypes and bandwidths."""
    forward = problem.forward(network, prototypes)
    given = problem.targets, problem.weights, problem.alpha, problem.prototype_outputs
    weights, bias = solve_output(forward, *given)
    if not np.isfinite(weights).all():
        return Point(network, prototypes, forward, np.inf, np.inf)
    network = replace(network, weights=weights, bias=bias)
    return problem.point(network, prototypes, forward.with_output_of(network))


@dataclass(eq=False)
class LBFGSState(TrainingState):
    """What L-BFGS needs besides: the negative gradient at the point, and the last steps.

    Both are directions of log-bandwidths (c) and prototypes. ``pairs`` holds, for each step, the
    change, the change of the gradient and their inner product.
    """

    gradient: Direction | None = None
    pairs: list[tuple[Direction, Direction, float]] = field(default_factory=list)
    error_tie: ClassVar[float] = MIN_FALL

    def continued(self) -> Self:
        """Return a copy from which a further fit begins."""
        return replace(super().continued(), n_unchanged=0)


@dataclass(frozen=True, eq=False)
class LBFGS(Trainer):
    """Variable projection and L-BFGS, with early stopping against fitting noise.

    The first epoch solves the output layer, every further one moves all prototypes and bandwidths.

    Parameters
    ----------
    early_stopping : {"auto", "distillation", "validation"} or None, default="auto"
        What keeps the prototypes from fitting noise. "distillation": the network learns not the
        targets but the responses of a *teacher*, which has prototypes on every object and is solved
        in closed form (``relrbf.autotune``); where no smaller network answers as the teacher does,
        the teacher is kept. "validation": it learns the targets of 90 % of the objects, and stops
        when the error of the others no longer falls. "auto": distillation; validation where
        more than a thousand objects are to be learned with a given number of prototypes. None: it
        learns the targets until nothing changes; on relations that are not Euclidean this fits the
        noise of the negative part.
    teacher_tolerance : float, default=0.01
        Distillation: how close to the teacher is close enough, as a fraction of the teacher's own
        loss on objects left out.
    max_epochs : int, default=15
        Validation: most epochs that move the prototypes.
    memory : int, default=5
        Steps that L-BFGS remembers.
    min_bandwidth : float, default=0.1
        No bandwidth falls below this many root mean squared dissimilarities.

    Examples
    --------
    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.training import LBFGS
    >>> model = RBFNetworkClassifier(solver=LBFGS(early_stopping=None), max_iter=50)
    """

    early_stopping: str | None = "auto"
    teacher_tolerance: float = 0.01
    max_epochs: int = 15
    memory: int = 5
    min_bandwidth: float = 0.1

    supervised_init: ClassVar[bool] = True  # first prototypes separate different targets

    def __post_init__(self) -> None:
        if self.early_stopping is not None and self.early_stopping not in EARLY_STOPPING:
            check_choice("early_stopping", self.early_stopping, (None, *EARLY_STOPPING))
        for name, (kind, low) in LBFGS_NUMBERS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not (isinstance(value, kind) and low <= value < np.inf):
                check_number(name, value, kind, low)

    def for_size(self, n_objects: int, n_support: int, is_given: bool) -> "LBFGS":
        """Return this trainer with "auto" resolved for so many objects."""
        if self.early_stopping != "auto":
            return self
        is_small = n_support >= n_objects and n_objects <= MAX_DISTILLED_AUTO
        has_teacher = is_small or not is_given
        return replace(self, early_stopping="distillation" if has_teacher else "validation")

    def validation_mask(
        self,
        weights: Array,
        classes: np.ndarray | None,
        rng: np.random.Generator,
        eligible: np.ndarray | None = None,
    ) -> np.ndarray | None:
        """Draw a tenth of the objects with early_stopping="validation"; see ``Trainer``."""
        if self.early_stopping != "validation":
            return None
        option = "early_stopping='validation'"
        return draw_validation_mask(VALIDATION_FRACTION, weights, classes, rng, eligible, option)

    def initial_network(
        self, problem: Problem, kernel: Kernel, prototypes: Prototypes, rng: np.random.Generator
    ) -> tuple[Network, float]:
        """Return the first network and the ridge penalty; see ``Trainer``."""
        network, alpha = super().initial_network(problem, kernel, prototypes, rng)
        if problem.prototype_outputs is not None:  # which weights of any sign would not respect
            network = solved(replace(problem, alpha=alpha), network, prototypes).network
        return network, alpha

    def check_options(self, loss: Loss, max_prototypes: int | None, n_prototypes: int) -> None:
        """Refuse what L-BFGS cannot do."""
        if not isinstance(loss, SquaredError):
            raise OptionError(
                "solver='lbfgs' solves the output layer in closed form, which "
                "loss='cross-entropy' does not have; use solver='auto' or 'gradient-descent'."
            )
        if max_prototypes is not None and max_prototypes > n_prototypes:
            raise OptionError(
                f"max_prototypes={max_prototypes} asks for growth, which solver='lbfgs' "
                "does not have; use solver='auto' or 'gradient-descent', or leave it at None."
            )

    def train(
        self,
        problem: Problem,
        start: InitialState,
        *,
        max_iter: int,
        tol: float,
        on_epoch: OnEpoch | None = None,
        max_prototypes: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> Result:
        """Search for at most max_iter epochs; see ``Trainer.train``."""
        self.check_options(problem.loss, max_prototypes, len(start.network.bandwidths))
        problem = replace(problem, space=problem.space.definite())
        network, prototypes = start.network, problem.space.convert(start.prototypes)
        unit_sq = problem.mean_sq or 1.0
        projected = ProjectedProblem(problem, unit_sq, self.min_bandwidth * unit_sq**0.5)
        state: LBFGSState
        if start.state is None:
            first = problem.point(network, prototypes, problem.forward(network, prototypes))
            state = LBFGSState(first, InitialState(network, prototypes), (network, prototypes))
            state.record(problem)
        else:
            state = start.state
            if state.epoch > 0:
                state.status = self._stops(problem, state)  # what was enough before still is

        def epoch() -> None:
            if state.epoch == 0:
                point = solved(problem, network, prototypes)
                if point.objective <= state.point.objective:
                    state.point = point
            else:
                self._step(projected, state, tol)
            state.record(problem)
            state.status = state.status or self._stops(problem, state)

        return state.run(epoch, max_iter, on_epoch)

    def _stops(self, problem: Problem, state: LBFGSState) -> Status | None:
        """Return the status with which training stops early, or None."""
        n_worse = state.epoch - state.history.best_epoch
        if problem.validation is not None and n_worse >= VALIDATION_PATIENCE:
            return Status.VALIDATION
        is_late = self.early_stopping == "validation" and state.epoch >= self.max_epochs
        return Status.EARLY_STOPPED if is_late else None

    def _step(self, projected: ProjectedProblem, state: LBFGSState, tol: float) -> None:
        """Take the L-BFGS step, halved until the objective falls, and remember it."""
        before, inner = state.point.objective, projected.inner
        gradient = state.gradient or projected.negative_gradient(state.point)
        direction = two_loop_recursion(gradient, state.pairs, inner)
        derivative = -inner(direction, gradient)
        if not derivative < 0:
            state.pairs, direction = [], gradient
            derivative = -inner(direction, gradient)
        if not -np.inf < derivative < 0:
            state.status = Status.CONVERGED
            return
        # without pairs the gradient's own scale is unknown; a power of two, as in line_search
        length = 1.0 if state.pairs else 2.0 ** -np.round(np.log2(-derivative) / 2)
        found = projected.line_search(
            state.point, direction, derivative, length, may_double=not state.pairs
        )
        if found is None:
            state.status = None if state.pairs else Status.CONVERGED
            state.pairs, state.gradient = [], gradient
            return
        state.point, length = found
        state.gradient = projected.negative_gradient(state.point)
        change = scaled(direction, float(length))
        gradient_change = plus(gradient, state.gradient, -1.0)
        curvature = inner(change, gradient_change)
        if curvature > MIN_FALL * abs(derivative):
            state.pairs = [*state.pairs, (change, gradient_change, curvature)][-self.memory :]
        is_small = before - state.point.objective <= tol * before
        state.n_unchanged = state.n_unchanged + 1 if is_small else 0
        if state.n_unchanged >= CONVERGED_STEPS:
            state.status = Status.CONVERGED


def two_loop_recursion(
    gradient: Direction,
    pairs: list[tuple[Direction, Direction, float]],
    inner: Callable[[Direction, Direction], float],
) -> Direction:
    """Return the L-BFGS direction (Nocedal & Wright, algorithm 7.4) for a negative gradient."""
    direction, shares = gradient, []
    for change, gradient_change, curvature in reversed(pairs):
        share = inner(change, direction) / curvature
        shares.append(share)
        direction = plus(direction, gradient_change, -share)
    if pairs:
        _, gradient_change, curvature = pairs[-1]
        direction = scaled(direction, curvature / inner(gradient_change, gradient_change))
    for (change, gradient_change, curvature), share in zip(pairs, reversed(shares), strict=True):
        correction = inner(gradient_change, direction) / curvature
        direction = plus(direction, change, share - correction)
    return direction
