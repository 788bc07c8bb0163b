"""The contract that every relation keeps.

Symbols (theory 1)
------------------
r   dissimilarities, as the user gave them
S   squared dissimilarities, ``r ** exponent``: all the mathematics is about S
A   c × n coefficients, one row per prototype
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from threading import local
from typing import Any, Self, TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.blocks import TILE_SIDE, cores, for_each_block, row_blocks, spans

Index: TypeAlias = slice | Indices
EVERY = slice(None)
MAX_OBJECTS_WITHOUT_BLAS_THREADS = 1024


class Relation(ABC):
    """Symmetric dissimilarities between n objects.

    A relation is never changed: ``restrict`` and ``with_exponent`` return another one.

    Attributes
    ----------
    exponent : float
        ``S = r ** exponent``: 2 for distances, 1 for what is already a squared distance.
    exponent_given : bool
        Whether the user gave it, or 2 was assumed.
    ids : ndarray or None
        Names of the objects, where the user gave any.
    is_costly : bool
        Whether reading a row costs so much that it should be kept.
    is_in_memory : bool
        Whether it can be read as long as it exists, at little cost.
    blas_exponent : float or None
        The exponent under which a product is one call of BLAS, with BLAS's own threads.
    tile : int
        Side of the squares in which the relation is best compared with its mirror image.
    n_objects : int
        Number of objects.
    dtype : numpy.dtype
        The precision that every block and product keeps.
    """

    n_objects: int
    dtype: np.dtype[Any]
    exponent: float
    exponent_given: bool = True
    is_costly: bool = False
    is_in_memory: bool = False
    blas_exponent: float | None = None
    tile: int = TILE_SIDE
    ids: np.ndarray | None

    @abstractmethod
    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities r; it may be a view, not to be written to."""

    @abstractmethod
    def restrict(self, objects: Index) -> "Relation":
        """Return the relation among some of the objects."""

    def block_sq(self, rows: Index = EVERY, cols: Index = EVERY, out: Array | None = None) -> Array:
        """Return a dense block of S, in out where one is given; not to be written to."""
        return to_power(self.block(rows, cols), self.exponent, out)

    def product(self, A: Array) -> Array:
        """Return A S (c × n) for a c × n array A, block by block, with S never held whole."""
        result = np.empty((len(A), self.n_objects), dtype=self.dtype)
        blocks = list(self.row_blocks())
        scratch = local()  # one block per thread, allocated once: fresh memory costs page faults

        def fill(rows: slice) -> None:
            if not hasattr(scratch, "block"):
                scratch.block = np.empty((blocks[0].stop, self.n_objects), dtype=self.dtype)
            S = self.block_sq(rows, out=scratch.block[: rows.stop - rows.start])
            result[:, rows] = A @ S.T  # S is symmetric: its rows are its columns

        for_each_block(fill, blocks)
        return result

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row."""
        return nullcontext() if self.exponent == self.blas_exponent else cores()

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks that fit in a processor's cache."""
        return row_blocks(self.n_objects, self.n_objects * self.dtype.itemsize)

    def with_exponent(self, exponent: float) -> Self:
        """Return the same dissimilarities under another exponent."""
        other = copy(self)
        other.exponent, other.exponent_given = exponent, True
        return other

    @property
    def n_evaluations(self) -> int:
        """Pairs of objects that a measure was evaluated on; 0 where nothing is computed."""
        return 0

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return self.n_objects, self.n_objects

    def ids_of(self, objects: Index) -> np.ndarray | None:
        """Return the names of some objects, where there are names."""
        return None if self.ids is None else self.ids[objects]

    def __len__(self) -> int:
        return self.n_objects

    def __getitem__(self, key: Any) -> "Relation | CrossRelation":
        """Slice as scikit-learn's cross-validation does, with ``np.ix_(rows, columns)``."""
        rows, cols = _as_positions(key, self.shape)
        if np.array_equal(rows, cols):
            return self.restrict(rows)
        return CrossRelation(self, rows, cols)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.block(), dtype=dtype, copy=copy)

    def __copy__(self) -> Self:  # shares what a pickle leaves out
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __sklearn_clone__(self) -> Self:
        return self  # never changed, so an estimator's clone may share it

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_objects} objects, exponent={self.exponent:g})"


class CrossRelation:
    """Dissimilarities of some objects (rows, the queries) to others (columns), read on demand."""

    def __init__(self, relation: Relation, rows: Indices, cols: Indices) -> None:
        self.relation, self.rows, self.cols = relation, rows, cols
        self.shape, self.dtype = (len(rows), len(cols)), relation.dtype
        self.column_ids = relation.ids_of(cols)

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities."""
        return self.relation.block(self.rows[rows], self.cols[cols])

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: Any) -> "CrossRelation":
        rows, cols = _as_positions(key, self.shape)
        return CrossRelation(self.relation, self.rows[rows], self.cols[cols])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.block(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"CrossRelation({len(self.rows)} objects to {len(self.cols)} of {self.relation!r})"


def to_power(dissimilarities: Array, exponent: float, out: Array | None = None) -> Array:
    """Return S of dissimilarities r; with exponent 1 they are returned as they are.

    Those that rounding left below zero have powers of zero, or a square.
    """
    if exponent in (1, 2):
        return dissimilarities if exponent == 1 else np.square(dissimilarities, out=out)
    return np.power(np.maximum(dissimilarities, 0, out=out), exponent, out=out)


def as_slice(positions: Index) -> Index:
    """Return consecutive positions as a slice: what is read by one is no copy."""
    if not isinstance(positions, slice) and len(positions) and (np.diff(positions) == 1).all():
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions


def tiled_product(relation: Relation, A: Array, height: int, width: int) -> Array:
    """Return A S from tiles of S of some height and width, for what is slow to read row by row."""
    n = relation.n_objects
    result = np.zeros((len(A), n), dtype=relation.dtype)

    def fill(rows: slice) -> None:
        for cols in spans(n, width):
            result[:, rows] += A[:, cols] @ relation.block_sq(rows, cols).T

    for_each_block(fill, spans(n, height))
    return result


def _as_positions(key: Any, shape: tuple[int, int]) -> list[Indices]:
    """Turn slices, masks, lists or ``np.ix_`` of one or both axes into arrays of positions."""
    axes = key if isinstance(key, tuple) else (key, EVERY)
    return [
        np.arange(length)[axis if isinstance(axis, slice) else np.ravel(axis)]
        for axis, length in zip(axes, shape, strict=True)
    ]


def blas_threads(relation: Relation, support: Indices | None = None) -> AbstractContextManager[Any]:
    """Return the context for work on a relation, or for products with S on a support.

    With few objects BLAS's own threads only get in the way.
    """
    if relation.n_objects <= MAX_OBJECTS_WITHOUT_BLAS_THREADS:
        return cores()
    is_whole = support is not None and len(support) == relation.n_objects
    return relation.multiplying() if is_whole else nullcontext()
