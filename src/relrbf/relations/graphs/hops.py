"""Breadth-first search: from up to 64 nodes at once, or, in long thin graphs, from one.

At once, each node is a bit of a word at every node, and every step looks at every edge.
"""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices

WORD = 64
MANY_LEVELS = 64  # steps, beyond which a search from each node is quicker


class Hops:
    """Counts edges on shortest paths.

    Parameters
    ----------
    graph : sparse array of shape (n, n)
        A positive entry for each edge, in both directions.
    """

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self._is_long = False

    def count(self, nodes: Indices) -> Array:
        """Return the number of edges from some nodes to every node (k × n), inf without a path."""
        hops = np.empty((len(nodes), self.graph.shape[0]))
        for start in range(0, len(nodes), WORD):
            few = slice(start, start + WORD)
            found = None if self._is_long else _from_word(self.graph, nodes[few])
            self._is_long = found is None
            hops[few] = found if found is not None else self._one_by_one(nodes[few])
        return hops

    def _one_by_one(self, nodes: Indices) -> Array:
        return np.array([_from_one(self.graph, node) for node in nodes.tolist()])


def _from_one(graph: Any, node: int) -> Array:
    """Return hops from a node (n).

    Nodes come in the order of their hops, and so do those they were reached from: where the ones
    reached from one step begin, the next step begins.
    """
    from scipy.sparse.csgraph import breadth_first_order

    order, before = breadth_first_order(graph, node, directed=True)
    place = np.empty(graph.shape[0], dtype=np.intp)
    place[order] = np.arange(len(order))
    came_from = place[before[order[1:]]]
    starts = [0, 1]
    while starts[-1] < len(order):
        starts.append(1 + int(np.searchsorted(came_from, starts[-1])))
    hops = np.full(graph.shape[0], np.inf)
    hops[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return hops


def _from_word(graph: Any, nodes: Indices) -> Array | None:
    """Return hops from at most 64 nodes (k × n)."""
    joined = np.flatnonzero(np.diff(graph.indptr))
    starts = graph.indptr[joined]
    front = np.zeros(graph.shape[0], dtype=np.uint64)
    np.bitwise_or.at(front, nodes, np.uint64(1) << np.arange(len(nodes), dtype=np.uint64))
    seen, hops = front.copy(), np.zeros((graph.shape[0], len(nodes)), dtype=np.uint8)
    for _ in range(MANY_LEVELS):
        next_front = np.zeros_like(front)
        next_front[joined] = np.bitwise_or.reduceat(front[graph.indices], starts)
        front = next_front & ~seen
        if not front.any():
            reached = _bits(seen, len(nodes))  # still small numbers, which are quick to turn
            return np.where(np.ascontiguousarray(reached.T), np.ascontiguousarray(hops.T), np.inf)
        hops += _bits(~seen, len(nodes))
        seen |= front
    return None


def _bits(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Return the first bits of each word (n × n_bits), as numbers 0 and 1."""
    octets = words.astype("<u8").view(np.uint8).reshape(len(words), -1)
    return np.unpackbits(octets, axis=1, count=n_bits, bitorder="little")
