"""The fast solver: output weights in closed form, prototypes and bandwidths by L-BFGS.

*Variable projection*: at every trial the output layer is solved exactly, so that only prototypes
and log-bandwidths are searched, and the objective's gradient by those is the one at fixed weights
(the weights' own is zero). L-BFGS uses nothing but sums, scalings and inner products of latent
vectors: a network and its vector equivalent take the same steps (theory, 3). The space's inner
product is positive, Euclidean relation or not, so that every direction leads down (theory, 6), and
a step that does not lower the objective is halved until it does. No step ever raises it.
"""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from numbers import Integral, Real

import numpy as np

from relrbf._options import check_choice, check_number
from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.network import Kernel, Network, SquaredError
from relrbf.network.output import smoothest, solve_output
from relrbf.prototypes.base import Direction, Prototypes, Space
from relrbf.training.base import History, InitialState, OnEpoch, Result, Status, Trainer
from relrbf.training.holdout import split_off
from relrbf.training.problem import Point, Problem

GUARDS = ("auto", "distillation", "validation")
IMITATED = 1000  # objects whose full network "auto" has solved
MOST_IMITATED = 5000  # objects: the memory of the full network is that of several D
WATCHED = 0.1  # part of the objects that watch, with the guard of validation
PATIENCE = 3  # epochs without a new smallest validation error
ARMIJO = 1e-4  # of the fall that the slope promises, what a step must bring
HALVINGS = 30
DOUBLINGS = 8
ROUNDING = 1e-13  # a relative fall of the objective below this is none
SETTLED = 3  # steps in a row that hardly lower the objective, before it counts as settled
SMOOTHER = 1 / 16  # of the tolerance: what a larger penalty may cost before any move
RIDGES = np.logspace(-1, -6, 11)  # on imitated responses, relative to the activations


@dataclass(frozen=True, eq=False)
class Hidden:
    """A change of log-bandwidths (c) and prototypes."""

    log_bandwidths: Array
    prototypes: Direction

    def plus(self, other: "Hidden", factor: float) -> "Hidden":
        """Add a multiple of another change."""
        return Hidden(
            self.log_bandwidths + factor * other.log_bandwidths,
            self.prototypes.plus(other.prototypes, factor),
        )

    def times(self, factor: float) -> "Hidden":
        """Return a multiple."""
        factors = np.full_like(self.log_bandwidths, factor)
        return Hidden(factors * self.log_bandwidths, self.prototypes.scaled(factors))

    def inner(self, other: "Hidden", space: Space, unit_sq: float) -> float:
        """Return the inner product, prototypes measured in units."""
        latent = space.inner(self.prototypes, other.prototypes).sum() / unit_sq
        return float(latent) + float(self.log_bandwidths @ other.log_bandwidths)


@dataclass(eq=False)
class Search:
    """Where the search stands: all that the next step needs."""

    point: Point
    best: tuple[Network, Prototypes]
    initial: InitialState
    history: History = field(default_factory=History)
    descent_step: Hidden | None = None
    pairs: list[tuple[Hidden, Hidden, float]] = field(default_factory=list)
    began: int = 0
    settled: int = 0
    ended: Status | None = None

    @property
    def epoch(self) -> int:
        """Epochs trained."""
        return len(self.history) - 1

    def record(self, problem: Problem) -> None:
        """Note where the search is; keep the point that validates best, or the last."""
        history = self.history
        history.objective.append(self.point.objective)
        history.n_prototypes.append(len(self.point.prototypes))
        if problem.validation is not None:
            lowest = min(history.validation_error, default=np.inf)
            history.validation_error.append(problem.validation_error(self.point))
            if history.validation_error[-1] >= (1 - ROUNDING) * lowest:
                return
        self.best = self.point.network, self.point.prototypes
        history.best_epoch = self.epoch

    def continued(self) -> "Search":
        """Return a copy from which a further fit begins."""
        return replace(
            self,
            history=deepcopy(self.history),
            pairs=list(self.pairs),
            began=self.epoch,
            settled=0,
            ended=None,
        )


