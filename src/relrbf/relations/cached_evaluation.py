"""A measure's values between objects: read from a cache of rows, or evaluated now, in parallel."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pickle import PicklingError
from threading import RLock
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import delayed, effective_n_jobs

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.parallel import worker_pool
from relrbf.relations.measure_evaluation import (
    Measure,
    MeasureValidation,
    MeasureValues,
    asymmetry_tolerance,
    negative_tolerance,
    take,
)

ProgressCallback: TypeAlias = Callable[[int, int], Any]
Sorted: TypeAlias = tuple[Indices, Indices | None]  # ascending positions, and the inverse
SHORT_TASK, LONG_TASK = 0.1, 1.0  # seconds: the next task is larger below, smaller above
MAX_PAIRS = 2**14  # in a task
MAX_PAIRWISE_BLOCK = 2**16  # pairs in a task of a pairwise function
TASKS_PER_WORKER = 4  # in a round
BATCH_PAIRS = 2**18  # after which values are written to the cache
MIN_VALIDATED = 16  # pairs that tell what is large and what is rounding
FIRST_CHECKED, CHECKED_ONE_IN = 16, 10_000  # pairs evaluated in both directions
N_SELF_CHECKED = 4  # objects of these that are compared with themselves
RESUMABLE = " What was computed is cached: the next request continues from there."


class RowCache:
    """Rows of a symmetric n × n matrix, as many as memory (bytes) holds; NaN is unknown.

    The row that was used longest ago is dropped first. An entry is known when either of the two
    rows that contain it holds it.
    """

    def __init__(self, n_objects: int, dtype: np.dtype[Any], memory: float) -> None:
        self.n_objects = n_objects
        self.dtype = dtype
        self.capacity = min(int(memory // (n_objects * dtype.itemsize)), n_objects)
        self._rows: OrderedDict[int, Array] = OrderedDict()
        self._is_held = np.zeros(n_objects, dtype=bool)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return sum(row.nbytes for row in self._rows.values())

    def n_missing(self, rows: Indices) -> int:
        """Return how many of these rows are not held."""
        return len(rows) - int(np.count_nonzero(self._is_held[rows]))

    def read(self, rows: Indices, cols: Indices, out: Array) -> None:
        """Fill out (rows × cols, ascending) with what is known, and NaN."""
        index = self._index(cols)
        for i, target in zip(rows.tolist(), out, strict=True):
            if self._is_held[i]:
                target[:] = self._rows[i][index]
                self._rows.move_to_end(i)
            else:
                target[:] = np.nan
        held = np.flatnonzero(self._is_held[cols])
        if out.size and held.size and np.isnan(out.min()):  # the mirror images may be known
            index = self._index(rows)
            mirrored = np.array([self._rows[j][index] for j in cols[held].tolist()]).T
            out[:, held] = np.where(np.isnan(out[:, held]), mirrored, out[:, held])

    def write(self, rows: Indices, cols: Indices, values: Array) -> None:
        """Store values (rows × cols), and drop the rows used longest ago."""
        for i in rows[-self.capacity :].tolist() if self.capacity else ():
            if not self._is_held[i]:
                if len(self._rows) == self.capacity:
                    self._is_held[self._rows.popitem(last=False)[0]] = False
                self._rows[i] = np.full(self.n_objects, np.nan, dtype=self.dtype)
                self._is_held[i] = True
        self.update(rows, cols, values)

    def update(self, rows: Indices, cols: Indices, values: Array) -> None:
        """Store values in the rows that are held."""
        index = self._index(cols)
        for k in np.flatnonzero(self._is_held[rows]):
            self._rows[int(rows[k])][index] = values[k]

    def _index(self, positions: Indices) -> Any:
        return slice(None) if len(positions) == self.n_objects else positions


class Batch(NamedTuple):
    """Pairs of objects, rows × cols: which of them to evaluate, and the values to fill in."""

    rows: Indices
    cols: Indices
    todo: np.ndarray
    values: Array


class PairTask(NamedTuple):
    """Objects to compare: first[k] with second[k], or with a pairwise measure all with all."""

    first: Indices
    second: Indices
    where: tuple[Indices, ...]  # index of the values in the batch


Evaluated: TypeAlias = list[tuple[PairTask, MeasureValues]]


@dataclass
class WorkerPool:
    """Evaluates a measure on objects, here or on n_jobs processes or threads (``prefer``)."""

    measure: Measure
    objects: Any
    n_jobs: int | None
    prefer: str
    task_size: int = 1  # pairs in the next task

    def evaluate(self, batch: Batch) -> Iterator[Evaluated]:
        """Yield evaluations of the pairs to do, round by round; workers start after 0.1 s."""
        cut = self._cut_blocks if self.measure.pairwise else self._cut_pairs
        tasks, n_workers = cut(batch), effective_n_jobs(self.n_jobs)
        first = perf_counter()
        for task in tasks:
            began = perf_counter()
            yield [(task, self.measure.evaluate(*self._objects_of(task)))]
            self._adapt(perf_counter() - began)
            if n_workers > 1 and perf_counter() - first > SHORT_TASK:
                yield from self._distribute(tasks, n_workers)

    def _distribute(self, tasks: Iterator[PairTask], n_workers: int) -> Iterator[Evaluated]:
        evaluate = delayed(self.measure.evaluate)
        with worker_pool(self.n_jobs, prefer=self.prefer) as pool:
            while some := list(islice(tasks, TASKS_PER_WORKER * n_workers)):
                began = perf_counter()
                try:
                    found = pool(evaluate(*self._objects_of(each), in_worker=True) for each in some)
                except PicklingError as error:
                    raise OptionError(
                        f"n_jobs={self.n_jobs} sends measure and objects to other processes, and "
                        "they cannot be pickled. Use prefer='threads', or n_jobs=None."
                    ) from error
                yield [*zip(some, found, strict=True)]
                self._adapt((perf_counter() - began) / TASKS_PER_WORKER)

    def _objects_of(self, task: PairTask) -> tuple[Any, Any]:
        return take(self.objects, task.first), take(self.objects, task.second)

    def _adapt(self, seconds: float) -> None:
        if seconds < SHORT_TASK:
            self.task_size = min(2 * self.task_size, MAX_PAIRS)
        elif seconds > LONG_TASK:
            self.task_size = max(self.task_size // 2, 1)

    def _cut_pairs(self, batch: Batch) -> Iterator[PairTask]:
        """Cut what is to do into lists of pairs, the object that comes first named first."""
        p, q = np.nonzero(batch.todo)
        start = 0
        while start < len(p):
            part = slice(start, start + self.task_size)
            a, b = batch.rows[p[part]], batch.cols[q[part]]
            yield PairTask(np.minimum(a, b), np.maximum(a, b), (p[part], q[part]))
            start = part.stop

    def _cut_blocks(self, batch: Batch) -> Iterator[PairTask]:
        for p, q in rectangles(batch.todo):
            width = max(MAX_PAIRWISE_BLOCK // len(p), 1)
            for start in range(0, len(q), width):
                some = q[start : start + width]
                yield PairTask(batch.rows[p], batch.cols[some], np.ix_(p, some))


def rectangles(todo: np.ndarray, first: int = 0) -> Iterator[tuple[Indices, Indices]]:
    """Cover the True entries, each once and nothing else, by rows and columns.

    Columns that are True throughout make one rectangle; the rest is searched in either half of the
    rows. A triangle then takes as many rectangles as it has rows, most of it in the largest few.
    """
    full = todo.all(axis=0)
    if full.any():
        yield np.arange(first, first + len(todo)), np.flatnonzero(full)
    rest = todo & ~full
    if rest.any():
        half = len(todo) // 2
        yield from rectangles(rest[:half], first)
        yield from rectangles(rest[half:], first + half)


class CachedEvaluator:
    """Dissimilarities among objects, shared by a relation and all its parts.

    ``name`` names the object at a position; ``progress`` is called with the number of pairs done
    and of those to do in a request. With ``check_symmetry`` some pairs are evaluated in both
    directions, and some objects with themselves.
    """

    def __init__(
        self,
        pool: WorkerPool,
        cache: RowCache,
        name: Callable[[int], str],
        check_symmetry: bool,
        progress: ProgressCallback | None,
    ) -> None:
        self.pool = pool
        self.cache = cache
        self.validation = MeasureValidation(pool.measure, name)
        self.check_symmetry = check_symmetry
        self.progress = progress
        self.n_evaluations = 0
        self._n_checked = self._n_validated = 0
        self.largest = 0.0
        self._has_warned = False
        # where the user has the relation, not only an estimator with a metric
        self._advice = RESUMABLE if pool.measure.argument == "measure" else ""
        self._lock = RLock()  # blocks may be requested by several threads

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def block(self, rows: Indices, cols: Indices, *, keep_columns: bool) -> Array:
        """Return the dissimilarities of rows to cols.

        The cache gets the rows; or the columns, where fewer of those are new, or where this is one
        of many blocks that together are all rows (keep_columns).
        """
        sorted_rows, sorted_cols = ascending(rows), ascending(cols)
        with self._lock:
            keep_columns = keep_columns and len(sorted_cols[0]) <= self.cache.capacity
            n_missing = self.cache.n_missing
            if keep_columns or n_missing(sorted_cols[0]) < n_missing(sorted_rows[0]):
                return self._rows(sorted_cols, sorted_rows).T
            return self._rows(sorted_rows, sorted_cols)

    def _rows(self, sorted_rows: Sorted, sorted_cols: Sorted) -> Array:
        """Return rows × cols, in the order and as often as they are wanted."""
        (rows, to_rows), (cols, to_cols) = sorted_rows, sorted_cols
        out = np.empty((len(rows), len(cols)), dtype=self.cache.dtype)
        self.cache.read(rows, cols, out)
        _, p, q = np.intersect1d(rows, cols, assume_unique=True, return_indices=True)
        out[p, q] = 0
        if out.size and np.isnan(out.min()):
            self._complete(rows, cols, p, q, out)
        out = out if to_rows is None else out[to_rows]
        return out if to_cols is None else out[:, to_cols]

    def _complete(self, rows: Indices, cols: Indices, p: Indices, q: Indices, out: Array) -> None:
        """Evaluate what is NaN; a pair of objects that are in both (at p, q) is there twice."""
        todo = np.isnan(out)
        for k in range(len(p)):
            todo[p[k], q[:k]] = False
        total, done = int(np.count_nonzero(todo)), 0
        height = max(BATCH_PAIRS // len(cols), 1)
        for start in range(0, len(rows), height):
            part = slice(start, start + height)
            if n_todo := int(np.count_nonzero(todo[part])):
                batch = Batch(rows[part], cols, todo[part], out[part])
                try:
                    self._evaluate(batch, done, total)
                finally:  # where that fails or is interrupted, the values so far are kept
                    self._remove_negative(batch)  # the last may not have been validated
                    self.cache.write(batch.rows, cols, batch.values)
            done += n_todo
        for k in range(len(p)):
            out[p[k], q[:k]] = out[p[:k], q[k]]
        self.cache.update(rows, cols, out)

    def _evaluate(self, batch: Batch, done: int, total: int) -> None:
        pending: Evaluated = []
        last = done + int(np.count_nonzero(batch.todo))
        for evaluated in self.pool.evaluate(batch):
            for task, found in evaluated:
                batch.values[task.where] = found.values
                done += found.n_evaluated
                self.n_evaluations += found.n_evaluated
            for task, found in evaluated:
                self.validation.check(found, task.first, task.second, self._advice)
            pending += evaluated
            if done == last or sum(found.n_evaluated for _, found in pending) >= MIN_VALIDATED:
                self._validate(batch, pending)
                pending = []
            if self.progress is not None:
                self.progress(done, total)

    def _validate(self, batch: Batch, evaluated: Evaluated) -> None:
        """Validate values together; of a measure that is not symmetric no value is kept."""
        largest = max(float(found.values.max()) for _, found in evaluated)
        self.largest = max(self.largest, largest)
        negative = self._remove_negative(batch)
        if negative is not None:
            raise negative
        self._warn_asymmetric(evaluated)
        try:
            if self.check_symmetry:
                self._check_symmetry(evaluated)
        except RelationError:
            batch.values[batch.todo] = np.nan  # or they would not be checked again
            raise

    def _remove_negative(self, batch: Batch) -> RelationError | None:
        """Remove values that are below zero by more than rounding, and return the error."""
        tolerance = negative_tolerance(batch.values.dtype, self.largest)
        if not np.fmin.reduce(batch.values, axis=None) < -tolerance:
            return None
        p, q = np.nonzero(batch.values < -tolerance)
        value = float(batch.values[p[0], q[0]])
        batch.values[p, q] = np.nan
        text = self.validation.negative(value, batch.rows[p[0]], batch.cols[q[0]])
        return RelationError(text + self._advice)

    def _warn_asymmetric(self, evaluated: Evaluated) -> None:
        """Warn, once, that a policy made one value of two."""
        n_asymmetric = sum(found.n_asymmetric for _, found in evaluated)
        if n_asymmetric and not self._has_warned:
            self._has_warned = True
            n_pairs = sum(found.n_evaluated for _, found in evaluated)
            largest = max(found.max_asymmetry for _, found in evaluated)
            warn(
                f"measure is not symmetric: symmetrize={self.pool.measure.symmetrize!r} made one "
                f"value of two directions that differ in {n_asymmetric} of the first {n_pairs} "
                f"pairs, by at most {largest:.4g}. Further pairs are treated alike without a "
                "warning.",
                RelationWarning,
            )

    def _check_symmetry(self, evaluated: Evaluated) -> None:
        """Evaluate a sample in both directions: only half of the pairs are ever computed."""
        ends = np.cumsum([found.values.size for _, found in evaluated])
        self._n_validated += int(ends[-1])
        wanted = FIRST_CHECKED + self._n_validated // CHECKED_ONE_IN - self._n_checked
        n_checked = min(wanted, int(ends[-1]))
        if n_checked <= 0 or self.largest == 0:
            return
        sample = np.random.default_rng(self._n_checked).choice(ends[-1], n_checked, replace=False)
        pairs = [_pair(evaluated, ends, k) for k in sample.tolist()]
        objects = sorted({first for first, _, _ in pairs})[:N_SELF_CHECKED]
        tolerance = asymmetry_tolerance(self.cache.dtype, self.largest)

        def one(position: int) -> Any:
            return take(self.pool.objects, np.array([position]))

        self.validation.check_sample(one, objects, pairs, tolerance)
        self._n_checked += n_checked


def _pair(evaluated: Evaluated, ends: Indices, k: int) -> tuple[int, int, float]:
    """Return the k-th pair of all that were evaluated: its two objects and the value."""
    t = int(np.searchsorted(ends, k, side="right"))
    task, found = evaluated[t]
    where = np.unravel_index(k - int(ends[t]) + found.values.size, found.values.shape)
    return int(task.first[where[0]]), int(task.second[where[-1]]), float(found.values[where])


def ascending(positions: Indices) -> Sorted:
    """Return positions in ascending order, each once, and the inverse where it is needed."""
    if (positions[1:] > positions[:-1]).all():
        return positions, None
    return np.unique(positions, return_inverse=True)
