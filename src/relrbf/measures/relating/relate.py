"""The door of this room: ``relate``."""

from collections.abc import Callable
from contextlib import closing
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import numpy as np

from relrbf._options import check_choice, check_number
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.measures.relating.ids import check_ids, save_ids
from relrbf.measures.relating.ledger import Ledger
from relrbf.measures.relating.mark import mark_of_objects
from relrbf.measures.relating.source import Source, source_of
from relrbf.measures.relating.stores import Store, check_path, part_of, store_for
from relrbf.measures.relating.watch import Progress, Watch
from relrbf.measures.relating.work import BACKENDS, Workers, computed
from relrbf.relations.base import Relation
from relrbf.relations.conversion import frame_names
from relrbf.relations.measure_evaluation import Tile, upper_tiles
from relrbf.relations.on_disk import open_matrix

Note = Callable[[int, int], None]


def relate(
    objects: Any,
    measure: Any,
    path: Any = None,
    *,
    pairwise: bool = False,
    measure_params: dict[str, Any] | None = None,
    ids: Any = None,
    dtype: Any = None,
    block: int | None = None,
    n_jobs: int | None = None,
    backend: Literal["threads", "processes"] | None = None,
    scheduler: Any = None,
    resume: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> Any:
    """Compute the dissimilarities of all pairs of objects, in memory or to a file.

    Only the upper half is computed, block by block. Each block is judged as it comes: every entry
    finite and not negative, and on a sample of pairs the same both ways, on a sample of objects 0
    to themselves. What is wrong is an error that names the pair.

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
        Who computes. None is what suits the measure: processes for a function of two objects.
    scheduler : str, distributed.Client or None, default=None
        The address of a Dask scheduler, or a client: its workers compute, this process writes.
    resume : bool, default=True
        Whether to go on with what an earlier call computed. False begins anew, and at the end
        replaces a file of that name.
    progress : callable or None, default=None
        Called after every block with a ``Progress``, which prints as one line.

    Returns
    -------
    ndarray of shape (n, n), or Relation
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
    """
    _check_options(block, backend, resume, pairwise, progress)
    target = None if path is None else check_path(path)
    source = source_of(objects, measure, pairwise, measure_params)
    names = check_ids(_own_ids(objects, target) if ids is None else ids, source.n_objects)
    precision = _precision(dtype, source)
    tiles = upper_tiles(source.n_objects, source.side_for(block))
    workers = Workers(backend or source.backend, n_jobs, scheduler)
    side = tiles[0].shape[0]
    if target is None:
        if names is not None:
            raise OptionError("ids are written beside path, and path is None; leave ids out.")
        store = store_for(None, source.n_objects, precision, False, side)
        _fill(store, source, tiles, {}, workers, progress, lambda index, total: None)
        return store.finish()
    return _to_file(target, source, names, precision, tiles, workers, resume, progress)


def _to_file(
    target: Path,
    source: Source,
    names: np.ndarray | None,
    dtype: np.dtype[Any],
    tiles: list[Tile],
    workers: Workers,
    resume: bool,
    progress: Callable[[Progress], None] | None,
) -> Relation:
    if resume:
        _refuse_finished(target)
    side = tiles[0].shape[0]
    with Ledger(target, _identity(source, dtype, side), resume) as ledger:
        found = ledger.found if part_of(target).exists() else {}
        store = store_for(target, source.n_objects, dtype, bool(found), side)
        _fill(store, source, tiles, found, workers, progress, ledger.add)
        save_ids(names, target)
        store.finish()
        ledger.remove()
    relation = open_matrix(target, "path")
    relation.ids, relation.is_symmetric, relation.exponent_given = names, True, False
    return relation


def _fill(
    store: Store,
    source: Source,
    tiles: list[Tile],
    found: dict[int, int],
    workers: Workers,
    progress: Callable[[Progress], None] | None,
    note: Note,
) -> None:
    """Compute what is missing."""
    kept = {t.index for t in tiles if t.index in found and store.has(t, found[t.index])}
    if len(kept) < len(found):
        warn(
            f"{len(found) - len(kept)} of {len(found)} blocks that an earlier run wrote are "
            "damaged; they are computed again.",
            RelationWarning,
        )
    todo = [tile for tile in tiles if tile.index not in kept]
    n_todo, n_pairs = (sum(tile.n_pairs for tile in some) for some in (todo, tiles))
    watch = Watch(n_pairs, n_pairs - n_todo)
    with closing(computed(workers, source.measure, source.objects, todo, store)) as coming:
        for tile, total in coming:
            note(tile.index, total)
            if progress is not None:
                progress(watch.count(tile))


def _own_ids(objects: Any, target: Path | None) -> np.ndarray | None:
    """Return the names that a frame gives its rows, if there is a file to write them beside."""
    return None if target is None else frame_names(objects)[0]


def _identity(source: Source, dtype: np.dtype[Any], side: int) -> dict[str, Any]:
    """Return what must be the same for two runs to write one matrix."""
    return {
        "number of objects": source.n_objects,
        "objects": mark_of_objects(source.objects),
        "measure": source.mark(),
        "dtype": str(dtype),
        "block": side,
    }


def _refuse_finished(target: Path) -> None:
    if target.exists() and not part_of(target).exists():
        raise RelationError(
            f"path={str(target)!r} exists already, and is whole; nothing was overwritten. Read "
            "it, name another path, or pass resume=False to replace it."
        )


def _precision(dtype: Any, source: Source) -> np.dtype[Any]:
    if dtype is None:
        own = getattr(source.objects, "dtype", None)
        return np.dtype(np.float32 if own == np.float32 else np.float64)
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.float32, np.float64):
        raise OptionError(f"dtype is {dtype!r}; it must be float64, float32 or None.")
    return wanted


def _check_options(block: Any, backend: Any, resume: Any, pairwise: Any, progress: Any) -> None:
    if block is not None:
        check_number("block", block, Integral, 1)
    if backend is not None:
        check_choice("backend", backend, BACKENDS)
    for name, value in {"resume": resume, "pairwise": pairwise}.items():
        if not isinstance(value, bool | np.bool_):
            raise OptionError(f"{name} is {value!r}; it must be True or False.")
    if progress is not None and not callable(progress):
        raise OptionError(f"progress is {progress!r}; it must be a function of one argument.")
