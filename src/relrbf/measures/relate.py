"""``relate``: the dissimilarities of all pairs of objects, in tiles, in parallel, to a file."""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import takewhile
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from joblib import delayed, effective_n_jobs
from scipy import sparse

from relrbf._options import check_choice, check_flag, check_number, did_you_mean, require
from relrbf._typing import Array
from relrbf._utils import replacing
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.measures import storage
from relrbf.measures.storage import MatrixStore
from relrbf.parallel import as_they_come, check_jobs, closed, in_threads, worker_pool
from relrbf.relations.base import Relation
from relrbf.relations.conversion import frame_names
from relrbf.relations.dask_cluster import Cluster
from relrbf.relations.measure_evaluation import (
    REAL_KINDS,
    Measure,
    Tile,
    evaluate_tile,
    upper_tiles,
)
from relrbf.relations.named import FAST_SIDE, NAMED, SLOW_SIDE
from relrbf.relations.objects import ObjectRelation, as_object_list, as_precision
from relrbf.relations.on_disk import check_names_beside, open_matrix
from relrbf.relations.validation import validated_ids

BACKENDS = ("threads", "processes")
MIN_TILES_PER_SIDE = 8  # unless the user says otherwise
CLUSTER_TIMEOUT = 10.0  # seconds to wait for a scheduler, or for workers where all are gone
# a tile with its values, their checksum once they are stored, or what went wrong
TileResult: TypeAlias = "tuple[Tile, Array | int | RelationError]"
TileResults: TypeAlias = Generator[TileResult, None, None]


