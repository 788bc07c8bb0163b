"""A relation whose dissimilarities lie on the workers of a Dask cluster."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np

from relrbf._options import check_number
from relrbf._typing import Array, Indices
from relrbf.relations.asking import Measure
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.blocks import row_blocks
from relrbf.relations.cluster.bands import Bands, side_for
from relrbf.relations.cluster.compared import ComparedObjects, CompareTile
from relrbf.relations.cluster.connection import Connection
from relrbf.relations.cluster.held import HeldTiles
from relrbf.relations.cluster.sources import Source, client_of, source_of
from relrbf.relations.conversion import check_exponent, validated_ids
from relrbf.relations.dense import DenseRelation
from relrbf.relations.objects import as_precision, check_measure, check_objects
from relrbf.relations.validation import check_symmetrize, square_limit

SMALL = 2**26  # bytes of a part that is rather held here
TILE_BYTES = 2**25
LEAST_SIDE = 256  # objects: what is smaller is not worth cutting
COMPARED_SIDES = 1, 512  # where a pair takes longer; a worker that dies may lose a tile's pairs
FETCHED = 16  # usual blocks that are fetched at once: each takes a journey


class DaskRelation(Relation):
    """Dissimilarities that lie on the workers of a Dask cluster, and are multiplied there.

    The workers hold the upper half of the matrix in tiles. A product sends c × n numbers to each of
    them and adds up what comes back; a block is cut out where it lies. What a worker held when it
    died is read or computed again by others. ``docs/clusters.md`` has the whole story.

    Parameters
    ----------
    source : dask array, zarr array, memmap, array or frame of shape (n, n), or a path
        The dissimilarities. A path is that of a .npy file or of the folder of a zarr array; it,
        and the file of a memmap, must lead there from every worker. An array in memory is sent to
        the workers, and kept here to be sent again.
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
        Objects on a side of a tile. None makes tiles of at most 32 MB, some for each thread.
    timeout : float, default=10.0
        Seconds that a scheduler, or workers that are all gone, are waited for.

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
        self._remember(exponent, side, timeout)
        matrix, names = source_of(source, symmetrize)
        names = names if ids is None else np.asarray(ids, dtype=object)
        self.ids = validated_ids(names, matrix.n_objects)
        sides = LEAST_SIDE, int(np.sqrt(TILE_BYTES // matrix.dtype.itemsize))
        client = client_of(source) if client is None else client
        self._held = _laid_out(matrix, Connection(client, timeout), side, sides)
        try:
            self._held.settle()
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

        They begin at once; the first block or product waits for them. What a measure does wrong is
        said then, and the pairs that others are about are kept.

        Parameters
        ----------
        objects, measure, pairwise, measure_params, symmetrize, check_symmetry, ids, dtype
            As for ``ObjectRelation``. Objects and measure are sent to every worker.
        client, exponent, side, timeout
            As for ``DaskRelation``. Tiles have at most 512 objects on a side by default.

        Returns
        -------
        DaskRelation
            The relation between the objects.

        Examples
        --------
        >>> from distributed import Client
        >>> from relrbf.relations import DaskRelation
        >>> words = ["ant", "bee", "beetle"]
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     relation = DaskRelation.from_objects(
        ...         words, lambda a, b: abs(len(a) - len(b)), client=client
        ...     )
        ...     relation.block()
        array([[0., 0., 3.],
               [0., 0., 3.],
               [3., 3., 0.]])
        """
        check_measure(measure)
        check_symmetrize(symmetrize)
        relation = cls.__new__(cls)
        relation._remember(exponent, side, timeout)
        precision = as_precision(dtype)
        listed, relation.ids = check_objects(objects, ids, is_table=pairwise)
        limit = square_limit(precision)
        asked = Measure(measure, measure_params or {}, pairwise, symmetrize, limit)
        compare = CompareTile(asked, precision, check_symmetry)
        compared = ComparedObjects(listed, compare, relation.ids)
        relation._held = _laid_out(compared, Connection(client, timeout), side, COMPARED_SIDES)
        return relation

    def _remember(self, exponent: float | None, side: Any, timeout: Any) -> None:
        if exponent is not None:
            check_exponent(exponent)
        if side is not None:
            check_number("side", side, Integral, 1)
        check_number("timeout", timeout, Real, 0)
        self.exponent_given = exponent is not None
        self.exponent = 2 if exponent is None else exponent
        self._positions: Indices | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        whole = self._held.bands.n_objects
        return whole if self._positions is None else len(self._positions)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The source's own dtype."""
        return self._held.source.dtype

    @property
    def n_evaluations(self) -> int:
        """Pairs that the workers computed, those lost and computed again aside."""
        return self._held.source.n_evaluations

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, cut out where it lies."""
        return self._held.block(self._at(rows), self._at(cols))

    def product(self, A: Array) -> Array:
        """Return A S, multiplied by the workers."""
        whole = self._held.product(A, self._positions, self.exponent)
        return whole.astype(self.dtype, copy=False)

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row: nothing is to be done here."""
        return nullcontext()

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks that are worth a journey."""
        return row_blocks(self.n_objects, self.n_objects * self.dtype.itemsize // FETCHED)

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects: a small one here, a large one there."""
        positions = self._at(objects)
        ids = None if self.ids is None else self.ids[objects]
        if len(positions) ** 2 * self.dtype.itemsize <= SMALL:
            here = DenseRelation(self._held.block(positions, positions), self.exponent, ids)
            here.exponent_given = self.exponent_given
            return here
        part = copy(self)
        part.ids = ids
        is_whole = np.array_equal(positions, np.arange(self._held.bands.n_objects))
        part._positions = None if is_whole else positions
        return part

    def close(self) -> None:
        """Let go of what the workers hold, for this relation and its parts.

        A cluster, or a connection, that the relation made itself is closed.
        """
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _at(self, index: Index) -> Indices:
        """Return positions among all objects."""
        if self._positions is not None:
            return self._positions[index]
        return np.arange(self._held.bands.n_objects)[index]


def _laid_out(
    source: Source, connection: Connection, side: int | None, sides: tuple[int, int]
) -> HeldTiles:
    if side is None:
        side = side_for(source.n_objects, len(connection.threads()), *sides, source.step)
    return HeldTiles(connection, source, Bands(source.n_objects, int(side)))
