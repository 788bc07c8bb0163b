"""Asking a measure about pairs of objects, and judging what it answers."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from numbers import Real
from pickle import dumps, loads
from reprlib import repr as shortened
from traceback import format_exception
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.validation import SYMMETRIZERS

REAL_KINDS = "fiub"  # of numpy's dtypes
SAME = 1e-8  # relative difference of two directions that is only rounding


@dataclass(frozen=True)
class Problem:
    """What went wrong, with which pair of a task (None: with all of it), and the error if any."""

    text: str
    pair: tuple[int, ...] | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class Answers:
    """What a measure says about a task; NaN where it was not asked, or said nothing usable.

    ``n_changed`` counts the pairs whose two directions differed, ``change`` says by how much.
    """

    values: Array
    problem: Problem | None = None
    n_changed: int = 0
    change: float = 0.0

    @property
    def n_known(self) -> int:
        """Number of pairs that were answered."""
        return int(np.count_nonzero(~np.isnan(self.values)))


@dataclass(frozen=True)
class Measure:
    """A user's function of two objects, or with ``pairwise`` of two lists of them.

    With ``symmetrize`` it is asked both ways. Answers above ``limit`` are refused.
    """

    function: Callable[..., Any]
    params: dict[str, Any]
    pairwise: bool
    symmetrize: str | None
    limit: float
    word: str = "measure"  # what the user calls it

    def answers(self, firsts: Any, seconds: Any, is_away: bool = False) -> Answers:
        """Ask about firsts[k] and seconds[k] for every k; with pairwise, about all combinations.

        A failure ends it, and what was answered before is returned with it.
        """
        ask = self._ask_lists if self.pairwise else self._ask_pairs
        found = ask(firsts, seconds)
        if self.symmetrize is not None and found.problem is None:
            found = self._symmetrized(found, ask(seconds, firsts))
        if is_away and found.problem is not None and found.problem.error is not None:
            return replace(found, problem=_sendable(found.problem))
        return found

    def _ask_pairs(self, firsts: list[Any], seconds: list[Any]) -> Answers:
        function = partial(self.function, **self.params) if self.params else self.function
        given: list[Any] = []
        problem = None
        try:
            given.extend(map(function, firsts, seconds))  # keeps what came before an error
            if len(given) < len(firsts):
                raise StopIteration  # by which the measure has ended the map
        except Exception as error:
            problem = Problem(_raised(error), (len(given),), error)
        values = np.full(len(firsts), np.nan)
        values[: len(given)], bad = self._judged(given)
        if bad is not None:
            problem = Problem(self._returned(given[bad]), (bad,))
        return Answers(values, problem)

    def _ask_lists(self, firsts: Any, seconds: Any) -> Answers:
        shape = len(firsts), len(seconds)
        try:
            block = np.asarray(self.function(firsts, seconds, **self.params))
        except Exception as error:
            return Answers(np.full(shape, np.nan), Problem(_raised(error), None, error))
        if block.shape != shape:
            return Answers(np.full(shape, np.nan), Problem(_misshapen(block.shape, shape)))
        values, bad = self._judged(block.ravel())
        problem = None
        if bad is not None:
            pair = tuple(int(i) for i in np.unravel_index(bad, shape))
            problem = Problem(self._returned(block[pair]), pair)
        return Answers(values.reshape(shape), problem)

    def _symmetrized(self, there: Answers, back: Answers) -> Answers:
        problem = back.problem
        if problem is not None and problem.pair is not None:
            problem = replace(problem, pair=problem.pair[::-1])
        a, b = there.values, back.values.T
        assert self.symmetrize is not None
        gaps = np.abs(a - b)
        differs = gaps > SAME * np.maximum(a, b)
        change = float(gaps[differs].max(initial=0))
        return Answers(SYMMETRIZERS[self.symmetrize](a, b), problem, int(differs.sum()), change)

    def _judged(self, given: Any) -> tuple[Array, int | None]:
        """Return answers as numbers, NaN where they are unusable, and where the first such is."""
        values = as_numbers(given)
        # most are all usable, which the two ends tell in the least time: NaN is at both
        if not values.size or (-self.limit <= values.min() and values.max() <= self.limit):
            return values, None
        usable = np.abs(values) <= self.limit
        return np.where(usable, values, np.nan), int(np.argmin(usable))

    def _returned(self, value: Any) -> str:
        number = as_numbers([value])[0]
        if np.isfinite(number):
            return (
                f"returned {number:.4g}, whose square is out of range; rescale it, for example "
                "divide by the largest value it takes"
            )
        if isinstance(value, np.ndarray):
            what = f"an array of shape {value.shape}"
        elif isinstance(value, float | np.floating):
            what = str(float(value))
        elif isinstance(value, np.generic):
            what = f"{value.item()!r} ({type(value).__name__})"
        else:
            what = f"{shortened(value)} ({type(value).__name__})"
        return f"returned {what}; it must return a finite number, at least 0"


def as_numbers(given: Any) -> Array:
    """Return values as numbers, and as NaN what is none: text, None, arrays."""
    try:
        array = np.asarray(given)
    except (ValueError, TypeError):  # arrays of unequal length among them
        array = np.empty(0, dtype=object)
    if array.ndim == 1 and len(array) == len(given) and array.dtype.kind in REAL_KINDS:
        return array.astype(np.float64, copy=False)
    return np.array([_as_number(value) for value in given], dtype=np.float64)


def _as_number(value: Any) -> float:
    try:
        if isinstance(value, Real | Decimal) and not hasattr(value, "dtype"):
            return float(value)
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return np.nan
    return float(array) if array.ndim == 0 and array.dtype.kind in REAL_KINDS else np.nan


def _raised(error: Exception) -> str:
    text = str(error)
    return f"failed with {type(error).__name__}: {text[:200]}{'...' if len(text) > 200 else ''}"


def _misshapen(shape: tuple[int, ...], wanted: tuple[int, int]) -> str:
    return (
        f"returned an array of shape {shape}, not {wanted}; with pairwise=True it must return a "
        "row for each object of the first list and a column for each of the second (a function of "
        "two single objects does without pairwise)"
    )


def _sendable(problem: Problem) -> Problem:
    """Return a problem whose error survives the way from another process, with its traceback."""
    assert problem.error is not None
    told = "In another process:\n" + "".join(format_exception(problem.error))
    problem.error.add_note(told)
    try:
        loads(dumps(problem.error))
    except Exception:
        return replace(problem, error=RuntimeError(told))
    return problem
