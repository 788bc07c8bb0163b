"""A relation in a file that is mapped to memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.base import EVERY, Index, Relation
from relrbf.relations.blocks import row_blocks
from relrbf.relations.filed import FiledRelation, Mark, as_span
from relrbf.relations.survey import Survey, survey_rows

PATIENCE = 8  # a file is read fastest in long pieces


class MappedRelation(FiledRelation):
    """Dissimilarities in a ``numpy.memmap`` of shape (n, n), read in the order of the file.

    Numbers other than float32 and float64 of this machine's are converted block by block.
    """

    @property
    def tile(self) -> int:
        """Side of a square of which each row is whole pages of the file."""
        return 2048

    @property
    def _lines(self) -> Array:
        """The matrix or its transpose, whichever has its rows in one piece."""
        matrix = np.asarray(self.matrix)
        return matrix.T if matrix.flags.f_contiguous else matrix

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities: a view where both indices are slices.

        Of two ways to read it, the one that touches fewer rows of the file is taken: 40,000 rows
        have an entry of any column, and each costs a page.
        """
        if self.mark is not None:
            self.mark.check()
        first, second = as_span(rows, self.shape[0]), as_span(cols, self.shape[1])
        if not self.is_symmetric:
            found = _cut(np.asarray(self.matrix), first, second)
        elif _length(second) < _length(first):
            found = _cut(self._lines, second, first).T
        else:
            found = _cut(self._lines, first, second)
        return found.astype(self.dtype, copy=False)

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks that BLAS multiplies well, in the order of the file."""
        return row_blocks(self.n_objects, self.n_objects * self.dtype.itemsize, PATIENCE)

    def survey(self) -> Survey:
        """Read the rows in order; squares and their mirror images only where that is not enough."""

        def read(rows: slice) -> Array:
            return self._lines[rows].astype(self.dtype, copy=False)

        found = survey_rows(read, self.n_objects, self.dtype, self.row_blocks())
        return super().survey() if found is None else found

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects: of neighbours, the same file's."""
        span = as_span(objects, self.n_objects)
        if not isinstance(span, slice):
            return super().restrict(objects)
        part = self.with_exponent(self.exponent)
        part.exponent_given = self.exponent_given
        part.matrix = self.matrix[span, span]
        part.ids = None if self.ids is None else self.ids[span]
        return part

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: where the matrix lies, not its entries."""
        whole = memmap_of(self.matrix)
        if whole is None or whole.mode == "c":  # changes that only this process sees
            return vars(self)
        return vars(self) | {"matrix": Place.of(self.matrix, whole)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state["matrix"], Place) and state.get("mark") is not None:
            state["mark"].check(replaced=True)
        place = state["matrix"]
        vars(self).update(state)
        self.matrix = place.mapped() if isinstance(place, Place) else place


@dataclass(frozen=True)
class Place:
    """Where in a file an array lies."""

    path: str
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def of(cls, matrix: np.ndarray, whole: np.memmap) -> Self:
        """Find the place of an array on a memory-mapped file."""
        while isinstance(whole.base, np.memmap):
            whole = whole.base
        start, first = (a.__array_interface__["data"][0] for a in (matrix, whole))
        offset = whole.offset + start - first
        return cls(
            str(Path(str(whole.filename)).absolute()),
            offset,
            matrix.dtype,
            matrix.shape,
            matrix.strides,
        )

    def mapped(self) -> np.ndarray:
        """Map the file again."""
        if not Path(self.path).exists():
            raise RelationError(
                f"the file of a relation, {self.path}, is not there; put it back, or make the "
                "relation from where it is now."
            )
        whole = np.memmap(self.path, np.uint8, "r")
        return np.ndarray(self.shape, self.dtype, whole, self.offset, self.strides)


def is_mapped(X: Any) -> bool:
    """Tell whether X is an array on a memory-mapped file, or a view of one."""
    return memmap_of(X) is not None


def memmap_of(X: Any) -> np.memmap | None:
    """Return the memory-mapped file that an array lies in."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap) and X.filename is not None:
            return X
        X = X.base
    return None


def mark_of(X: np.ndarray) -> Mark | None:
    """Look at the file that an array lies in; whoever mapped it may write to it."""
    found = memmap_of(X)
    path = Path(str(found.filename)) if found is not None else None
    return Mark.of(path, writable=True) if path is not None and path.exists() else None


def _cut(lines: Array, first: Any, second: Any) -> Array:
    if isinstance(first, slice) or isinstance(second, slice):
        return lines[first, second]
    return lines[np.ix_(first, second)]


def _length(index: Any) -> int:
    return index.stop - index.start if isinstance(index, slice) else len(index)
