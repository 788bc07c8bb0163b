"""Breadth-first search from up to 64 nodes at once: each is a bit of a word at every node."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices

WORD = 64
MANY_LEVELS = 64  # each looks at every edge: in long thin graphs a search per node is quicker


def count_hops(graph: Any, nodes: Indices) -> Array | None:
    """Return the number of edges to every node (k × n), inf where there is no path.

    None where paths are so long that another search is quicker.
    """
    hops = np.empty((len(nodes), graph.shape[0]))
    for start in range(0, len(nodes), WORD):
        few = slice(start, start + WORD)
        found = _from_word(graph, nodes[few])
        if found is None:
            return None
        hops[few] = found
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
