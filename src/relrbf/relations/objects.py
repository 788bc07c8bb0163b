"""A relation between any objects, computed by a measure when asked."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from relrbf._options import check_choice, check_number
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.asking import Measure
from relrbf.relations.base import EVERY, CrossRelation, Index, Relation
from relrbf.relations.comparisons import Comparisons, Progress
from relrbf.relations.conversion import check_exponent, validated_ids
from relrbf.relations.crew import Crew
from relrbf.relations.kept import KeptLines
from relrbf.relations.listed import as_listed, joined, take
from relrbf.relations.symmetry import SymmetryCheck
from relrbf.relations.validation import check_symmetrize, square_limit


class ObjectRelation(Relation):
    """Dissimilarities that a measure computes between any objects, when they are asked for.

    Nothing is computed before, and nothing twice as long as it is kept: an object's dissimilarities
    to all are a line, and of the lines as many are kept as ``memory`` holds, those that were used
    last. Parts of the relation share what was computed.

    Parameters
    ----------
    objects : sequence, array, Series or frame
        The objects: strings, arrays of unequal length, graphs, the rows of a frame, ... The index
        of a Series or frame names them.
    measure : callable
        Called with two objects, it returns how different they are: a number, at least 0. Every pair
        is asked once, the object that comes first named first.
    pairwise : bool, default=False
        Whether measure takes two lists of objects instead, and returns an array with a row for each
        object of the first and a column for each of the second. Where objects are an array or a
        frame, it is called with some of the rows.
    measure_params : dict or None, default=None
        Further arguments of measure, by name.
    exponent : {2, 1} or None, default=None
        2 for distances; 1 for what is already a squared distance. None means 2, and that an
        estimator may find out.
    symmetrize : {"mean", "min", "max"} or None, default=None
        What to make of a measure that is not symmetric: every pair is then asked both ways. None
        refuses such a measure, as soon as ``check_symmetry`` notices.
    check_symmetry : bool, default=True
        Whether to ask the first 16 pairs, and then one in 10,000, the other way round too, and some
        objects about themselves, which must give 0.
    ids : sequence of n names or None, default=None
        Names of the objects; a Series or a frame brings its own.
    dtype : {"float64", "float32"}, default="float64"
        Precision of what is kept and returned.
    memory : float, default=1073741824
        Bytes that kept dissimilarities may take, 8 n (in float32: 4 n) for each line. What is asked
        for beyond is computed again.
    n_jobs : int or None, default=None
        How many processes, or threads, compute; -1 is one for each core. The results are the same.
        What is done in a tenth of a second is done at once, without them.
    prefer : {"processes", "threads"}, default="processes"
        What they are. Measure and objects are sent to processes, so that it must be possible to
        pickle them. Threads are for a measure that releases Python's lock.
    progress : callable or None, default=None
        Called with the pairs done and the pairs to do in the present request, a few times a second
        or after every pair that takes longer. It may raise to stop; what was computed is kept.

    Attributes
    ----------
    n_evaluations : int
        Pairs computed so far by this relation and its parts, ``check_symmetry`` aside.
    memory_used : int
        Bytes that kept dissimilarities take.

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
    _word, _listed, _new = "measure", "objects", "others"  # what messages call the arguments

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
        progress: Progress | None = None,
    ) -> None:
        check_measure(measure)
        if exponent is not None:
            check_exponent(exponent)
        check_symmetrize(symmetrize)
        _check_work(memory, n_jobs, prefer, progress)
        listed, self.ids = check_objects(objects, ids, is_table=pairwise, name=self._listed)
        self.exponent_given = exponent is not None
        self.exponent = 2 if exponent is None else exponent
        self.memory = memory
        self._positions = np.arange(len(listed))
        self._is_whole = False  # whether all is known and kept
        precision = as_precision(dtype)
        params = measure_params or {}
        asked = Measure(
            measure, params, pairwise, symmetrize, square_limit(precision), word=self._word
        )
        crew, name = Crew(asked, listed, n_jobs, prefer), Name(self.ids, len(listed))
        check = SymmetryCheck(crew, name, precision) if check_symmetry else None
        kept = KeptLines(len(listed), precision, memory)
        self._known = Comparisons(crew, kept, check, name, progress)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self._positions)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision asked for."""
        return self._known.kept.dtype

    @property
    def objects(self) -> Any:
        """The objects, as a list, array or frame."""
        return take(self._known.crew.listed, self._positions)

    @property
    def n_evaluations(self) -> int:
        """Pairs computed so far, by this relation and those it shares its results with."""
        return self._known.n_evaluations

    @property
    def memory_used(self) -> int:
        """Bytes that kept dissimilarities take."""
        return self._known.kept.nbytes

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities; what is not known of it is computed."""
        # a part of all rows and some chosen columns: the other parts will follow
        sweeps = isinstance(rows, slice) and rows != EVERY and not isinstance(cols, slice)
        return self._known.block(self._positions[rows], self._positions[cols], sweeps=sweeps)

    def restrict(self, objects: Index) -> "ObjectRelation":
        """Return the relation among some of the objects; what was computed stays shared."""
        part = copy(self)
        part._positions = self._positions[objects]
        part.ids = None if self.ids is None else self.ids[objects]
        return part

    def alone(self, objects: Index) -> "ObjectRelation":
        """Return the relation among some of the objects, with nothing computed and nothing shared.

        It holds those objects only, not the others.
        """
        part, crew = self.restrict(objects), self._known.crew
        part._positions, part._is_whole = np.arange(part.n_objects), False
        crew = Crew(
            crew.measure, take(crew.listed, self._positions[objects]), crew.n_jobs, crew.prefer
        )
        kept, name = KeptLines(part.n_objects, self.dtype, self.memory), Name(part.ids, len(part))
        part._known = Comparisons(crew, kept, None, name, self._known.progress)
        return part

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
        crew, progress = self._known.crew, self._known.progress
        listed, names = as_listed(others, self._new, is_table=crew.measure.pairwise)
        if not len(listed):
            raise RelationError(f"{self._new} is empty; pass at least one new object.")
        together, n, n_all = copy(self), len(self), len(self) + len(listed)
        together._positions, together._is_whole = np.arange(n_all), False
        if self.ids is not None:
            new_ids = np.arange(len(listed)) if names is None else names
            together.ids = np.concatenate([self.ids, new_ids], dtype=object)
        crew = Crew(crew.measure, joined(self.objects, listed), crew.n_jobs, crew.prefer)
        kept = KeptLines(n_all, self.dtype, self.memory)
        together._known = Comparisons(crew, kept, None, Name(self.ids, n, names), progress)
        return CrossRelation(together, np.arange(n, n_all), np.arange(n))

    def product(self, A: Array) -> Array:
        """Return A S; where A is zero in most columns, from the others' dissimilarities only."""
        used = np.flatnonzero(A.any(axis=0))
        if 2 * len(used) <= self.n_objects:
            return self._product_of_few(A[:, used], used)
        if not self._known.kept.holds_all:
            return self._product_by_halves(A)
        if not self._is_whole:
            for rows in self.row_blocks():  # in this thread, where it can be interrupted
                self.block(rows)
            self._is_whole = True
        return super().product(A)

    def _product_of_few(self, A: Array, used: Indices) -> Array:
        result = np.zeros((len(A), self.n_objects), dtype=self.dtype)
        for rows in self.row_blocks() if used.size else ():
            result[:, rows] = A @ self.block_sq(rows, used).T
        return result

    def _product_by_halves(self, A: Array) -> Array:
        """Return A S where S is too large to be kept: every entry serves twice."""
        result = np.zeros((len(A), self.n_objects), dtype=self.dtype)
        for rows in self.row_blocks():
            S = self.block_sq(rows, slice(rows.start, None))
            result[:, rows] += A[:, rows.start :] @ S.T
            n_rows = rows.stop - rows.start
            result[:, rows.stop :] += A[:, rows] @ S[:, n_rows:]
        return result


