"""Gradient descent by the paper's protocol: Algorithm 1 and section 3.1.

An epoch is one sweep (``relrbf.training.sweep``), or one step of conjugate gradients. A step that
raises the objective too far is taken back and the rates shrink; they grow while it falls. A
validation part says when to add a prototype, when to stop, and which state to keep.
"""

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.network import Kernel, Network
from relrbf.network.output import fit_output
from relrbf.prototypes.base import Prototypes
from relrbf.training.base import InitialState, OnEpoch, Result, Status, Trainer
from relrbf.training.checkpoint import Checkpoint
from relrbf.training.conjugate import Conjugate, conjugate
from relrbf.training.first_network import random_network
from relrbf.training.growth import grow
from relrbf.training.holdout import as_mask, refuse_useless, split_off
from relrbf.training.options import check_descent
from relrbf.training.problem import Motion, Point, Problem
from relrbf.training.rates import Rates, curvature_rates, drawn_rates
from relrbf.training.state import EQUAL, State
from relrbf.training.sweep import sweep

ROUNDING = 1e-13  # a relative rise of the objective below this is none
BOUND_EPOCHS = 5  # bounds on the curvature hold for this many short steps
SETTLED_EPOCHS = 10  # in a row, before the objective counts as settled
N_GROUPS = 3  # output layer, prototypes, bandwidths: what moves at once shares what is allowed
REJECTED_EPOCHS = 50  # in a row, before no step counts as possible


