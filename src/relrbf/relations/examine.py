"""What is said of a measure whose answers cannot be used; every refusal names the objects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Indices
from relrbf.exceptions import RelationError
from relrbf.relations.asking import Answers, Problem

Compare: TypeAlias = Callable[[int, int], Answers]  # asks about the objects at two positions
ROUNDING = 1e-6  # of the largest dissimilarity; more in float32, the root of its precision
LITTLE = 1e-12  # what nothing but rounding leaves where all else is 0
WRAPPED = "lambda a, b: (measure(a, b) + measure(b, a)) / 2"


def rounding_share(dtype: np.dtype[Any]) -> float:
    """Return what share of the largest dissimilarity two directions may differ by."""
    return max(ROUNDING, float(np.sqrt(np.finfo(dtype).eps)))


def below_zero(dtype: np.dtype[Any], largest: float) -> float:
    """Return how far below zero a dissimilarity may be by rounding; that is left as it is."""
    return 100 * float(np.finfo(dtype).eps) * largest


@dataclass(frozen=True)
class Examiner:
    """Judges a measure by its answers about pairs of objects.

    Attributes
    ----------
    name : callable
        Names the object at a position.
    remedy : str
        What to do about a measure that is not symmetric.
    word : str
        The argument that the measure was passed as.
    """

    name: Callable[[int], str]
    remedy: str = f"Wrap it, for example {WRAPPED}."
    word: str = "measure"

    def failure(self, problem: Problem, firsts: Indices, seconds: Indices) -> str:
        """Say what went wrong, and with which of the objects that were asked about."""
        if problem.pair is None:
            about = f"{self._several(firsts)} and {self._several(seconds)}"
        else:
            about = self._pair(firsts[problem.pair[0]], seconds[problem.pair[-1]])
        return f"{self.word} {problem.text} (asked about {about})."

    def negative(self, value: float, first: int, second: int) -> str:
        """Say that a dissimilarity is below zero."""
        return (
            f"{self.word} returned {value:.4g} for {self._pair(first, second)}; dissimilarities "
            "cannot be negative. If it measures how similar objects are, turn it round, for "
            "example 1 - s."
        )

    def check_self(self, compare: Compare, objects: list[int], rounding: float) -> None:
        """Refuse a measure that is not zero between an object and itself."""
        for i in objects:
            value = self._ask(compare, i, i)
            if abs(value) > rounding:
                raise RelationError(
                    f"{self.word} gives {value:.6g} for {self.name(i)} and itself; it must be 0. "
                    "If it measures how similar objects are, turn it round, for example 1 - s."
                )

    def check_back(
        self, compare: Compare, pairs: list[tuple[int, int, float]], rounding: float
    ) -> None:
        """Refuse a measure that says something else of pairs the other way round."""
        backs = [self._ask(compare, second, first) for first, second, _ in pairs]
        gaps = [abs(there - back) for (_, _, there), back in zip(pairs, backs, strict=True)]
        k = int(np.argmax(gaps)) if gaps else 0
        if gaps and gaps[k] > rounding:
            first, second, there = pairs[k]
            raise RelationError(
                f"{self.word} is not symmetric: from {self.name(first)} to {self.name(second)} it "
                f"gives {there:.6g}, and back {backs[k]:.6g}, the largest difference among "
                f"{len(pairs)} pairs asked both ways. {self.remedy}"
            )

    def _ask(self, compare: Compare, first: int, second: int) -> float:
        answers = compare(first, second)
        if answers.problem is not None:
            raise RelationError(
                f"{self.word} {answers.problem.text} (asked about {self.name(first)} and "
                f"{self.name(second)}, which tells whether it is symmetric)."
            ) from answers.problem.error
        return float(answers.values.flat[0])

    def _pair(self, first: int, second: int) -> str:
        first, second = sorted((int(first), int(second)))
        return f"{self.name(first)} and {self.name(second)}"

    def _several(self, objects: Indices) -> str:
        first, last = int(objects[0]), int(objects[-1])
        if len(objects) == 1:
            return self.name(first)
        if np.array_equal(objects, np.arange(first, last + 1)):
            return f"{self.name(first)} to {self.name(last)}"
        return f"{len(objects)} objects, the first {self.name(first)},"
