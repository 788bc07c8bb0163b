"""A relation between any objects, computed by a measure when asked."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, NoReturn

import numpy as np

from relrbf._options import check_choice, check_number, require
from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError
from relrbf.parallel import check_jobs
from relrbf.relations.base import EVERY, CrossRelation, Index, Relation
from relrbf.relations.cached_evaluation import (
    CachedEvaluator,
    ProgressCallback,
    RowCache,
    WorkerPool,
)
from relrbf.relations.measure_evaluation import WRAPPED, Measure, take
from relrbf.relations.validation import (
    check_exponent,
    check_range,
    check_symmetrize,
    square_limit,
    validated_ids,
)

REMEDIES = {
    "measure": "Say what is meant with symmetrize='mean', 'min' or 'max', which evaluates every "
    f"pair in both directions; or wrap it, for example {WRAPPED}.",
    "metric": f"Wrap it, for example {WRAPPED.replace('measure', 'metric')}.",
}


class ObjectRelation(Relation):
    """Dissimilarities that a measure computes between any objects, when they are asked for.

    Nothing is computed before, and nothing twice as long as it is cached: as many rows are kept as
    ``memory`` holds, those that were used last. Parts of the relation share the cache.

    Parameters
    ----------
    objects : sequence, array, Series or frame
        The objects: strings, arrays of unequal length, graphs, the rows of a frame, ... The index
        of a Series or frame names them.
    measure : callable
        Called with two objects, it returns how different they are: a number, at least 0. Every pair
        is evaluated once, the object that comes first named first.
    pairwise : bool, default=False
        Whether measure takes two lists of objects instead, and returns an array with a row for each
        object of the first and a column for each of the second. Where objects are an array or a
        frame, it is called with some of the rows.
    measure_params : dict or None, default=None
        Further arguments of measure, by name.
    exponent : float or None, default=None
        2 for distances; 1 for what is already a squared distance. None means 2, and that an
        estimator may find out.
    symmetrize : {"mean", "min", "max"} or None, default=None
        What to make of a measure that is not symmetric: every pair is then evaluated in both
        directions. None refuses such a measure, as soon as ``check_symmetry`` notices.
    check_symmetry : bool, default=True
        Whether to evaluate the first 16 pairs, and then one in 10,000, in the other direction too,
        and some objects with themselves, which must give 0.
    ids : sequence of n names or None, default=None
        Names of the objects; a Series or a frame brings its own.
    dtype : {"float64", "float32"}, default="float64"
        Precision of what is cached and returned.
    memory : float, default=1073741824
        Bytes for cached dissimilarities, 8 n (in float32: 4 n) for each row. What is asked for
        beyond is computed again.
    n_jobs : int or None, default=None
        Number of processes, or threads; -1 is one for each core. The results are the same. They
        start after a tenth of a second.
    prefer : {"processes", "threads"}, default="processes"
        Measure and objects are sent to processes, so they must be picklable. Threads are for a
        measure that releases Python's lock.
    progress : callable or None, default=None
        Called with the pairs done and the pairs to do in the present request, a few times a second
        or after every pair that takes longer. It may raise to stop; what was computed is kept.

    Examples
    --------
    >>> from relrbf.relations import ObjectRelation
    >>> relation = ObjectRelation(["ant", "bee", "beetle"], lambda a, b: abs(len(a) - len(b)))
    >>> relation.n_evaluations
    0
    >>> relation.block()
    array([[0., 0., 3.],
           [0., 0., 3.],
           [3., 3., 0.]])
    >>> relation.n_evaluations
    3
    >>> relation.to(["wasp"]).block()
    array([[1., 1., 2.]])
    """

    is_costly = True
    _argument, _objects_argument, _new_argument = "measure", "objects", "others"

    def __init__(
        self,
        objects: Any,
        measure: Callable[..., Any],
        *,
        pairwise: bool = False,
        measure_params: dict[str, Any] | None = None,
        exponent: float | None = None,
        symmetrize: Literal["mean", "min", "max"] | None = None,
        check_symmetry: bool = True,
        ids: Any = None,
        dtype: Any = "float64",
        memory: float = 1073741824,
        n_jobs: int | None = None,
        prefer: Literal["processes", "threads"] = "processes",
        progress: ProgressCallback | None = None,
    ) -> None:
        if exponent is not None:
            check_exponent(exponent)
        check_number("memory", memory, Real, 0)
        check_jobs(n_jobs)
        check_choice("prefer", prefer, ["processes", "threads"])
        if progress is not None and not callable(progress):
            raise OptionError(f"progress is {progress!r}; it must be a function of (done, total).")
        precision = as_precision(dtype)
        checked = check_measure(
            measure, measure_params, pairwise, symmetrize, precision, self._argument
        )
        listed, self.ids = check_objects(objects, ids, pairwise, self._objects_argument)
        self.exponent_given = exponent is not None
        self.exponent = 2 if exponent is None else exponent
        self.memory = memory
        self._positions, self.n_objects = np.arange(len(listed)), len(listed)
        self.dtype = precision
        self._is_complete = False  # whether all is computed and cached
        self._evaluator = CachedEvaluator(
            WorkerPool(checked, listed, n_jobs, prefer),
            RowCache(len(listed), precision, memory),
            ObjectName(self.ids, len(listed)),
            check_symmetry,
            progress,
        )

    @property
    def objects(self) -> Any:
        """The objects, as a list, array or frame."""
        return take(self._evaluator.pool.objects, self._positions)

    @property
    def n_evaluations(self) -> int:
        """Pairs computed so far by this relation and its parts, ``check_symmetry`` aside."""
        return self._evaluator.n_evaluations

    @property
    def memory_used(self) -> int:
        """Bytes that cached dissimilarities take."""
        return self._evaluator.cache.nbytes

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities; what is not cached is computed."""
        # some of all rows, and chosen columns: the other rows will follow
        keep_columns = isinstance(rows, slice) and rows != EVERY and not isinstance(cols, slice)
        positions = self._positions
        return self._evaluator.block(positions[rows], positions[cols], keep_columns=keep_columns)

    def restrict(self, objects: Index) -> "ObjectRelation":
        """Return the relation among some of the objects, with the same cache."""
        part = copy(self)
        part._positions = self._positions[objects]
        part.n_objects = len(part._positions)
        part.ids = self.ids_of(objects)
        return part

    def alone(self, objects: Index) -> "ObjectRelation":
        """Return the relation among some of the objects, with no others and a cache of its own."""
        part = self.restrict(objects)
        return part._with_objects(part.objects, ObjectName(part.ids, len(part)))

    def _with_objects(self, objects: Any, name: "ObjectName") -> "ObjectRelation":
        """Return a relation among other objects, with an empty cache and unchecked symmetry."""
        other, evaluator = copy(self), self._evaluator
        other._positions, other._is_complete = np.arange(len(objects)), False
        other.n_objects = len(objects)
        pool = replace(evaluator.pool, objects=objects, task_size=1)
        cache = RowCache(len(objects), self.dtype, self.memory)
        other._evaluator = CachedEvaluator(pool, cache, name, False, evaluator.progress)
        return other

    def to(self, others: Any) -> CrossRelation:
        """Return the dissimilarities of new objects to those of this relation.

        Parameters
        ----------
        others : sequence, array, Series or frame
            New objects, of the same kind.

        Returns
        -------
        CrossRelation
            With a row for each new object and a column for each of this relation's, computed when
            asked: a prediction asks for the columns of its support only. Its ``relation``, which
            is among all of them together, says how many evaluations that took.
        """
        is_table = self._evaluator.pool.measure.pairwise
        listed, names = as_object_list(others, self._new_argument, is_table)
        if not len(listed):
            raise RelationError(f"{self._new_argument} is empty; pass at least one new object.")
        n, n_all = len(self), len(self) + len(listed)
        objects = joined(self.objects, listed)
        together = self._with_objects(objects, ObjectName(self.ids, n, names))
        if self.ids is not None:
            new_ids = np.arange(len(listed)) if names is None else names
            together.ids = np.concatenate([self.ids, new_ids], dtype=object)
        return CrossRelation(together, np.arange(n, n_all), np.arange(n))

    def product(self, A: Array) -> Array:
        """Return A S; where A is zero in most columns, from the others' dissimilarities only."""
        used = np.flatnonzero(A.any(axis=0))
        if 2 * len(used) <= self.n_objects:
            result = np.zeros((len(A), self.n_objects), dtype=self.dtype)
            A = A[:, used]
            for rows in self.row_blocks() if used.size else ():
                result[:, rows] = A @ self.block_sq(rows, used).T
            return result
        if self._evaluator.cache.capacity < self._evaluator.cache.n_objects:
            return self._product_by_halves(A)
        if not self._is_complete:
            for rows in self.row_blocks():  # in this thread, where it can be interrupted
                self.block(rows)
            check_range(self, 0.0, self._evaluator.largest, f"what {self._argument} returns")
            self._is_complete = True
        return super().product(A)

    def _product_by_halves(self, A: Array) -> Array:
        """Return A S where S does not fit in the cache: every entry serves twice."""
        result = np.zeros((len(A), self.n_objects), dtype=self.dtype)
        for rows in self.row_blocks():
            S = self.block_sq(rows, slice(rows.start, None))
            result[:, rows] += A[:, rows.start :] @ S.T
            n_rows = rows.stop - rows.start
            result[:, rows.stop :] += A[:, rows] @ S[:, n_rows:]
        return result


