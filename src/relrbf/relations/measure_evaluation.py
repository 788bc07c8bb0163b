"""Evaluating a measure on pairs of objects, and validating what it returns.

Every function of two objects goes through here: that of ``ObjectRelation``, of ``relate``, of
``DaskRelation.from_objects``, and an estimator's callable metric. Whatever is wrong with a value
raises an error that names the two objects.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from itertools import combinations, product
from numbers import Real
from pickle import dumps, loads
from reprlib import repr as shortened
from traceback import format_exception
from typing import Any, NamedTuple

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.blocks import spans
from relrbf.relations.validation import SYMMETRIZERS

REAL_KINDS = "fiub"  # of numpy's dtypes
MIN_ASYMMETRY = 1e-8  # relative difference of two directions that is more than rounding
MIN_ROUNDING = 1e-6  # of the largest dissimilarity; more in float32, the root of its precision
ZERO_ROUNDING = 1e-12  # where all dissimilarities are 0
N_SAMPLED = 2  # objects on each side of a tile whose pairs are evaluated in both directions
# in a user's function, whatever is an error in ours
USUAL_WARNINGS: dict[str, Any] = {"over": "warn", "divide": "warn", "invalid": "warn"}
WRAPPED = "lambda a, b: (measure(a, b) + measure(b, a)) / 2"


class Failure(NamedTuple):
    """What went wrong, with which pair of those evaluated (None: all), and the error if any."""

    text: str
    pair: tuple[int, ...] | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class MeasureValues:
    """Values of a measure, NaN where there is none, and how often two directions differed."""

    values: Array
    failure: Failure | None = None
    n_asymmetric: int = 0
    max_asymmetry: float = 0.0

    @property
    def n_evaluated(self) -> int:
        """Number of pairs with a value."""
        return int(np.count_nonzero(~np.isnan(self.values)))


@dataclass(frozen=True)
class Measure:
    """A user's function of two objects, or with ``pairwise`` of two lists of them.

    With ``symmetrize`` every pair is evaluated in both directions. Values above ``limit`` are
    failures. ``argument`` is what the user passed it as, ``remedy`` what to do if it is not
    symmetric.
    """

    function: Callable[..., Any]
    params: dict[str, Any] = field(default_factory=dict)
    pairwise: bool = False
    symmetrize: str | None = None
    limit: float = float(np.finfo(np.float64).max)
    argument: str = "measure"
    remedy: str = f"Wrap it, for example {WRAPPED}."

    @np.errstate(**USUAL_WARNINGS)
    def evaluate(self, firsts: Any, seconds: Any, in_worker: bool = False) -> MeasureValues:
        """Evaluate firsts[k], seconds[k] for every k; with pairwise, all combinations.

        The first failure ends it; values before it are returned with it.
        """
        evaluate = self._evaluate_lists if self.pairwise else self._evaluate_pairs
        found = evaluate(firsts, seconds)
        if self.symmetrize is not None and found.failure is None:
            found = self._symmetrized(found, evaluate(seconds, firsts))
        if in_worker and found.failure is not None and found.failure.error is not None:
            return replace(found, failure=_picklable(found.failure))
        return found

    def _evaluate_pairs(self, firsts: list[Any], seconds: list[Any]) -> MeasureValues:
        function = partial(self.function, **self.params) if self.params else self.function
        returned: list[Any] = []
        failure = None
        try:
            returned.extend(map(function, firsts, seconds))  # keeps what came before an error
            if len(returned) < len(firsts):
                raise StopIteration  # by which the measure has ended the map
        except Exception as error:
            failure = Failure(_raised(error), (len(returned),), error)
        values = np.full(len(firsts), np.nan)
        values[: len(returned)], bad = self._validated(returned)
        if bad is not None:
            failure = Failure(_unusable(returned[bad]), (bad,))
        return MeasureValues(values, failure)

    def _evaluate_lists(self, firsts: Any, seconds: Any) -> MeasureValues:
        shape = len(firsts), len(seconds)
        try:
            block = np.asarray(self.function(firsts, seconds, **self.params))
        except Exception as error:
            return MeasureValues(np.full(shape, np.nan), Failure(_raised(error), None, error))
        if block.shape != shape:
            text = (
                f"returned an array of shape {block.shape}, not {shape}; with pairwise=True it "
                "must return a row for each object of the first list and a column for each of the "
                "second (a function of two single objects does without pairwise)"
            )
            return MeasureValues(np.full(shape, np.nan), Failure(text))
        values, bad = self._validated(block.ravel())
        failure = None
        if bad is not None:
            pair = tuple(int(i) for i in np.unravel_index(bad, shape))
            failure = Failure(_unusable(block[pair]), pair)
        return MeasureValues(values.reshape(shape), failure)

    def _symmetrized(self, there: MeasureValues, back: MeasureValues) -> MeasureValues:
        failure = back.failure
        if failure is not None and failure.pair is not None:
            failure = failure._replace(pair=failure.pair[::-1])
        a, b = there.values, back.values.T
        gaps = np.abs(a - b)
        differs = gaps > MIN_ASYMMETRY * np.maximum(a, b)
        symmetrize = SYMMETRIZERS[str(self.symmetrize)]
        largest = float(gaps[differs].max(initial=0))
        return MeasureValues(symmetrize(a, b), failure, int(differs.sum()), largest)

    def _validated(self, returned: Any) -> tuple[Array, int | None]:
        """Return values as numbers, NaN where unusable, and where the first such is."""
        values = as_numbers(returned)
        # usually all are usable, which the two extremes tell fastest: NaN is at both
        if not values.size or (-self.limit <= values.min() and values.max() <= self.limit):
            return values, None
        usable = np.abs(values) <= self.limit
        return np.where(usable, values, np.nan), int(np.argmin(usable))


def as_numbers(returned: Any) -> Array:
    """Return values as numbers; text, None and arrays become NaN."""
    try:
        array = np.asarray(returned)
    except (ValueError, TypeError):  # arrays of unequal length among them
        array = np.empty(0, dtype=object)
    if array.ndim == 1 and len(array) == len(returned) and array.dtype.kind in REAL_KINDS:
        return array.astype(np.float64, copy=False)
    return np.array([_as_number(value) for value in returned], dtype=np.float64)


def _as_number(value: Any) -> float:
    try:
        if isinstance(value, Real | Decimal) and not hasattr(value, "dtype"):
            return float(value)
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return np.nan
    return float(array) if array.ndim == 0 and array.dtype.kind in REAL_KINDS else np.nan


def _unusable(value: Any) -> str:
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


def _raised(error: Exception) -> str:
    text = str(error)
    return f"failed with {type(error).__name__}: {text[:200]}{'...' if len(text) > 200 else ''}"


def _picklable(failure: Failure) -> Failure:
    """Return a failure whose error can be sent from another process, with its traceback."""
    assert failure.error is not None
    trace = "In another process:\n" + "".join(format_exception(failure.error))
    failure.error.add_note(trace)
    try:
        loads(dumps(failure.error))
    except Exception:
        return failure._replace(error=RuntimeError(trace))
    return failure


def asymmetry_tolerance(dtype: np.dtype[Any], largest: float) -> float:
    """Return how much two directions may differ by rounding, given the largest value."""
    return max(MIN_ROUNDING, float(np.sqrt(np.finfo(dtype).eps))) * largest


def negative_tolerance(dtype: np.dtype[Any], largest: float) -> float:
    """Return how far below zero a value may be by rounding; it is left as it is."""
    return 100 * float(np.finfo(dtype).eps) * largest


@dataclass(frozen=True)
class MeasureValidation:
    """Raises an error that names the objects where values of a measure cannot be used."""

    measure: Measure
    name: Callable[[int], str]  # of the object at a position

    def check(self, found: MeasureValues, firsts: Indices, seconds: Indices, more: str) -> None:
        """Refuse an evaluation that failed; ``more`` is added to the message."""
        failure = found.failure
        if failure is None:
            return
        if failure.pair is None:
            about = f"{self._several(firsts)} and {self._several(seconds)}"
        else:
            about = self._pair(firsts[failure.pair[0]], seconds[failure.pair[-1]])
        text = f"{self.measure.argument} {failure.text} (evaluated on {about}).{more}"
        raise RelationError(text) from failure.error

    def negative(self, value: float, first: int, second: int) -> str:
        """Say that a dissimilarity is below zero."""
        return (
            f"{self.measure.argument} returned {value:.4g} for {self._pair(first, second)}; "
            "dissimilarities cannot be negative. If it measures how similar objects are, "
            "convert it, for example 1 - s."
        )

    def check_sample(
        self,
        one: Callable[[int], Any],
        objects: list[int],
        pairs: list[tuple[int, int, float]],
        tolerance: float,
    ) -> None:
        """Refuse a measure that is not 0 for an object and itself, or not symmetric on pairs.

        ``one`` returns a list of the object at a position; pairs are two positions and the value.
        """
        for i in objects:
            value = self._evaluate(one, i, i)
            if abs(value) > tolerance:
                raise RelationError(
                    f"{self.measure.argument} gives {value:.6g} for {self.name(i)} and itself; it "
                    "must be 0. If it measures how similar objects are, convert it, for example "
                    "1 - s."
                )
        if self.measure.symmetrize is not None or not pairs:
            return
        backs = [self._evaluate(one, second, first) for first, second, _ in pairs]
        gaps = [abs(there - back) for (_, _, there), back in zip(pairs, backs, strict=True)]
        k = int(np.argmax(gaps))
        if gaps[k] > tolerance:
            first, second, there = pairs[k]
            raise RelationError(
                f"{self.measure.argument} is not symmetric: from {self.name(first)} to "
                f"{self.name(second)} it gives {there:.6g}, and back {backs[k]:.6g}, the largest "
                f"difference among {len(pairs)} pairs evaluated in both directions. "
                f"{self.measure.remedy}"
            )

    def _evaluate(self, one: Callable[[int], Any], first: int, second: int) -> float:
        found = self.measure.evaluate(one(first), one(second))
        if found.failure is not None:
            raise RelationError(
                f"{self.measure.argument} {found.failure.text} (evaluated on {self.name(first)} "
                f"and {self.name(second)}, which tells whether it is symmetric)."
            ) from found.failure.error
        return float(found.values.flat[0])

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


@dataclass(frozen=True)
class Tile:
    """A block on or above the diagonal of a matrix, and its number."""

    index: int
    rows: slice
    cols: slice

    @property
    def is_diagonal(self) -> bool:
        """Whether rows and columns are the same objects."""
        return self.rows == self.cols

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.rows.stop - self.rows.start, self.cols.stop - self.cols.start

    @property
    def n_pairs(self) -> int:
        """Number of pairs of different objects."""
        n, m = self.shape
        return n * (n - 1) // 2 if self.is_diagonal else n * m


def upper_tiles(n_objects: int, side: int) -> list[Tile]:
    """Cut the upper half of n × n into tiles of this side; the last ones may be smaller."""
    bands = list(spans(n_objects, side))
    pairs = ((rows, cols) for i, rows in enumerate(bands) for cols in bands[i:])
    return [Tile(index, rows, cols) for index, (rows, cols) in enumerate(pairs)]


def evaluate_tile(
    measure: Measure,
    tile: Tile,
    rows: Any,
    cols: Any,
    dtype: np.dtype[Any],
    name: Callable[[int], str] = "object {}".format,
    n_sampled: int = N_SAMPLED,
) -> MeasureValues:
    """Return a tile's dissimilarities, each pair evaluated once, or raise what is wrong.

    Pairs of n_sampled objects on each side are evaluated in both directions too, and on the
    diagonal these objects with themselves.
    """
    validation = MeasureValidation(measure, name)
    (n, m), top, left = tile.shape, tile.rows.start, tile.cols.start
    if measure.pairwise:
        p, q = np.arange(n), np.arange(m)
        found = measure.evaluate(rows, cols)
    else:
        p, q = np.triu_indices(n, 1) if tile.is_diagonal else np.divmod(np.arange(n * m), m)
        found = measure.evaluate(take(list(rows), p), take(list(cols), q))
    validation.check(found, top + p, left + q, "")
    values = np.zeros(tile.shape, dtype)
    values[np.ix_(p, q) if measure.pairwise else (p, q)] = found.values
    if tile.is_diagonal:
        values = np.triu(values, 1)
        values = values + values.T
        found = replace(found, n_asymmetric=found.n_asymmetric // (2 if measure.pairwise else 1))
    lowest, largest = float(values.min()), float(values.max())
    if lowest < -negative_tolerance(dtype, largest):
        i, j = (int(k) for k in np.unravel_index(int(values.argmin()), values.shape))
        raise RelationError(validation.negative(lowest, top + i, left + j))
    if n_sampled:
        _check_sample(validation, tile, rows, cols, values, n_sampled)
    return replace(found, values=values)


def _check_sample(
    validation: MeasureValidation, tile: Tile, rows: Any, cols: Any, values: Array, n_sampled: int
) -> None:
    rng, top, left = np.random.default_rng(tile.index), tile.rows.start, tile.cols.start
    some, others = (
        sorted(rng.choice(n, min(n_sampled, n), replace=False).tolist()) for n in tile.shape
    )
    chosen = combinations(some, 2) if tile.is_diagonal else product(some, others)
    pairs = [(top + i, left + j, float(values[i, j])) for i, j in chosen]
    selves = [top + i for i in some] if tile.is_diagonal else []

    def one(k: int) -> Any:
        is_row = k < tile.rows.stop
        return rows[k - top : k - top + 1] if is_row else cols[k - left : k - left + 1]

    tolerance = asymmetry_tolerance(values.dtype, float(values.max())) + ZERO_ROUNDING
    validation.check_sample(one, selves, pairs, tolerance)


def take(objects: Any, positions: Indices) -> Any:
    """Return some of the objects, as the same kind of list, array or frame."""
    if isinstance(objects, list):
        return list(map(objects.__getitem__, positions.tolist()))
    return objects.iloc[positions] if hasattr(objects, "iloc") else objects[positions]
