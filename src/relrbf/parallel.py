"""Work in several processes or threads, which end with the process that started them."""

import os
import signal
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import islice
from threading import Thread
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, cpu_count, effective_n_jobs

from relrbf.exceptions import OptionError

__all__ = ["closed", "worker_pool"]

Item = TypeVar("Item")
MAX_JOBS_PER_CORE = 16
SECONDS_BETWEEN_LOOKS = 0.5  # at the parent of a worker
TASKS_PER_THREAD = 2  # one is evaluated while another waits


def worker_pool(n_jobs: int | None = None, **options: Any) -> Parallel:
    """Return a pool of joblib's whose processes end when this process does, even by a kill.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Processes, -1 for one per core.
    **options
        Of ``joblib.Parallel``.

    Returns
    -------
    joblib.Parallel
        The pool.

    Examples
    --------
    >>> from joblib import delayed
    >>> from relrbf.parallel import worker_pool
    >>> worker_pool(1)(delayed(abs)(number) for number in (-1, -2))
    [1, 2]
    """
    check_jobs(n_jobs)
    return Parallel(n_jobs, initializer=end_with_parent, initargs=(os.getpid(),), **options)


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of processes or threads, or more than this machine can run."""
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        needed = "it must be None, -1 or a number of workers."
        raise OptionError(f"n_jobs is {n_jobs!r}; {needed}", "n_jobs")
    if n_jobs > (most := MAX_JOBS_PER_CORE * cpu_count()):
        problem = f"n_jobs is {n_jobs}, too many for {cpu_count()} cores"
        raise OptionError(f"{problem}; it may be at most {most}.", "n_jobs")


@contextmanager
def closed(coming: Generator[Item, Any, Any]) -> Iterator[Generator[Item, Any, Any]]:
    """Stop a pool at the end, without joblib's warning about results nobody used.

    Parameters
    ----------
    coming : generator
        What a pool with ``return_as="generator"`` returned.
    """
    try:
        yield coming
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*tasks .*(been|not used)", UserWarning)
            coming.close()


def end_with_parent(parent: int) -> None:
    """End this process soon after its parent, however that ended; leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    if os.name == "posix":  # elsewhere a process keeps the number of a parent that is gone
        Thread(target=look, daemon=True).start()


def in_threads(
    work: Callable[..., Item], tasks: Iterable[tuple[Any, ...]], n_jobs: int | None
) -> Generator[Item, None, None]:
    """Yield work(*task) for all tasks, from threads, as they come.

    Python waits for these threads when it ends: compiled code that a thread of joblib's still runs
    then would abort the process.
    """
    check_jobs(n_jobs)
    n_threads = effective_n_jobs(n_jobs)
    pool = ThreadPoolExecutor(n_threads)

    def first_results(pending: set[Any]) -> tuple[list[Any], set[Any]]:
        done, others = wait(pending, return_when=FIRST_COMPLETED)
        return [future.result() for future in done], others

    try:
        yield from as_they_come(partial(pool.submit, work), first_results, tasks, n_threads)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def as_they_come(
    submit: Callable[..., Any],
    first_results: Callable[[set[Any]], tuple[list[Any], set[Any]]],
    tasks: Iterable[tuple[Any, ...]],
    n_threads: int,
) -> Generator[Any, None, None]:
    """Yield the results of tasks as they come; a few for each thread are submitted ahead."""
    waiting = iter(tasks)
    pending = {submit(*each) for each in islice(waiting, TASKS_PER_THREAD * n_threads)}
    while pending:
        results, pending = first_results(pending)
        for result in results:
            yield result
            pending |= {submit(*each) for each in islice(waiting, 1)}
