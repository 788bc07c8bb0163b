"""Running over the rows of a relation in blocks, on every core.

A block is read, raised and multiplied while it is in the cache, each on a thread of ours with BLAS
held to one: the raising then runs in parallel too. BLAS's own threads go on spinning for a while
after each call and would take the cores away, so whoever multiplies many times in a row takes the
cores once, for all of it.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

BLOCK_BYTES = 2**21
ROW_STEP = 64  # BLAS multiplies whole tiles of rows fastest


class _Cores:
    """The threads that are ours while somebody holds BLAS to one; one such for the process."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.holders = 0
        self.pool: ThreadPoolExecutor | None = None  # none where there is only one core
        self.held = ExitStack()

    def take(self) -> None:
        with self.lock:
            if self.holders == 0:
                # BLAS's own limit already heeds OMP_NUM_THREADS and joblib's inner limits
                libraries = _controller().info()
                n_threads = max((lib["num_threads"] for lib in libraries), default=1)
                self.held.enter_context(_controller().limit(limits=1))
                if n_threads > 1:
                    self.pool = self.held.enter_context(ThreadPoolExecutor(n_threads))
            self.holders += 1

    def give_back(self) -> None:
        with self.lock:
            self.holders -= 1
            if self.holders == 0:
                self.pool = None
                self.held.close()


_CORES = _Cores()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def cores() -> Iterator[ThreadPoolExecutor | None]:
    """Hold BLAS to one thread and yield threads of ours instead, if any; may be nested."""
    _CORES.take()
    try:
        yield _CORES.pool
    finally:
        _CORES.give_back()


def row_blocks(n_rows: int, row_bytes: int) -> Iterator[slice]:
    """Cut n_rows into slices of about BLOCK_BYTES."""
    steps = BLOCK_BYTES // max(row_bytes * ROW_STEP, 1)
    size = ROW_STEP * steps if steps else 16
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def for_each_block(fill: Callable[[slice], None], blocks: Iterable[slice]) -> None:
    """Call fill on every block, on every core."""
    todo = list(blocks)
    with cores() as pool:
        if pool is None or len(todo) == 1:
            for block in todo:
                fill(block)
        else:
            list(pool.map(fill, todo))
