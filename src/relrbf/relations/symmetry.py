"""Doubting a measure: some pairs are asked the other way round, some objects about themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np

from relrbf._typing import Indices
from relrbf.exceptions import RelationError
from relrbf.relations.crew import Answered, Crew

FIRST, ONE_IN = 16, 10_000  # pairs that are asked both ways: some at once, then one in so many
ROUNDING = 1e-6  # of the largest dissimilarity; more in float32, the root of its precision
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
    dtype : dtype
        Precision of the answers.
    """

    def __init__(self, crew: Crew, name: Callable[[int], str], dtype: np.dtype[Any]) -> None:
        self.crew = crew
        self.name = name
        self.share = max(ROUNDING, float(np.sqrt(np.finfo(dtype).eps)))
        self.n_checked = 0
        self.n_seen = 0

    def __call__(self, answered: Answered, largest: float) -> None:
        """Check some of the pairs that were answered."""
        ends = np.cumsum([answers.values.size for _, answers in answered])
        self.n_seen += int(ends[-1])
        n_checked = min(FIRST + self.n_seen // ONE_IN - self.n_checked, int(ends[-1]))
        if n_checked <= 0 or largest == 0:
            return
        drawn = np.random.default_rng(self.n_checked).choice(ends[-1], n_checked, replace=False)
        pairs = [_pair(answered, ends, k) for k in drawn.tolist()]
        self._check_self(sorted({first for first, _, _ in pairs})[:N_SELF], self.share * largest)
        if self.crew.measure.symmetrize is None:
            self._check_pairs(pairs, self.share * largest)
        self.n_checked += n_checked

    def _check_self(self, objects: list[int], rounding: float) -> None:
        for i in objects:
            value = self._ask(i, i)
            if abs(value) > rounding:
                raise RelationError(
                    f"measure gives {value:.6g} for {self.name(i)} and itself; it must be 0. If "
                    "it measures how similar objects are, turn it round, for example 1 - s."
                )

    def _check_pairs(self, pairs: list[tuple[int, int, float]], rounding: float) -> None:
        backs = [self._ask(second, first) for first, second, _ in pairs]
        gaps = [abs(there - back) for (_, _, there), back in zip(pairs, backs, strict=True)]
        k = int(np.argmax(gaps))
        first, second, there = pairs[k]
        if gaps[k] > rounding:
            raise RelationError(
                f"measure is not symmetric: from {self.name(first)} to {self.name(second)} it "
                f"gives {there:.6g}, and back {backs[k]:.6g}, the largest difference among "
                f"{len(pairs)} pairs asked both ways. Say what is meant with symmetrize='mean', "
                "'min' or 'max', which asks about every pair both ways; or wrap it, for example "
                "lambda a, b: (measure(a, b) + measure(b, a)) / 2."
            )

    def _ask(self, first: int, second: int) -> float:
        answers = self.crew.compare(first, second)
        if answers.problem is not None:
            raise RelationError(
                f"measure {answers.problem.text} (asked about {self.name(first)} and "
                f"{self.name(second)}, which tells whether it is symmetric)."
            ) from answers.problem.error
        return float(answers.values.flat[0])


def _pair(answered: Answered, ends: Indices, k: int) -> tuple[int, int, float]:
    """Return the k-th pair of all that were answered: its two objects and the answer."""
    t = int(np.searchsorted(ends, k, side="right"))
    task, answers = answered[t]
    where = np.unravel_index(k - int(ends[t]) + answers.values.size, answers.values.shape)
    value = float(answers.values[where])
    return int(task.first[where[0]]), int(task.second[where[-1]]), value
