"""Distances between the nodes of a graph, found row by row: shortest paths, or resistances."""

from abc import ABC, abstractmethod
from threading import Lock
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra, reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError

WORD_BITS = 64  # nodes that are searched from, or solved for, together
MAX_PARALLEL_STEPS = 64  # beyond which a search from each node is quicker
MIN_NODES_RENUMBERED = 20_000  # with more, neighbours are no longer near in memory
# of a sweep for a diagonal, in entries of the factor that a solution passes
COLUMN_COST, ENTRY_COST = 5000, 5
MAX_LOSS = 1e-6  # of resistances, relative, by rounding


def find_components(graph: Any) -> Indices:
    """Return the connected component of each node, counted from the largest on."""
    labels = connected_components(graph, directed=False)[1]
    order = np.argsort(-np.bincount(labels), kind="stable")
    return np.argsort(order)[labels]


class GraphDistance(ABC):
    """Finds rows for some nodes, which are costly and kept, and makes dissimilarities of them.

    Nodes of different components (``labels``) are ``far`` apart; None is a suitable distance.
    """

    def __init__(self, labels: Indices, far: float | None) -> None:
        self.labels, self.n_nodes = labels, len(labels)
        self.is_connected = not labels.any()
        self.far = np.inf if far is None else far
        if far is None and not self.is_connected:
            self.far = self._suitable_far()

    @abstractmethod
    def _suitable_far(self) -> float:
        """Return a dissimilarity that is no smaller than any within a component."""

    @abstractmethod
    def rows(self, nodes: Indices) -> Array:
        """Return the rows of some nodes, a column for every node of the graph (k × n)."""

    @abstractmethod
    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Return dissimilarities of nodes to targets, from the targets' columns of rows."""

    def product(self, A: Array, nodes: Indices) -> Array | None:
        """Return A r for coefficients on some nodes, or None where that takes rows."""
        return None


class ShortestPaths(GraphDistance):
    """Lengths of shortest paths in a symmetric sparse matrix of edges' lengths."""

    def __init__(self, lengths: Any, labels: Indices, far: float | None) -> None:
        self.lengths, length = lengths, float(lengths.data[0])
        self._edge_length = length if length > 0 and (lengths.data == length).all() else None
        self._has_long_paths = False
        self._graph, self._numbers = _renumber(lengths)
        super().__init__(labels, far)

    def rows(self, nodes: Indices) -> Array:
        """Search from each of the nodes: breadth first where all edges are equally long."""
        starts = nodes if self._numbers is None else self._numbers[nodes]
        if self._edge_length is None:
            found = dijkstra(self._graph, directed=True, indices=starts)  # holds both directions
        else:
            found = self._count_edges(starts) * self._edge_length
        return found if self._numbers is None else found[:, self._numbers]

    def _count_edges(self, nodes: Indices) -> Array:
        """Search from 64 nodes at once or, in long thin graphs, from one after the other."""
        counts = np.empty((len(nodes), self.n_nodes))
        for start in range(0, len(nodes), WORD_BITS):
            few = nodes[start : start + WORD_BITS]
            found = None if self._has_long_paths else count_edges(self._graph, few)
            self._has_long_paths = found is None
            if found is None:
                found = dijkstra(self._graph, directed=True, indices=few, unweighted=True)
            counts[start : start + WORD_BITS] = found
        return counts

    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Put what was not reached where the policy says."""
        return rows if self.is_connected else np.where(np.isinf(rows), self.far, rows)

    def _suitable_far(self) -> float:
        """Return twice the largest distance from one node of each component.

        No two nodes of a component are further apart, so that every triangle holds.
        """
        one_each = np.unique(self.labels, return_index=True)[1]
        reached = dijkstra(self.lengths, directed=True, indices=one_each, min_only=True)
        return 2 * float(reached.max())


def _renumber(lengths: Any) -> tuple[Any, Indices | None]:
    """Return a large graph with neighbours numbered alike, and each node's number in it.

    A search then finds what it needs next in the processor's cache.
    """
    if lengths.shape[0] < MIN_NODES_RENUMBERED:
        return lengths, None
    order = reverse_cuthill_mckee(lengths, symmetric_mode=True)
    return lengths[order][:, order], np.argsort(order)


def count_edges(graph: Any, nodes: Indices) -> Array | None:
    """Return the number of edges from at most 64 nodes to every node (k × n), inf without a path.

    Each of the nodes is a bit of a word at every node, and every step looks at every edge: many
    times as fast as scipy's searches from one node after the other. None after too many steps.
    """
    joined = np.flatnonzero(np.diff(graph.indptr))
    starts = graph.indptr[joined]
    front = np.zeros(graph.shape[0], dtype=np.uint64)
    np.bitwise_or.at(front, nodes, np.uint64(1) << np.arange(len(nodes), dtype=np.uint64))
    seen, counts = front.copy(), np.zeros((graph.shape[0], len(nodes)), dtype=np.uint8)
    for _ in range(MAX_PARALLEL_STEPS):
        next_front = np.zeros_like(front)
        next_front[joined] = np.bitwise_or.reduceat(front[graph.indices], starts)
        front = next_front & ~seen
        if not front.any():
            reached = _bits(seen, len(nodes))  # still small numbers, which are quick to transpose
            return np.where(np.ascontiguousarray(reached.T), np.ascontiguousarray(counts.T), np.inf)
        counts += _bits(~seen, len(nodes))
        seen |= front
    return None


def _bits(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Return the first bits of each word (n × n_bits), as numbers 0 and 1."""
    octets = words.astype("<u8").view(np.uint8).reshape(len(words), -1)
    return np.unpackbits(octets, axis=1, count=n_bits, bitorder="little")