class MetricRelation(ObjectRelation):
    """The relation of an estimator's metric: errors call it by that name."""

    _argument, _objects_argument, _new_argument = "metric", "X", "X"


@dataclass(frozen=True)
class ObjectName:
    """Names objects in messages: by position, and id where there is one; later ones are new."""

    ids: np.ndarray | None
    n_objects: int
    new_ids: np.ndarray | None = None

    def __call__(self, position: int) -> str:
        """Return what to call the object at a position."""
        is_new = position >= self.n_objects
        number = position - self.n_objects if is_new else position
        ids = self.new_ids if is_new else self.ids
        own = "" if ids is None else f" ({ids[number]!r})"
        return f"{'new ' if is_new else ''}object {number}{own}"


def check_measure(
    function: Any,
    params: dict[str, Any] | None,
    pairwise: bool,
    symmetrize: str | None,
    dtype: np.dtype[Any],
    argument: str = "measure",
) -> Measure:
    """Return a measure whose values can be squared in this precision."""
    needed = "a function of two objects; as_relation(vectors, metric=name) takes names of metrics"
    require(callable(function), "measure", function, needed)
    check_symmetrize(symmetrize)
    limit, remedy = square_limit(dtype), REMEDIES[argument]
    return Measure(function, params or {}, pairwise, symmetrize, limit, argument, remedy)