@dataclass(frozen=True, eq=False)
class GradientDescent(Trainer):
    """The paper's training (Algorithm 1, section 3.1); its numbers are the defaults.

    Each epoch updates the weights (equation 2.7), the prototypes (2.9, or what theory 4 puts in its
    place) and the bandwidths (2.11) in turn. A relational network and its vector equivalent go
    through the same protocol step by step: the same rejections, the same growth, the same end.

    Parameters
    ----------
    update : {"exact", "published"}, default="exact"
        How prototypes move. "published" changes their distances as equation 2.9 is printed: a
        sixteenth of the exact first-order change, without the part that is common to all objects,
        and with another quadratic term. Its error in one step is about as large as the step
        (docs/protocol.md has the numbers). Equations 2.7 and 2.11 are printed with a sign
        that climbs, so that no training is possible; they descend here. In vector and medoid space
        distances are measured, not updated, and "published" changes nothing.
    learning_rate : (low, high) or "curvature", default=(0.05, 2.0)
        Range from which a rate is drawn for each weight, bias, bandwidth and prototype, for
        gradients averaged over the objects. "curvature": each is the inverse of a bound on the
        objective's curvature instead.
    adapt : (shrink, grow, tolerance), default=(0.7, 1.05, 0.05)
        A step that raises the training error by more than the tolerance is rejected and all rates
        are scaled by the first factor; they are scaled by the second when the error falls.
    patience : int, default=30
        Training stops after this many rises of the validation error in a row.
    grow_after : int, default=5
        A prototype is added after this many, while there are fewer than ``max_prototypes``.
    validation_fraction : float or None, default=0.15
        Part of the objects split off for validation, from every class alike; 15 % as in the paper.
        None trains on all objects: no growth, and no state to keep but the last.
    validation : array or None, default=None
        Given instead of drawn: positions of the validation objects, or one boolean per object.
    initial_weights : (low, high) or None, default=(-1.75, 1.75)
        Range of the first weights and biases. None: in closed form, with the ridge penalty.
    initial_bandwidths : (low, high) or None, default=(0.25, 3.75)
        Range of the first bandwidths, in units. None: the best of a few by leave-one-out.
    unit : float or "auto", default="auto"
        The unit of length in which bandwidths and steps are meant. "auto": the root mean squared
        dissimilarity, so that the scale of the dissimilarities does not matter; 1.0 takes them as
        they are, as the paper does.
    stable : bool, default=True
        Keep every rate below what the curvature allows (``relrbf.network.curvature``). The paper's
        rule alone lets rates grow until the error jumps; there rounding errors grow as well, and a
        relational network and its vector equivalent part ways within a thousand epochs.
    min_bandwidth : float, default=0.1
        No bandwidth falls below this many units. A prototype whose bandwidth collapses onto a
        single object learns that object by heart, and turns the rounding errors of its distance to
        it into responses.
    acceleration : {"momentum", "conjugate-gradients"} or None, default=None
        Higher order, in the latent inner product (theory 3). Conjugate gradients change all
        parameters at once, along directions they find the length of themselves.
    momentum : float, default=0.9
        Share of the last change that goes on, with acceleration="momentum".
    checkpoint : path or None, default=None
        File that keeps the state of training. A fit of the same data with the same options and
        seed (``random_state`` must be an int) goes on from it, to the same result. One file serves
        one fit, not the folds of a cross-validation.
    checkpoint_every : int, default=100
        Epochs between two writes.

    Examples
    --------
    The protocol on a data set, as the paper runs it:

    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.training import GradientDescent
    >>> model = RBFNetworkClassifier(
    ...     10,
    ...     max_prototypes=45,
    ...     init="random-partition",
    ...     solver=GradientDescent(),
    ...     max_iter=3000,
    ...     tol=0,
    ... )
    """

    update: str = "exact"
    learning_rate: Any = (0.05, 2.0)
    adapt: tuple[float, float, float] = (0.7, 1.05, 0.05)
    patience: int = 30
    grow_after: int = 5
    validation_fraction: float | None = 0.15
    validation: Any = None
    initial_weights: tuple[float, float] | None = (-1.75, 1.75)
    initial_bandwidths: tuple[float, float] | None = (0.25, 3.75)
    unit: float | str = "auto"
    stable: bool = True
    min_bandwidth: float = 0.1
    acceleration: str | None = None
    momentum: float = 0.9
    checkpoint: str | PathLike[str] | None = None
    checkpoint_every: int = 100

    def __post_init__(self) -> None:
        check_descent(self)

    @classmethod
    def curvature_scaled(cls, **options: Any) -> "GradientDescent":
        """Return a descent with nothing to draw and nothing to tune; no error ever rises.

        Steps from the curvature, weights and bandwidths in closed form, all objects take part.
        """
        chosen: dict[str, Any] = {
            "learning_rate": "curvature",
            "adapt": (0.5, 1.1, 0.0),
            "validation_fraction": None,
            "initial_weights": None,
            "initial_bandwidths": None,
        }
        return cls(**(chosen | options))

    def validation_mask(
        self,
        weights: Array,
        classes: np.ndarray | None,
        rng: np.random.Generator,
        eligible: np.ndarray | None = None,
    ) -> np.ndarray | None:
        """Return the validation part: the given one, or one that is drawn."""
        if self.validation is not None:
            mask = as_mask(self.validation, len(weights))
            refuse_useless(mask, weights, classes, "validation")
            return mask
        if self.validation_fraction is None:
            return None
        return split_off(self.validation_fraction, weights, classes, rng, eligible)

    def initial_network(
        self, problem: Problem, kernel: Kernel, prototypes: Prototypes, rng: np.random.Generator
    ) -> tuple[Network, float]:
        """Draw the first network, or what of it is to be drawn; see ``Trainer.initial_network``."""
        if self.initial_weights is None and self.initial_bandwidths is None:
            return super().initial_network(problem, kernel, prototypes, rng)
        shape = len(prototypes), problem.targets.shape[1]
        weights = (0, 0) if self.initial_weights is None else self.initial_weights
        widths = (1, 1) if self.initial_bandwidths is None else self.initial_bandwidths
        unit = self._unit(problem)
        network = random_network(kernel, shape, (weights, widths), unit, rng, problem.space.dtype)
        if self.initial_weights is None:
            return _with_fitted_output(problem, network, prototypes)
        if self.initial_bandwidths is None:
            fitted, _ = super().initial_network(problem, kernel, prototypes, rng)
            network = replace(network, bandwidths=fitted.bandwidths)
        return network, 0.0 if np.isnan(problem.alpha) else problem.alpha

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
        """Descend for at most max_iter epochs; see ``Trainer.train``."""
        if self.update == "published":
            problem = replace(problem, space=problem.space.as_printed())
        network, prototypes = start.network, problem.space.adopt(start.prototypes)
        state: State | None = start.state
        self._refuse_no_growth(problem, len(prototypes), max_prototypes)
        if rng is None:
            rng = np.random.default_rng(0)
        unit = self._unit(problem)
        file = Checkpoint.of(self, problem, network, prototypes, max_prototypes, tol)
        if state is None:
            state = self._first_state(problem, network, prototypes, rng, unit)
            state = file.resume(state, problem, max_iter)
        limit, status = state.began + max_iter, state.ended or Status.MAX_ITER
        while state.epoch < limit and state.ended is None:
            self._epoch(problem, state, unit, tol)
            if self._may_grow(problem, state, max_prototypes):
                grow(problem, state, self, unit)
            state.ended = self._end(state)
            status = state.ended or status
            file.write(state, due=state.epoch % self.checkpoint_every == 0)
            if on_epoch is not None and on_epoch(state.point.objective):
                status = Status.INTERRUPTED
                break
        file.write(state, due=True)
        n_iter = state.epoch - state.began
        return Result(*state.best, status, n_iter, state.history, state)

    def _refuse_no_growth(
        self, problem: Problem, n_prototypes: int, max_prototypes: int | None
    ) -> None:
        """Refuse to be asked for growth where nothing can bring it about."""
        if max_prototypes is None or max_prototypes <= n_prototypes:
            return
        if problem.validation is None:
            raise OptionError(
                f"max_prototypes={max_prototypes} asks for growth, which needs a validation part, "
                "and the solver has validation_fraction=None. Give it one, or leave max_prototypes "
                "at None."
            )
        if self.patience <= self.grow_after:
            raise OptionError(
                f"max_prototypes={max_prototypes} asks for growth, but patience={self.patience} "
                f"stops training before grow_after={self.grow_after} adds a prototype. Raise "
                "patience."
            )

    @property
    def _share(self) -> float:
        """Return how much of what the curvature allows a group may use.

        In turn, all of it. With motion that goes on, the groups move at once.
        """
        return 1.0 if self.acceleration is None else 1 / N_GROUPS

    def _unit(self, problem: Problem) -> float:
        if not isinstance(self.unit, str):
            return float(self.unit)
        return problem.mean_sq**0.5 or 1.0

    def _first_state(
        self,
        problem: Problem,
        network: Network,
        prototypes: Prototypes,
        rng: np.random.Generator,
        unit: float,
    ) -> State:
        point = problem.evaluate(network, prototypes)
        if isinstance(self.learning_rate, str):
            rates = curvature_rates(problem.curvature(point), network, unit, 1.0, self._share)
        else:
            rates = drawn_rates(rng, self.learning_rate, network, unit)
        state = State(point, InitialState(network, prototypes), (network, prototypes), rates, rng)
        state.record(problem)
        return state

    def _epoch(self, problem: Problem, state: State, unit: float, tol: float) -> None:
        """Propose a step; take it or take it back; adapt the rates; note what happened."""
        if state.age % BOUND_EPOCHS == 0:
            state.rates = self._looked_at(problem, state, unit)
        state.age += 1
        with np.errstate(over="ignore", invalid="ignore"):  # a step that went too far is rejected
            trial, past = self._propose(problem, state, self.min_bandwidth * unit)
        before = state.point.objective
        shrink, growth, tolerance = self.adapt
        if trial.objective <= (1 + max(tolerance, ROUNDING)) * before:
            fall = before - trial.objective
            small = abs(fall) < tol * before or before == 0
            state.settled = state.settled + 1 if small else 0
            state.rates = state.rates.adapted(growth if fall > EQUAL * before else 1.0)
            state.point, state.past, state.rejected = trial, past, 0
            state.record(problem)
            state.watch()
        else:
            state.rates = state.rates.adapted(shrink)
            rested = problem.space.rest(state.point.prototypes)
            state.point = replace(state.point, prototypes=rested)
            state.past, state.age, state.rejected = None, 0, state.rejected + 1
            state.record(problem)
            state.history.rejected.append(state.epoch)

    def _looked_at(self, problem: Problem, state: State, unit: float) -> Rates:
        """Return the rates that the present curvature allows."""
        if isinstance(self.learning_rate, str):
            curvature, scale = problem.curvature(state.point), state.rates.scale
            return curvature_rates(curvature, state.point.network, unit, scale, self._share)
        if not self.stable:
            return state.rates
        return state.rates.below(problem.curvature(state.point), self._share)

    def _propose(
        self, problem: Problem, state: State, floor: float
    ) -> tuple[Point, Motion | Conjugate | None]:
        past = state.past
        if self.acceleration == "conjugate-gradients":
            assert not isinstance(past, Motion)
            return conjugate(problem, state.point, state.rates, floor, past)
        assert not isinstance(past, Conjugate)
        momentum = self.momentum if self.acceleration == "momentum" else 0.0
        return sweep(problem, state.point, state.rates, floor, past, momentum)

    def _may_grow(self, problem: Problem, state: State, max_prototypes: int | None) -> bool:
        if max_prototypes is None or state.since_growth < self.grow_after:
            return False
        if len(state.history.grown) == np.count_nonzero(problem.weights):
            return False
        return state.increases < self.patience and len(state.point.prototypes) < max_prototypes

    def _end(self, state: State) -> Status | None:
        if state.increases >= self.patience:
            return Status.VALIDATION
        if state.settled >= SETTLED_EPOCHS:
            return Status.CONVERGED
        return Status.STALLED if state.rejected >= REJECTED_EPOCHS else None


def _with_fitted_output(
    problem: Problem, network: Network, prototypes: Prototypes
) -> tuple[Network, float]:
    """Return the network with its output layer in closed form, and the ridge penalty."""
    used, dtype = problem.weights > 0, problem.space.dtype
    activations = network.forward(prototypes.distances_sq[:, used]).activations
    alpha = None if np.isnan(problem.alpha) else problem.alpha
    fit = fit_output(activations.T, problem.targets[used], problem.weights[used], alpha)
    weights, bias = fit.weights.astype(dtype), fit.bias.astype(dtype)
    return replace(network, weights=weights, bias=bias), fit.alpha
