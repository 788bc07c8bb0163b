"""Going on from the last fit (``warm_start``)."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.training.problem import IDENTITY_TOLERANCE, Problem, agree

# What may change from one fit to the next: how long to go on, how far to grow, how to report.
FREE = ("max_iter", "tol", "max_prototypes", "random_state", "n_jobs", "verbose", "warm_start")


@dataclass(frozen=True, eq=False)
class LastFit:
    """Where the last fit stopped, and what it was a fit of."""

    state: Any
    watching: np.ndarray | None
    looked_at: tuple[Indices, Array, float] | None  # objects whose rows were read; None: all
    support: Indices
    alpha: float
    total: float  # sum of the objects' weights
    params: dict[str, Any]
    identity: dict[str, Array]

    def check_options(self, params: dict[str, Any], n_objects: int) -> None:
        """Refuse to go on with other options, or another number of objects."""
        other = [n for n in params if n not in FREE and not _same(params[n], self.params[n])]
        if n_objects != len(self.identity["X"]):
            other.append("X")
        _refuse(other)

    def check_problem(self, problem: Problem, total: float) -> None:
        """Refuse to go on with another problem than the last."""
        present = problem.identity()
        other = [n for n, kept in self.identity.items() if not agree(kept, present[n])]
        if not other and abs(total - self.total) > IDENTITY_TOLERANCE * self.total:
            other = ["sample_weight"]
        _refuse(other)


def _refuse(other: list[str]) -> None:
    if other:
        raise OptionError(
            f"warm_start=True goes on from the last fit, which had another {', '.join(other)}. "
            "Restore it, or set warm_start=False to train anew."
        )


def _same(one: Any, other: Any) -> bool:
    """Compare options, of which some are arrays and some hold arrays."""
    if one is other:
        return True
    if is_dataclass(one) and type(one) is type(other):
        return all(_same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return type(one) is type(other) and bool(one == other)
