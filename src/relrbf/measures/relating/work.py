"""Computing tiles one after another, on threads, in processes or on a Dask cluster.

What is asked of a measure may fail at any pair. The tiles that others were computing at that time
are still kept; only then is the error raised.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from relrbf._typing import Array
from relrbf._utils import closed
from relrbf.exceptions import RelationError
from relrbf.measures.relating.cluster import on_cluster
from relrbf.measures.relating.stores import Store
from relrbf.relations.measure_evaluation import Measure, Tile, evaluate_tile

BACKENDS = {"threads": "threading", "processes": "loky"}
Outcome: TypeAlias = "Array | int | RelationError"
Coming: TypeAlias = Generator[tuple[Tile, Outcome], None, None]


@dataclass(frozen=True)
class Work:
    """How one tile is computed, wherever that is; with a store, it is written there at once."""

    measure: Measure
    dtype: np.dtype[Any]
    store: Store | None

    def __call__(self, tile: Tile, rows: Any, cols: Any) -> tuple[Tile, Outcome]:
        """Return the tile's values or the sum of their bits; or what went wrong, as data."""
        try:
            values = evaluate_tile(self.measure, tile, rows, cols, self.dtype).values
        except RelationError as error:
            return tile, error
        return tile, values if self.store is None else self.store.put(tile, values)


@dataclass(frozen=True)
class Workers:
    """Who computes: n_jobs threads or processes, or a Dask cluster."""

    backend: str
    n_jobs: int | None
    scheduler: Any = None

    @property
    def share_memory(self) -> bool:
        """Whether a worker can write to the store itself."""
        return self.scheduler is None and (self.backend == "threads" or self.is_alone)

    @property
    def is_alone(self) -> bool:
        """Whether there is nobody but the caller."""
        return self.scheduler is None and effective_n_jobs(self.n_jobs) == 1

    def outcomes(self, work: Work, todo: Iterable[tuple[Tile, Any, Any]]) -> Coming:
        """Yield tiles as they are done."""
        if self.is_alone:
            yield from (work(*each) for each in todo)
            return
        if self.scheduler is not None:
            yield from on_cluster(self.scheduler, work, todo)
            return
        pool = Parallel(
            self.n_jobs,
            backend=BACKENDS[self.backend],
            batch_size=1,
            max_nbytes=None,
            return_as="generator_unordered",
        )
        yield from pool(delayed(work)(*each) for each in todo)


def computed(
    workers: Workers,
    measure: Measure,
    objects: Any,
    tiles: list[Tile],
    store: Store,
) -> Generator[tuple[Tile, int], None, None]:
    """Yield each tile when it is in the store, with the sum of its bits."""
    failures: list[RelationError] = []

    def todo() -> Iterator[tuple[Tile, Any, Any]]:
        for tile in tiles:
            if failures:
                return
            yield tile, objects[tile.rows], objects[tile.cols]

    dtype = store.matrix.dtype
    measure = replace(measure, limit=float(np.finfo(dtype).max))
    work = Work(measure, dtype, store if workers.share_memory else None)
    with closed(workers.outcomes(work, todo())) as coming:
        for tile, outcome in coming:
            if isinstance(outcome, RelationError):
                failures.append(outcome)
            else:
                yield tile, outcome if isinstance(outcome, int) else store.put(tile, outcome)
    if failures:
        raise failures[0]