class Resistances(GraphDistance):
    """Effective resistances within components, every edge a wire.

    L   n × n   the graph's Laplacian, degrees minus conductances
    G   n × n   inverse of L without one node of each component (its *ground*), zero at the grounds
    r           ``r_ij = G_ii + G_jj - 2 G_ij`` within a component: squared distances of vectors

    G is never held. A factor of L is; a row of G then is one solution. The diagonal of G is found
    once: for a few nodes as many solutions, for many from the factor itself.
    """

    def __init__(self, lengths: Any, labels: Indices, far: float | None) -> None:
        conductances = lengths.copy()
        conductances.data = 1 / lengths.data
        self._degrees = conductances.sum(axis=1)
        self._laplacian = sparse.diags_array(self._degrees, format="csr") - conductances
        self._diagonal = np.full(len(labels), np.nan)
        self._factor: Any = None
        self._lock = Lock()
        super().__init__(labels, far)

    def rows(self, nodes: Indices) -> Array:
        """Solve for some rows of G (k × n)."""
        found = np.empty((len(nodes), self.n_nodes))
        for start in range(0, len(nodes), WORD_BITS):
            few = slice(start, start + WORD_BITS)
            units = np.zeros((len(nodes[few]), self.n_nodes))
            units[np.arange(len(units)), nodes[few]] = 1
            found[few] = self._solve(units)
        self._diagonal[nodes] = found[np.arange(len(nodes)), nodes]
        return found

    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Return ``G_ii + G_jj - 2 G_ij``."""
        r = self._diagonal_at(nodes)[:, None] + self._diagonal_at(targets) - 2 * rows
        r[nodes[:, None] == targets] = 0  # exactly
        if not self.is_connected:
            r[self.labels[nodes][:, None] != self.labels[targets]] = self.far
        return r

    def product(self, A: Array, nodes: Indices) -> Array:
        """Return A r: as many solutions as A has rows, and the diagonal of G."""
        diagonal, labels = self._diagonal_at(nodes), self.labels[nodes]
        n_components = int(self.labels.max()) + 1
        sums = _sum_columns(A, labels, n_components)[:, labels]
        weighted = _sum_columns(A * diagonal, labels, n_components)[:, labels]
        spread = _sum_columns(A, nodes, self.n_nodes)  # a node may be there more than once
        within = sums * diagonal + weighted - 2 * self._solve(spread)[:, nodes]
        if self.is_connected:
            return within
        return within + self.far * (A.sum(axis=1)[:, None] - sums)

    def _diagonal_at(self, nodes: Indices) -> Array:
        """Return the diagonal of G at some nodes; each is solved for once."""
        todo = np.unique(nodes[np.isnan(self._diagonal[nodes])])
        if len(todo) > WORD_BITS:
            live, factor = self._factors()
            found = inverse_diagonal(factor, len(todo))
            if found is not None:
                self._diagonal = np.zeros(self.n_nodes)
                self._diagonal[live] = found
                return self._diagonal[nodes]
        for start in range(0, len(todo), WORD_BITS):
            self.rows(todo[start : start + WORD_BITS])
        return self._diagonal[nodes]

    def _solve(self, right: Array) -> Array:
        """Return right @ G, for rows on all nodes."""
        live, factor = self._factors()
        found = np.zeros_like(right)
        with self._lock:
            found[:, live] = factor.solve(right[:, live].T).T
        return found

    def _factors(self) -> tuple[Indices, Any]:
        """Return the nodes that are no grounds, and the factor of L among them.

        The ground is the best connected node of a component: what is close to all keeps G small.
        """
        with self._lock:
            if self._factor is None:
                order = np.argsort(-self._degrees, kind="stable")
                grounds = order[np.unique(self.labels[order], return_index=True)[1]]
                live = np.setdiff1d(np.arange(self.n_nodes), grounds)
                grounded = self._laplacian[live][:, live].tocsc()
                # positive definite: no pivoting, and an ordering for symmetric matrices
                options = {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
                try:
                    factor = splu(grounded, "MMD_AT_PLUS_A", **options)
                    # ones, but for rounding: what the grounds give flows back to them
                    ones = factor.solve(-self._laplacian[live][:, grounds].sum(axis=1))
                except RuntimeError:  # exactly singular
                    ones = np.zeros(1)
                if not np.allclose(ones, 1, rtol=0, atol=MAX_LOSS):
                    raise RelationError(
                        "adjacency has edges so much longer than others that resistances are lost "
                        "in rounding. Leave them out, or use distance='shortest-path'."
                    )
                self._factor = live, factor
        return self._factor

    def _suitable_far(self) -> float:
        """Return a resistance between components that keeps vectors possible.

        The nodes of a component lie on a sphere, whose squared radius is g'Lg / 4 with g the
        diagonal of G. In subspaces of their own, the spheres of all components fit into one of
        twice the largest squared radius; twice that, and no two nodes of a component are further
        apart than two components.
        """
        g = self._diagonal_at(np.arange(self.n_nodes))
        radii_sq = np.bincount(self.labels, g * (self._laplacian @ g)) / 4
        return 4 * float(radii_sq.max())

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_factor": None, "_lock": None}  # neither can leave the process

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())


def _sum_columns(A: Array, groups: Indices, n_groups: int) -> Array:
    """Return the sum of the columns of each group (c × groups)."""
    n = len(groups)
    member = sparse.csr_array((np.ones(n), groups, np.arange(n + 1)), shape=(n, n_groups))
    return A @ member


def inverse_diagonal(factor: Any, n_wanted: int) -> Array | None:
    """Return the diagonal of the inverse of a symmetric matrix that ``splu`` has factorised.

    Of the inverse Z of L D L', ``Z = D^-1 L^-1 + (I - L') Z`` (Takahashi 1973): a column follows
    from those to its right, and only entries where L has some are needed. None where a solution for
    each of the entries that are wanted costs less, or rows and columns were permuted differently.
    """
    lower, own, order = factor.L, 1 / factor.U.diagonal(), factor.perm_r
    lower.sort_indices()
    n, lengths, indices = len(order), np.diff(lower.indptr), lower.indices.astype(np.int64)
    cost = COLUMN_COST * n + ENTRY_COST * float(np.square(lengths, dtype=float).sum())
    if cost > n_wanted * float(lower.nnz) or not np.array_equal(order, factor.perm_c):
        return None
    keys = np.repeat(np.arange(n), lengths) * n + indices
    Z, last, block = np.zeros(lower.nnz), indices[:0], np.zeros((0, 0))
    for j in range(n - 1, -1, -1):
        below = slice(lower.indptr[j] + 1, lower.indptr[j + 1])
        rows, L = indices[below], lower.data[below]
        if np.array_equal(rows, np.append(j + 1, last)):  # the last column's entries, and its own
            column = Z[lower.indptr[j + 1] : lower.indptr[j + 2]]
            block = np.block([[column[None]], [column[1:, None], block]])
        else:  # Z is symmetric, and its lower half is held
            ends = np.minimum.outer(rows, rows) * n + np.maximum.outer(rows, rows)
            block = Z[np.searchsorted(keys, ends)]
        Z[below] = -(block @ L)
        own[j] -= L @ Z[below]
        Z[below.start - 1], last = own[j], rows
    return own[order]
