"""Searches and diagonals of inverses agree with scipy's and numpy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import splu

from relrbf.relations import GraphRelation, graph_distances
from relrbf.relations.graph_distances import (
    MAX_PARALLEL_STEPS,
    ShortestPaths,
    find_components,
    inverse_diagonal,
)


def line_of(n):
    ends = np.arange(n - 1), np.arange(1, n)
    half = sparse.coo_array((np.ones(n - 1), ends), shape=(n, n))
    return (half + half.T).tocsr()


def search_in(graph):
    return ShortestPaths(graph, find_components(graph), far=np.inf)


@pytest.mark.parametrize("n", [3, MAX_PARALLEL_STEPS - 1, MAX_PARALLEL_STEPS + 5, 300])
def test_edges_along_short_and_long_lines_are_counted_as_dijkstra_counts_them(n):
    graph = sparse.block_diag([line_of(n), line_of(4), sparse.csr_array((1, 1))]).tocsr()
    nodes = np.array([0, n // 2, n + 1, n + 4])
    assert_array_equal(search_in(graph).rows(nodes), dijkstra(graph, indices=nodes))


@pytest.mark.parametrize("n_edges", [90, 130, 400])
def test_random_graphs_searched_from_one_node_at_a_time_have_the_same_counts(
    rng, n_edges, monkeypatch
):
    monkeypatch.setattr("relrbf.relations.graph_distances.MAX_PARALLEL_STEPS", 1)
    ends = rng.integers(0, 100, (2, n_edges))
    half = sparse.coo_array((np.ones(n_edges), ends), shape=(100, 100))
    graph = (half + half.T).tocsr()
    graph.data[:] = 1
    search = search_in(graph)
    assert_array_equal(search.rows(np.arange(100)), dijkstra(graph))
    assert_array_equal(search.rows(np.array([7])), dijkstra(graph, indices=[7]))


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
    monkeypatch.setattr("relrbf.relations.graph_distances.MIN_NODES_RENUMBERED", 10)
    relation = GraphRelation(graph, disconnected="far")
    assert_allclose(relation.block(), expected)
    some = rng.permutation(60)[:20]
    assert_allclose(relation.restrict(some).block(), expected[np.ix_(some, some)])


def grid(side):
    """Return the edges of a square grid with random lengths."""
    nodes = np.arange(side * side).reshape(side, side)
    across = np.column_stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()])
    down = np.column_stack([nodes[:-1].ravel(), nodes[1:].ravel()])
    ends = np.vstack([across, down])
    return np.column_stack([ends, np.random.default_rng(0).random(len(ends)) + 0.5])


def factorised(n, rng):
    A = sparse.random_array((n, n), density=3 / n, rng=rng)
    A = -abs(A + A.T)
    A = sparse.csc_array(A + sparse.diags_array(0.1 - A.sum(axis=1) + A.diagonal()))
    options = {"SymmetricMode": True}
    return A, splu(A, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


@pytest.mark.parametrize("n", [50, 1000])
def test_the_diagonal_is_that_of_the_inverse(rng, n, monkeypatch):
    for name in ("COLUMN_COST", "ENTRY_COST"):
        monkeypatch.setattr(graph_distances, name, 0)
    A, factor = factorised(n, rng)
    expected = np.diagonal(np.linalg.inv(A.toarray()))
    assert_allclose(inverse_diagonal(factor, n_wanted=n), expected, rtol=1e-10)


def test_few_wanted_entries_are_left_to_solutions(rng):
    assert inverse_diagonal(factorised(50, rng)[1], n_wanted=50) is None
    assert inverse_diagonal(factorised(1000, rng)[1], n_wanted=1) is None


def test_resistances_are_the_same_by_sweep_and_by_solutions(monkeypatch):
    few = np.array([0, 500, 1023])
    swept = GraphRelation(grid(32), distance="resistance").block(few)
    monkeypatch.setattr(graph_distances, "COLUMN_COST", np.inf)
    solved = GraphRelation(grid(32), distance="resistance").block(few)
    assert_allclose(swept, solved, atol=1e-12)