def check_objects(
    objects: Any, ids: Any, is_table: bool, argument: str = "objects"
) -> tuple[Any, np.ndarray | None]:
    """Return two objects at least, as a list or table, and their names."""
    listed, names = as_object_list(objects, argument, is_table)
    if len(listed) < 2:
        raise RelationError(f"{argument} has {len(listed)} entries; at least two are needed.")
    names = names if ids is None else np.asarray(ids, dtype=object)
    return listed, validated_ids(names, len(listed))


def as_precision(dtype: Any) -> np.dtype[Any]:
    """Return float64 or float32 as a dtype."""
    try:
        precision = np.dtype(dtype)
    except TypeError:
        precision = None
    if precision not in (np.float64, np.float32):
        raise OptionError(f"dtype is {dtype!r}; it must be 'float64' or 'float32'.")
    return precision


def as_object_list(objects: Any, argument: str, is_table: bool) -> tuple[Any, np.ndarray | None]:
    """Return objects as a list, and the names that a Series or a frame gives them.

    With is_table, an array or a frame whose rows are the objects stays one.
    """
    is_array = isinstance(objects, np.ndarray)
    is_ordered = not isinstance(objects, str | bytes | dict | set | frozenset)
    if not (is_ordered and hasattr(objects, "__len__")) or (is_array and objects.ndim == 0):
        _refuse_objects(objects, argument)
    if is_array:
        return (objects if is_table else list(objects)), None
    if not (hasattr(objects, "iloc") and hasattr(objects, "index")):
        return list(objects), None
    index = np.asarray(objects.index, dtype=object)
    # numbers 0..n-1 are no names, nor are those that repeat
    is_numbered = np.array_equal(index, np.arange(len(index)))
    names = None if is_numbered or len(set(index)) < len(index) else index
    if not hasattr(objects, "columns"):
        return list(objects), names
    return (objects if is_table else [objects.iloc[i] for i in range(len(objects))]), names


def joined(first: Any, second: Any) -> Any:
    """Return the objects of both; two tables with the same columns stay a table."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        if first.shape[1:] == second.shape[1:]:
            return np.concatenate([first, second])
    elif hasattr(first, "columns") and hasattr(second, "columns"):
        import pandas as pd

        if first.columns.equals(second.columns):
            return pd.concat([first, second])
    return [row for each in (first, second) for row in as_object_list(each, "objects", False)[0]]


def _refuse_objects(objects: Any, argument: str) -> NoReturn:
    if isinstance(objects, str | bytes):
        advice = f"For a single one, pass [{argument}]."
    elif isinstance(objects, dict):
        ids = f", and ids=list({argument})." if argument == "objects" else "."
        advice = f"Pass list({argument}.values()){ids}"
    else:
        advice = f"Pass list({argument}), in an order that you know."
    raise RelationError(
        f"{argument} is a {type(objects).__name__}; it must be a sequence of objects: a list, an "
        f"array, a Series or a frame. {advice}"
    )
