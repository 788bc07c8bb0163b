"""A relation whose dissimilarities are a dask array on the workers of a cluster.

The array is persisted in blocks of rows (of objects and a measure: in squares), both halves of it,
and Dask recomputes what a lost worker held. Dask moves no blocks to workers that join later;
``client.rebalance()`` does.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from operator import attrgetter
from pickle import PicklingError, dumps, loads
from typing import Any, Literal, Self
from uuid import uuid4

import numpy as np

from relrbf._options import check_number
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.blocks import EntrySummary, row_blocks, spans
from relrbf.relations.cached_evaluation import take
from relrbf.relations.conversion import square_relation
from relrbf.relations.dask_cluster import Cluster
from relrbf.relations.dense import DenseRelation
from relrbf.relations.measure_evaluation import (
    N_SAMPLED,
    REAL_KINDS,
    Measure,
    MeasureValues,
    Tile,
    evaluate_tile,
    negative_tolerance,
    upper_tiles,
)
from relrbf.relations.objects import as_precision, check_measure, check_objects
from relrbf.relations.on_disk import FileRelation, inner_store
from relrbf.relations.validation import (
    SYMMETRIZERS,
    asymmetry_error,
    check_exponent,
    check_range,
    check_symmetrize,
    diagonal_error,
    memmap_of,
    negative_error,
    nonfinite_error,
    refuse_shape,
    validated_ids,
    warn_changed,
)

MAX_LOCAL_BYTES = 2**26  # of a part that comes to this process's memory
MAX_BLOCK_BYTES = 2**26
MIN_ROWS, BLOCKS_PER_THREAD = 256, 4
MIN_SQUARES_PER_SIDE, MAX_SQUARE_SIDE = (
    8,
    512,
)  # a pair may take long, and a lost square all of them
ROW_BLOCKS_PER_REQUEST = 16  # usual blocks of rows, since each request takes a while


class DaskRelation(Relation):
    """Dissimilarities that lie on the workers of a Dask cluster, and are multiplied there.

    The workers hold the matrix in blocks of rows: n² numbers in all. A product sends c × n numbers
    to them and collects c × n. What a worker held when it was lost is read or computed
    again by others. ``docs/clusters.md`` shows how to use it.

    Parameters
    ----------
    source : dask array, zarr array, memmap, array or frame of shape (n, n), or a path
        The dissimilarities. A path is that of a .npy file or of the folder of a zarr array; it,
        and the file of a memmap, must be the same for every worker. An array in memory is sent to
        the scheduler, which keeps it.
    client : distributed.Client, str or None, default=None
        The cluster: a client, or the address of its scheduler. None makes a LocalCluster, closed
        with the relation; for a dask array that is held by a cluster already, that one is meant.
    exponent : {2, 1} or None, default=None
        2 for distances; 1 for what is already a squared distance. None means 2, and that an
        estimator may find out.
    symmetrize : {"mean", "min", "max"} or None, default=None
        What to do where source[i, j] and source[j, i] differ by more than rounding. None refuses.
    ids : sequence of n names or None, default=None
        Names of the objects; a frame brings its own.
    side : int or None, default=None
        Rows of a block. None makes blocks of at most 64 MB, some for each thread.
    timeout : float, default=10.0
        Seconds to wait for a scheduler, or for workers where all are gone.

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from relrbf.relations import DaskRelation
    >>> D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     DaskRelation(D, client=client).product(np.array([[1.0, 0.0, 0.0]]))
    array([[ 0.,  9., 16.]])
    """

    is_costly = True

    def __init__(
        self,
        source: Any,
        *,
        client: Any = None,
        exponent: float | None = None,
        symmetrize: Literal["mean", "min", "max"] | None = None,
        ids: Any = None,
        side: int | None = None,
        timeout: float = 10.0,
    ) -> None:
        check_symmetrize(symmetrize)
        self._set_options(exponent, side, timeout)
        matrix, names = _readable(source)
        dtype = _check_matrix(matrix)
        self.ids = validated_ids(
            names if ids is None else np.asarray(ids, dtype=object), matrix.shape[0]
        )
        self._cluster = Cluster(_client_of(source) if client is None else client, timeout)
        self.n_objects, self.dtype = matrix.shape[0], dtype
        self._positions = np.arange(self.n_objects)
        try:
            side = side or _rows_of_block(matrix, dtype, self._cluster.n_threads())
            self._blocks = self._cluster.persist(_as_dask(matrix, int(side), dtype))
            self._blocks = _validated(self._cluster, self._blocks, symmetrize)
        except BaseException:
            self.close()
            raise

    @classmethod
    def from_objects(
        cls,
        objects: Any,
        measure: Callable[..., Any],
        *,
        pairwise: bool = False,
        measure_params: dict[str, Any] | None = None,
        client: Any = None,
        exponent: float | None = None,
        symmetrize: Literal["mean", "min", "max"] | None = None,
        check_symmetry: bool = True,
        ids: Any = None,
        dtype: Any = "float64",
        side: int | None = None,
        timeout: float = 10.0,
    ) -> Self:
        """Let the workers compute the dissimilarities between any objects, each pair once.

        They begin at once; the first block or product waits for them, and raises what is wrong
        with the measure. Asked again, only what failed is computed again.

        Parameters
        ----------
        objects, measure, pairwise, measure_params, symmetrize, check_symmetry, ids, dtype
            As for ``ObjectRelation``. Objects and measure are sent to the workers.
        client, exponent, side, timeout
            As for ``DaskRelation``. Blocks are squares, by default of at most 512 objects.

        Returns
        -------
        DaskRelation
            The relation between the objects.
        """
        relation = cls.__new__(cls)
        relation._set_options(exponent, side, timeout)
        precision = as_precision(dtype)
        checked = check_measure(measure, measure_params, pairwise, symmetrize, precision)
        listed, relation.ids = check_objects(objects, ids, pairwise)
        n = relation.n_objects = len(listed)
        relation._positions, relation.dtype = np.arange(n), precision
        cluster = relation._cluster = Cluster(client, timeout)
        side = side or min(-(-n // MIN_SQUARES_PER_SIDE), MAX_SQUARE_SIDE)
        bands = [
            (take(listed, np.arange(n)[band]), None if relation.ids is None else relation.ids[band])
            for band in spans(n, int(side))
        ]
        n_sampled = N_SAMPLED if check_symmetry else 0
        evaluate = partial(_evaluate, dtype=precision, n_sampled=n_sampled)
        tiles = upper_tiles(n, int(side))
        relation._blocks = _compared(cluster, evaluate, checked, bands, tiles, precision)
        return relation

    def _set_options(self, exponent: float | None, side: Any, timeout: Any) -> None:
        if exponent is not None:
            check_exponent(exponent)
        if side is not None:
            check_number("side", side, Integral, 1)
        check_number("timeout", timeout, Real, 0)
        self.exponent_given = exponent is not None
        self.exponent = 2 if exponent is None else exponent

    @property
    def n_evaluations(self) -> int:
        """Pairs that the workers computed, those lost and computed again aside."""
        return self._cluster.n_evaluations

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities."""
        rows, to_rows = np.unique(self._positions[rows], return_inverse=True)
        cols, to_cols = np.unique(self._positions[cols], return_inverse=True)
        found = self._cluster.compute(_crossed(self._blocks, rows, cols))
        return found[np.ix_(to_rows, to_cols)]

    def product(self, A: Array) -> Array:
        """Return A S, multiplied by the workers."""
        import dask.array as da

        objects, to_objects = np.unique(self._positions, return_inverse=True)
        blocks, weights = _crossed(self._blocks, objects, objects), A
        if len(objects) < len(to_objects) or (np.diff(to_objects) < 0).any():
            weights = np.zeros((len(A), len(objects)), A.dtype)
            np.add.at(weights.T, to_objects, A.T)  # an object may be there twice
        S = blocks if self.exponent == 1 else blocks.map_blocks(np.square, dtype=self.dtype)
        # S is symmetric: by its rows, each block makes its own part of the result
        total = S @ da.from_array(weights.T, chunks=(S.chunks[1], len(A)))
        return self._cluster.compute(total).T[:, to_objects].astype(self.dtype, copy=False)

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row: nothing is to be done here."""
        return nullcontext()

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks that are worth a request."""
        return row_blocks(
            self.n_objects, self.n_objects * self.dtype.itemsize // ROW_BLOCKS_PER_REQUEST
        )

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects; a small one in this process's memory."""
        part = copy(self)
        part._positions, part.ids = self._positions[objects], self.ids_of(objects)
        part.n_objects = len(part._positions)
        if part.n_objects**2 * self.dtype.itemsize > MAX_LOCAL_BYTES:
            return part
        local = DenseRelation(part.block(), self.exponent, part.ids)
        local.exponent_given = self.exponent_given
        return local

    def close(self) -> None:
        """Release what the workers hold, for this relation and its parts.

        A cluster, or a connection, that the relation made itself is closed.
        """
        self._cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _rows_of_block(matrix: Any, dtype: np.dtype[Any], n_threads: int) -> int:
    """Return the rows of a block: some blocks for each thread, and whole chunks of zarr."""
    n = matrix.shape[0]
    rows = max(-(-n // (BLOCKS_PER_THREAD * n_threads)), MIN_ROWS)
    rows = max(min(rows, MAX_BLOCK_BYTES // (n * dtype.itemsize)), 1)
    chunk = matrix.chunk if isinstance(matrix, StoredMatrix) else 1
    return rows if rows < chunk else rows // chunk * chunk


def _crossed(blocks: Any, rows: Indices, cols: Indices) -> Any:
    """Return these rows and columns, ascending, of a dask array."""
    return blocks[_as_slice(rows)][:, _as_slice(cols)]


def _as_slice(positions: Indices) -> Index:
    if positions.size and positions[-1] - positions[0] + 1 == len(positions):
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions


# sources


@dataclass(frozen=True)
class StoredMatrix:
    """A matrix in files, what dask.array needs of an array; every worker opens it by itself."""

    relation: bytes  # pickled, since a file that is not found must be an error of a task
    name: str
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    chunk: int  # rows that are best read together
    ndim = 2

    def __getitem__(self, part: tuple[slice, slice]) -> Array:
        try:
            return np.array(loads(self.relation).block(*part))
        except Exception as error:  # a codec raises whatever it likes
            where = ", ".join(f"{each.start}:{each.stop}" for each in part)
            raise RelationError(
                f"{self.name} cannot be read at [{where}] ({type(error).__name__}: "
                f"{error!s:.200}). It is damaged, or not to be found from the workers: they need "
                "the same path, or an array that is sent to them."
            ) from None


def _readable(source: Any) -> tuple[Any, np.ndarray | None]:
    """Return a dask array, a stored matrix or an array in memory, and the names it brings."""
    if _is_dask(source):
        if np.isnan(source.shape).any():
            raise RelationError(
                "source is a dask array of unknown shape; call source.compute_chunk_sizes() first."
            )
        return source, None
    relation = square_relation(source, None, "source", finite=False)
    if not isinstance(relation, FileRelation):
        return relation.matrix, relation.ids
    matrix, whole, chunk = relation.matrix, memmap_of(relation.matrix), 1
    if whole is None:
        name, chunk = f"the zarr array {matrix.store_path}", matrix.chunks[0]
        is_shared = "Memory" not in type(inner_store(matrix.store)).__name__
    else:
        name, is_shared = str(whole.filename), whole.mode != "c"  # changes that only we see
    if not is_shared:
        return np.asarray(matrix[:]), relation.ids
    relation.file_state = None
    pickled = dumps(relation)
    return StoredMatrix(pickled, name, relation.shape, relation.dtype, chunk), relation.ids


def _same(value: Any) -> Any:
    return value


def _is_dask(matrix: Any) -> bool:
    return type(matrix).__module__.startswith("dask.array")  # without loading dask


def _client_of(source: Any) -> Any:
    """Return the client whose workers already hold a dask array, or None."""
    if not _is_dask(source):
        return None
    from distributed.client import futures_of

    held = futures_of(source)
    return held[0].client if held else None


def _check_matrix(matrix: Any) -> np.dtype[Any]:
    """Return the precision of a square matrix of numbers: float32 stays, all else is float64."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        refuse_shape(tuple(matrix.shape), "source")
    if matrix.shape[0] < 2:
        raise RelationError(f"source has {matrix.shape[0]} objects; at least two are needed.")
    if matrix.dtype.kind not in REAL_KINDS:
        raise RelationError(f"source holds {matrix.dtype}; dissimilarities are real numbers.")
    return np.dtype(np.float32 if matrix.dtype == np.float32 else np.float64)


def _as_dask(matrix: Any, rows: int, dtype: np.dtype[Any]) -> Any:
    """Return a dask array in blocks of rows, not computed yet."""
    import dask.array as da

    if _is_dask(matrix):
        return matrix.rechunk((rows, -1)).astype(dtype)
    meta = np.empty((0, 0), matrix.dtype)
    blocks = da.from_array(matrix, chunks=(rows, -1), name=False, inline_array=True, meta=meta)
    return blocks.astype(dtype)


def _validated(cluster: Cluster, D: Any, symmetrize: str | None) -> Any:
    """Return the matrix, symmetrized where that is asked for, or raise what is wrong with it."""
    import dask.array as da

    largest = _check_entries(cluster, D)
    mirrored = D.T.rechunk(D.chunks)
    gaps, tolerance = da.fabs(D - mirrored), float(np.sqrt(np.finfo(D.dtype).eps)) * largest
    asymmetry, diagonal = cluster.compute(gaps.max(), da.fabs(da.diagonal(D)))
    if asymmetry > tolerance and symmetrize is None:
        flat = int(cluster.compute(da.argmax(gaps)))
        i, j = sorted(int(k) for k in np.unravel_index(flat, D.shape))
        there, back = (float(x) for x in cluster.compute(D[i, j], D[j, i]))
        found = EntrySummary(0.0, largest, asymmetry=float(asymmetry), worst_pair=(i, j))
        raise asymmetry_error(found, there, back, "source", "DaskRelation")
    if diagonal.max() > tolerance:
        raise diagonal_error(int(diagonal.argmax()), float(diagonal.max()), "source")
    if asymmetry <= tolerance or symmetrize is None:
        return D
    symmetric = da.map_blocks(SYMMETRIZERS[symmetrize], D, mirrored, dtype=D.dtype, meta=D._meta)
    symmetric = cluster.persist(symmetric)
    changes = da.fabs(symmetric - D)
    n_changed, change = cluster.compute((changes > 0).sum(), changes.max())
    warn_changed(symmetrize, int(n_changed), D.size, float(change), "source")
    return symmetric


def _check_entries(cluster: Cluster, D: Any) -> float:
    """Return the largest entry; refuse entries that are not finite, or negative."""
    import dask.array as da

    n_nan, n_inf = (int(n) for n in cluster.compute(da.isnan(D).sum(), da.isinf(D).sum()))
    if n_nan or n_inf:
        row = int(np.argmax(cluster.compute((~da.isfinite(D)).any(axis=1))))
        col = int(np.argmin(np.isfinite(cluster.compute(D[row]))))
        raise nonfinite_error(n_nan, n_inf, (row, col), "source")
    lowest, largest = (float(x) for x in cluster.compute(D.min(), D.max()))
    check_range(np.empty(0, D.dtype), lowest, largest, "source")
    tolerance = negative_tolerance(D.dtype, largest)
    if lowest < -tolerance:
        n_negative = int(cluster.compute((-tolerance > D).sum()))
        raise negative_error(n_negative, lowest, "source")
    return largest


# objects and a measure


def _compared(
    cluster: Cluster,
    evaluate: Callable[..., MeasureValues],
    measure: Measure,
    bands: list[Any],
    tiles: list[Tile],
    dtype: np.dtype[Any],
) -> Any:
    """Return a dask array whose upper half the workers evaluate, each pair once."""
    import dask.array as da

    pairs = [(i, j) for i in range(len(bands)) for j in range(i, len(bands))]
    try:
        sent_measure, *sent = cluster.submit(_same, [measure, *bands])
        rows, cols = ([sent[k] for k in side] for side in zip(*pairs, strict=True))
        evaluations = cluster.submit(evaluate, [sent_measure] * len(tiles), tiles, rows, cols)
    except (TypeError, AttributeError, PicklingError) as error:
        raise OptionError(
            f"measure and objects are sent to the workers, and cannot be pickled ({error})."
        ) from error
    upper = cluster.submit(attrgetter("values"), evaluations)
    lower = cluster.submit(np.transpose, upper)
    sizes = tuple(len(objects) for objects, _ in bands)
    cluster.hold(evaluations, [*upper, *lower], measure.symmetrize, sum(sizes))
    name = f"relrbf-{uuid4().hex}"
    graph = {(name, j, i): block for (i, j), block in zip(pairs, lower, strict=True)}
    graph |= {(name, i, j): block for (i, j), block in zip(pairs, upper, strict=True)}
    return da.Array(graph, name, (sizes, sizes), dtype)


def _evaluate(
    measure: Measure, tile: Tile, row_band: Any, col_band: Any, dtype: np.dtype[Any], n_sampled: int
) -> MeasureValues:
    (rows, row_ids), (cols, col_ids) = row_band, col_band

    def name(position: int) -> str:
        is_row = position < tile.rows.stop
        ids, start = (row_ids, tile.rows.start) if is_row else (col_ids, tile.cols.start)
        return f"object {position}" + ("" if ids is None else f" ({ids[position - start]!r})")

    return evaluate_tile(measure, tile, rows, cols, dtype, name, n_sampled)
