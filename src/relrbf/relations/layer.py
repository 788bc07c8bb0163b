"""What relations have in common that lie over another one."""

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from relrbf.relations.base import Relation


class LayerRelation(Relation):
    """Asks another relation, its source, and changes or keeps what that says.

    Parameters
    ----------
    source : Relation
        The relation below.
    """

    def __init__(self, source: Relation) -> None:
        self.source = source
        self.exponent = source.exponent
        self.exponent_given = source.exponent_given
        self.is_costly = source.is_costly
        self.ids = source.ids

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.source.n_objects

    @property
    def dtype(self) -> np.dtype[Any]:
        """The source's precision."""
        return self.source.dtype

    @property
    def n_evaluations(self) -> int:
        """Pairs that the source computed."""
        return self.source.n_evaluations

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return the source's context."""
        return self.source.multiplying()
