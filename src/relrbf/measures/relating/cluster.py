"""Computing on the workers of a Dask cluster; one that dies loses nothing, others do its work."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from relrbf.exceptions import RelationError
from relrbf.measures.named.entry import library

T = TypeVar("T")
AHEAD = 2  # tasks per thread of a worker: one computed while another travels


def on_cluster(
    scheduler: Any, work: Callable[..., T], todo: Iterable[tuple[Any, ...]]
) -> Generator[T, None, None]:
    """Yield what work returns for each of todo, as it comes from the workers."""
    distributed = library("distributed", "'dask[distributed]'", "scheduler")
    waiting = iter(todo)
    with _client(distributed, scheduler) as client:
        try:
            n_ahead = AHEAD * max(1, sum(client.nthreads().values()))
            coming = distributed.as_completed(_submitted(client, work, waiting, n_ahead))
            for future in coming:
                yield future.result()
                coming.update(_submitted(client, work, waiting, 1))
        except (
            OSError,
            RuntimeError,
            distributed.CancelledError,
            distributed.KilledWorker,
        ) as error:
            raise RelationError(
                "the cluster of scheduler went away, or lost too many workers "
                f"({type(error).__name__}: {error}). What was computed is kept where path is "
                "given: the same call goes on."
            ) from error


def _submitted(client: Any, work: Callable[..., T], waiting: Iterator[Any], n: int) -> list[Any]:
    """Submit the next n; objects travel with their task, for a worker that dies has them, too."""
    # not pure: the names of tasks would be hashes of objects that perhaps cannot be hashed
    return [client.submit(work, *each, pure=False) for each in islice(waiting, n)]


@contextmanager
def _client(distributed: Any, scheduler: Any) -> Iterator[Any]:
    """Yield the client that came, or one that is closed at the end."""
    if isinstance(scheduler, distributed.Client):
        yield scheduler
        return
    with distributed.Client(scheduler) as client:
        yield client