def relate(
    objects: Any,
    measure: Any,
    path: Any = None,
    *,
    to: Any = None,
    pairwise: bool = False,
    measure_params: dict[str, Any] | None = None,
    ids: Any = None,
    dtype: Any = None,
    block: int | None = None,
    n_jobs: int | None = None,
    backend: Literal["threads", "processes"] | None = None,
    scheduler: Any = None,
    resume: bool = True,
    progress: "OnProgress" = None,
) -> Any:
    """Compute the dissimilarities of all pairs of objects, in memory or to a file.

    Only the upper half is computed, block by block. Each block is validated as it comes: every
    entry finite and not negative, and on a sample of pairs the same in both directions, on a sample
    of objects 0 to themselves. What is wrong is an error that names the pair.

    Killed or stopped, the same call goes on: finished blocks are in ``path.part``, and
    ``path.progress`` says which they are. The matrix does not depend on who computes it, or on how
    often that was interrupted, to the last bit.

    Parameters
    ----------
    objects : sequence of n objects, or array of shape (n, d)
        Anything that the measure takes; of an array or a frame, each row is an object.
    measure : str or callable
        A name (``named_measures()`` lists them), or a function of two objects that returns a
        number. It must be symmetric, and 0 for an object and itself.
    path : str, path or None, default=None
        Where to write, ``.npy`` or ``.zarr`` (needs zarr). None keeps the matrix in memory.
    to : sequence of objects, array or None, default=None
        Other objects, such as those of training: the matrix then has a row for each of objects and
        a column for each of these, as ``predict`` takes it, and is kept in memory. What a measure
        takes from data, such as variances, it takes from these.
    pairwise : bool, default=False
        Whether the measure is a function of two sequences of objects that returns a matrix.
    measure_params : dict or None, default=None
        Passed to the measure.
    ids : sequence of n names or None, default=None
        Names of the objects, by default those of a frame's rows; beside ``D.npy`` they are written
        to ``D.ids.txt``, one per line.
    dtype : {"float64", "float32"} or None, default=None
        Precision of the matrix. None is that of the vectors, and else float64.
    block : int or None, default=None
        Objects on a side of a block. None is at most 512, or 128 for what is slow. At most this
        much work per job is lost by a kill.
    n_jobs : int or None, default=None
        Threads or processes, -1 for one per core.
    backend : {"threads", "processes"} or None, default=None
        None is what suits the measure: processes for a function of two objects.
    scheduler : str, distributed.Client or None, default=None
        The address of a Dask scheduler, or a client: its workers compute, this process writes.
    resume : bool, default=True
        Whether to go on with what an earlier call computed. False begins anew, and at the end
        replaces a file of that name.
    progress : callable or None, default=None
        Called after every block with a ``Progress``, which prints as one line.

    Returns
    -------
    ndarray of shape (n, n), or (m, n) with ``to``, or Relation
        The array; with a path, the relation on that file, read when asked.

    Examples
    --------
    >>> from relrbf.measures import relate
    >>> relate(["ape", "apes", "tapes"], lambda a, b: abs(len(a) - len(b)))
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    >>> relate([[0.0, 0.0], [3.0, 4.0]], "euclidean")
    array([[0., 5.],
           [5., 0.]])
    >>> relate([[3.0, 0.0]], "euclidean", to=[[0.0, 0.0], [3.0, 4.0]])
    array([[3., 4.]])
    """
    if to is not None:
        return _relate_to(objects, to, measure, path, pairwise, measure_params, dtype, n_jobs)
    _check_options(block, backend, resume, pairwise, progress)
    check_jobs(n_jobs)
    target = None if path is None else storage.check_path(path)
    task = _make_task(objects, measure, pairwise, measure_params)
    n = len(task.objects)
    if dtype is None:
        dtype = "float32" if getattr(task.objects, "dtype", None) == np.float32 else "float64"
    task.dtype = as_precision(dtype)
    task.side = int(block or min(task.side, -(-n // MIN_TILES_PER_SIDE)))
    task.backend, task.n_jobs, task.scheduler = backend or task.backend, n_jobs, scheduler
    names = _check_ids(frame_names(objects)[0] if ids is None and target else ids, n)
    if target is not None:
        return _relate_to_file(task, target, names, resume, progress)
    if names is not None:
        raise OptionError("ids are written beside path, and path is None; leave ids out.")
    store = MatrixStore(None, n, task.dtype, task.side, False)
    task.fill(store, {}, progress, lambda index, checksum: None)
    return store.matrix


@dataclass(frozen=True)
class Progress:
    """How far ``relate`` is.

    Attributes
    ----------
    n_done, n_pairs : int
        Pairs computed so far, by an earlier run too, and in all.
    seconds : float
        Since this run began.
    remaining : float
        Seconds that are left, if the rest takes as long per pair as this run did.
    """

    n_done: int
    n_pairs: int
    seconds: float
    remaining: float

    def __str__(self) -> str:
        share = self.n_done / self.n_pairs if self.n_pairs else 1.0
        gone, left = (timedelta(seconds=round(each)) for each in (self.seconds, self.remaining))
        return f"{share:4.0%} of {self.n_pairs:,} pairs, {gone} so far, {left} to go"


OnProgress: TypeAlias = Callable[[Progress], None] | None


@dataclass
class RelateTask:
    """Objects, a measure, and how to evaluate it: what ``relate`` was asked for."""

    objects: Any
    measure: Measure
    name: str | None  # of the measure, where it has one
    side: int  # objects on a side of a tile
    backend: str
    dtype: Any = np.float64
    n_jobs: int | None = None
    scheduler: Any = None

    def identity(self) -> dict[str, Any]:
        """Return what must be the same for two runs to write one matrix."""
        if self.name is None:
            measure = storage.fingerprint_function(self.measure.function)
        else:
            package = NAMED[self.name].library.package
            measure = f"{self.name} of {package} {storage.installed_version(package)}"
        return {
            "number of objects": len(self.objects),
            "objects": storage.fingerprint_objects(self.objects),
            "measure": f"{measure} {storage.fingerprint(self.measure.params)}",
            "dtype": str(self.dtype),
            "block": self.side,
        }

    def fill(
        self,
        store: MatrixStore,
        found: dict[int, int],
        progress: OnProgress,
        log: Callable[[int, int], None],
    ) -> None:
        """Compute the tiles that are not in the store; found are checksums by an earlier run.

        Where a measure fails, the tiles in work are still stored before the error is raised.
        """
        tiles = upper_tiles(len(self.objects), self.side)
        stored = {t.index for t in tiles if t.index in found and store.has(t, found[t.index])}
        if len(stored) < len(found):
            warn(
                f"{len(found) - len(stored)} of {len(found)} blocks that an earlier run wrote are "
                "damaged; they are computed again.",
                RelationWarning,
            )
        todo = [tile for tile in tiles if tile.index not in stored]
        n_pairs, n_todo = (sum(tile.n_pairs for tile in some) for some in (tiles, todo))
        n_now, began = 0, time.perf_counter()
        failures: list[RelationError] = []
        unfailed = takewhile(lambda _: not failures, todo)
        work = ((tile, self.objects[tile.rows], self.objects[tile.cols]) for tile in unfailed)
        with closed(self._results(work, store)) as results:
            for tile, result in results:
                if isinstance(result, RelationError):
                    failures.append(result)
                    continue
                log(tile.index, result if isinstance(result, int) else store.put(tile, result))
                n_now += tile.n_pairs
                if progress is not None:
                    seconds = time.perf_counter() - began
                    remaining = seconds / max(n_now, 1) * (n_todo - n_now)
                    progress(Progress(n_pairs - n_todo + n_now, n_pairs, seconds, remaining))
        if failures:
            raise failures[0]

    def _results(self, todo: Iterator[tuple[Tile, Any, Any]], store: MatrixStore) -> TileResults:
        """Yield results from this process, its threads or processes, or a cluster."""
        is_alone = self.scheduler is None and effective_n_jobs(self.n_jobs) == 1
        shares_memory = is_alone or (self.scheduler is None and self.backend == "threads")
        measure = replace(self.measure, limit=float(np.finfo(self.dtype).max))
        work = partial(_evaluate_one, measure, self.dtype, store if shares_memory else None)
        if is_alone:
            yield from (work(*each) for each in todo)
        elif self.scheduler is not None:
            yield from _on_cluster(self.scheduler, work, todo)
        elif self.backend == "threads":
            yield from in_threads(work, todo, self.n_jobs)
        else:
            options = {"batch_size": 1, "max_nbytes": None, "return_as": "generator_unordered"}
            pool = worker_pool(self.n_jobs, backend="loky", **options)
            yield from pool(delayed(work)(*each) for each in todo)


def _evaluate_one(
    measure: Measure, dtype: Any, store: MatrixStore | None, tile: Tile, rows: Any, cols: Any
) -> TileResult:
    """Return a tile's values, or its checksum if it is stored at once; an error is a value too."""
    try:
        values = evaluate_tile(measure, tile, rows, cols, dtype).values
    except RelationError as error:
        return tile, error
    return tile, values if store is None else store.put(tile, values)


def _on_cluster(
    scheduler: Any, work: Callable[..., TileResult], todo: Iterator[tuple[Tile, Any, Any]]
) -> TileResults:
    """Yield results as they come from the workers of a Dask cluster.

    Objects are sent with their tile, so that another worker has them where one is lost.
    """
    cluster = Cluster(scheduler, CLUSTER_TIMEOUT, "scheduler")

    def submit(*task: Any) -> Any:
        return cluster.submit(work, *([each] for each in task))[0]

    try:
        yield from as_they_come(submit, cluster.first_results, todo, len(cluster.threads))
    except RelationError as error:
        kept = "What was computed is kept where path is given: the same call goes on."
        raise RelationError(f"{error} {kept}") from None
    finally:
        cluster.close()


def _relate_to_file(
    task: RelateTask, target: Path, names: np.ndarray | None, resume: bool, progress: OnProgress
) -> Relation:
    part, lists = storage.part_path(target), check_names_beside(target, names)
    if resume and target.exists() and not part.exists():
        raise RelationError(
            f"path={str(target)!r} exists already, and is complete; nothing was overwritten. Read "
            "it, name another path, or pass resume=False to replace it."
        )
    with storage.ResumeLog(target, task.identity(), resume) as log:
        found = log.found if part.exists() else {}
        store = MatrixStore(target, len(task.objects), task.dtype, task.side, bool(found))
        task.fill(store, found, progress, log.add)
        modes = {beside: beside.stat().st_mode for beside in lists if beside.exists()}
        # after a kill at any point here, names that are there are those of the matrix
        for beside in lists:
            beside.unlink(missing_ok=True)
        store.remove_older()
        for beside, text in lists.items():
            if text is not None:
                with replacing(beside) as file:
                    file.write(text.encode())
                beside.chmod(modes.get(beside, beside.stat().st_mode) & 0o7777)
        log.path.unlink(missing_ok=True)
        store.finish()
    relation = open_matrix(target, "path")
    relation.ids, relation.is_symmetric, relation.exponent_given = names, True, False
    return relation


def _make_task(
    objects: Any, measure: Any, pairwise: bool, params: dict[str, Any] | None
) -> RelateTask:
    """Return objects and their measure, or say what is wrong with either."""
    require(isinstance(params, dict | None), "measure_params", params, "a dict or None")
    given, params = _as_objects(objects), params or {}
    if isinstance(measure, str) and measure in NAMED:
        library = NAMED[measure].library
        given, params = library.prepare(measure, given, params)
        function = partial(library.compare, NAMED[measure].library_name)
        named = Measure(function, params, pairwise=True)
        return RelateTask(given, named, measure, library.side, library.backend)
    if not callable(measure):
        problem = "does not exist; it" if isinstance(measure, str) else "is not a measure; it"
        near = did_you_mean(measure, NAMED)
        raise OptionError(
            f"measure={measure!r:.80} {problem} must be a function of two objects, or one of the "
            f"names {sorted(NAMED)}.{near}"
        )
    side, backend = (FAST_SIDE, "threads") if pairwise else (SLOW_SIDE, "processes")
    return RelateTask(given, Measure(measure, params, bool(pairwise)), None, side, backend)


def _relate_to(
    objects: Any,
    to: Any,
    measure: Any,
    path: Any,
    pairwise: bool,
    params: dict[str, Any] | None,
    dtype: Any,
    n_jobs: int | None,
) -> Array:
    """Return dissimilarities of objects (rows) to others (columns)."""
    if path is not None:
        raise OptionError("path is about all pairs; with to, leave it out, and save the result.")
    check_jobs(n_jobs)
    task = _make_task(to, measure, pairwise, params)
    new, params = _as_objects(objects), task.measure.params
    if task.name is not None:
        new, _ = NAMED[task.name].library.prepare(task.name, new, params)
    known: dict[str, Any] = {"dtype": dtype or "float64", "n_jobs": n_jobs, "prefer": task.backend}
    known |= {"measure_params": params, "pairwise": task.measure.pairwise, "check_symmetry": False}
    columns = task.objects if len(task.objects) > 1 else [*task.objects, *task.objects]
    relation = ObjectRelation(columns, task.measure.function, **known)
    return relation.to(new).block()[:, : len(task.objects)]


def _as_objects(objects: Any) -> Any:
    """Return an array with one object per row, or a list."""
    if sparse.issparse(objects):
        raise TypeError("objects is sparse; dense data is required. Pass objects.toarray().")
    if hasattr(objects, "to_numpy"):
        objects = objects.to_numpy()
    # a flat array of anything but numbers is a list of objects
    is_array = isinstance(objects, np.ndarray)
    is_table = is_array and (objects.ndim > 1 or objects.dtype.kind in REAL_KINDS)
    given, _ = as_object_list(objects, "objects", is_table)
    if len(given) == 0:
        raise RelationError("objects is empty; give at least one object.")
    return given


def _check_options(block: Any, backend: Any, resume: Any, pairwise: Any, progress: Any) -> None:
    if block is not None:
        check_number("block", block, Integral, 1)
    if backend is not None:
        check_choice("backend", backend, BACKENDS)
    check_flag("resume", resume)
    check_flag("pairwise", pairwise)
    if progress is not None and not callable(progress):
        raise OptionError(f"progress is {progress!r}; it must be a function of one argument.")


def _check_ids(ids: Any, n_objects: int) -> np.ndarray | None:
    """Return one name per object, all different and each on one line."""
    names = validated_ids(None if ids is None else np.asarray(ids, dtype=object), n_objects)
    for i, name in enumerate(() if names is None else map(str, names)):
        if len(name.splitlines()) != 1:
            raise RelationError(f"ids[{i}] is {name!r:.80}, which is not one line of text.")
    return names
