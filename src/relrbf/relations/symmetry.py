"""Doubting a measure: some pairs are asked the other way round, some objects about themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.crew import Batch, Crew

FIRST, ONE_IN = 16, 10_000  # pairs that are asked both ways: some at once, then one in so many
N_SELF = 4  # objects of them that are asked about themselves


class SymmetryCheck:
    """Refuses a measure that is not symmetric, or not zero between an object and itself.

    Only half of the pairs are ever computed, so that nobody would notice otherwise.

    Parameters
    ----------
    crew : Crew
        Asks the measure.
    name : callable
        Names the object at a position.
    """

    def __init__(self, crew: Crew, name: Callable[[int], str]) -> None:
        self.crew = crew
        self.name = name
        self.n_checked = 0
        self.n_seen = 0

    def __call__(self, batch: Batch, largest: float) -> None:
        """Check some of the pairs that were to do and have values now."""
        pairs = np.flatnonzero(batch.todo)
        n_checked = min(FIRST + (self.n_seen + len(pairs)) // ONE_IN - self.n_checked, len(pairs))
        if n_checked > 0 and largest > 0:
            rng = np.random.default_rng(self.n_checked)
            drawn = rng.choice(pairs, n_checked, replace=False)
            p, q = np.unravel_index(drawn, batch.todo.shape)
            a, b, values = batch.lines[p], batch.entries[q], batch.values[p, q]
            rounding = float(np.sqrt(np.finfo(values.dtype).eps)) * largest
            self._check_self(a[:N_SELF], rounding)
            if self.crew.measure.symmetrize is None:
                self._check_pairs(a, b, values, rounding)
            self.n_checked += n_checked
        self.n_seen += len(pairs)

    def _check_self(self, objects: Indices, rounding: float) -> None:
        for i in objects:
            value = self._ask(i, i)
            if abs(value) > rounding:
                raise RelationError(
                    f"measure gives {value:.6g} for {self.name(i)} and itself; it must be 0. If "
                    "it measures how similar objects are, turn it round, for example 1 - s."
                )

    def _check_pairs(self, a: Indices, b: Indices, there: Array, rounding: float) -> None:
        if not self.crew.measure.pairwise:
            a, b = np.minimum(a, b), np.maximum(a, b)
        back = np.array([self._ask(*pair) for pair in zip(b, a, strict=True)])
        gaps = np.abs(there - back)
        k = int(np.argmax(gaps))
        if gaps[k] > rounding:
            raise RelationError(
                f"measure is not symmetric: from {self.name(a[k])} to {self.name(b[k])} it gives "
                f"{there[k]:.6g}, and back {back[k]:.6g}, the largest difference among "
                f"{len(a)} pairs asked both ways. Say what is meant with symmetrize='mean', 'min' "
                "or 'max', which asks about every pair both ways; or wrap it, for example "
                "lambda a, b: (measure(a, b) + measure(b, a)) / 2."
            )

    def _ask(self, first: Any, second: Any) -> float:
        answers = self.crew.compare(first, second)
        if answers.problem is not None:
            raise RelationError(
                f"measure {answers.problem.text} (asked about {self.name(first)} and "
                f"{self.name(second)}, which tells whether it is symmetric)."
            ) from answers.problem.error
        return float(answers.values.flat[0])
