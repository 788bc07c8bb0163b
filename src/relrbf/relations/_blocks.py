"""Running over the rows of a relation in blocks, on every core.

A block is read, raised and multiplied while it is in the cache. Each thread multiplies alone, with
BLAS held to one thread: faster than one block after another on all cores, since the raising runs in
parallel too, and far faster on a busy machine, where BLAS's own threads wait for each other.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

BLOCK_BYTES = 2**21
_ONE_AT_A_TIME = Lock()  # BLAS's thread limit belongs to the whole process


def row_blocks(n_rows: int, row_bytes: int) -> Iterator[slice]:
    """Cut n_rows into slices of about BLOCK_BYTES, of at least 16 rows."""
    step = max(16, BLOCK_BYTES // max(row_bytes, 1))
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def for_each_block(fill: Callable[[slice], None], blocks: Iterable[slice]) -> None:
    """Call fill on every block, on as many threads as BLAS may use at this moment."""
    todo = list(blocks)
    with _ONE_AT_A_TIME:
        n_threads = min(len(todo), _blas_threads()) if len(todo) > 1 else 1
        with _controller().limit(limits=1):
            if n_threads == 1:
                for block in todo:
                    fill(block)
            else:
                with ThreadPoolExecutor(n_threads) as pool:
                    list(pool.map(fill, todo))


def _blas_threads() -> int:
    """Return BLAS's own limit: it already heeds OMP_NUM_THREADS and joblib's inner limits."""
    return max((library["num_threads"] for library in _controller().info()), default=1)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
