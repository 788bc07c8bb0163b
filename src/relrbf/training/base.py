"""The contract of a trainer and what it returns.

To add a trainer: one file here, one line in ``relrbf.training.SOLVERS``, and a subclass of the kit
in tests/contracts.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array
from relrbf.network import Kernel, Network
from relrbf.network.output import fitted_network
from relrbf.prototypes.base import Prototypes
from relrbf.training.problem import Problem
from relrbf.training.validation_sets import as_mask, check_validation_mask, draw_validation_mask

OnEpoch: TypeAlias = Callable[[float], bool]
"""Called after every epoch with the objective; training stops when it returns True."""


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
        "Stopped early, on purpose: the network is close to what can be learnt, and more training "
        "would fit noise. LBFGS(teacher_tolerance=..., max_refinements=...) sets how early."
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


class Trainer(ABC):
    """Lowers a problem's objective from a first network. It never asks which space it is in.

    Attributes
    ----------
    validation : array or None
        Validation objects that were given: positions, or one boolean for each object.
    """

    validation: Any = None

    @property
    def validation_fraction(self) -> float | None:
        """Part of the objects that is drawn for validation; None: all train."""
        return None

    @property
    def distills(self) -> bool:
        """Whether it learns the responses of a teacher, not the targets."""
        return False

    @property
    def supervised_init(self) -> bool:
        """Whether initial k-means clusters objects and their targets together."""
        return False

    def for_size(self, n_objects: int, n_support: int) -> "Trainer":
        """Return the trainer for so many objects, of which so many carry coefficients."""
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
        network, fit = fitted_network(
            kernel,
            prototypes.distances_sq,
            problem.targets,
            problem.weights,
            problem.mean_sq,
            None if np.isnan(problem.alpha) else problem.alpha,
        )
        return network, fit.alpha

    def underfits(self, problem: Problem, network: Network, prototypes: Prototypes) -> bool:
        """Return whether a first network has too few prototypes for what it is to learn."""
        return False

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
