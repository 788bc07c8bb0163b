"""Running over a relation in blocks, on every core; what its entries are like, in one pass.

A block is read, raised to the exponent and multiplied while it is in the cache, each on a thread of
ours with BLAS held to one: raising then runs in parallel too. BLAS's own threads go on spinning for
a while after each call and would take the cores away, so whoever multiplies many times in a row
takes the cores once, for all of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from functools import cache
from operator import itemgetter
from threading import Lock, local
from typing import Any, NamedTuple, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from relrbf._typing import Array

Block = TypeVar("Block")
BLOCK_BYTES = 2**21
READ_BYTES = 2**28  # that what is read from a disk may take, all blocks in flight together
TILE_SIDE = 512  # of squares that fit in a processor's cache
ROW_STEP = 64  # BLAS multiplies whole tiles of rows fastest

_FREE = Lock()  # BLAS's limit belongs to the process: one thread changes it at a time
_MINE = local()  # the pool of the thread that did


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


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
            n_threads = max(map(itemgetter("num_threads"), _controller().info()), default=1)
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
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def for_each_block(
    fill: Callable[[Block], None],
    blocks: Iterable[Block],
    after: Callable[[float], None] | None = None,
) -> None:
    """Call fill on every block, on every core; after each, tell the fraction done to after.

    After is called in the caller's own thread. Where it raises, or the user interrupts, blocks that
    have not begun are dropped.
    """
    todo, futures = list(blocks), []
    with cores() as pool:
        results: Iterator[None] = map(fill, todo)
        if pool is not None and len(todo) > 1:
            # each in the context of the caller, which says what overflows are
            futures = [pool.submit(copy_context().run, fill, block) for block in todo]
            results = (future.result() for future in futures)
        try:
            for done, _ in enumerate(results, start=1):
                if after is not None:
                    after(done / len(todo))
        finally:
            for future in futures:
                future.cancel()


def on_all_cores(work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Return the result for each item, each computed by one core."""
    results: list[Any] = [None] * len(items)

    def fill(k: int) -> None:
        results[k] = work(items[k])

    for_each_block(fill, range(len(items)))
    return results


class EntrySummary(NamedTuple):
    """Facts about a square matrix or a tile of it, from its finite entries; NaN without any."""

    lowest: float
    largest: float
    diagonal: tuple[float, float] = (np.inf, -np.inf)  # its lowest and its largest entry
    asymmetry: float = 0.0
    worst_pair: tuple[int, int] = (0, 0)
    n_missing: int = 0
    n_infinite: int = 0

    @property
    def largest_diagonal(self) -> float:
        """The entry of the diagonal that is farthest from zero, without its sign."""
        return max(-self.diagonal[0], self.diagonal[1])


def summarize_tiles(
    read: Callable[[slice, slice], Array],
    n: int,
    after: Callable[[float], None] | None = None,
    side: int = TILE_SIDE,
) -> EntrySummary:
    """Read every entry of n × n once, a square of some side and its mirror image at a time."""
    if n <= TILE_SIDE and after is None:
        whole = read(slice(0, n), slice(0, n))
        return _summarize_tile(whole, whole.T, (0, 0))
    found: list[EntrySummary] = []

    def look(square: tuple[slice, slice]) -> None:
        rows, cols = square
        upper = read(rows, cols)
        lower = upper if rows == cols else read(cols, rows)
        for i in spans(rows.stop - rows.start, TILE_SIDE):  # tiles fit in a processor's cache
            for j in spans(cols.stop - cols.start, TILE_SIDE):
                corner = rows.start + i.start, cols.start + j.start
                if corner[1] >= corner[0]:
                    found.append(_summarize_tile(upper[i, j], lower[j, i].T, corner))

    ends = list(spans(n, side))
    squares = [(rows, cols) for i, rows in enumerate(ends) for cols in ends[i:]]
    for_each_block(look, squares, after)
    return _merged(found)


def _merged(found: list[EntrySummary]) -> EntrySummary:
    lowest, largest, diagonals, asymmetry, pairs, n_missing, n_infinite = zip(*found, strict=True)
    worst, ends = int(np.argmax(asymmetry)), np.array(diagonals)
    return EntrySummary(
        lowest=float(np.fmin.reduce(lowest)),
        largest=float(np.fmax.reduce(largest)),
        diagonal=(float(ends[:, 0].min()), float(ends[:, 1].max())),
        asymmetry=asymmetry[worst],
        worst_pair=pairs[worst],
        n_missing=sum(n_missing),
        n_infinite=sum(n_infinite),
    )


def _summarize_tile(upper: Array, lower: Array, corner: tuple[int, int]) -> EntrySummary:
    """Summarize a tile and its transposed mirror image, from those pairs that are known."""
    is_on_diagonal = corner[0] == corner[1]
    is_symmetric = np.array_equal(upper, lower)  # to the last digit, as most are: then half is read
    halves = [upper] if is_on_diagonal or is_symmetric else [upper, lower]
    lowest, largest = min(half.min() for half in halves), max(half.max() for half in halves)
    n_missing = n_infinite = 0
    if not (np.isfinite(lowest) and np.isfinite(largest)):
        halves = [upper] if is_on_diagonal else [upper, lower]
        n_missing = sum(int(np.count_nonzero(~np.isfinite(half))) for half in halves)
        n_infinite = sum(int(np.count_nonzero(np.isinf(half))) for half in halves)
        known = np.concatenate([half[np.isfinite(half)] for half in halves])
        if not known.size:
            return EntrySummary(np.nan, np.nan, n_missing=n_missing, n_infinite=n_infinite)
        lowest, largest = known.min(), known.max()
        pairs = np.isfinite(upper) & np.isfinite(lower)
        upper, lower = np.where(pairs, upper, 0), np.where(pairs, lower, 0)
    gap = np.zeros((1, 1)) if is_symmetric else np.abs(upper - lower)
    i, j = np.unravel_index(np.argmax(gap), gap.shape)
    diagonal = np.diagonal(upper) if is_on_diagonal else upper[0, :0]
    return EntrySummary(
        lowest=float(lowest),
        largest=float(largest),
        diagonal=(float(diagonal.min(initial=np.inf)), float(diagonal.max(initial=-np.inf))),
        asymmetry=float(gap[i, j]),
        worst_pair=(corner[0] + int(i), corner[1] + int(j)),
        n_missing=n_missing,
        n_infinite=n_infinite,
    )
