"""Dissimilarities between the nodes of a graph, searched on demand."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from numbers import Real
from typing import Any, Literal

import numpy as np

from relrbf._options import check_choice, check_number
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.relations.base import EVERY, Index, Relation, to_power
from relrbf.relations.graph_distances import (
    WORD_BITS,
    GraphDistance,
    Resistances,
    ShortestPaths,
    find_components,
)
from relrbf.relations.graph_edges import MERGERS, as_symmetric, read_graph, validate_edges
from relrbf.relations.validation import SYMMETRIZERS, check_exponent, square_limit

SEARCH_BYTES = 2**27  # of rows that are searched at once
N_SIZES_SHOWN = 5  # of components, in a message
DISTANCES: dict[str, tuple[Callable[..., GraphDistance], float]] = {  # and the usual exponent
    "shortest-path": (ShortestPaths, 2.0),
    "resistance": (Resistances, 1.0),
}
GRAPH_POLICIES: dict[str, tuple[str, ...]] = {
    "distance": tuple(DISTANCES),
    "weights": ("lengths", "strengths", "ignore"),
    "directed": ("refuse", *SYMMETRIZERS),
    "disconnected": ("refuse", "far"),
    "duplicates": ("refuse", *MERGERS),
    "zeros": ("refuse", "keep", "drop"),
}


class GraphRelation(Relation):
    """Dissimilarities between the nodes of a graph: shortest paths, or effective resistances.

    Nothing n × n is ever computed. A block costs one search (or one solution of a linear system)
    for each of its rows or columns, whichever are fewer, and what was found is kept within a
    budget. ``docs/graphs.md`` says what each policy does and what each distance costs.

    Parameters
    ----------
    adjacency : sparse array, (n, n) array, networkx graph, list of tuples, or (m, 2 or 3) array
        The graph. In a dense array 0 means no edge. A networkx graph's nodes become ids, and its
        edges' attribute ``weight`` the weights. Edges (i, j) or (i, j, weight) need not be given in
        both directions; their nodes may be numbers or names, and names become ids. A square array
        is a matrix: two or three edges go in a list of tuples.
    distance : {"shortest-path", "resistance"}, default="shortest-path"
        Length of the shortest path, or effective resistance, which counts all paths and is a
        squared distance: it always has a vector dual.
    weights : {"lengths", "strengths", "ignore"}, default="lengths"
        What a weight means: a length; a strength, which is one over a length; or nothing, and
        every edge is of length one. A wire's resistance is its length, its conductance its
        strength.
    directed : {"refuse", "mean", "min", "max"}, default="refuse"
        Weight of an edge whose weight differs there and back. An edge one way only goes both ways
        under any policy but "refuse".
    disconnected : {"refuse", "far"}, default="refuse"
        What to do where no path joins all nodes: "far" puts nodes of different parts at one
        dissimilarity. Isolated nodes are parts of their own.
    far : float or None, default=None
        That dissimilarity. None takes one that is no smaller than any within a part.
    duplicates : {"refuse", "min", "max", "mean", "sum"}, default="refuse"
        Weight of an edge that a list, or a networkx graph, has more than once.
    zeros : {"refuse", "keep", "drop"}, default="refuse"
        Meaning of weights that are given as zero: edges of no length, or no edges.
    exponent : float or None, default=None
        ``S = r ** exponent``. None means 2 for paths and 1 for resistances.
    ids : sequence of n names or None, default=None
        Names of the nodes, in their order. Of a list of edges, the names that it uses: all the
        nodes, also those that have no edge.
    memory : float, default=268435456
        Bytes for rows that are kept (256 MiB); those found first stay.

    Attributes
    ----------
    parts : ndarray of shape (n,)
        The connected part of each object, 0 being the graph's largest.
    far : float
        The dissimilarity between parts; infinite where there is one only, and None was given.

    Examples
    --------
    >>> from relrbf.relations import GraphRelation
    >>> relation = GraphRelation([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")])
    >>> relation.block(slice(0, 2))
    array([[0., 1., 2., 1., 2.],
           [1., 0., 1., 2., 3.]])
    >>> relation.ids.tolist()
    ['a', 'b', 'c', 'd', 'e']
    """

    is_costly = True

    def __init__(
        self,
        adjacency: Any,
        *,
        distance: Literal["shortest-path", "resistance"] = "shortest-path",
        weights: Literal["lengths", "strengths", "ignore"] = "lengths",
        directed: Literal["refuse", "mean", "min", "max"] = "refuse",
        disconnected: Literal["refuse", "far"] = "refuse",
        far: float | None = None,
        duplicates: Literal["refuse", "min", "max", "mean", "sum"] = "refuse",
        zeros: Literal["refuse", "keep", "drop"] = "refuse",
        exponent: float | None = None,
        ids: Any = None,
        memory: float = 268435456,
    ) -> None:
        chosen = (distance, weights, directed, disconnected, duplicates, zeros)
        for (name, choices), value in zip(GRAPH_POLICIES.items(), chosen, strict=True):
            check_choice(name, value, choices)
        if exponent is not None:
            check_exponent(exponent)
        check_number("memory", memory, Real, 0)
        if zeros == "keep" and (distance != "shortest-path" or weights != "lengths"):
            raise OptionError(
                "zeros='keep' makes edges of no length, which only distance='shortest-path' with "
                "weights='lengths' can have. Use 'drop' or 'refuse'.",
                "zeros",
            )
        edges = validate_edges(read_graph(adjacency, ids), weights, duplicates, directed, zeros)
        _check_far(far, disconnected, square_limit(edges.weights.dtype))
        lengths = as_symmetric(edges)
        self.parts = find_components(lengths)
        self._distance = _make_distance(distance, lengths, self.parts, disconnected, far)
        self.far = self._distance.far
        self._memory = memory
        self._set_nodes(np.arange(edges.n_nodes))
        self.dtype, self.ids = edges.weights.dtype, edges.ids
        # a resistance is a squared distance; whether a path is depends on the data
        self.exponent_given = exponent is not None or distance == "resistance"
        self.exponent = DISTANCES[distance][1] if exponent is None else exponent

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, found from its shorter side."""
        positions = np.arange(self.n_objects)
        rows, cols = positions[rows], positions[cols]
        if len(self._missing(cols)) < len(self._missing(rows)):
            return self._between(cols, rows).T
        return self._between(rows, cols)

    def product(self, A: Array) -> Array:
        """Return A S from the rows of S at the columns where A is not zero.

        For resistances under exponent 1, one linear system for each row of A is solved instead.
        """
        whole = self._distance.product(A, self._nodes) if self.exponent == 1 else None
        if whole is not None:
            return whole.astype(self.dtype, copy=False)
        positions = np.arange(self.n_objects)
        result = np.zeros((len(A), self.n_objects), dtype=self.dtype)
        for few in self._batches(np.flatnonzero(A.any(axis=0))):
            result += A[:, few] @ to_power(self._between(few, positions), self.exponent)
        return result

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row."""
        return nullcontext()

    def restrict(self, objects: Index) -> "GraphRelation":
        """Return the relation among some of the nodes; paths still lead through all of them."""
        part = copy(self)
        part._set_nodes(self._nodes[objects])
        part.parts = self.parts[objects]
        part.ids = self.ids_of(objects)
        return part

    def _between(self, sources: Indices, targets: Indices) -> Array:
        """Return dissimilarities of objects to objects, from the rows of the former."""
        found = np.empty((len(sources), len(targets)), dtype=self.dtype)
        for few in self._batches(np.arange(len(sources))):
            rows = _columns(self._found(sources[few]), targets)
            nodes = self._nodes[sources[few]], self._nodes[targets]
            found[few] = self._distance.finish(rows, *nodes)
        return found

    def _found(self, sources: Indices) -> Array:
        """Return the rows of some objects; search for those that were not kept.

        Rows are kept as they come until the memory is spent. None is dropped for a later one:
        products read all rows in turn, and of those the oldest would always be the next one needed.
        """
        missing = self._missing(sources)
        searched: dict[int, Array] = {}
        if len(missing):
            rows = _columns(self._distance.rows(self._nodes[missing]), self._nodes)
            searched = dict(zip(missing.tolist(), rows, strict=True))
            n_free = int(self._memory // rows[0].nbytes) - len(self._kept)
            for i in missing.tolist()[: max(n_free, 0)]:
                self._kept[i], self._is_kept[i] = searched[i].copy(), True
        known = self._kept | searched
        return np.stack([known[i] for i in sources.tolist()])

    def _missing(self, objects: Indices) -> Indices:
        """Return those whose rows are not kept, each once."""
        return np.unique(objects[~self._is_kept[objects]])

    def _set_nodes(self, nodes: Indices) -> None:
        self._nodes, self.n_objects = nodes, len(nodes)
        self._kept: dict[int, Array] = {}
        self._is_kept = np.zeros(len(nodes), dtype=bool)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kept": {}, "_is_kept": np.zeros_like(self._is_kept)}

    def _batches(self, sources: Indices) -> Iterator[Indices]:
        """Cut a list so that the rows of a batch, as wide as the graph, fit in SEARCH_BYTES."""
        size = max(1, SEARCH_BYTES // (8 * self._distance.n_nodes))
        size -= size % WORD_BITS if size > WORD_BITS else 0
        return (sources[start : start + size] for start in range(0, len(sources), size))


def _columns(rows: Array, chosen: Indices) -> Array:
    """Return some columns, without a copy where they are all there are."""
    is_all = np.array_equal(chosen, np.arange(rows.shape[1]))
    return rows if is_all else rows[:, chosen]


def _make_distance(
    distance: str, lengths: Any, labels: Indices, disconnected: str, far: float | None
) -> GraphDistance:
    """Return what finds dissimilarities between nodes, whose components the labels are."""
    make, sizes = DISTANCES[distance][0], np.bincount(labels)
    if len(sizes) == 1:
        return make(lengths, labels, far)
    shown = ", ".join(map(str, sizes[:N_SIZES_SHOWN])) + ", ..." * (len(sizes) > N_SIZES_SHOWN)
    found = f"adjacency has {len(sizes)} parts that no path joins, of {shown} nodes"
    if disconnected == "refuse":
        raise RelationError(
            f"{found}.",
            "Join them, leave the small ones out, or put them at one distance from each other with "
            "{disconnected}.",
            {"disconnected": "far"},
        )
    made = make(lengths, labels, far)
    n_apart = (len(labels) ** 2 - int(np.square(sizes).sum())) // 2
    done = f"disconnected='far' put {n_apart} pairs at the dissimilarity {made.far:.6g}"
    warn(f"{found}; {done}.", RelationWarning)
    return made


def _check_far(far: float | None, disconnected: str, limit: float) -> None:
    if far is None:
        return
    check_number("far", far, Real, 0)
    if not 1 / limit <= far <= limit:
        raise OptionError(f"far is {far:g}; it must be from {1 / limit:.3g} to {limit:.3g}.", "far")
    if disconnected != "far":
        raise OptionError("far is the distance between parts: it needs disconnected='far'.", "far")
