"""The connection of a DaskRelation to its cluster, with errors that say what to do."""

import atexit
import weakref
from asyncio import run_coroutine_threadsafe
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from functools import cache, partial
from logging import CRITICAL
from multiprocessing import current_process
from threading import RLock, Thread
from time import monotonic
from typing import Any, NoReturn

import numpy as np

from relrbf._utils import import_library
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn

POLL_SECONDS = 1.0  # between two questions whether there are workers left
ANSWER_SECONDS = 30.0  # for a scheduler to answer one, and for a cluster to close
OPEN_CLUSTERS: "weakref.WeakSet[Cluster]" = weakref.WeakSet()


class Cluster:
    """Persists and computes dask arrays on a cluster, shared by a relation and its parts.

    ``client`` and ``timeout`` are those of ``DaskRelation``; errors call the first by its name.
    """

    def __init__(self, client: Any, timeout: float, name: str = "client") -> None:
        distributed = _import_distributed("DaskRelation" if name == "client" else name)
        if client is not None and not isinstance(client, str | distributed.Client):
            raise OptionError(
                f"{name} is {client!r:.80}; it must be a distributed.Client, the address of a "
                "scheduler such as 'tcp://10.0.0.1:8786', or None for a cluster on this machine."
            )
        self.timeout, self._name = timeout, name
        self.n_evaluations = 0
        self._is_closed = self._is_evaluated = self._has_failed = False
        self._address = f" at {client}" if isinstance(client, str) else ""
        self._closing = None
        with self._clear_errors():
            self.client = _connected(distributed, client, timeout)
            if not isinstance(client, distributed.Client):
                self._closing = weakref.finalize(self, _close_in_background, self.client)
                self._closing.atexit = False  # Python may be too far gone then
            self._ask(self.client.wait_for_workers, 1, timeout, patience=timeout)
            n_threads = self._ask(self.client.nthreads)
        # of all workers, in turn
        self.threads = [
            w for k in range(max(n_threads.values())) for w in n_threads if n_threads[w] > k
        ]
        self._blocks: list[Any] = []  # futures, released by close
        self._squares: list[Any] = []  # and of what a measure evaluates
        self._lock = RLock()  # blocks may be requested by several threads
        OPEN_CLUSTERS.add(self)
        _close_at_exit()

    def __reduce__(self) -> Any:
        raise RelationError(
            "a DaskRelation lies on its cluster; it cannot be pickled, nor sent to other "
            "processes. Leave n_jobs out, or let it start threads, with "
            "joblib.parallel_config('threading')."
        )

    def __deepcopy__(self, memo: Any) -> "Cluster":
        return self

    def spread(self, array: Any) -> list[Any]:
        """Return the futures of a dask array's blocks of rows, computed and shared out evenly."""
        with self._clear_errors():
            held = self.client.persist(array)
        graph = held.__dask_graph__()
        futures = [graph[key] for (key,) in held.__dask_keys__()]
        return self.submit(_own, futures, places=range(len(futures)))

    def submit(
        self, function: Callable[..., Any], *lists: Sequence[Any], places: Sequence[int] = ()
    ) -> list[Any]:
        """Return the futures of a function of the first of all lists, the second, and so on.

        Each is computed by the thread of its place, as long as that is there: left to itself, Dask
        often has one worker do what needs large data, and copies the data there.
        """
        options: dict[str, Any] = {"pure": False, "allow_other_workers": bool(places)}
        with self._clear_errors():
            if not places:
                return list(self.client.map(function, *lists, **options))
            workers = [self.threads[place % len(self.threads)] for place in places]
            return [
                self.client.submit(function, *each, workers=[worker], **options)
                for worker, *each in zip(workers, *lists, strict=True)
            ]

    def hold(self, blocks: list[Any]) -> None:
        """Keep the futures of blocks of rows."""
        self._blocks = blocks

    def hold_evaluations(self, squares: list[Any], n_pairs: int, symmetrize: str | None) -> None:
        """Keep the futures of squares that a measure evaluates, in case a worker is lost."""
        self._squares, self._n_pairs, self._symmetrize = squares, n_pairs, symmetrize

    def compute(self, *arrays: Any) -> list[Any]:
        """Return the values of dask arrays."""
        with self._clear_errors():
            return self._collect(self.client.compute(list(arrays)))

    def run(
        self, function: Callable[..., Any], *lists: Sequence[Any], places: Sequence[int]
    ) -> list[Any]:
        """Return a function of blocks, when a measure has been evaluated everywhere."""
        with self._clear_errors():
            with self._lock:
                self._finish_evaluations()
            return self._collect(self.submit(function, *lists, places=places))

    def _finish_evaluations(self) -> None:
        """Wait until a measure is evaluated everywhere; what failed before is evaluated again."""
        if self._is_evaluated or not self._squares:
            return
        if self._has_failed:
            futures = {*self._squares, *self._blocks}
            self._wait(futures, "ALL_COMPLETED")  # the first error came before others were done
            failed = [future for future in futures if future.status == "error"]
            self._ask(self.client.retry, failed)
        self._has_failed = True
        found = self._collect(self.client.map(_asymmetry, self._squares, pure=False))
        self._is_evaluated, self.n_evaluations = True, self._n_pairs
        n_asymmetric, largest = zip(*found, strict=True)
        if any(n_asymmetric):
            warn(
                f"measure is not symmetric: symmetrize={self._symmetrize!r} made one value of two "
                f"directions that differ in {sum(n_asymmetric)} of {self._n_pairs} pairs, by at "
                f"most {max(largest):.4g}.",
                RelationWarning,
            )

    def first_results(self, futures: set[Any]) -> tuple[list[Any], set[Any]]:
        """Return the results of the futures that are done, one at least, and the others.

        A result may be lost with its worker before it is here; then it is computed again.
        """
        with self._clear_errors():
            found = self._wait(futures, "FIRST_COMPLETED")
            return self._collect(list(found.done)), found.not_done

    def _wait(self, futures: set[Any], return_when: str) -> Any:
        found: list[Any] = []

        def is_done() -> bool:
            with suppress(TimeoutError), self.client.as_current():
                distributed = _import_distributed()
                found.append(distributed.wait(futures, POLL_SECONDS, return_when))
            return bool(found)

        self._wait_until(is_done, ())
        return found[0]

    def _collect(self, futures: list[Any]) -> list[Any]:
        """Return the results of futures, or raise the first error as soon as it comes."""
        # in the background: what is lost before it is here is waited for once more
        gathering = self.client.gather(futures, asynchronous=True)
        coming = run_coroutine_threadsafe(gathering, self.client.loop.asyncio_loop)
        self._wait_until(lambda: bool(wait([coming], POLL_SECONDS).done), futures)
        return list(coming.result())

    def _wait_until(self, is_done: Callable[[], bool], futures: Iterable[Any]) -> None:
        last_seen = monotonic()
        while not is_done():
            for future in futures:
                if future.status == "error":
                    raise future.exception() from None
            if workers := self._ask(self.client.nthreads):
                last_seen = monotonic()
                if not workers.keys() >= {*self.threads}:
                    self._ask(self.client.run_on_scheduler, _let_others_work)
            elif monotonic() - last_seen > self.timeout:
                self._refuse("has no workers any more")

    def _ask(self, method: Callable[..., Any], *args: Any, patience: float = 0) -> Any:
        """Return what a method of the client does; TimeoutError where the scheduler is silent."""
        return self.client.sync(method, *args, callback_timeout=ANSWER_SECONDS + patience)

    def close(self) -> None:
        """Release what the workers hold, and close the client if it is ours."""
        self._is_closed = True
        OPEN_CLUSTERS.discard(self)
        for future in (*self._blocks, *self._squares):
            future.release()
        if self._closing is not None and self._closing.detach():
            _close(self.client)

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Say in a sentence what Dask says in fifty lines."""
        import dask

        distributed = _import_distributed()
        if self._is_closed:
            raise RelationError("the relation was closed; make it again.")
        if self._was_closed:
            self._refuse("was closed")
        try:
            # a matrix in the graph, of which dask warns, is what a lost worker's blocks come from
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
                yield
        except (distributed.CancelledError, distributed.comm.CommClosedError):
            self._refuse("went away")
        except RelationError as error:  # a worker's, whose traceback is of no use here
            raise error.with_traceback(None) from None
        except distributed.KilledWorker:
            raise RelationError(
                f"the workers of {self._name} died of the same piece of work, several in turn. "
                "Often they have too little memory: give them more, or use more of them; see their "
                "logs."
            ) from None
        except ModuleNotFoundError as error:
            raise RelationError(
                f"workers of {self._name} lack a module that is needed there ({error}). Install "
                "the same packages on all machines, relrbf among them."
            ) from None
        except AttributeError:
            if self._was_closed:  # at this moment
                self._refuse("was closed")
            raise
        except (OSError, distributed.client.ClosedClientError) as error:
            self._refuse(f"cannot be reached ({error!s:.200})")

    @property
    def _was_closed(self) -> bool:
        """Whether the client, if it was ever connected, has left its scheduler."""
        client = getattr(self, "client", None)
        return client is not None and client.scheduler is None

    def _refuse(self, what: str) -> NoReturn:
        again = ", and make the relation again; client=None takes this machine alone"
        again = again if self._name == "client" else ""
        raise RelationError(
            f"the Dask cluster of {self._name}{self._address} {what}. Start it, or name another "
            f"with {self._name}={again}."
        ) from None


@cache
def _close_at_exit() -> None:
    """Have all closed before distributed, imported by now, closes them in a less careful order."""
    atexit.register(_close_all)


def _close_all() -> None:
    for cluster in [*OPEN_CLUSTERS]:
        with suppress(Exception):  # whatever is left of Dask now
            cluster.close()


def _let_others_work(dask_scheduler: Any) -> None:
    """Let any worker have tasks that wait for one that is gone, where others are allowed.

    When all workers were gone at once, Dask does not offer such tasks to those that come.
    """
    waiting = [task for task in dask_scheduler.unrunnable if task.loose_restrictions]
    dask_scheduler.set_restrictions({task.key: None for task in waiting})
    changes = {task.key: "processing" for task in waiting}
    dask_scheduler.transitions(changes, f"relrbf-{monotonic()}")


def _own(block: Any) -> Any:
    """Return a block in memory of its own: that of a message may not be aligned, which is slow."""
    return np.array(block)


def _asymmetry(evaluation: Any) -> tuple[int, float]:
    return evaluation.n_asymmetric, evaluation.max_asymmetry


def _import_distributed(what: str = "DaskRelation") -> Any:
    return import_library("distributed", "'relrbf[dask]'", what)


def _connected(distributed: Any, client: Any, timeout: float) -> Any:
    """Return a client: the one that came, that of an address, or of a new cluster here."""
    if isinstance(client, distributed.Client):
        if client.asynchronous or client.status != "running":
            raise distributed.client.ClosedClientError(f"the client is {client.status}")
        return client
    if isinstance(client, str):
        try:
            return distributed.Client(client, timeout=timeout, set_as_default=False)
        except ValueError as error:
            raise OptionError(
                f"client={client!r} is no address of a scheduler ({error}); give one such as "
                "'tcp://10.0.0.1:8786'."
            ) from None
    unguarded = RelationError(
        "the workers of a cluster on this machine did not start. They are processes that import "
        "the script they are started from: put what makes the relation under "
        "if __name__ == '__main__':."
    )
    if getattr(current_process(), "_inheriting", False):  # in the midst of such an import
        raise unguarded
    try:
        # a process for each core: a measure in Python holds Python's lock
        cluster = distributed.LocalCluster(
            threads_per_worker=1, dashboard_address=":0", silence_logs=CRITICAL
        )
    except RuntimeError:
        raise unguarded from None
    return distributed.Client(cluster, set_as_default=False)


def _close(client: Any) -> None:
    from distributed.utils import silence_logging_cmgr

    opened = [client] if client.cluster is None else [client, client.cluster]
    with silence_logging_cmgr(CRITICAL):  # of a scheduler that is gone, which was told already
        for each in opened:
            with suppress(TimeoutError):
                each.close(ANSWER_SECONDS)


def _close_in_background(client: Any) -> None:
    # garbage may be collected in the very thread that the closing needs; Python waits for this one
    Thread(target=partial(_close, client)).start()


def is_dask(matrix: Any) -> bool:
    """Tell whether a matrix is an array of Dask's."""
    return type(matrix).__module__.startswith("dask.array")  # without loading dask


def client_of(source: Any) -> Any:
    """Return the client whose workers already hold a dask array, or None."""
    if not is_dask(source):
        return None
    from distributed.client import futures_of

    held = futures_of(source)
    return held[0].client if held else None


def as_dask(matrix: Any, rows: int, dtype: np.dtype[Any]) -> Any:
    """Return a dask array in blocks of rows, not computed yet."""
    import dask.array as da

    if not is_dask(matrix):
        meta = np.empty((0, 0), matrix.dtype)
        matrix = da.from_array(matrix, (rows, -1), name=False, inline_array=True, meta=meta)
    return matrix.rechunk((rows, -1)).astype(dtype)


def same(value: Any) -> Any:
    """Return what is sent to a worker."""
    return value
