"""What is known about pairs of objects: kept since it was computed, or computed now."""

from collections.abc import Callable
from threading import RLock
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError, RelationWarning, warn
from relrbf.relations.crew import Answered, Batch, Crew
from relrbf.relations.examine import Examiner, below_zero
from relrbf.relations.kept import KeptLines
from relrbf.relations.symmetry import SymmetryCheck

Wanted: TypeAlias = tuple[Indices, Indices | None]  # in ascending order, and the way back
Progress: TypeAlias = Callable[[int, int], Any]
ENOUGH = 16  # pairs, that tell what is large and what is rounding
BATCH = 2**18  # pairs, after which what was computed is kept
KEPT = " What was computed is kept: asked again, the relation goes on from there."


class Comparisons:
    """Dissimilarities among objects, shared by a relation and all its parts.

    Parameters
    ----------
    crew : Crew
        Asks the measure.
    kept : KeptLines
        What was computed.
    check : SymmetryCheck or None
        Doubts the measure.
    name : callable
        Names the object at a position.
    progress : callable or None
        Called with the number of pairs done and of those to do, request by request.
    """

    def __init__(
        self,
        crew: Crew,
        kept: KeptLines,
        check: SymmetryCheck | None,
        name: Callable[[int], str],
        progress: Progress | None,
    ) -> None:
        self.crew = crew
        self.kept = kept
        self.check = check
        self.examiner = Examiner(name, word=crew.measure.word)
        self.progress = progress
        self.n_evaluations = 0
        self._largest = 0.0
        self._has_warned = False
        self._lock = RLock()  # blocks may be asked for by several threads

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def block(self, rows: Indices, cols: Indices, *, sweeps: bool) -> Array:
        """Return the dissimilarities of rows to cols.

        They are kept by line: of the rows, or of the columns where fewer of those are new, or
        where this is one of many blocks in a sweep over all rows.
        """
        wanted = _ascending(rows), _ascending(cols)
        (rows, _), (cols, _) = wanted
        with self._lock:
            sweeps = sweeps and len(cols) <= self.kept.capacity
            if sweeps or self.kept.n_new(cols) < self.kept.n_new(rows):
                return self._lines(*wanted[::-1]).T
            return self._lines(*wanted)

    def _lines(self, some: Wanted, others: Wanted) -> Array:
        """Return lines × entries, in the order and as often as they are wanted."""
        (lines, to_lines), (entries, to_entries) = some, others
        out = np.empty((len(lines), len(entries)), dtype=self.kept.dtype)
        self.kept.read(lines, entries, out)
        p, q = self._shared(lines, entries)
        out[p, q] = 0
        if out.size and np.isnan(out.min()):
            self._complete(lines, entries, p, q, out)
        out = out if to_lines is None else out[to_lines]
        return out if to_entries is None else out[:, to_entries]

    def _complete(
        self, lines: Indices, entries: Indices, p: Indices, q: Indices, out: Array
    ) -> None:
        """Compute what is NaN; a pair of objects that are in both (at p, q) stands there twice."""
        todo = np.isnan(out)
        for k in range(len(p)):
            todo[p[k], q[:k]] = False
        self._compute(lines, entries, todo, out)
        for k in range(len(p)):
            out[p[k], q[:k]] = out[p[:k], q[k]]
        self.kept.update(lines, entries, out)

    def _shared(self, lines: Indices, entries: Indices) -> tuple[Indices, Indices]:
        """Return the places, in lines and in entries, of the objects that are in both."""
        places = np.full(self.kept.n_objects, -1)
        places[entries] = np.arange(len(entries))
        found = places[lines]
        p = np.flatnonzero(found >= 0)
        return p, found[p]

    def _compute(self, lines: Indices, entries: Indices, todo: np.ndarray, out: Array) -> None:
        """Compute the pairs to do, batch by batch; one is kept before the next begins."""
        total, done = int(np.count_nonzero(todo)), 0
        step = max(BATCH // len(entries), 1)
        for start in range(0, len(lines), step):
            part = slice(start, start + step)
            n_todo = int(np.count_nonzero(todo[part]))
            if n_todo:
                batch = Batch(lines[part], entries, todo[part], out[part])
                self._compute_batch(batch, done, total)
            done += n_todo

    @property
    def _kept(self) -> str:
        """What to add to an error, where the user has the relation and can ask it again."""
        return KEPT if self.examiner.word == "measure" else ""

    def _compute_batch(self, batch: Batch, done: int, total: int) -> None:
        """Compute a batch; where that fails or is interrupted, keep what there is of it."""
        try:
            self._ask(batch, done, total)
        finally:
            self._strike_negative(batch)  # nobody may have looked at the last ones
            self.kept.write(batch.lines, batch.entries, batch.values)

    def _ask(self, batch: Batch, done: int, total: int) -> None:
        """Ask about a batch, and look at the answers as soon as there are some."""
        unseen: Answered = []
        last = done + int(np.count_nonzero(batch.todo))
        for answered in self.crew.ask(batch):
            for task, answers in answered:
                batch.values[task.where] = answers.values
                done += answers.n_known
                self.n_evaluations += answers.n_known
            for task, answers in answered:
                if answers.problem is not None:
                    text = self.examiner.failure(answers.problem, task.first, task.second)
                    raise RelationError(text + self._kept) from answers.problem.error
            unseen += answered
            if done == last or sum(answers.n_known for _, answers in unseen) >= ENOUGH:
                self._look(batch, unseen)
                unseen = []
            if self.progress is not None:
                self.progress(done, total)

    def _look(self, batch: Batch, answered: Answered) -> None:
        """Judge answers together; of a measure that is doubtful nothing in this batch is kept."""
        largest = max(float(answers.values.max()) for _, answers in answered)
        self._largest = max(self._largest, largest)
        negative = self._strike_negative(batch)
        if negative is not None:
            raise negative
        self.warn_of(answered)
        try:
            if self.check is not None:
                self.check(answered, self._largest)
        except RelationError:
            batch.values[batch.todo] = np.nan  # or nobody would check it again
            raise

    def _strike_negative(self, batch: Batch) -> RelationError | None:
        """Take back what is below zero by more than a rounding error; that is left as it is."""
        rounding = below_zero(batch.values.dtype, self._largest)
        if not np.fmin.reduce(batch.values, axis=None) < -rounding:
            return None
        p, q = np.nonzero(batch.values < -rounding)
        lowest = float(batch.values[p[0], q[0]])
        batch.values[p, q] = np.nan
        text = self.examiner.negative(lowest, batch.lines[p[0]], batch.entries[q[0]])
        return RelationError(text + self._kept)

    def warn_of(self, answered: Answered) -> None:
        """Say, once, that a policy made one value of two."""
        n_changed = sum(answers.n_changed for _, answers in answered)
        if n_changed and not self._has_warned:
            self._has_warned = True
            n_pairs = sum(answers.n_known for _, answers in answered)
            change = max(answers.change for _, answers in answered)
            warn(
                f"measure is not symmetric: symmetrize={self.crew.measure.symmetrize!r} made one "
                f"value of two directions that differ in {n_changed} of the first {n_pairs} pairs, "
                f"by at most {change:.4g}. Further pairs are treated alike without a word.",
                RelationWarning,
            )


def _ascending(positions: Indices) -> Wanted:
    """Return positions in ascending order, each once, and how to get back, where that is needed."""
    if (positions[1:] > positions[:-1]).all():
        return positions, None
    return np.unique(positions, return_inverse=True)
