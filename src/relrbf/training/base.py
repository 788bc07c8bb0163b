"""The contract of a trainer and what it returns."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from relrbf.network import Network
from relrbf.spaces.base import Prototypes
from relrbf.training.problem import Problem

OnEpoch: TypeAlias = Callable[[float], bool]
"""Called after every epoch with the objective; training stops when it returns True."""


class Status(Enum):
    """How training ended; the value is advice."""

    CONVERGED = "Converged: the objective no longer changes by more than tol."
    MAX_ITER = "Stopped at max_iter. Raise it, or loosen tol."
    STALLED = (
        "Stopped: no step, however short, lowers the objective. Accept the result, or start "
        "elsewhere with another random_state or init."
    )
    INTERRUPTED = "Stopped by a callback."


@dataclass
class History:
    """What happened, epoch by epoch; the first entry is the start.

    Attributes
    ----------
    objective : list of float
        The objective after each epoch.
    n_prototypes : list of int
        The number of prototypes after each epoch.
    """

    objective: list[float] = field(default_factory=list)
    n_prototypes: list[int] = field(default_factory=list)

    def record(self, objective: float, n_prototypes: int) -> None:
        """Add an epoch."""
        self.objective.append(objective)
        self.n_prototypes.append(n_prototypes)

    def __len__(self) -> int:
        return len(self.objective)


@dataclass(frozen=True)
class Result:
    """A trained network, its prototypes, and how training went."""

    network: Network
    prototypes: Prototypes
    status: Status
    n_iter: int
    history: History


class Trainer(ABC):
    """Lowers a problem's objective from a first network. It never asks which space it is in."""

    @abstractmethod
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
        """Train for at most max_iter epochs and return the state reached."""
