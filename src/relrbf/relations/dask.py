"""A relation whose dissimilarities lie on the workers of a Dask cluster, in blocks of rows.

Dask recomputes what a lost worker held. It moves no blocks to workers that join later;
``client.rebalance()`` does.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from pickle import PicklingError, dumps, loads
from typing import Any, Literal, Self
from uuid import uuid4

import numpy as np

from relrbf._options import check_number
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import EVERY, Index, Relation, as_slice, to_power
from relrbf.relations.blocks import EntrySummary, row_blocks, spans
from relrbf.relations.cached_evaluation import ascending
from relrbf.relations.conversion import square_relation
from relrbf.relations.dask_cluster import Cluster, as_dask, client_of, is_dask, same
from relrbf.relations.dense import DenseRelation
from relrbf.relations.measure_evaluation import (
    N_SAMPLED,
    REAL_KINDS,
    Measure,
    MeasureValues,
    Tile,
    evaluate_tile,
    negative_tolerance,
    take,
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
MIN_ROWS, BLOCKS_PER_THREAD = 256, 2
# objects on a side of the squares in which a measure is evaluated: a pair may take long, and with
# a worker its squares are lost
MIN_SQUARES_PER_SIDE, MAX_SQUARE_SIDE = 8, 512
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
    exponent : float or None, default=None
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
        matrix, names, chunk = _readable(source)
        n, dtype = matrix.shape[0], _check_matrix(matrix)
        self.ids = validated_ids(names if ids is None else np.asarray(ids, dtype=object), n)
        self._cluster = Cluster(client_of(source) if client is None else client, timeout)
        try:
            rows = side or _rows_of_block(n, dtype, self._cluster, chunk)
            blocks = self._cluster.spread(as_dask(matrix, int(rows), dtype))
            blocks = _validated(self._cluster, blocks, n, int(rows), dtype, symmetrize)
            self._hold(blocks, n, int(rows), dtype)
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
        client, exponent, timeout
            As for ``DaskRelation``.
        side : int or None, default=None
            Objects on a side of the squares in which the measure is evaluated; by default at most
            512. Workers keep the squares too, half as many numbers as the blocks of rows have.

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
        n, cluster = len(listed), Cluster(client, timeout)
        relation._cluster = cluster
        side = int(side or min(-(-n // MIN_SQUARES_PER_SIDE), MAX_SQUARE_SIDE))
        rows = max(_rows_of_block(n, precision, cluster, side), side)  # of whole squares
        evaluate = partial(_evaluate, dtype=precision, n_sampled=N_SAMPLED if check_symmetry else 0)
        blocks = _evaluated(cluster, evaluate, checked, listed, relation.ids, side, rows)
        relation._hold(blocks, n, rows, precision)
        return relation

    def _set_options(self, exponent: float | None, side: Any, timeout: Any) -> None:
        if exponent is not None:
            check_exponent(exponent)
        if side is not None:
            check_number("side", side, Integral, 1)
        check_number("timeout", timeout, Real, 0)
        self.exponent_given = exponent is not None
        self.exponent = 2 if exponent is None else exponent

    def _hold(self, blocks: list[Any], n_objects: int, rows: int, dtype: np.dtype[Any]) -> None:
        """Keep the futures of blocks, each of so many rows."""
        self._cluster.hold(blocks)
        self._blocks, self._block_rows, self._positions = blocks, rows, np.arange(n_objects)
        self.n_objects, self.dtype = n_objects, dtype

    @property
    def n_evaluations(self) -> int:
        """Pairs that the workers computed, those lost and computed again aside."""
        return self._cluster.n_evaluations

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities."""
        rows, to_rows = ascending(self._positions[rows])
        cols, to_cols = ascending(self._positions[cols])
        found = np.empty((len(rows), len(cols)), self.dtype)
        for part, values in self._from_blocks(rows, _cut, as_slice(cols)):
            found[part] = values
        found = found if to_rows is None else found[to_rows]
        return found if to_cols is None else found[:, to_cols]

    def product(self, A: Array) -> Array:
        """Return A S, multiplied by the workers."""
        objects, to_objects = ascending(self._positions)
        weights = A
        if to_objects is not None:  # in another order, or an object twice
            order = np.argsort(to_objects, kind="stable")
            firsts = np.searchsorted(to_objects[order], np.arange(len(objects)))
            weights = np.add.reduceat(A[:, order], firsts, axis=1)
        (sent,) = self._cluster.submit(same, [weights])
        found = np.empty((len(A), len(objects)), self.dtype)
        multiplied = self._from_blocks(objects, _multiply, as_slice(objects), sent, self.exponent)
        for part, values in multiplied:
            found[:, part] = values
        return found if to_objects is None else found[:, to_objects]

    def _from_blocks(
        self, rows: Indices, function: Callable[..., Array], *args: Any
    ) -> Iterator[tuple[slice, Array]]:
        """Yield function(block, some of its rows, *args) for every block with some of the rows."""
        starts = np.arange(len(self._blocks) + 1) * self._block_rows
        ends = np.searchsorted(rows, starts).tolist()
        parts = [(k, slice(*ends[k : k + 2])) for k in range(len(self._blocks))]
        parts = [(k, part) for k, part in parts if part.stop > part.start]
        chosen = [as_slice(rows[part] - starts[k]) for k, part in parts]
        repeated = ([each] * len(parts) for each in args)
        blocks, places = [self._blocks[k] for k, _ in parts], [k for k, _ in parts]
        found = self._cluster.run(function, blocks, chosen, *repeated, places=places)
        return zip((part for _, part in parts), found, strict=True)

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row: nothing is to be done here."""
        return nullcontext()

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks that are worth a request."""
        row_bytes = self.n_objects * self.dtype.itemsize
        return row_blocks(self.n_objects, row_bytes // ROW_BLOCKS_PER_REQUEST)

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


def _rows_of_block(n: int, dtype: np.dtype[Any], cluster: Cluster, chunk: int) -> int:
    """Return the rows of a block: some blocks for each thread, and whole chunks."""
    rows = max(-(-n // (BLOCKS_PER_THREAD * len(cluster.threads))), MIN_ROWS)
    rows = max(min(rows, MAX_BLOCK_BYTES // (n * dtype.itemsize)), 1)
    return rows if rows < chunk else rows // chunk * chunk


# what the workers do


def _cut(block: Array, rows: Index, cols: Index) -> Array:
    return block[rows][:, cols]


def _multiply(block: Array, rows: Index, cols: Index, A: Array, exponent: float) -> Array:
    """Return A S for some rows of a block, each piece squared and multiplied while in the cache."""
    n_cols, is_whole = block.shape[1], isinstance(rows, slice) and isinstance(cols, slice)
    rows, cols = np.arange(len(block))[rows], np.arange(n_cols)[cols]
    result = np.empty((len(A), len(rows)), block.dtype)
    parts = list(row_blocks(len(rows), n_cols * block.itemsize))
    # pieces are copied to the same memory each time: fresh memory costs page faults
    wide, chosen = (np.empty((parts[0].stop, width), block.dtype) for width in (n_cols, len(cols)))
    for part in parts:
        n = part.stop - part.start
        if is_whole:
            piece = block[rows[0] + part.start : rows[0] + part.stop, cols[0] : cols[-1] + 1]
        else:
            block.take(rows[part], 0, wide[:n], "clip")
            piece = wide[:n].take(cols, 1, chosen[:n], "clip")
        result[:, part] = A @ to_power(piece, exponent, chosen[:n]).T  # S is symmetric
    return result


def _evaluate(
    measure: Measure, tile: Tile, row_band: Any, col_band: Any, dtype: np.dtype[Any], n_sampled: int
) -> MeasureValues:
    (rows, row_ids), (cols, col_ids) = row_band, col_band

    def name(position: int) -> str:
        is_row = position < tile.rows.stop
        ids, start = (row_ids, tile.rows.start) if is_row else (col_ids, tile.cols.start)
        return f"object {position}" + ("" if ids is None else f" ({ids[position - start]!r})")

    return evaluate_tile(measure, tile, rows, cols, dtype, name, n_sampled)


def _stack(squares: list[list[MeasureValues]], first: int) -> Array:
    """Return a block of rows from squares of the upper half; first is the number of its first."""
    return np.block(
        [
            [each.values.T if j < first + k else each.values for j, each in enumerate(row)]
            for k, row in enumerate(squares)
        ]
    )


def _evaluated(
    cluster: Cluster,
    evaluate: Callable[..., MeasureValues],
    measure: Measure,
    objects: Any,
    ids: np.ndarray | None,
    side: int,
    rows: int,
) -> list[Any]:
    """Return the futures of blocks of rows; the workers evaluate squares of their upper half."""
    n = len(objects)
    bands = [
        (take(objects, np.arange(n)[band]), None if ids is None else ids[band])
        for band in spans(n, side)
    ]
    pairs = [(i, j) for i in range(len(bands)) for j in range(i, len(bands))]
    try:
        measures, *sent = cluster.submit(same, [measure, *bands])
        firsts, seconds = ([sent[k] for k in each] for each in zip(*pairs, strict=True))
        tiles = upper_tiles(n, side)
        arguments = [measures] * len(tiles), tiles, firsts, seconds
        squares = cluster.submit(evaluate, *arguments, places=range(len(tiles)))
    except (TypeError, AttributeError, PicklingError) as error:
        raise OptionError(
            f"measure and objects are sent to the workers, and cannot be pickled ({error})."
        ) from error
    cluster.hold_evaluations(squares, n * (n - 1) // 2, measure.symmetrize)
    at = dict(zip(pairs, squares, strict=True))
    grid = [[at[min(i, j), max(i, j)] for j in range(len(bands))] for i in range(len(bands))]
    step = rows // side
    starts = range(0, len(bands), step)
    rows_of_squares = [grid[i : i + step] for i in starts]
    return cluster.submit(_stack, rows_of_squares, starts, places=range(len(starts)))


# sources


@dataclass(frozen=True)
class StoredMatrix:
    """A matrix in files, what dask.array needs of an array; every worker opens it by itself."""

    relation: bytes  # pickled, since a file that is not found must be an error of a task
    name: str
    shape: tuple[int, int]
    dtype: np.dtype[Any]
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


def _readable(source: Any) -> tuple[Any, np.ndarray | None, int]:
    """Return an array of dask, in files or in memory, its names, and the rows best read at once."""
    if is_dask(source):
        if np.isnan(source.shape).any():
            raise RelationError(
                "source is a dask array of unknown shape; call source.compute_chunk_sizes() first."
            )
        return source, None, 1
    relation = square_relation(source, None, "source", finite=False)
    if not isinstance(relation, FileRelation):
        return relation.matrix, relation.ids, 1
    matrix, whole, chunk = relation.matrix, memmap_of(relation.matrix), 1
    if whole is None:
        name, chunk = f"the zarr array {matrix.store_path}", matrix.chunks[0]
        is_shared = "Memory" not in type(inner_store(matrix.store)).__name__
    else:
        name, is_shared = str(whole.filename), whole.mode != "c"  # changes that only we see
    if not is_shared:
        return np.asarray(matrix[:]), relation.ids, 1
    relation.file_state = None
    stored = StoredMatrix(dumps(relation), name, relation.shape, relation.dtype)
    return stored, relation.ids, chunk


def _check_matrix(matrix: Any) -> np.dtype[Any]:
    """Return the precision of a square matrix of numbers: float32 stays, all else is float64."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        refuse_shape(tuple(matrix.shape), "source")
    if matrix.shape[0] < 2:
        raise RelationError(f"source has {matrix.shape[0]} objects; at least two are needed.")
    if matrix.dtype.kind not in REAL_KINDS:
        raise RelationError(f"source holds {matrix.dtype}; dissimilarities are real numbers.")
    return np.dtype(np.float32 if matrix.dtype == np.float32 else np.float64)


def _validated(
    cluster: Cluster,
    blocks: list[Any],
    n: int,
    rows: int,
    dtype: np.dtype[Any],
    symmetrize: str | None,
) -> list[Any]:
    """Return the blocks, symmetrized where that is asked for, or raise what is wrong with them."""
    import dask.array as da

    name = f"relrbf-{uuid4().hex}"
    chunks = tuple(part.stop - part.start for part in spans(n, rows)), (n,)
    D = da.Array({(name, k, 0): block for k, block in enumerate(blocks)}, name, chunks, dtype)
    largest = _check_entries(cluster, D)
    mirrored = D.T.rechunk(D.chunks, method="tasks")
    gaps, tolerance = da.fabs(D - mirrored), float(np.sqrt(np.finfo(D.dtype).eps)) * largest
    asymmetry, diagonal = cluster.compute(gaps.max(), da.fabs(da.diagonal(D)))
    if asymmetry > tolerance and symmetrize is None:
        (flat,) = cluster.compute(da.argmax(gaps))
        i, j = sorted(int(k) for k in np.unravel_index(int(flat), D.shape))
        there, back = (float(x) for x in cluster.compute(D[i, j], D[j, i]))
        found = EntrySummary(0.0, largest, asymmetry=float(asymmetry), worst_pair=(i, j))
        raise asymmetry_error(found, there, back, "source", "DaskRelation")
    if diagonal.max() > tolerance:
        raise diagonal_error(int(diagonal.argmax()), float(diagonal.max()), "source")
    if asymmetry <= tolerance or symmetrize is None:
        return blocks
    symmetric = da.map_blocks(SYMMETRIZERS[symmetrize], D, mirrored, dtype=D.dtype, meta=D._meta)
    changes = da.fabs(symmetric - D)
    n_changed, change = cluster.compute((changes > 0).sum(), changes.max())
    warn_changed(symmetrize, int(n_changed), D.size, float(change), "source")
    return cluster.spread(symmetric)


def _check_entries(cluster: Cluster, D: Any) -> float:
    """Return the largest entry; refuse entries that are not finite, or negative."""
    import dask.array as da

    lowest, largest = (float(x) for x in cluster.compute(D.min(), D.max()))
    if not (np.isfinite(lowest) and np.isfinite(largest)):  # NaN is at both ends
        n_nan, n_inf, rows = cluster.compute(
            da.isnan(D).sum(), da.isinf(D).sum(), (~da.isfinite(D)).any(axis=1)
        )
        row = int(np.argmax(rows))
        (entries,) = cluster.compute(D[row])
        where = row, int(np.argmin(np.isfinite(entries)))
        raise nonfinite_error(int(n_nan), int(n_inf), where, "source")
    check_range(np.empty(0, D.dtype), lowest, largest, "source")
    tolerance = negative_tolerance(D.dtype, largest)
    if lowest < -tolerance:
        (n_negative,) = cluster.compute((-tolerance > D).sum())
        raise negative_error(int(n_negative), lowest, "source")
    return largest
