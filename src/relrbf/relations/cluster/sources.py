"""Where tiles come from: a stored matrix, an array in memory, or a dask array.

A tile on a worker is a pair: its dissimilarities, and what was found about them or the error that
kept them from being there. An error that is data does not bring fifty lines of traceback with it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.cluster.bands import Bands, Tile
from relrbf.relations.cluster.connection import Connection
from relrbf.relations.cluster.findings import Findings, check_findings, judged
from relrbf.relations.cluster.readers import Reader, checked_kind, reader_of
from relrbf.relations.conversion import unvalidated_matrix
from relrbf.relations.on_disk import is_zarr, open_matrix, open_relation

Futures: TypeAlias = list[Any]
SENT_BYTES = 2**27  # of tiles, in one message


class Source(ABC):
    """Makes the tiles of a relation, on the workers, as often as they are lost there."""

    n_objects: int
    dtype: np.dtype[Any]
    step: int = 1  # objects that are best not separated
    n_evaluations: int = 0  # pairs that a measure was asked about

    @abstractmethod
    def hold(self, connection: Connection, bands: Bands, tiles: list[Tile], worker: str) -> Futures:
        """Return a future of each tile, to be made on a worker."""

    @abstractmethod
    def check(self, found: list[Any]) -> None:
        """Judge what was found about all tiles."""


class MatrixSource(Source):
    """A matrix that is judged by the rules of any other, tile by tile."""

    def __init__(self, matrix: Any, symmetrize: str | None) -> None:
        self.matrix = matrix
        self.symmetrize = symmetrize
        self.n_objects = int(matrix.shape[0])
        self.dtype = checked_kind(matrix)

    def check(self, found: list[Findings]) -> None:
        """Refuse what is no relation."""
        check_findings(found, self.symmetrize, self.n_objects, self.dtype)


class StoredMatrix(MatrixSource):
    """A matrix that the workers read by themselves."""

    def __init__(self, matrix: Any, symmetrize: str | None, reader: Reader) -> None:
        super().__init__(matrix, symmetrize)
        self.reader = reader
        self.step = matrix.chunks[0] if is_zarr(matrix) else 1  # each chunk is then decoded once

    def hold(self, connection: Connection, bands: Bands, tiles: list[Tile], worker: str) -> Futures:
        """Let the worker read its tiles; if it dies, others will."""
        read = ReadTile(self.reader, self.dtype, self.symmetrize)
        rows, cols = [bands[i] for i, _ in tiles], [bands[j] for _, j in tiles]
        return connection.submit_all(read, rows, cols, worker=worker)


@dataclass(frozen=True)
class ReadTile:
    """Reads and judges a tile and its mirror image."""

    reader: Reader
    dtype: np.dtype[Any]
    symmetrize: str | None

    def __call__(self, rows: slice, cols: slice) -> tuple[Array | None, Any]:
        """Return the tile, or why there is none."""
        try:
            upper = self.reader.part(rows, cols, self.dtype)
            lower = upper if rows == cols else self.reader.part(cols, rows, self.dtype)
        except RelationError as error:
            return None, error
        return judged(upper, lower, rows, cols, self.symmetrize)


class SentMatrix(MatrixSource):
    """An array in this process's memory, sent to the scheduler, which gives it to the workers."""

    def hold(self, connection: Connection, bands: Bands, tiles: list[Tile], worker: str) -> Futures:
        """Judge tiles and send them, some at a time: they are copies."""
        futures: Futures = []
        n_together = max(SENT_BYTES // (bands.side**2 * self.dtype.itemsize), 1)
        for k in range(0, len(tiles), n_together):
            some = [self._judged(bands[i], bands[j]) for i, j in tiles[k : k + n_together]]
            futures += connection.send(some, worker)
        return futures

    def _judged(self, rows: slice, cols: slice) -> tuple[Array, Findings]:
        upper, lower = (
            np.asarray(self.matrix[part]).astype(self.dtype, copy=False)
            for part in ((rows, cols), (cols, rows))
        )
        return judged(upper, lower, rows, cols, self.symmetrize)


class DaskMatrix(MatrixSource):
    """A dask array, whose chunks the cluster computes."""

    def hold(self, connection: Connection, bands: Bands, tiles: list[Tile], worker: str) -> Futures:
        """Let chunks be cut into tiles, by this worker if that is as good as any."""
        from dask import delayed

        chunks = self.matrix.rechunk((bands.side, bands.side)).to_delayed()
        judge = delayed(judged_chunks, pure=False)
        coming = [
            judge(chunks[i, j], chunks[j, i], bands[i], bands[j], self.dtype, self.symmetrize)
            for i, j in tiles
        ]
        return connection.compute(coming, worker)


def judged_chunks(
    upper: Any, lower: Any, rows: slice, cols: slice, dtype: np.dtype[Any], symmetrize: str | None
) -> tuple[Array, Findings]:
    """Judge a chunk and its mirror image."""
    upper, lower = (np.asarray(half).astype(dtype, copy=False) for half in (upper, lower))
    return judged(upper, lower, rows, cols, symmetrize)


def source_of(matrix: Any, symmetrize: str | None) -> tuple[Source, np.ndarray | None]:
    """Return how what a user calls a matrix comes to the workers, and the names it brings."""
    names = None
    if isinstance(matrix, str | PathLike):
        relation = open_relation(matrix, None, "source")
        matrix, names = relation.matrix, relation.ids
    elif is_zarr(matrix):
        matrix = open_matrix(matrix, "source").matrix
    if is_dask_array(matrix):
        if np.isnan(matrix.shape).any():
            raise RelationError(
                "source is a dask array of unknown shape; call source.compute_chunk_sizes() first."
            )
        return DaskMatrix(matrix, symmetrize), None
    reader = reader_of(matrix)
    if reader is not None:
        return StoredMatrix(matrix, symmetrize, reader), names
    if not is_zarr(matrix):
        matrix, names = unvalidated_matrix(matrix, None, "source", finite=False)
    return SentMatrix(matrix, symmetrize), names


def client_of(matrix: Any) -> Any:
    """Return the client whose workers already hold a dask array, or None."""
    if not is_dask_array(matrix):
        return None
    from distributed.client import futures_of

    held = futures_of(matrix)
    return held[0].client if held else None


def is_dask_array(matrix: Any) -> bool:
    """Tell whether this is a dask array, without loading dask."""
    return type(matrix).__module__.startswith("dask.array")
