"""Dissimilarities between the nodes of a graph, searched when asked."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from typing import Any, Literal

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import EVERY, Index, Relation, to_power
from relrbf.relations.graphs.edges import Edges, as_ids
from relrbf.relations.graphs.judge import as_symmetric, judge_edges
from relrbf.relations.graphs.measure import Measure
from relrbf.relations.graphs.options import check_options
from relrbf.relations.graphs.parts import Parts, check_parts, find_parts, warn_apart
from relrbf.relations.graphs.paths import Paths
from relrbf.relations.graphs.read import read_graph
from relrbf.relations.graphs.resistances import Resistances
from relrbf.relations.graphs.rows import Rows

AT_ONCE = 64  # nodes that either measure treats together
BATCH_BYTES = 2**27  # of rows that are searched at once
MEASURES: dict[str, Callable[..., Measure]] = {"shortest-path": Paths, "resistance": Resistances}
USUAL_EXPONENT = {"shortest-path": 2.0, "resistance": 1.0}


class GraphRelation(Relation):
    """Dissimilarities between the nodes of a graph: shortest paths, or effective resistances.

    Nothing n × n is ever computed. A block costs one search (or one solution of a linear system)
    for each of its rows or columns, whichever are fewer, and what was found is kept within a
    budget. ``docs/graphs.md`` says what each policy does and what each distance costs.

    Parameters
    ----------
    adjacency : sparse array, (n, n) array, networkx graph, list of tuples, or (m, 2 or 3) array
        The graph. In a dense array 0 means no edge. A networkx graph's nodes become ids, and its
        edges' attribute ``weight`` the weights. Edges (i, j) or (i, j, weight) need not be said in
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
        Meaning of weights that are zero and yet said: edges of no length, or no edges.
    exponent : {2, 1} or None, default=None
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
        policies = {
            "distance": distance,
            "weights": weights,
            "directed": directed,
            "disconnected": disconnected,
            "duplicates": duplicates,
            "zeros": zeros,
        }
        check_options(policies, far, exponent, memory)
        edges = read_graph(adjacency, None if ids is None else as_ids(ids))
        edges = judge_edges(edges, weights, duplicates, directed, zeros)
        self._measure, parts = _make_measure(edges, distance, disconnected, far)
        self._nodes = np.arange(len(parts.labels))
        self._rows = Rows(len(self._nodes), memory)
        self._dtype: np.dtype[Any] = edges.weights.dtype
        self.parts = parts.labels
        self.far = self._measure.far
        self.ids = edges.names.ids
        # a resistance is a squared distance; whether a path is, nobody has said
        self.exponent_given = exponent is not None or distance == "resistance"
        self.exponent = USUAL_EXPONENT[distance] if exponent is None else exponent

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self._nodes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The weights' own dtype."""
        return self._dtype

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, found from its shorter side."""
        places = np.arange(self.n_objects)
        rows, cols = places[rows], places[cols]
        if len(self._rows.missing(cols)) < len(self._rows.missing(rows)):
            return self._between(cols, rows).T
        return self._between(rows, cols)

    def product(self, A: Array) -> Array:
        """Return A S from the rows of S at the columns where A is not zero.

        For resistances under exponent 1, one linear system for each row of A is solved instead.
        """
        whole = self._measure.product(A, self._nodes) if self.exponent == 1 else None
        if whole is not None:
            return whole.astype(self.dtype, copy=False)
        places = np.arange(self.n_objects)
        result = np.zeros((len(A), self.n_objects), dtype=self.dtype)
        for few in self._batches(np.flatnonzero(A.any(axis=0))):
            result += A[:, few] @ to_power(self._between(few, places), self.exponent)
        return result

    def multiplying(self) -> AbstractContextManager[Any]:
        """Return a context to enter around many products in a row."""
        return nullcontext()

    def restrict(self, objects: Index) -> "GraphRelation":
        """Return the relation among some of the nodes; paths still lead through all of them."""
        part = copy(self)
        part._nodes = self._nodes[objects]
        part._rows = Rows(len(part._nodes), self._rows.memory)
        part.parts = self.parts[objects]
        part.ids = None if self.ids is None else self.ids[objects]
        return part

    def _between(self, sources: Indices, targets: Indices) -> Array:
        """Return dissimilarities of objects to objects, from the rows of the former."""
        found = np.empty((len(sources), len(targets)), dtype=self.dtype)
        for few in self._batches(np.arange(len(sources))):
            rows = _columns(self._found(sources[few]), targets)
            nodes = self._nodes[sources[few]], self._nodes[targets]
            found[few] = self._measure.finish(rows, *nodes)
        return found

    def _found(self, sources: Indices) -> Array:
        """Return the rows of some objects; search for those that were not kept."""
        missing = self._rows.missing(sources)
        if len(missing) == 0:
            return self._rows.take(sources)
        if len(missing) == len(sources):
            missing = sources  # in this order, there is nothing to put together
        searched = _columns(self._measure.rows(self._nodes[missing]), self._nodes)
        fresh = dict(zip(missing.tolist(), searched, strict=True))
        found = searched if missing is sources else self._rows.take(sources, fresh)
        self._rows.keep(fresh)
        return found

    def _batches(self, sources: Indices) -> Iterator[Indices]:
        """Cut a list so that the rows of a batch, as wide as the graph, fit in BATCH_BYTES."""
        size = max(1, BATCH_BYTES // (8 * self._measure.n_nodes))
        size -= size % AT_ONCE if size > AT_ONCE else 0
        return (sources[start : start + size] for start in range(0, len(sources), size))


def _columns(rows: Array, places: Indices) -> Array:
    """Return some columns, without a copy where they are all there are."""
    n = rows.shape[1]
    is_all = len(places) == n and np.array_equal(places, np.arange(n))
    return rows if is_all else rows[:, places]


def _make_measure(
    edges: Edges, distance: str, disconnected: str, far: float | None
) -> tuple[Measure, Parts]:
    """Return what finds dissimilarities between nodes, and the connected parts."""
    lengths = as_symmetric(edges)
    parts = find_parts(lengths)
    check_parts(parts, disconnected)
    measure = MEASURES[distance](lengths, parts, far)
    warn_apart(parts, measure.far)
    return measure, parts