class MetricRelation(ObjectRelation):
    """The same of an estimator's metric: errors call it by that name."""

    _word, _listed, _new = "metric", "X", "X"


@dataclass(frozen=True)
class Name:
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


def check_measure(measure: Any) -> None:
    """Refuse what cannot be asked."""
    if not callable(measure):
        raise OptionError(
            f"measure is {measure!r:.80}; it must be a function of two objects. For a metric that "
            "has a name, use as_relation(vectors, metric=name)."
        )


def check_objects(
    objects: Any, ids: Any, *, is_table: bool, name: str = "objects"
) -> tuple[Any, np.ndarray | None]:
    """Return two objects at least, as a list or table, and their names."""
    listed, names = as_listed(objects, name, is_table=is_table)
    if len(listed) < 2:
        raise RelationError(f"{name} has {len(listed)} entries; at least two are needed.")
    names = names if ids is None else np.asarray(ids, dtype=object)
    return listed, validated_ids(names, len(listed))


def as_precision(dtype: Any) -> np.dtype[Any]:
    """Return one of the two precisions there are."""
    try:
        precision = np.dtype(dtype)
    except TypeError:
        precision = None
    if precision not in (np.float64, np.float32):
        raise OptionError(f"dtype is {dtype!r}; it must be 'float64' or 'float32'.")
    return precision


def _check_work(memory: Any, n_jobs: Any, prefer: Any, progress: Any) -> None:
    """Refuse options of the work that cannot be meant."""
    check_number("memory", memory, Real, 0)
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise OptionError(f"n_jobs is {n_jobs!r}; it must be None, -1 or a number of workers.")
    check_choice("prefer", prefer, ["processes", "threads"])
    if progress is not None and not callable(progress):
        raise OptionError(f"progress is {progress!r}; it must be a function of (done, total).")
