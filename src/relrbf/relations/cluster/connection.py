"""The way to a Dask cluster, and what is said when it leads nowhere."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, NoReturn

from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.cluster.opening import close_all, close_behind, connected, import_distributed

LOOK = 1.0  # seconds between two looks whether there are workers left


class LostError(Exception):
    """Something that lay on workers is gone, and they cannot make it again by themselves."""


class Connection:
    """Submits work to a cluster and collects what comes of it, or says why nothing does.

    Parameters
    ----------
    client : Client, str or None
        A client, the address of a scheduler, or None for a cluster of its own on this machine.
    timeout : float
        Seconds that a scheduler, or a cluster that has lost its workers, is waited for.
    """

    def __init__(self, client: Any, timeout: float) -> None:
        distributed = import_distributed()
        if client is not None and not isinstance(client, str | distributed.Client):
            raise OptionError(
                f"client is {client!r:.80}; it must be a distributed.Client, the address of a "
                "scheduler such as 'tcp://10.0.0.1:8786', or None for a cluster on this machine."
            )
        self.timeout = timeout
        self._where = f" at {client}" if isinstance(client, str) else ""
        with self._said():
            self.client = connected(distributed, client, timeout)
        self._closing = None
        self._addressed: set[str] = set()  # workers that were given work since they were seen
        if not isinstance(client, distributed.Client):
            self._closing = weakref.finalize(self, close_behind, self.client)
            self._closing.atexit = False  # distributed closes all of them then

    @property
    def is_open(self) -> bool:
        """Whether work can be submitted."""
        return bool(self.client.status == "running")

    def threads(self) -> list[str]:
        """Return the address of a worker for each of its threads, when there is one at least."""
        until = monotonic() + self.timeout
        while True:
            with self._said():
                found = self.client.nthreads()
            if found:
                self._addressed &= set(found)
                return [address for address, n in sorted(found.items()) for _ in range(n)]
            if monotonic() > until:
                self._say_gone("has no workers")
            sleep(0.05)

    def submit(self, function: Callable[..., Any], *args: Any, worker: str | None = None) -> Any:
        """Return the future of work that is done on a worker, or where it is gone on another."""
        return self.submit_all(function, *([each] for each in args), worker=worker)[0]

    def submit_all(
        self, function: Callable[..., Any], *lists: list[Any], worker: str | None = None
    ) -> list[Any]:
        """Return the futures of a function of the first of all lists, the second, and so on."""
        name = getattr(function, "__name__", type(function).__name__)
        if worker is not None:
            self._addressed.add(worker)
        with self._said():
            return list(
                self.client.map(
                    function,
                    *lists,
                    key=f"relrbf-{name}",
                    workers=None if worker is None else [worker],
                    allow_other_workers=worker is not None,
                    pure=False,
                )
            )

    def compute(self, coming: list[Any], worker: str) -> list[Any]:
        """Return the futures of what is delayed in dask's sense."""
        self._addressed.add(worker)
        with self._said():
            return list(self.client.compute(coming, workers=[worker], allow_other_workers=True))

    def send(self, data: list[Any], worker: str | None = None) -> list[Any]:
        """Return the futures of data that workers get from the scheduler, again if they lose it."""
        import dask

        # data in place of a task is usually a mistake, of which dask warns
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
            return self.submit_all(same, data, worker=worker)

    def collect(self, futures: list[Any]) -> list[Any]:
        """Return what the futures come to; LostError says that it must be submitted again."""
        found = dict(self.arriving(futures))
        return [found[k] for k in range(len(futures))]

    def arriving(self, futures: list[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the number of a future and what it came to, about once a second."""
        waiting, seen = dict(enumerate(futures)), monotonic()
        while waiting:
            with self._said():
                if self._are_done([*waiting.values()]) or self.client.nthreads():
                    seen = monotonic()
                self._notice_others()
                done = [k for k, future in waiting.items() if future.done()]
                found = self.client.gather([waiting.pop(k) for k in done])
            yield from zip(done, found, strict=True)
            if monotonic() - seen > self.timeout:
                self._say_gone("has no workers any more")

    def _notice_others(self) -> None:
        """Say that all is lost where none of those who were to work is left, and others have come.

        The scheduler would wait for the former for ever.
        """
        present = set(self.client.nthreads())
        if present and self._addressed and not present & self._addressed:
            raise LostError

    def _are_done(self, futures: list[Any]) -> bool:
        try:
            with self.client.as_current():
                import_distributed().wait(futures, timeout=LOOK)
        except TimeoutError:
            return False
        return True

    def holders(self, futures: list[Any]) -> list[tuple[str, ...]]:
        """Return the addresses of the workers that hold each future."""
        with self._said():
            found = self.client.who_has(futures)
        return [tuple(found.get(future.key, ())) for future in futures]

    def close(self) -> None:
        """Close what this has opened itself."""
        if self._closing is not None and self._closing.detach():
            close_all(self.client)

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Say in a sentence what dask tells in fifty lines."""
        distributed = import_distributed()
        if self._was_closed:
            self._say_gone("was closed")
        try:
            yield
        except distributed.CancelledError:
            if self._is_back():
                raise LostError from None
            self._say_gone("went away")
        except RelationError as error:  # a worker's, whose traceback is of no use here
            raise error.with_traceback(None) from None
        except distributed.KilledWorker:
            raise RelationError(
                "the workers of client died of the same piece of work, several in turn. Often they "
                "have too little memory: give them more, or use more of them; their logs know."
            ) from None
        except ModuleNotFoundError as error:
            raise RelationError(
                f"the workers of client lack a module that is needed there ({error}). Install "
                "the same packages on all machines, relrbf among them."
            ) from None
        except AttributeError:
            if self._was_closed:  # at this moment
                self._say_gone("was closed")
            raise
        except (OSError, distributed.client.ClosedClientError) as error:
            self._say_gone(f"cannot be reached ({error!s:.200})")

    @property
    def _was_closed(self) -> bool:
        """Whether the client, which is there when it was reached, has let go of its scheduler."""
        client = getattr(self, "client", None)
        return client is not None and client.scheduler is None

    def _is_back(self) -> bool:
        """Tell whether the connection holds, or is made again in time."""
        until = monotonic() + self.timeout
        while self.client.status == "connecting" and monotonic() < until:
            sleep(0.05)
        return self.is_open

    def _say_gone(self, what: str) -> NoReturn:
        raise RelationError(
            f"the Dask cluster of client{self._where} {what}. Start it, or name another with "
            "client=, and make the relation again; client=None takes this machine alone."
        ) from None


def same(data: Any) -> Any:
    """Return data: what a scheduler knows as work is done again after a loss."""
    return data
