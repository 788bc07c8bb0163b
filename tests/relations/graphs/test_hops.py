"""Edges on shortest paths, counted from many nodes at once or from one, as Dijkstra counts them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from relrbf.relations import GraphRelation
from relrbf.relations.graphs.hops import MANY_LEVELS, Hops


def line_of(n):
    ends = np.arange(n - 1), np.arange(1, n)
    half = sparse.coo_array((np.ones(n - 1), ends), shape=(n, n))
    return (half + half.T).tocsr()


@pytest.mark.parametrize("n", [3, MANY_LEVELS - 1, MANY_LEVELS + 5, 300])
def test_lines_short_and_long(n):
    graph = sparse.block_diag([line_of(n), line_of(4), sparse.csr_array((1, 1))]).tocsr()
    nodes = np.array([0, n // 2, n + 1, n + 4])
    assert_array_equal(Hops(graph).count(nodes), dijkstra(graph, unweighted=True, indices=nodes))


@pytest.mark.parametrize("n_edges", [90, 130, 400])
def test_random_graphs_one_by_one(rng, n_edges, monkeypatch):
    monkeypatch.setattr("relrbf.relations.graphs.hops.MANY_LEVELS", 1)
    ends = rng.integers(0, 100, (2, n_edges))
    half = sparse.coo_array((np.ones(n_edges), ends), shape=(100, 100))
    graph = (half + half.T).tocsr()
    hops = Hops(graph)
    assert_array_equal(hops.count(np.arange(100)), dijkstra(graph, unweighted=True))
    assert_array_equal(hops.count(np.array([7])), dijkstra(graph, unweighted=True, indices=[7]))


@pytest.mark.parametrize("is_weighted", [True, False])
def test_a_large_graph_is_numbered_anew_and_nobody_notices(rng, is_weighted, monkeypatch):
    ends = rng.integers(0, 60, (2, 150))
    half = sparse.coo_array(
        (rng.uniform(1, 2, 150) if is_weighted else np.ones(150), ends), shape=(60, 60)
    )
    graph = half.tocsr().maximum(half.T.tocsr())
    graph.setdiag(0)
    graph.eliminate_zeros()
    expected = GraphRelation(graph, disconnected="far").block()
    monkeypatch.setattr("relrbf.relations.graphs.paths.MANY", 10)
    relation = GraphRelation(graph, disconnected="far")
    assert_allclose(relation.block(), expected)
    some = rng.permutation(60)[:20]
    assert_allclose(relation.restrict(some).block(), expected[np.ix_(some, some)])
