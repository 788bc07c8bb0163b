"""Sharing out questions about pairs of objects: here, or among threads or processes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pickle import PicklingError
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.relations.asking import Answers, Measure
from relrbf.relations.listed import take

BRISK, SLOW = 0.1, 1.0  # seconds for a task: the next one is larger below, smaller above
MOST_PAIRS = 2**14  # in a task
MOST_IN_BLOCK = 2**16  # in a task of a pairwise function, whatever the pace
ROUND = 4  # tasks per worker between two looks at the clock


@dataclass(frozen=True)
class Batch:
    """Pairs of objects, lines × entries: which of them are to do, and the values to fill in."""

    lines: Indices
    entries: Indices
    todo: np.ndarray
    values: Array


@dataclass(frozen=True)
class Task:
    """Objects to compare: first[k] with second[k], or all of the first with all of the second.

    ``where`` are the places that the answers belong to.
    """

    first: Indices
    second: Indices
    where: tuple[Indices, ...]


Answered: TypeAlias = list[tuple[Task, Answers]]


class Crew:
    """Asks a measure about those pairs of objects that are still to be known.

    Parameters
    ----------
    measure : Measure
        What to ask.
    listed : list, array or frame
        The objects.
    n_jobs : int or None
        Number of workers.
    prefer : {"processes", "threads"}
        What they are.
    """

    def __init__(self, measure: Measure, listed: Any, n_jobs: int | None, prefer: str) -> None:
        self.measure = measure
        self.listed = listed
        self.n_jobs = n_jobs
        self.prefer = prefer
        self._size = 1  # pairs in the next task

    def ask(self, batch: Batch) -> Iterator[Answered]:
        """Yield answers, round by round, about the pairs of a batch that are to do.

        Work begins here: what is done at once is not worth sending away.
        """
        from joblib import effective_n_jobs

        cut = self._blocks if self.measure.pairwise else self._pairs
        tasks, n_workers = cut(batch), effective_n_jobs(self.n_jobs)
        first = perf_counter()
        for task in tasks:
            began = perf_counter()
            yield [(task, self.measure.answers(*self._objects(task)))]
            self._adapt(perf_counter() - began)
            if n_workers > 1 and perf_counter() - first > BRISK:
                yield from self._share(tasks, n_workers)

    def _share(self, tasks: Iterator[Task], n_workers: int) -> Iterator[Answered]:
        """Send tasks to the workers, a round of them at a time."""
        from joblib import Parallel, delayed

        with Parallel(n_jobs=self.n_jobs, prefer=self.prefer) as pool:
            while some := list(islice(tasks, ROUND * n_workers)):
                began = perf_counter()
                ask = delayed(self.measure.answers)
                try:
                    answers = pool(ask(*self._objects(task), is_away=True) for task in some)
                except PicklingError as error:
                    raise OptionError(
                        f"n_jobs={self.n_jobs} sends measure and objects to other processes, and "
                        "they cannot be pickled. Use prefer='threads', or n_jobs=None."
                    ) from error
                yield [*zip(some, answers, strict=True)]
                self._adapt((perf_counter() - began) / ROUND)

    def compare(self, first: int, second: int) -> Answers:
        """Ask about two objects, here."""
        return self.measure.answers(*(take(self.listed, np.array([i])) for i in (first, second)))

    def _objects(self, task: Task) -> tuple[Any, Any]:
        return take(self.listed, task.first), take(self.listed, task.second)

    def _adapt(self, seconds: float) -> None:
        """Let the time that a task took decide on the size of the next ones."""
        if seconds < BRISK:
            self._size = min(2 * self._size, MOST_PAIRS)
        elif seconds > SLOW:
            self._size = max(self._size // 2, 1)

    def _pairs(self, batch: Batch) -> Iterator[Task]:
        """Cut what is to do into lists of pairs; of two objects the earlier is named first."""
        p, q = np.nonzero(batch.todo)
        start = 0
        while start < len(p):
            part = slice(start, start + self._size)
            a, b = batch.lines[p[part]], batch.entries[q[part]]
            yield Task(np.minimum(a, b), np.maximum(a, b), (p[part], q[part]))
            start = part.stop

    def _blocks(self, batch: Batch) -> Iterator[Task]:
        """Cut what is to do into rectangles."""
        for p, q in rectangles(batch.todo):
            step = max(MOST_IN_BLOCK // len(p), 1)
            for start in range(0, len(q), step):
                some = q[start : start + step]
                yield Task(batch.lines[p], batch.entries[some], np.ix_(p, some))


def rectangles(todo: np.ndarray, first: int = 0) -> Iterator[tuple[Indices, Indices]]:
    """Cover the True entries, each once and nothing else, by rows and columns.

    Columns that are True throughout make one rectangle; the rest is sought in either half of the
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
