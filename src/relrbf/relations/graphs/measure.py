"""What a dissimilarity between nodes offers to a relation."""

from abc import ABC, abstractmethod
from typing import ClassVar

from relrbf._typing import Array, Indices


class Measure(ABC):
    """Finds rows for some nodes, and makes dissimilarities of them.

    Rows are what is dear and kept: they depend on one node each.
    """

    multiplies: ClassVar[bool] = False  # whether products need no rows
    n_nodes: int
    far: float

    @abstractmethod
    def rows(self, nodes: Indices) -> Array:
        """Return the rows of some nodes, a column for every node of the graph (k × n)."""

    @abstractmethod
    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Return dissimilarities of nodes to targets, from the targets' columns of rows."""

    def product(self, A: Array, nodes: Indices) -> Array:
        """Return A r for coefficients on some nodes, where no rows are needed for that."""
        raise NotImplementedError
