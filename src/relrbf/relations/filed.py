"""What relations in files share: blocks are read when asked, and nothing n × n is ever copied."""

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.base import Index, Relation
from relrbf.relations.blocks import MEMORY
from relrbf.relations.dense import DenseRelation
from relrbf.relations.part import PartRelation

COPIED = MEMORY // 2  # bytes up to which a part of a relation is copied to memory


@dataclass(frozen=True)
class Mark:
    """What a file was like when it was opened; ``modified`` is None where writing is allowed."""

    path: Path
    inode: int
    size: int
    modified: int | None

    @classmethod
    def of(cls, path: Path, *, writable: bool) -> Self:
        """Look at a file."""
        now = os.stat(path)
        return cls(path, now.st_ino, now.st_size, None if writable else now.st_mtime_ns)

    def check(self, *, replaced: bool = False) -> None:
        """Refuse a file that was changed.

        One that was replaced or deleted is still open, unless it has to be opened again.
        """
        try:
            now = os.stat(self.path)
        except OSError:
            if not replaced:
                return
            raise
        changed = now.st_size != self.size or self.modified not in (None, now.st_mtime_ns)
        if changed and (replaced or now.st_ino == self.inode):
            raise RelationError(
                f"{self.path} was changed after it was opened and judged. Make the relation again, "
                "with relrbf.as_relation, when the file is whole."
            )


class FiledRelation(DenseRelation):
    """Base of the relations whose matrix lies in a file.

    Attributes
    ----------
    is_symmetric : bool
        Whether an entry may be read in the place of its mirror image. It may not until it was
        judged.
    """

    is_symmetric: bool = True
    mark: Mark | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """That of the matrix, (n, n) for a relation."""
        return int(self.matrix.shape[0]), int(self.matrix.shape[1])

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The file's precision; float64 for what is neither float32 nor float64, as integers."""
        return np.dtype(np.float32 if self.matrix.dtype.str[1:] == "f4" else np.float64)

    def product(self, A: Array) -> Array:
        """Return A S, block by block."""
        return Relation.product(self, A)

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row."""
        return Relation.multiplying(self)

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects: of few in memory, else read when asked."""
        positions = np.arange(self.n_objects)[objects]
        if len(positions) ** 2 * self.dtype.itemsize > COPIED:
            return PartRelation(self, positions)
        ids = None if self.ids is None else self.ids[positions]
        part = DenseRelation(self.block(positions, positions), self.exponent, ids)
        part.exponent_given, part.self_similarity = self.exponent_given, self.self_similarity
        return part

    def __repr__(self) -> str:
        where = f" in {self.mark.path.name}" if self.mark else ""
        return f"{super().__repr__()[:-1]}, {self.matrix.dtype}{where})"


def as_span(index: Index, length: int) -> slice | Indices:
    """Return positions that follow each other as a slice, which reads without a look-up."""
    if isinstance(index, slice):
        start, stop, step = index.indices(length)
        return slice(start, stop) if step == 1 else np.arange(length)[index]
    positions = np.asarray(index)
    if positions.dtype == bool:
        positions = np.flatnonzero(positions)
    if len(positions) and positions[0] >= 0 and (np.diff(positions) == 1).all():
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions
