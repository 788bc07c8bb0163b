"""What is minimised, the contract of a trainer, and what it returns.

``f = sum_i w_i loss(y_i, yhat_i) + alpha/2 |W|²``, object weights w summing to one: the mean over
objects, not the sum, so that a step means the same for any number of them (theory 4 and 8).

To add a trainer: one file here, one line in ``relrbf.training.SOLVERS``, and a subclass of the kit
in tests/contracts.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.network import ChunkedForward, ForwardPass, Kernel, Loss, Network, SquaredError
from relrbf.network.model import MAX_KEPT_ENTRIES, fitted_network
from relrbf.prototypes.base import Prototypes, Space

OnEpoch: TypeAlias = Callable[[float], bool]
"""Called after every epoch with the objective; training stops when it returns True."""

VALIDATION_ADVICE = (
    "Choose another part, give more objects, or train without validation: validation_fraction=None "
    "in a GradientDescent, early_stopping=None in an LBFGS, max_prototypes=None with solver='auto'."
)
IDENTITY_TOLERANCE = 1e-6  # relative: numbers computed on another machine are the same


class Status(Enum):
    """How training ended; the value is advice."""

    CONVERGED = "Converged: the objective no longer changes by more than tol."
    MAX_ITER = "Stopped at max_iter. Raise it, or loosen tol."
    STALLED = (
        "Stopped: fifty steps in a row raised the objective, each shorter than the last. Accept "
        "the result, or start elsewhere with another random_state or init."
    )
    VALIDATION = (
        "Stopped: the validation error only rose. The state with the smallest validation error "
        "was kept."
    )
    EARLY_STOPPED = (
        "Stopped early, on purpose: longer training tends to fit noise. LBFGS(max_epochs=...) "
        "sets how early."
    )
    DISTILLED = (
        "Distilled: the network learned to answer as its teacher does, with fewer prototypes. "
        "n_prototypes='all' keeps the teacher."
    )
    WHOLE_TEACHER = (
        "Nothing to train: the teacher was kept whole, because no smaller network answers as it "
        "does. n_prototypes=... asks for a smaller one all the same."
    )
    INTERRUPTED = "Stopped by a callback."


@dataclass
class History:
    """What happened, epoch by epoch; the first entry is the start.

    Attributes
    ----------
    objective : list of float
        The objective after each epoch.
    validation_error : list of float
        The error of the validation part after each epoch; empty where there is none.
    n_prototypes : list of int
        The number of prototypes after each epoch.
    rejected : list of int
        Epochs whose step raised the objective too far and was rejected.
    grown : list of (int, int)
        Epochs after which a prototype was added, and the object where it was placed.
    best_epoch : int
        The epoch whose state was kept.
    """

    objective: list[float] = field(default_factory=list)
    validation_error: list[float] = field(default_factory=list)
    n_prototypes: list[int] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)
    grown: list[tuple[int, int]] = field(default_factory=list)
    best_epoch: int = 0

    def __len__(self) -> int:
        return len(self.objective)


@dataclass(frozen=True, eq=False)
class Point:
    """A network with its prototypes, evaluated: the loss, and with the penalty the objective."""

    network: Network
    prototypes: Prototypes
    forward: ForwardPass
    loss: float
    objective: float


@dataclass(frozen=True, eq=False)
class Problem:
    """A space, targets (n × g), object weights (n, summing to one) and a ridge penalty.

    ``validation`` holds the weights of the validation objects: they sum to one as well, and an
    object has a weight here or in ``weights``, not in both. ``unit_sq`` is the mean squared
    dissimilarity where it was measured on some of the objects. With ``prototype_outputs`` (c), each
    prototype has a weight for this output alone, which is not negative.
    """

    space: Space
    targets: Array
    weights: Array
    alpha: float
    loss: Loss = field(default_factory=SquaredError)
    validation: Array | None = None
    unit_sq: float | None = None
    prototype_outputs: Indices | None = None

    @property
    def mean_sq(self) -> float:
        """Mean squared dissimilarity of the objects, or of those it was measured on (a unit)."""
        if self.unit_sq is not None:
            return self.unit_sq
        mean = self.space.mean_sq(self.weights)
        if mean <= 0 and self.validation is not None:  # of one object, or copies of one
            mean = self.space.mean_sq((self.weights + self.validation) / 2)
        return max(mean, 0.0)

    def evaluate(self, network: Network, prototypes: Prototypes) -> Point:
        """Pass every object through the network, keeping the forward pass."""
        return self.point(network, prototypes, network.forward(prototypes.distances_sq))

    def forward(self, network: Network, prototypes: Prototypes) -> ForwardPass:
        """Pass every object through the network; of many objects only responses are kept."""
        n_objects = self.space.n_objects
        if len(network.bandwidths) * n_objects <= MAX_KEPT_ENTRIES:
            return network.forward(prototypes.distances_sq)
        return ChunkedForward(network, n_objects, prototypes.distances_sq_at)

    def point(self, network: Network, prototypes: Prototypes, forward: ForwardPass) -> Point:
        """Return the point of a network, given its forward pass."""
        loss = self.loss.value(forward.responses, self.targets, self.weights)
        penalty = self.alpha * float(np.square(network.weights).sum()) / 2
        return Point(network, prototypes, forward, loss, loss + penalty)

    def by_responses(self, forward: ForwardPass) -> Array:
        """Return the derivative of the loss by the responses (n × g)."""
        return self.loss.gradient(forward.responses, self.targets, self.weights)

    def identity(self) -> dict[str, Array]:
        """Return arrays that distinguish this problem from any other."""
        empty = np.zeros_like(self.weights)
        return {
            "y": self.targets,
            "sample_weight": self.weights,
            "validation part": empty if self.validation is None else self.validation,
            "X": self.space.distances_sq_to_mean(self.weights),
        }


def agree(kept: Array, present: Array) -> bool:
    """Return whether arrays are the same numbers, even if computed on another machine."""
    if kept.shape != present.shape:
        return False
    scale = float(np.abs(present).max(initial=0.0))
    tolerance = max(IDENTITY_TOLERANCE, 1e2 * float(np.finfo(present.dtype).eps))
    return bool((np.abs(kept - present) <= tolerance * scale).all())


@dataclass(frozen=True, eq=False)
class InitialState:
    """The network and prototypes that training starts from.

    ``state``, from an earlier result's ``state.continued()``, takes their place where it is given.
    """

    network: Network
    prototypes: Prototypes
    state: Any = None


@dataclass(frozen=True, eq=False)
class Result:
    """A trained network, its prototypes, and how training went.

    ``state`` is all that a trainer needs to continue from where it stopped.
    """

    network: Network
    prototypes: Prototypes
    status: Status
    n_iter: int
    history: History
    state: Any = None


@dataclass(eq=False)
class TrainingState:
    """Where training stands: the present point, the best one so far, and what happened."""

    point: Point
    initial: InitialState
    best: tuple[Network, Prototypes]  # by validation error; without validation, the present one
    history: History = field(default_factory=History, kw_only=True)
    epoch: int = field(default=-1, kw_only=True)  # epochs trained; the first record is the start
    start_epoch: int = field(default=0, kw_only=True)  # not 0 with ``warm_start``
    n_unchanged: int = field(default=0, kw_only=True)  # epochs in a row, of the objective
    status: Status | None = field(default=None, kw_only=True)  # why there is nothing more to do
    # validation errors closer than this, relatively, are equal: rounding must not decide
    error_tie: ClassVar[float] = 1e-9

    def continued(self) -> Self:
        """Return a copy from which a further fit begins; it leaves this one as it is."""
        history = deepcopy(self.history)
        return replace(self, history=history, start_epoch=self.epoch, status=None)

    def record(self, problem: Problem) -> None:
        """Add the present point to the history; keep the state with the best validation error."""
        history, point = self.history, self.point
        history.objective.append(point.objective)
        history.n_prototypes.append(len(point.network.bandwidths))
        self.epoch += 1
        if problem.validation is not None:
            errors = history.validation_error
            lowest = errors[history.best_epoch] if errors else np.inf
            errors.append(
                problem.loss.value(point.forward.responses, problem.targets, problem.validation)
            )
            if not errors[-1] < (1 - self.error_tie) * lowest:
                return
        self.best = point.network, point.prototypes
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


class Trainer(ABC):
    """Lowers a problem's objective from a first network. It never asks which space it is in.

    Attributes
    ----------
    validation : array or None
        Validation objects that were given: positions, or one boolean for each object.
    validation_fraction : float or None
        Part of the objects that is drawn for validation; None: all train.
    early_stopping : str or None
        "distillation": it learns the responses of a teacher, not the targets.
    teacher_tolerance : float
        How close to the teacher is close enough, as a fraction of its left-out loss.
    supervised_init : bool
        Whether initial k-means clusters objects and their targets together.
    """

    validation: Any = None
    validation_fraction: float | None = None
    early_stopping: str | None = None
    teacher_tolerance: float = 0.0
    supervised_init: ClassVar[bool] = False

    def for_size(self, n_objects: int, n_support: int, is_given: bool) -> "Trainer":
        """Return the trainer for so many objects, of which so many carry coefficients.

        ``is_given`` says that prototypes, or their number, were given.
        """
        return self

    def validation_mask(
        self,
        weights: Array,
        classes: np.ndarray | None,
        rng: np.random.Generator,
        eligible: np.ndarray | None = None,
    ) -> np.ndarray | None:
        """Return the mask of the validation set (n, bool), or None where all objects train.

        It is the given one, or drawn among the ``eligible`` objects (n, bool; None means all).
        ``classes`` holds each object's class, or is None for regression.
        """
        if self.validation is not None:
            mask = as_mask(self.validation, len(weights))
            check_validation_mask(mask, weights, classes, "validation")
            return mask
        if self.validation_fraction is None:
            return None
        return draw_validation_mask(self.validation_fraction, weights, classes, rng, eligible)

    def initial_network(
        self, problem: Problem, kernel: Kernel, prototypes: Prototypes, rng: np.random.Generator
    ) -> tuple[Network, float]:
        """Return the first network and the ridge penalty, chosen where ``problem.alpha`` is NaN.

        Unless a trainer says otherwise: the best of a few bandwidths, and weights in closed form.
        """
        alpha = None if np.isnan(problem.alpha) else problem.alpha
        Y, w, unit_sq = problem.targets, problem.weights, problem.mean_sq
        network, fit = fitted_network(kernel, prototypes.distances_sq, Y, w, unit_sq, alpha)
        return network, fit.alpha

    def check_options(self, loss: Loss, max_prototypes: int | None, n_prototypes: int) -> None:
        """Refuse what this trainer cannot do."""
        return

    @abstractmethod
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
        """Train for at most max_iter epochs and return the state reached.

        Up to ``max_prototypes`` may be added, drawn with ``rng``.
        """


def draw_validation_mask(
    fraction: float,
    weights: Array,
    classes: np.ndarray | None,
    rng: np.random.Generator,
    eligible: np.ndarray | None = None,
    option: str | None = None,
) -> np.ndarray:
    """Draw a fraction of the objects of positive weight, from every class alike (n, bool).

    A class whose share is not a whole number is rounded at random; its last object is not drawn,
    nor are objects that are not eligible. Errors name the ``option`` that asked for it.
    """
    free = np.ones(len(weights), dtype=bool) if eligible is None else eligible
    groups = np.zeros(len(weights), dtype=int) if classes is None else classes
    members = [np.flatnonzero((groups == g) & (weights > 0)) for g in np.unique(groups)]
    counts = [min(int(fraction * len(m) + rng.random()), len(m) - 1) for m in members]
    for largest in np.argsort([-len(m) for m in members], kind="stable"):
        if np.count_nonzero(counts) >= min(2, len(members)):
            break
        counts[largest] = max(counts[largest], min(1, len(members[largest]) - 1))
    mask = np.zeros(len(weights), dtype=bool)
    for objects, count in zip(members, counts, strict=True):
        mask[rng.permutation(objects[free[objects]])[: max(count, 0)]] = True
    check_validation_mask(mask, weights, classes, option or f"validation_fraction={fraction:.3g}")
    return mask


def as_mask(validation: Any, n_objects: int) -> np.ndarray:
    """Return positions, or a mask, of objects as a mask (n, bool)."""
    given = np.asarray(validation)
    if given.ndim != 1 or given.dtype.kind not in "bui" or given.size == 0:
        raise OptionError(
            "validation must be a flat array, not empty: positions of objects, or one boolean per "
            f"object. It has shape {given.shape} and dtype {given.dtype}."
        )
    if given.dtype == bool:
        if len(given) != n_objects:
            raise OptionError(
                f"validation has {len(given)} booleans for {n_objects} objects; give one for each."
            )
        return given
    outside = given[(given < 0) | (given >= n_objects)]
    if len(outside):
        raise OptionError(
            f"validation holds the position {outside[0]}; positions go from 0 to {n_objects - 1}."
        )
    return np.isin(np.arange(n_objects), given)


def check_validation_mask(
    mask: np.ndarray, weights: Array, classes: np.ndarray | None, name: str
) -> None:
    """Refuse a validation part that cannot validate, or leaves nothing to train on."""
    groups = np.zeros(len(mask), dtype=int) if classes is None else classes
    validating, training = groups[mask & (weights > 0)], groups[~mask & (weights > 0)]
    found = []
    for part, present in (("validation", validating), ("training", training)):
        if len(present) == 0:
            found.append(f"no object for {part}.")
        elif classes is not None and len(np.unique(present)) < 2:
            found.append(f"objects of one class only for {part}; a classifier needs at least two.")
    untaught = np.setdiff1d(validating, training)
    found += [f"no object of class number {number} for training." for number in untaught]
    if found:
        raise OptionError(f"{name} leaves {found[0]} {VALIDATION_ADVICE}")
