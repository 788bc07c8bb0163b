"""What a dissimilarity between nodes offers to a relation."""

from abc import ABC, abstractmethod

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.graphs.parts import Parts


class Measure(ABC):
    """Finds rows for some nodes, and makes dissimilarities of them.

    Rows are what is dear and kept: they depend on one node each.
    """

    n_nodes: int
    far: float

    def _apart(self, parts: Parts, far: float | None) -> float:
        """Return the dissimilarity between parts, the user's or one that does."""
        if far is not None:
            return far
        return self._beyond() if len(parts) > 1 else np.inf

    @abstractmethod
    def _beyond(self) -> float:
        """Return a dissimilarity that is no smaller than any within a part."""

    @abstractmethod
    def rows(self, nodes: Indices) -> Array:
        """Return the rows of some nodes, a column for every node of the graph (k × n)."""

    @abstractmethod
    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Return dissimilarities of nodes to targets, from the targets' columns of rows."""

    def product(self, A: Array, nodes: Indices) -> Array | None:
        """Return A r for coefficients on some nodes, or None where that takes rows."""
        return None
