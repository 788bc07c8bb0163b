"""Relations over another one: some of its objects, its symmetric form, rows that were read."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from copy import copy
from typing import Any, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import EVERY, Index, Relation, tiled_product
from relrbf.relations.blocks import READ_BYTES, row_blocks, spans
from relrbf.relations.dense import DenseRelation
from relrbf.relations.validation import SYMMETRIZERS, distances_from


class RelationView(Relation):
    """Reads another relation, its source, and changes or keeps what it finds there."""

    def __init__(self, source: Relation) -> None:
        self.source, self.ids, self.is_costly = source, source.ids, source.is_costly
        self.exponent, self.exponent_given = source.exponent, source.exponent_given
        self.n_objects, self.dtype = source.n_objects, source.dtype

    @property
    def n_evaluations(self) -> int:
        """Pairs that the source computed."""
        return self.source.n_evaluations

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return the source's context."""
        return self.source.multiplying()


class PartRelation(RelationView):
    """The relation among some objects of another that is too large to copy them out of it.

    Objects may come in any order, and several times.
    """

    def __init__(self, source: Relation, objects: Indices) -> None:
        super().__init__(source)
        self.objects, self.n_objects, self.ids = objects, len(objects), source.ids_of(objects)
        self.self_similarity = getattr(source, "self_similarity", None)

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities."""
        return self.source.block(self.objects[rows], self.objects[cols])

    def product(self, A: Array) -> Array:
        """Return A S; of most objects, through a product with the source, which reads in order."""
        if 2 * self.n_objects < self.source.n_objects:
            return super().product(A)
        spread = np.zeros((self.source.n_objects, len(A)), dtype=A.dtype)
        np.add.at(spread, self.objects, A.T)
        whole = self.source.with_exponent(self.exponent)
        return whole.product(np.ascontiguousarray(spread.T))[:, self.objects]

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into few blocks: each may have to look at all of the source."""
        height = READ_BYTES // 8 // (self.n_objects * self.dtype.itemsize)
        return spans(self.n_objects, max(height, 1))

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of these objects."""
        part = self.source.restrict(self.objects[objects])
        part.exponent, part.exponent_given = self.exponent, self.exponent_given
        return part


class SymmetrizedRelation(RelationView):
    """What a matrix becomes under a named policy, block by block; the source is not changed.

    ``symmetrize`` ("mean", "min", "max") says what is made of an entry and its mirror image; with a
    ``self_similarity``, the source holds similarities, of which distances are made.
    """

    def __init__(
        self,
        source: Relation,
        symmetrize: str | None = None,
        self_similarity: float | None = None,
        zero_diagonal: bool = False,
    ) -> None:
        super().__init__(source)
        self.symmetrize, self.self_similarity = symmetrize, self_similarity
        self.tile, self.zero_diagonal = source.tile, zero_diagonal

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of symmetric dissimilarities."""
        block = self.source.block(rows, cols)
        if self.symmetrize is not None:
            block = SYMMETRIZERS[self.symmetrize](block, self.source.block(cols, rows).T)
        if self.self_similarity is not None:
            block = distances_from(block, self.self_similarity)
        if self.zero_diagonal:
            numbers = np.arange(self.n_objects)
            block = np.where(numbers[rows][:, None] == numbers[cols], 0, block)
        return block

    def product(self, A: Array) -> Array:
        """Return A S; where mirror images are needed, in squares, so that both are read once."""
        if self.symmetrize is None:
            return super().product(A)
        return tiled_product(self, A, self.tile, self.tile)

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows as the source does."""
        return self.source.row_blocks()

    def restrict(self, objects: Index) -> Relation:
        """Return the symmetric relation among some of the objects."""
        part = copy(self)
        part.source = self.source.restrict(objects)
        part.n_objects, part.ids = part.source.n_objects, part.source.ids
        return part

    def __repr__(self) -> str:
        policies = {"symmetrize": self.symmetrize, "self_similarity": self.self_similarity}
        given = [f", {name}={value!r}" for name, value in policies.items() if value is not None]
        return f"{super().__repr__()[:-1]}{''.join(given)})"


class CachedRelation(RelationView):
    """Looks up what it can in rows (m × n) that were read, and reads the rest from the source.

    The objects whose rows these are come in ascending order.
    """

    def __init__(self, source: Relation, objects: Indices, rows: Array) -> None:
        super().__init__(source)
        self.is_costly = False  # what was read is here
        self.objects, self.rows = objects, rows
        self._positions = np.full(source.n_objects, -1)  # of each object among the cached rows
        self._positions[objects] = np.arange(len(objects))

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, from the cached rows or their mirror images."""
        at = self._positions[rows]
        if (at >= 0).all():
            return self._cached(at, cols)
        at = self._positions[cols]
        return self._cached(at, rows).T if (at >= 0).all() else self.source.block(rows, cols)

    def _cached(self, at: Indices, cols: Index) -> Array:
        is_all = len(at) == len(self.objects) and (np.diff(at) == 1).all()
        return (self.rows if is_all else self.rows[at])[:, cols]

    def product(self, A: Array) -> Array:
        """Return A S; where A is zero outside the cached rows, from those alone."""
        used = np.flatnonzero(A.any(axis=0))
        if not (self._positions[used] >= 0).all():
            return self.source.with_exponent(self.exponent).product(A)
        result = np.empty((len(A), self.n_objects), dtype=self.dtype)
        for cols in row_blocks(self.n_objects, len(used) * self.dtype.itemsize):
            result[:, cols] = A[:, used] @ self.block_sq(used, cols)
        return result

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects: of cached ones, in memory."""
        if (self._positions[objects] >= 0).all():
            block, ids = self.block(objects, objects), self.ids_of(objects)
            part: Relation = DenseRelation(block, ids=ids)
        else:
            part = copy(self.source.restrict(objects))
        part.exponent, part.exponent_given = self.exponent, self.exponent_given
        return part

    def with_exponent(self, exponent: float) -> Self:
        """Return the same dissimilarities under another exponent."""
        other = super().with_exponent(exponent)
        other.source = self.source.with_exponent(exponent)
        return other
