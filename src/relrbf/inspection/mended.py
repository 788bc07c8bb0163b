"""What is left of a matrix that is no relation: its symmetric part, with a zero diagonal."""

from copy import copy
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.base import EVERY, Index, Relation


class SymmetricPart(Relation):
    """``(D + D') / 2`` with a zero diagonal, read when asked; the source is not changed."""

    def __init__(self, source: Relation) -> None:
        self.source = source
        self.exponent = source.exponent
        self.ids = source.ids

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.source.n_objects

    @property
    def dtype(self) -> np.dtype[Any]:
        """The source's precision."""
        return self.source.dtype

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of the symmetric part."""
        mean = self.source.block(rows, cols) / 2 + self.source.block(cols, rows).T / 2
        numbers = np.arange(self.n_objects)
        mean[numbers[rows][:, None] == numbers[cols]] = 0
        return mean

    def restrict(self, objects: Index) -> "SymmetricPart":
        """Return the symmetric part among some of the objects."""
        part = copy(self)
        part.source = self.source.restrict(objects)
        part.ids = part.source.ids
        return part
