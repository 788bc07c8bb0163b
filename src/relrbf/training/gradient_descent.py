"""Gradient descent by the paper's protocol: Algorithm 1 and section 3.1.

An epoch is one pass of Algorithm 1, or one step of conjugate gradients. A step that raises the
objective too far is rejected and the rates shrink; they grow while it falls. A validation set says
when to add a prototype, when to stop, and which state to keep.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._options import check_choice, check_number, check_span, is_auto
from relrbf.exceptions import OptionError
from relrbf.network import DistanceGradients, Forward, Kernel, Network, bound_curvature
from relrbf.network.model import fit_output
from relrbf.prototypes.base import Direction, Prototypes, plus, scaled
from relrbf.training.base import InitialState, OnEpoch, Point, Problem, Result, Status, Trainer
from relrbf.training.checkpoint import Checkpoint
from relrbf.training.conjugate_gradients import conjugate_step
from relrbf.training.state import DescentState, LastStep, Rates, curvature_rates, draw, drawn_rates

UPDATES = ("exact", "published")
ACCELERATIONS = ("momentum", "conjugate-gradients")
N_GROUPS = 3  # of parameters: output layer, prototypes, bandwidths
MIN_RISE = 1e-13  # a relative rise of the objective below this is rounding
OBJECTIVE_TIE = 1e-9  # objectives and deviations closer than this, relatively, are equal
BOUND_EPOCHS = 5  # bounds on the curvature hold for this many short steps
CONVERGED_EPOCHS = 10  # in a row with hardly a change, before training counts as converged
REJECTED_EPOCHS = 50  # in a row, before training counts as stalled


def _is_between(value: Any, low: float, high: float) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and low < float(value) < high


def _is_adaptation(value: Any) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 3:
        return False
    are_finite = all(_is_between(number, -np.inf, np.inf) for number in value)
    return are_finite and bool(0 < value[0] < 1 <= value[1] and value[2] >= 0)


OPTION_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {  # what is valid, in words as well
    "adapt": (
        _is_adaptation,
        "(shrink, grow, tolerance): the factor of the rates after a rejected step (above 0, below "
        "1), after a fall of the error (at least 1), and the relative rise of the error that is "
        "still accepted (at least 0)",
    ),
    "stable": (lambda x: isinstance(x, bool | np.bool_), "True or False"),
    "momentum": (lambda x: _is_between(x, -1, 1) and x >= 0, "a number below 1, not negative"),
    "min_bandwidth": (lambda x: _is_between(x, 0, np.inf), "a positive number, however small"),
    "unit": (lambda x: is_auto(x) or _is_between(x, 0, np.inf), "a positive length, or 'auto'"),
    "validation_fraction": (
        lambda x: x is None or _is_between(x, 0, 1),
        "a number between 0 and 1, or None to train without validation",
    ),
    "checkpoint": (
        lambda x: x is None or isinstance(x, str | PathLike),
        "the path of a file, or None",
    ),
}


@dataclass(frozen=True, eq=False)
class GradientDescent(Trainer):
    """The paper's training (Algorithm 1, section 3.1); its numbers are the defaults.

    Each epoch updates the weights (equation 2.7), the prototypes (2.9, or what theory 4 puts in its
    place) and the bandwidths (2.11), one after the other. A relational network and its vector
    equivalent take the same steps: the same rejections, the same growth, the same end.

    Parameters
    ----------
    update : {"exact", "published"}, default="exact"
        How prototypes move. "published" changes their distances as equation 2.9 is printed, with
        an error in one step about as large as the step (docs/protocol.md has the numbers); in
        vector and medoid space, where distances are measured, it changes nothing. Equations 2.7
        and 2.11, whose printed sign ascends, descend in either case.
    learning_rate : (low, high) or "curvature", default=(0.05, 2.0)
        Range from which a rate is drawn for each parameter, for gradients averaged over the
        objects. "curvature": the inverse of a bound on the objective's curvature instead.
    adapt : (shrink, grow, tolerance), default=(0.7, 1.05, 0.05)
        A step that raises the training error by more than the tolerance is rejected and all rates
        are scaled by the first factor; they are scaled by the second when the error falls.
    patience : int, default=30
        Training stops after this many rises of the validation error in a row.
    grow_after : int, default=5
        A prototype is added after this many, while there are fewer than ``max_prototypes``.
    validation_fraction : float or None, default=0.15
        Part of the objects split off for validation, from every class alike. None trains on all
        objects: no growth, and no state to keep but the last.
    validation : array or None, default=None
        Given instead of drawn: positions of the validation objects, or one boolean per object.
    initial_weights : (low, high) or None, default=(-1.75, 1.75)
        Range of the first weights and biases. None: in closed form, with the ridge penalty.
    initial_bandwidths : (low, high) or None, default=(0.25, 3.75)
        Range of the first bandwidths, in units. None: the best of a few by leave-one-out.
    unit : float or "auto", default="auto"
        The unit of length of bandwidths and steps. "auto": the root mean squared dissimilarity,
        so that scale does not matter; 1.0, as in the paper, takes dissimilarities as they are.
    stable : bool, default=True
        Keep every rate below what the curvature allows (``relrbf.network.curvature``). By the
        paper's rule alone, rates grow until rounding errors grow as well, and a relational network
        and its vector equivalent diverge within a thousand epochs.
    min_bandwidth : float, default=0.1
        No bandwidth falls below this many units: a collapsed one memorizes a single object.
    acceleration : {"momentum", "conjugate-gradients"} or None, default=None
        Higher order, in the latent inner product (theory 3). Conjugate gradients change all
        parameters at once, along directions they find the length of themselves.
    momentum : float, default=0.9
        Share of the last step that is added to the next, with acceleration="momentum".
    checkpoint : path or None, default=None
        File that keeps the state of training. A fit of the same data with the same options and
        seed (``random_state`` must be an int) continues from it, to the same result. One file
        serves one fit, not the folds of a cross-validation.
    checkpoint_every : int, default=100
        Epochs between two writes.

    Examples
    --------
    The protocol on a data set, as the paper runs it:

    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.training import GradientDescent
    >>> model = RBFNetworkClassifier(
    ...     10, max_prototypes=45, init="random-partition", solver=GradientDescent(), max_iter=3000
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
        check_choice("update", self.update, UPDATES)
        if self.acceleration is not None:
            check_choice("acceleration", self.acceleration, (None, *ACCELERATIONS))
            if self.update == "published":
                raise OptionError(
                    f"acceleration={self.acceleration!r} needs steps that add up, which the "
                    "printed update does not have. Use update='exact', or acceleration=None."
                )
        if not isinstance(self.learning_rate, str) or self.learning_rate != "curvature":
            check_span("learning_rate", self.learning_rate, 0, instead="'curvature'")
        for name, low in (("initial_weights", -np.inf), ("initial_bandwidths", 0)):
            if getattr(self, name) is not None:
                check_span(name, getattr(self, name), low, instead="None")
        for name in ("patience", "grow_after", "checkpoint_every"):
            check_number(name, getattr(self, name), Integral, 1)
        for name, (is_valid, needed) in OPTION_RULES.items():
            if not is_valid(value := getattr(self, name)):
                raise OptionError(f"{name} is {value!r}; it must be {needed}.")
        path = None if self.checkpoint is None else Path(self.checkpoint)
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            problem = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
            raise OptionError(f"checkpoint={str(path)!r} {problem}; give the path of a file.")

    @classmethod
    def curvature_scaled(cls, **options: Any) -> "GradientDescent":
        """Return a descent without random numbers or options to tune; the error never rises.

        Steps from the curvature, weights and bandwidths in closed form, all objects train.
        """
        chosen: dict[str, Any] = {
            "learning_rate": "curvature",
            "adapt": (0.5, 1.1, 0.0),
            "validation_fraction": None,
            "initial_weights": None,
            "initial_bandwidths": None,
        }
        return cls(**(chosen | options))

    def initial_network(
        self, problem: Problem, kernel: Kernel, prototypes: Prototypes, rng: np.random.Generator
    ) -> tuple[Network, float]:
        """Draw the first network, or what of it is to be drawn; see ``Trainer``."""
        if self.initial_weights is None and self.initial_bandwidths is None:
            return super().initial_network(problem, kernel, prototypes, rng)
        shape, dtype = (len(prototypes), problem.targets.shape[1]), problem.space.dtype
        weight_range = (0, 0) if self.initial_weights is None else self.initial_weights
        bandwidth_range = (1, 1) if self.initial_bandwidths is None else self.initial_bandwidths
        weights = draw(rng, weight_range, shape, dtype)
        bias = draw(rng, weight_range, shape[1], dtype)
        bandwidths = draw(rng, bandwidth_range, shape[0], dtype)
        network = Network(kernel, self._unit(problem) * bandwidths, weights, bias)
        if self.initial_weights is None:
            used = problem.weights > 0
            Phi = network.forward(prototypes.distances_sq[:, used]).activations.T
            alpha = None if np.isnan(problem.alpha) else problem.alpha
            fit = fit_output(Phi, problem.targets[used], problem.weights[used], alpha)
            weights, bias = fit.weights.astype(dtype), fit.bias.astype(dtype)
            return replace(network, weights=weights, bias=bias), fit.alpha
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
            problem = replace(problem, space=problem.space.published())
        start = replace(start, prototypes=problem.space.convert(start.prototypes))
        if max_prototypes is not None and max_prototypes > len(start.prototypes):
            self._check_growth(problem, max_prototypes)
        unit = self._unit(problem)
        checkpoint = Checkpoint.of(self, problem, start, max_prototypes, tol)
        if start.state is None:
            rng = np.random.default_rng(0) if rng is None else rng
            state = self._first_state(problem, start, rng, unit)
            state = checkpoint.resume(state, problem, max_iter)
        else:
            state = start.state

        def epoch() -> None:
            self._epoch(problem, state, unit, tol)
            if self._may_grow(problem, state, max_prototypes):
                self._grow(problem, state, unit)
            state.status = self._end(state)
            if state.epoch % self.checkpoint_every == 0:
                checkpoint.write(state)

        result = state.run(epoch, max_iter, on_epoch)
        checkpoint.write(state)
        return result

    def _epoch(self, problem: Problem, state: DescentState, unit: float, tol: float) -> None:
        """Propose a step; accept or reject it; adapt the rates; record what happened."""
        if state.bound_age % BOUND_EPOCHS == 0:
            state.rates = self._bounded_rates(problem, state.point, state.rates, unit)
        state.bound_age += 1
        with np.errstate(over="ignore", invalid="ignore"):  # a step that went too far is rejected
            trial, step = self._propose(problem, state, self.min_bandwidth * unit)
        before = state.point.objective
        shrink, growth, tolerance = self.adapt
        is_finite = bool(np.isfinite(trial.network.bandwidths).all())
        if is_finite and trial.objective <= (1 + max(tolerance, MIN_RISE)) * before:
            fall = before - trial.objective
            is_small = abs(fall) < tol * before or before == 0
            state.n_unchanged = state.n_unchanged + 1 if is_small else 0
            state.rates = state.rates.adapted(growth if fall > OBJECTIVE_TIE * before else 1.0)
            state.point, state.last_step, state.n_rejected = trial, step, 0
            state.record(problem)
            state.count_increases()
        else:
            state.rates = state.rates.adapted(shrink)
            unmoved = problem.space.after_rejection(state.point.prototypes)
            state.point = replace(state.point, prototypes=unmoved)
            state.last_step, state.bound_age = None, 0
            state.n_rejected += 1
            state.record(problem)
            state.history.rejected.append(state.epoch)

    def _propose(
        self, problem: Problem, state: DescentState, floor: float
    ) -> tuple[Point, LastStep | None]:
        """Return the point a step would reach and, with acceleration, the step."""
        point, rates, last = state.point, state.rates, state.last_step
        if self.acceleration == "conjugate-gradients":
            return conjugate_step(problem, point, rates, floor, last)
        momentum = self.momentum if self.acceleration == "momentum" else 0.0
        return algorithm_1(problem, point, rates, floor, last, momentum)

    def _bounded_rates(
        self, problem: Problem, point: Point, rates: Rates | None, unit: float
    ) -> Rates:
        """Return the rates that the present curvature allows.

        Groups of parameters that change one after the other use all of it; with acceleration they
        change at once, and share it.
        """
        if rates is not None and not isinstance(self.learning_rate, str) and not self.stable:
            return rates
        network, forward = point.network, point.forward
        assert isinstance(forward, Forward)
        by_responses = problem.by_responses(forward)
        curvature = bound_curvature(network, forward, by_responses, problem.weights, problem.alpha)
        share = 1.0 if self.acceleration is None else 1 / N_GROUPS
        if rates is None or isinstance(self.learning_rate, str):
            scale = 1.0 if rates is None else rates.scale
            return curvature_rates(curvature, network, unit, scale, share)
        return rates.bounded_by(curvature, share)

    def _first_state(
        self, problem: Problem, start: InitialState, rng: np.random.Generator, unit: float
    ) -> DescentState:
        network, prototypes = start.network, start.prototypes
        point = problem.evaluate(network, prototypes)
        if isinstance(self.learning_rate, str):
            rates = self._bounded_rates(problem, point, None, unit)
        else:
            rates = drawn_rates(rng, self.learning_rate, network, unit)
        state = DescentState(point, start, (network, prototypes), rates, rng)
        state.record(problem)
        return state

    def _unit(self, problem: Problem) -> float:
        if not isinstance(self.unit, str):
            return float(self.unit)
        return problem.mean_sq**0.5 or 1.0

    def _check_growth(self, problem: Problem, max_prototypes: int) -> None:
        """Refuse to grow where nothing can bring it about."""
        wish = f"max_prototypes={max_prototypes} asks for growth"
        if problem.validation is None:
            raise OptionError(
                f"{wish}, which needs a validation part, and the solver has "
                "validation_fraction=None. Give it one, or leave max_prototypes at None."
            )
        if self.patience <= self.grow_after:
            raise OptionError(
                f"{wish}, but patience={self.patience} stops training before "
                f"grow_after={self.grow_after} adds a prototype. Raise patience."
            )

    def _may_grow(self, problem: Problem, state: DescentState, max_prototypes: int | None) -> bool:
        if max_prototypes is None or state.n_increases_since_growth < self.grow_after:
            return False
        if len(state.history.grown) == np.count_nonzero(problem.weights):
            return False
        return state.n_increases < self.patience and len(state.point.prototypes) < max_prototypes

    def _grow(self, problem: Problem, state: DescentState, unit: float) -> None:
        """Add a prototype at the training object with the largest absolute deviation.

        An object where one was added before is passed over: another prototype there does not help.
        Momentum is kept, with none for the new prototype; conjugate gradients restart.
        """
        # with cross-entropy, the deviation of the probabilities
        by_responses = problem.loss.gradient(
            state.point.forward.responses, problem.targets, np.ones_like(problem.weights)
        )
        deviations = np.where(problem.weights > 0, np.abs(by_responses).max(axis=1), -1)
        deviations[[where for _, where in state.history.grown]] = -1
        # the first of the objects that deviate most: rounding must not choose among equals
        worst = int(np.argmax(deviations >= (1 - OBJECTIVE_TIE) * deviations.max()))
        network = self._with_one_more(state.point.network, unit, state.rng)
        placed = problem.space.place_at(np.array([worst]))
        if not isinstance(self.learning_rate, str):
            one = replace(network, weights=network.weights[-1:], bandwidths=network.bandwidths[-1:])
            more = drawn_rates(state.rng, self.learning_rate, one, unit)
            state.rates = state.rates.joined(more)
        state.point = problem.evaluate(network, state.point.prototypes.joined(placed))
        last = state.last_step
        if last is not None:
            weights, bias, *hidden = last.direction
            weights, *hidden = (
                np.concatenate([a, np.zeros_like(a[:1])]) for a in (weights, *hidden)
            )
            has_momentum = self.acceleration == "momentum"
            state.last_step = LastStep((weights, bias, *hidden)) if has_momentum else None
        state.history.grown.append((state.epoch, worst))
        state.n_increases_since_growth = state.n_unchanged = state.bound_age = 0
        state.record_again(problem)

    def _with_one_more(self, network: Network, unit: float, rng: np.random.Generator) -> Network:
        """Draw a further unit; where nothing is drawn, one of weight zero and median bandwidth."""
        g, dtype = network.weights.shape[1], network.weights.dtype
        weights, bandwidth = np.zeros((1, g), dtype), np.median(network.bandwidths, keepdims=True)
        if self.initial_weights is not None:
            weights = draw(rng, self.initial_weights, (1, g), dtype)
        if self.initial_bandwidths is not None:
            bandwidth = unit * draw(rng, self.initial_bandwidths, 1, dtype)
        return replace(
            network,
            weights=np.concatenate([network.weights, weights]),
            bandwidths=np.concatenate([network.bandwidths, bandwidth]),
        )

    def _end(self, state: DescentState) -> Status | None:
        if state.n_increases >= self.patience:
            return Status.VALIDATION
        if state.n_unchanged >= CONVERGED_EPOCHS:
            return Status.CONVERGED
        return Status.STALLED if state.n_rejected >= REJECTED_EPOCHS else None


def algorithm_1(
    problem: Problem,
    point: Point,
    rates: Rates,
    floor: float,
    last: LastStep | None = None,
    momentum: float = 0.0,
) -> tuple[Point, LastStep | None]:
    """Return the point after one epoch of Algorithm 1 and, with momentum, the step that led there.

    Weights, then prototypes, then bandwidths change, each from the result of the change before. It
    costs one product with S, for the prototypes' direction; all else is O(c n g). A share
    ``momentum`` of the last step is added; no bandwidth falls below ``floor``.
    """
    old, step, space, forward = point.network, rates.steps(), problem.space, point.forward
    assert isinstance(forward, Forward)
    by_responses = problem.by_responses(forward)
    by_weights = forward.activations @ by_responses + problem.alpha * old.weights  # equation 2.7
    output: Direction = -step.weights * by_weights, -step.bias * by_responses.sum(axis=0)
    if last is not None:
        output = plus(output, last.direction[:2], momentum)
    network = replace(old, weights=old.weights + output[0], bias=old.bias + output[1])
    forward = forward.with_output_of(network)
    gradients = DistanceGradients(network, forward, problem.by_responses(forward))
    direction, lengths = space.descent(point.prototypes, gradients), step.prototypes
    if momentum:
        direction, lengths = scaled(direction, lengths), np.ones_like(lengths)
    if last is not None:
        direction = plus(direction, last.direction[3:], momentum)
    prototypes = space.move(point.prototypes, direction, lengths)  # theory 4, for equation 2.9
    forward = network.forward(prototypes.distances_sq)
    by_bandwidths = network.backward(forward, problem.by_responses(forward)).bandwidths
    change = -step.bandwidths * by_bandwidths  # equation 2.11
    if last is not None:
        change = change + momentum * last.direction[2]
    lowest = np.minimum(old.bandwidths, floor)  # a smaller initial one may stay, not shrink further
    network = replace(network, bandwidths=np.maximum(old.bandwidths + change, lowest))
    trial = problem.evaluate(network, prototypes)
    if not momentum:
        return trial, None
    return trial, LastStep((*output, network.bandwidths - old.bandwidths, *direction))
