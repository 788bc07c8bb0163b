"""Effective resistances: every edge is a wire, and r is what is measured between two nodes.

Symbols
-------
L   n × n   the graph's Laplacian, degrees minus conductances
G   n × n   inverse of L without one node of each part (its *ground*), zero at the grounds
r           ``r_ij = G_ii + G_jj - 2 G_ij`` within a part: squared distances between vectors

G is never held. A factor of L is; a row of G then is one solution. The diagonal of G is found once:
for a few nodes as many solutions, for many from the factor itself.
"""

from threading import Lock
from typing import Any

import numpy as np
from scipy import sparse

from relrbf._typing import Array, Indices
from relrbf.relations.graphs.diagonal import inverse_diagonal
from relrbf.relations.graphs.measure import Measure
from relrbf.relations.graphs.parts import Parts

N_AT_ONCE = 64  # right-hand sides


class Resistances(Measure):
    """Effective resistances within parts; ``far`` between them."""

    def __init__(self, lengths: Any, parts: Parts, far: float | None) -> None:
        self.conductances = lengths.copy()
        self.conductances.data = 1 / lengths.data
        self.parts = parts
        self.n_nodes = len(parts.labels)
        self._diagonal = np.full(self.n_nodes, np.nan)
        self._factor: Any = None
        self._lock = Lock()
        self.far = self._apart(parts, far)

    def rows(self, nodes: Indices) -> Array:
        """Solve for some rows of G (k × n)."""
        found = np.empty((len(nodes), self.n_nodes))
        for start in range(0, len(nodes), N_AT_ONCE):
            few = slice(start, start + N_AT_ONCE)
            units = np.zeros((len(nodes[few]), self.n_nodes))
            units[np.arange(len(units)), nodes[few]] = 1
            found[few] = self._solve(units)
        self._diagonal[nodes] = found[np.arange(len(nodes)), nodes]
        return found

    def finish(self, rows: Array, nodes: Indices, targets: Indices) -> Array:
        """Return ``G_ii + G_jj - 2 G_ij``."""
        r = self._own(nodes)[:, None] + self._own(targets) - 2 * rows
        r[nodes[:, None] == targets] = 0  # exactly
        if len(self.parts) > 1:
            labels = self.parts.labels
            r[labels[nodes][:, None] != labels[targets]] = self.far
        return r

    def product(self, A: Array, nodes: Indices) -> Array:
        """Return A r: as many solutions as A has rows, and the diagonal of G."""
        own, here = self._own(nodes), self.parts.labels[nodes]
        sums = _summed(A, here, len(self.parts))[:, here]
        pulls = _summed(A * own, here, len(self.parts))[:, here]
        spread = _summed(A, nodes, self.n_nodes)  # a node may be there more than once
        within = sums * own + pulls - 2 * self._solve(spread)[:, nodes]
        if len(self.parts) == 1:
            return within
        return within + self.far * (A.sum(axis=1)[:, None] - sums)

    def _own(self, nodes: Indices) -> Array:
        """Return the diagonal of G at some nodes; each is solved for once."""
        todo = np.unique(nodes[np.isnan(self._diagonal[nodes])])
        if len(todo) > N_AT_ONCE and self._found_all(len(todo)):
            return self._diagonal[nodes]
        for start in range(0, len(todo), N_AT_ONCE):
            self.rows(todo[start : start + N_AT_ONCE])
        return self._diagonal[nodes]

    def _found_all(self, n_wanted: int) -> bool:
        """Find the whole diagonal from the factor, where that costs less; tell whether it did."""
        live, factor = self._factors()
        found = inverse_diagonal(factor, n_wanted)
        if found is None:
            return False
        whole = np.zeros(self.n_nodes)
        whole[live] = found
        self._diagonal = whole
        return True

    def _solve(self, right: Array) -> Array:
        """Return right @ G, for rows on all nodes."""
        live, factor = self._factors()
        found = np.zeros_like(right)
        with self._lock:
            found[:, live] = factor.solve(right[:, live].T).T
        return found

    def _factors(self) -> tuple[Indices, Any]:
        with self._lock:
            if self._factor is None:
                self._factor = self._factorised()
        return self._factor

    def _factorised(self) -> tuple[Indices, Any]:
        """Return the nodes that are no grounds, and the factor of L among them."""
        from scipy.sparse.linalg import splu

        live = np.ones(self.n_nodes, dtype=bool)
        live[self._grounds()] = False
        nodes = np.flatnonzero(live)
        grounded = self._laplacian()[nodes][:, nodes].tocsc()
        # positive definite: no pivoting, and an ordering for symmetric matrices
        options = {"SymmetricMode": True}
        return nodes, splu(grounded, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)

    def _laplacian(self) -> Any:
        degrees = sparse.diags_array(self.conductances.sum(axis=1), format="csr")
        return degrees - self.conductances

    def _grounds(self) -> Indices:
        """Return the best connected node of each part: what is close to all keeps G small."""
        order = np.argsort(-self.conductances.sum(axis=1), kind="stable")
        first = np.unique(self.parts.labels[order], return_index=True)[1]
        return order[first]

    def _beyond(self) -> float:
        """Return a resistance between parts that keeps vectors possible.

        The nodes of a part lie on a sphere, whose squared radius is g'Lg / 4 with g the diagonal of
        G. In subspaces of their own, the spheres of all parts fit into one of twice the largest
        squared radius; twice that, and no two nodes of a part are further apart than two parts.
        """
        g = self._own(np.arange(self.n_nodes))
        radii_sq = np.bincount(self.parts.labels, g * (self._laplacian() @ g)) / 4
        return 4 * float(radii_sq.max())

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_factor": None, "_lock": None}  # neither can leave the process

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())


def _summed(A: Array, groups: Indices, n_groups: int) -> Array:
    """Return the sum of the columns of each group (c × groups)."""
    n = len(groups)
    member = sparse.csr_array((np.ones(n), groups, np.arange(n + 1)), shape=(n, n_groups))
    return A @ member
