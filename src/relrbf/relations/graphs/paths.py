"""Lengths of shortest paths, searched from some nodes to all."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.graphs.hops import Hops
from relrbf.relations.graphs.measure import Measure
from relrbf.relations.graphs.parts import Parts

MANY = 20_000  # nodes, whose neighbours are then no longer near in memory


class Paths(Measure):
    """Lengths of shortest paths; ``far`` where there is none."""

    def __init__(self, lengths: Any, parts: Parts, far: float | None) -> None:
        self.lengths = lengths
        self.n_nodes = lengths.shape[0]
        step = float(lengths.data[0])
        self._step = step if step > 0 and (lengths.data == step).all() else None
        self._graph, self._places = _numbered_nearby(lengths)
        self._hops = Hops(self._graph)
        self.parts = parts
        self.far = self._apart(parts, far)

    def rows(self, nodes: Indices) -> Array:
        """Search from each of the nodes: breadth first where all edges are equally long."""
        starts = nodes if self._places is None else self._places[nodes]
        if self._step is not None:
            found = self._hops.count(starts) * self._step
        else:
            found = self._search(starts)
        return found if self._places is None else found[:, self._places]

    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Put what was not reached where the policy says."""
        return rows if len(self.parts) == 1 else np.where(np.isinf(rows), self.far, rows)

    def _search(self, nodes: Indices) -> Array:
        from scipy.sparse.csgraph import dijkstra

        return dijkstra(self._graph, directed=True, indices=nodes)  # both directions are there

    def _beyond(self) -> float:
        """Return twice the largest distance from one node of each part.

        No two nodes of a part are further apart, so that every triangle holds.
        """
        from scipy.sparse.csgraph import dijkstra

        one_each = np.unique(self.parts.labels, return_index=True)[1]
        reached = dijkstra(self.lengths, directed=True, indices=one_each, min_only=True)
        return 2 * float(reached.max())


def _numbered_nearby(lengths: Any) -> tuple[Any, Indices | None]:
    """Return a large graph with neighbours numbered alike, and each node's number in it.

    A search then finds what it needs next in the processor's cache.
    """
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    n = lengths.shape[0]
    if n < MANY:
        return lengths, None
    order = reverse_cuthill_mckee(lengths, symmetric_mode=True)
    places = np.empty(n, dtype=np.intp)
    places[order] = np.arange(n)
    return lengths[order][:, order], places
