"""Run a design in several processes; an interrupted run resumes."""

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from joblib import delayed, effective_n_jobs

from relrbf.parallel import closed, worker_pool
from study.design import Cell, Design
from study.measure import measure
from study.results import FAILED, RESULTS_FILE, ResumeLog, Row, save_table

Measured: TypeAlias = Generator[tuple[Cell, list[Row]], None, None]
PROGRESS_INTERVAL = 5.0  # seconds between two lines of progress


@dataclass(frozen=True)
class Progress:
    """How far a run is: cells, failures, seconds since it began and those that remain."""

    n_done: int
    n_cells: int
    n_failed: int
    seconds: float
    remaining: float
    cell: str

    def __str__(self) -> str:
        failed = f", {self.n_failed} failed" if self.n_failed else ""
        return (
            f"{self.n_done} of {self.n_cells} cells{failed}, {_clock(self.seconds)} so far, "
            f"{_clock(self.remaining)} to go ({self.cell})"
        )


def run(
    design: Design,
    folder: Any,
    *,
    n_jobs: int | None = None,
    retry_failed: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> list[Row]:
    """Run all cells of a design that are not done yet; keep every result as it comes.

    Killed, or stopped by Ctrl-C, the same call goes on: what was finished is in
    ``folder/rows.jsonl``. A cell whose settings have changed since is run again.

    Parameters
    ----------
    design : Design
        What to run.
    folder : str or path
        Where results are kept; made if need be. One run at a time writes to it.
    n_jobs : int or None, default=None
        Processes, -1 for one per core. The results do not depend on it.
    retry_failed : bool, default=False
        Whether cells that failed are run again.
    progress : callable or None, default=None
        Called with a ``Progress`` after every cell; ``print_progress()`` makes one.

    Returns
    -------
    list of dict
        The rows of the design, in its order; also written as ``folder/results.csv``.

    Examples
    --------
    >>> import tempfile
    >>> from study import PAPER, Design, run
    >>> folder = tempfile.mkdtemp()
    >>> rows = run(Design(PAPER[:1], models=["default"], repetitions=1), folder)
    >>> len(rows), rows[0]["status"]
    (1, 'ok')
    """
    cells = list(design.cells())
    with ResumeLog(folder) as store:
        done = store.finished(cells)
        if retry_failed:
            done = {key: rows for key, rows in done.items() if not has_failed(rows)}
        counter = RunCounter(cells, done, effective_n_jobs(n_jobs))
        waiting = [cell for cell in cells if cell.key not in done]
        with closed(_measured(waiting, n_jobs)) as coming:
            for cell, rows in coming:
                store.add(cell, rows)
                done[cell.key] = rows
                counter.count(cell, rows)
                if progress is not None:
                    progress(counter.report(cell))
    found = [row for cell in cells for row in done[cell.key]]
    save_table(found, store.path.parent / RESULTS_FILE)
    return found


def print_progress(every: float = PROGRESS_INTERVAL) -> Callable[[Progress], None]:
    """Return a callback that prints a line now and then, and at the end.

    Parameters
    ----------
    every : float, default=5.0
        Seconds between two lines.
    """
    shown = -every

    def show(progress: Progress) -> None:
        nonlocal shown
        if progress.seconds - shown >= every or progress.n_done == progress.n_cells:
            shown = progress.seconds
            print(progress, flush=True)

    return show


def has_failed(rows: Sequence[Row]) -> bool:
    """Tell whether a cell failed."""
    return any(row["status"] == FAILED for row in rows)


@dataclass
class RunCounter:
    """Counts finished cells, and estimates the remaining time from other repetitions."""

    cells: list[Cell]
    done: dict[str, list[Row]]
    n_jobs: int
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.n_failed = 0
        self.took: dict[tuple[str, str, str], list[float]] = {}
        self.waiting = Counter(cell.kind for cell in self.cells if cell.key not in self.done)
        for cell in self.cells:
            if cell.key in self.done:
                self._note(cell, self.done[cell.key])

    def count(self, cell: Cell, rows: list[Row]) -> None:
        """Count a cell that is done."""
        self._note(cell, rows)
        self.waiting[cell.kind] -= 1

    def report(self, cell: Cell) -> Progress:
        """Return how far the run is."""
        means = {kind: sum(each) / len(each) for kind, each in self.took.items()}
        usual = sum(means.values()) / len(means)
        work = sum(n * means.get(kind, usual) for kind, n in self.waiting.items())
        seconds = time.perf_counter() - self.began
        n_done = len(self.cells) - sum(self.waiting.values())
        return Progress(
            n_done, len(self.cells), self.n_failed, seconds, work / self.n_jobs, cell.key
        )

    def _note(self, cell: Cell, rows: list[Row]) -> None:
        self.n_failed += has_failed(rows)
        self.took.setdefault(cell.kind, []).append(sum(row["seconds"] for row in rows))


def _measured(cells: list[Cell], n_jobs: int | None) -> Measured:
    """Yield cells with their rows as they come."""
    if effective_n_jobs(n_jobs) == 1:
        yield from map(_with_rows, cells)
        return
    pool = worker_pool(n_jobs, batch_size=1, return_as="generator_unordered")
    yield from pool(delayed(_with_rows)(cell) for cell in cells)


def _with_rows(cell: Cell) -> tuple[Cell, list[Row]]:
    return cell, measure(cell)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
