"""Running over the rows of a relation in blocks, on every core.

A block is read, raised to the exponent and multiplied while it is in the cache, each on a thread of
ours with BLAS held to one: raising then runs in parallel too. BLAS's own threads go on spinning for
a while after each call and would take the cores away, so whoever multiplies many times in a row
takes the cores once, for all of it.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache, partial
from threading import Lock, local
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Block = TypeVar("Block")
BLOCK_BYTES = 2**21
READ_BYTES = 2**28  # that what is read from a disk may take, all blocks in flight together
TILE_SIDE = 512  # of squares that fit in a processor's cache
MAX_OBJECTS_WITHOUT_BLAS_THREADS = 1024
ROW_STEP = 64  # BLAS multiplies whole tiles of rows fastest

_FREE = Lock()  # BLAS's limit belongs to the process: one thread changes it at a time
_MINE = local()  # the pool of the thread that did


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def cores_for(
    n_objects: int, usual: Callable[[], AbstractContextManager[Any]] = nullcontext
) -> AbstractContextManager[Any]:
    """Return the context for work on n objects: of few, BLAS's threads only get in the way."""
    return cores() if n_objects <= MAX_OBJECTS_WITHOUT_BLAS_THREADS else usual()


@contextmanager
def cores() -> Iterator[ThreadPoolExecutor | None]:
    """Hold BLAS to one thread and yield threads of ours instead; may be nested.

    Yields None where there is one core only, or another thread of the program has them.
    """
    if hasattr(_MINE, "pool"):
        yield _MINE.pool
    elif not _FREE.acquire(blocking=False):
        yield None
    else:
        with ExitStack() as stack:
            stack.callback(_FREE.release)
            # BLAS's own limit already follows OMP_NUM_THREADS and joblib's inner limits
            n_threads = max((lib["num_threads"] for lib in _controller().info()), default=1)
            stack.enter_context(_controller().limit(limits=1))
            pool = stack.enter_context(ThreadPoolExecutor(n_threads)) if n_threads > 1 else None
            _MINE.pool = pool
            stack.callback(delattr, _MINE, "pool")
            yield pool


def row_blocks(n_rows: int, row_bytes: int, max_oversize: int = 1) -> Iterator[slice]:
    """Cut n_rows into slices of about BLOCK_BYTES.

    To have as many rows as BLAS is fastest with, a block may take ``max_oversize`` times as much.
    """
    step_bytes = max(row_bytes * ROW_STEP, 1)
    steps = BLOCK_BYTES // step_bytes or int(max_oversize * BLOCK_BYTES >= step_bytes)
    return spans(n_rows, ROW_STEP * steps if steps else 16)


def spans(n: int, size: int) -> Iterator[slice]:
    """Cut 0..n into slices of a size, the last one as long as is left."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def for_each_block(
    fill: Callable[[Block], None],
    blocks: Iterable[Block],
    after: Callable[[float], None] | None = None,
) -> None:
    """Call fill on every block, on every core; after each, tell the fraction done to after.

    After is called in the caller's own thread. Where it raises, or the user interrupts, blocks that
    have not begun are dropped.
    """
    todo = list(blocks)
    with cores() as pool:
        if pool is None or len(todo) == 1:
            _follow([partial(fill, block) for block in todo], after)
            return
        futures = [pool.submit(fill, block) for block in todo]
        try:
            _follow([future.result for future in futures], after)
        finally:
            for future in futures:
                future.cancel()


def _follow(results: list[Callable[[], None]], after: Callable[[float], None] | None) -> None:
    for done, result in enumerate(results, start=1):
        result()
        if after is not None:
            after(done / len(results))