@dataclass(frozen=True, eq=False)
class LBFGS(Trainer):
    """Variable projection and L-BFGS, with a guard against learning noise.

    The first epoch solves the output layer, every further one moves all prototypes and bandwidths.

    Parameters
    ----------
    early_stopping : {"auto", "distillation", "validation"} or None, default="auto"
        What keeps the prototypes from fitting noise. "distillation": the network learns not the
        targets but what the *full network*, with a prototype on every object and its penalty chosen
        by leave-one-out, makes of them (``relrbf.autotune``), and stops as soon as it is closer
        to that than that is to the truth. "validation": it learns the targets of nine objects in
        ten, and stops when the tenth object's error no longer falls. "auto": imitation of up to a
        thousand objects, all of which may carry coefficients; validation beyond. None: it learns
        the targets until nothing changes; on relations that are not Euclidean this learns
        the negative part's noise by heart.
    teacher_tolerance : float, default=0.1
        Imitating: how close to the full network is enough, as a fraction of that network's own
        leave-one-out error.
    max_refinements : int, default=3
        Imitating: most epochs that move the prototypes once they are nearer to the full network
        than that is to the truth. More fit the training objects better and others worse
        (docs/auto.md has the numbers).
    max_epochs : int, default=15
        Most epochs that move the prototypes in any case.
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
    teacher_tolerance: float = 0.1
    max_refinements: int = 3
    max_epochs: int = 15
    memory: int = 5
    min_bandwidth: float = 0.1

    def __post_init__(self) -> None:
        if self.early_stopping is not None:
            check_choice("early_stopping", self.early_stopping, GUARDS)
        check_number("teacher_tolerance", self.teacher_tolerance, Real, 0)
        check_number("max_refinements", self.max_refinements, Integral, 0)
        check_number("max_epochs", self.max_epochs, Integral, 1)
        check_number("memory", self.memory, Integral, 1)
        check_number("min_bandwidth", self.min_bandwidth, Real, 0)

    @property
    def distills(self) -> bool:
        """Whether targets are the responses of the full network."""
        return self.early_stopping == "distillation"

    @property
    def supervised_init(self) -> bool:
        """First prototypes keep apart objects with different targets."""
        return True

    def for_size(self, n_objects: int, n_support: int) -> "LBFGS":
        """Return this trainer with its guard settled for so many objects."""
        if self.distills and n_objects > MOST_IMITATED:
            raise OptionError(
                f"early_stopping='distillation' solves for a prototype on each of the {n_objects} "
                f"distinct objects at once; {MOST_IMITATED} is the maximum. Use "
                "early_stopping='auto' or 'validation'."
            )
        if self.early_stopping != "auto":
            return self
        is_small = n_support >= n_objects and n_objects <= IMITATED
        return replace(self, early_stopping="distillation" if is_small else "validation")

    def validation_mask(
        self,
        weights: Array,
        classes: np.ndarray | None,
        rng: np.random.Generator,
        eligible: np.ndarray | None = None,
    ) -> np.ndarray | None:
        """Split off the part that watches, where one is to and can be."""
        if self.early_stopping != "validation":
            return None
        try:
            return split_off(WATCHED, weights, classes, rng, eligible)
        except OptionError:  # too few objects, or classes too rare: all train
            return None

    def initial_network(
        self, problem: Problem, kernel: Kernel, prototypes: Prototypes, rng: np.random.Generator
    ) -> tuple[Network, float]:
        """Return the first network; imitating, its one bandwidth is the full network's."""
        if not self.distills:
            return super().initial_network(problem, kernel, prototypes, rng)
        c, g, dtype = len(prototypes), problem.targets.shape[1], problem.space.dtype
        widths = np.full(c, problem.teacher_bandwidth, dtype=dtype)
        network = Network(kernel, widths, np.zeros((c, g), dtype), np.zeros(g, dtype))
        activations = network.forward(prototypes.distances_sq).activations
        close = SMOOTHER * self.teacher_tolerance * problem.teacher_error / 2
        return network, smoothest(activations, problem.targets, problem.weights, close, RIDGES)

    def underfits(self, problem: Problem, network: Network, prototypes: Prototypes) -> bool:
        """Imitating, tell whether its error would mostly be its own, not the full network's."""
        if not self.distills:
            return False
        return (
            self._loss(problem, _solved(problem, network, prototypes)) > problem.teacher_error / 2
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
        self._refuse(problem, len(start.prototypes), max_prototypes)
        problem = replace(problem, space=problem.space.definite())
        network, prototypes = start.network, problem.space.adopt(start.prototypes)
        state: Search | None = start.state
        unit_sq = problem.mean_sq or 1.0
        if state is None:
            passage = problem.passage(network, prototypes)
            state = Search(
                problem.valued(network, prototypes, passage),
                (network, prototypes),
                InitialState(network, prototypes),
            )
            state.record(problem)
        elif state.epoch > 0:
            state.ended = self._enough(problem, state)  # what was enough before still is
        limit, status = state.began + max_iter, state.ended or Status.MAX_ITER
        while state.epoch < limit and state.ended is None:
            if state.epoch == 0:
                solved = _solved(problem, network, prototypes)
                if solved.objective <= state.point.objective:
                    state.point = solved
            else:
                self._step(problem, state, unit_sq, tol)
            state.record(problem)
            state.ended = state.ended or self._enough(problem, state)
            status = state.ended or status
            if on_epoch is not None and on_epoch(state.point.objective):
                status = Status.INTERRUPTED
                break
        n_iter = state.epoch - state.began
        return Result(*state.best, status, n_iter, state.history, state)

    def _refuse(self, problem: Problem, n_prototypes: int, max_prototypes: int | None) -> None:
        """Refuse what has no closed form, and growth."""
        if not isinstance(problem.loss, SquaredError):
            raise OptionError(
                "solver='lbfgs' solves the output layer in closed form, which "
                "loss='cross-entropy' does not have; use solver='auto' or 'gradient-descent'."
            )
        if max_prototypes is not None and max_prototypes > n_prototypes:
            raise OptionError(
                f"max_prototypes={max_prototypes} asks for growth, which solver='lbfgs' "
                "does not have; use solver='auto' or 'gradient-descent', or leave it at None."
            )

    def _enough(self, problem: Problem, state: Search) -> Status | None:
        """Tell whether the guard says stop."""
        if problem.validation is not None:
            return self._watched(state)
        if not self.distills:
            ends = self.early_stopping == "validation" and state.epoch >= self.max_epochs
            return Status.EARLY_STOPPED if ends else None
        loss = self._loss(problem, state.point)
        if loss <= self.teacher_tolerance * problem.teacher_error / 2:
            return Status.EARLY_STOPPED
        is_near = loss <= problem.teacher_error / 2  # farther off there is no noise to fit yet
        limit = self.max_refinements if is_near else self.max_epochs
        return Status.EARLY_STOPPED if state.epoch > limit else None

    def _loss(self, problem: Problem, point: Point) -> float:
        return problem.loss.value(point.forward.responses, problem.targets, problem.weights)

    def _watched(self, state: Search) -> Status | None:
        """Tell whether the validation part says stop."""
        if state.epoch - state.history.best_epoch >= PATIENCE:
            return Status.VALIDATION
        return Status.EARLY_STOPPED if state.epoch >= self.max_epochs else None

    def _step(self, problem: Problem, state: Search, unit_sq: float, tol: float) -> None:
        """Take the L-BFGS step, halved until the objective falls; remember what it taught."""
        space, before = problem.space, state.point.objective
        descent_step = state.descent_step or _downhill(problem, state.point, unit_sq)
        way = _two_loops(descent_step, state.pairs, space, unit_sq)
        slope = -way.inner(descent_step, space, unit_sq)
        if not slope < 0:
            state.pairs, way = [], descent_step
            slope = -way.inner(descent_step, space, unit_sq)
        if not -np.inf < slope < 0:
            state.ended = Status.CONVERGED
            return
        first = 1.0 if state.pairs else _power_of_two(-slope) ** -0.5
        found = self._searched(problem, state.point, way, slope, first, unit_sq, not state.pairs)
        if found is None:
            state.ended = Status.CONVERGED if not state.pairs else None
            state.pairs, state.descent_step = [], descent_step
            return
        point, length = found
        state.descent_step = _downhill(problem, point, unit_sq)
        change, turn = way.times(length), descent_step.plus(state.descent_step, -1.0)
        curvature = change.inner(turn, space, unit_sq)
        if curvature > ROUNDING * abs(slope):
            state.pairs = [*state.pairs, (change, turn, curvature)][-self.memory :]
        state.point = point
        small = before - point.objective <= tol * before
        state.settled = state.settled + 1 if small else 0
        if state.settled >= SETTLED:
            state.ended = Status.CONVERGED

    def _searched(
        self,
        problem: Problem,
        start: Point,
        way: Hidden,
        slope: float,
        length: float,
        unit_sq: float,
        may_grow: bool,
    ) -> tuple[Point, float] | None:
        """Return the point a step leads to and the step; lengths are halved, or doubled, only.

        What is chosen from a few lengths is chosen alike by twins whose numbers differ by rounding.
        """
        floor = self.min_bandwidth * unit_sq**0.5

        def at(length: float) -> Point | None:
            with np.errstate(over="ignore", invalid="ignore"):
                network, prototypes = _moved(problem, start, way, length, floor)
                point = _solved(problem, network, prototypes)
            needed = start.objective + ARMIJO * length * slope
            lower = start.objective - ROUNDING * abs(start.objective)
            return point if point.objective <= min(needed, lower) else None

        for _ in range(HALVINGS):
            point = at(length)
            if point is not None:
                break
            length, may_grow = length / 2, False
        else:
            return None
        for _ in range(DOUBLINGS if may_grow else 0):
            farther = at(2 * length)
            if farther is None or farther.objective >= point.objective:
                break
            point, length = farther, 2 * length
        return point, length


def _solved(problem: Problem, network: Network, prototypes: Prototypes) -> Point:
    """Return the point with the best output layer for these prototypes and bandwidths."""
    passage = problem.passage(network, prototypes)
    weights, bias = solve_output(passage, problem.targets, problem.weights, problem.alpha)
    if not np.isfinite(weights).all():
        return Point(network, prototypes, passage, np.inf)
    solved = replace(network, weights=weights, bias=bias)
    return problem.valued(solved, prototypes, passage.answered_by(solved))


def _downhill(problem: Problem, point: Point, unit_sq: float) -> Hidden:
    """Return the negative gradient in this space's inner product, prototypes in units."""
    forces = problem.forces(point.network, point.forward)
    direction = problem.space.descent(point.prototypes, forces)
    widths = point.network.bandwidths
    units = np.full_like(widths, unit_sq)
    return Hidden(-widths * forces.by_bandwidths, direction.scaled(units))


def _moved(
    problem: Problem, start: Point, way: Hidden, length: float, floor: float
) -> tuple[Network, Prototypes]:
    old = start.network.bandwidths
    wider = old * np.exp(np.clip(length * way.log_bandwidths, -1, 1)).astype(old.dtype)
    widths = np.maximum(wider, np.minimum(old, floor))
    steps = np.full_like(old, length)
    prototypes = problem.space.move(start.prototypes, way.prototypes, steps)
    return replace(start.network, bandwidths=widths), prototypes


def _two_loops(
    descent_step: Hidden, pairs: list[tuple[Hidden, Hidden, float]], space: Space, unit_sq: float
) -> Hidden:
    """Return the L-BFGS direction (Nocedal & Wright, algorithm 7.4)."""
    way, shares = descent_step, []
    for change, turn, curvature in reversed(pairs):
        share = change.inner(way, space, unit_sq) / curvature
        shares.append(share)
        way = way.plus(turn, -share)
    if pairs:
        _, turn, curvature = pairs[-1]
        way = way.times(curvature / turn.inner(turn, space, unit_sq))
    for (change, turn, curvature), share in zip(pairs, reversed(shares), strict=True):
        back = turn.inner(way, space, unit_sq) / curvature
        way = way.plus(change, share - back)
    return way


def _power_of_two(value: float) -> float:
    """Round to a power of four, so that its root is a power of two."""
    return 4.0 ** np.round(np.log2(value) / 2)
