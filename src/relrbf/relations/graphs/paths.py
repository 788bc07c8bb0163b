"""Lengths of shortest paths, searched from some nodes to all."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.graphs.hops import Hops
from relrbf.relations.graphs.measure import Measure
from relrbf.relations.graphs.parts import Parts


class Paths(Measure):
    """Lengths of shortest paths; ``far`` where there is none."""

    def __init__(self, lengths: Any, parts: Parts, far: float | None) -> None:
        self.lengths = lengths
        self.n_nodes = lengths.shape[0]
        step = float(lengths.data[0])
        self._step = step if step > 0 and (lengths.data == step).all() else None
        self._hops = Hops(lengths)
        self.parts = parts
        self.far = self._apart(parts, far)

    def rows(self, nodes: Indices) -> Array:
        """Search from each of the nodes: breadth first where all edges are equally long."""
        if self._step is not None:
            return self._hops.count(nodes) * self._step
        return self._search(nodes)

    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Put what was not reached where the policy says."""
        return rows if len(self.parts) == 1 else np.where(np.isinf(rows), self.far, rows)

    def _search(self, nodes: Indices) -> Array:
        from scipy.sparse.csgraph import dijkstra

        return dijkstra(self.lengths, directed=True, indices=nodes)  # both directions are there

    def _beyond(self) -> float:
        """Return twice the largest distance from one node of each part.

        No two nodes of a part are further apart, so that every triangle holds.
        """
        from scipy.sparse.csgraph import dijkstra

        one_each = np.unique(self.parts.labels, return_index=True)[1]
        reached = dijkstra(self.lengths, directed=True, indices=one_each, min_only=True)
        return 2 * float(reached.max())
