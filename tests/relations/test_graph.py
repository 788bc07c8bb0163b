"""A graph's relation keeps the contract, and searches no more than it is asked for."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import laplacian, shortest_path
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, inspect_relation
from relrbf.exceptions import RelationWarning
from relrbf.relations import GraphRelation
from relrbf.relations.graph_distances import Resistances, ShortestPaths
from tests.contracts.relation_contract import RelationContract


class TestShortestPaths(RelationContract):
    """In a complete graph no way round is shorter than the edge itself."""

    def make(self, X, exponent=2, ids=None):
        return GraphRelation(cdist(X, X).astype(X.dtype), exponent=exponent, ids=ids)


class TestWithoutMemory(RelationContract):
    def make(self, X, exponent=2, ids=None):
        D = sparse.coo_array(cdist(X, X).astype(X.dtype))
        return GraphRelation(D, exponent=exponent, ids=ids, memory=0)


class TestResistances(RelationContract):
    """The squared distances of a simplex without obtuse angles are resistances of wires."""

    @pytest.fixture
    def X(self, rng):
        return rng.random(40)[:, None]

    def make(self, X, exponent=2, ids=None):
        order = np.argsort(X[:, 0])  # points on a line: a path of wires, whose lengths add up
        lengths = np.diff(X[order, 0])
        W = sparse.coo_array((lengths, (order[:-1], order[1:])), shape=(40, 40))
        W = (W + W.T).astype(X.dtype)
        return GraphRelation(W, distance="resistance", exponent=exponent, ids=ids)


@pytest.fixture
def W(rng):
    """Weights of a sparse graph of 60 nodes in one part."""
    upper = np.triu(rng.random((60, 60)) * (rng.random((60, 60)) < 0.1), 2)
    upper += np.diag(rng.random(59) + 0.1, 1)
    return upper + upper.T


@pytest.fixture
def apart(W):
    """The same without the edges between three parts, of 40, 19 and 1 nodes."""
    label = np.repeat([0, 1, 2], [40, 19, 1])
    return np.where(label[:, None] == label, W, 0)


def floyd_warshall(W):
    D = np.where(W > 0, W, np.inf)
    np.fill_diagonal(D, 0)
    for k in range(len(D)):
        D = np.minimum(D, D[:, [k]] + D[k])
    return D


def resistances(W):
    conductances = np.divide(1, W, out=np.zeros_like(W), where=W > 0)
    P = np.linalg.pinv(laplacian(conductances))
    return np.diag(P)[:, None] + np.diag(P) - 2 * P


def searches_of(monkeypatch, measure):
    """Count the nodes that are searched from."""
    counted, search = [], measure.rows

    def rows(self, nodes):
        counted.extend(nodes)
        return search(self, nodes)

    monkeypatch.setattr(measure, "rows", rows)
    return counted


def test_paths_are_those_of_all_pairs(W):
    relation = GraphRelation(W)
    assert_allclose(relation.block(), floyd_warshall(W), atol=1e-12)
    assert_allclose(relation.block(), shortest_path(W, directed=False), atol=1e-12)


def test_paths_over_equal_edges_count_them(W):
    hops = floyd_warshall((W > 0).astype(float))
    assert_array_equal(GraphRelation(W, weights="ignore").block(), hops)
    assert_allclose(GraphRelation(0.3 * (W > 0)).block(), 0.3 * hops)


def test_more_sources_than_a_word_has_bits(rng):
    W = sparse.random_array((150, 150), density=0.03, rng=rng)
    W = ((W + W.T) > 0).astype(float).tolil()
    W.setdiag(0)
    W[np.arange(149), np.arange(1, 150)] = W[np.arange(1, 150), np.arange(149)] = 1
    assert_array_equal(GraphRelation(W).block(), floyd_warshall(W.toarray()))


def test_a_long_thin_graph_is_measured_as_any_other():
    relation = GraphRelation([(i, i + 1) for i in range(300)])
    assert_array_equal(relation.block(), np.abs(np.subtract.outer(np.arange(301), np.arange(301))))


def test_strengths_are_one_over_lengths(W):
    strengths = np.divide(1, W, out=np.zeros_like(W), where=W > 0)
    for distance in ("shortest-path", "resistance"):
        given = GraphRelation(strengths, weights="strengths", distance=distance)
        assert_allclose(given.block(), GraphRelation(W, distance=distance).block(), atol=1e-12)


def test_resistances_are_those_of_the_pseudo_inverse(W, rng):
    relation = GraphRelation(W, distance="resistance")
    A, R = rng.standard_normal((4, 60)), resistances(W)
    assert_allclose(relation.block(), R, atol=1e-10)
    assert_allclose(relation.product(A), A @ R, atol=1e-10)
    assert_allclose(relation.with_exponent(2).product(A), A @ R**2, atol=1e-10)


def test_parallel_wires_of_one_ohm_have_a_half():
    relation = GraphRelation([(0, 1), (1, 2), (0, 3), (3, 2)], distance="resistance")
    assert_allclose(relation.block([0], [1, 2, 3]), [[0.75, 1.0, 0.75]])


def test_resistances_have_a_vector_dual_and_paths_need_not(k23):
    edges = (k23 == 1).astype(float)
    assert inspect_relation(GraphRelation(edges)).has_vector_dual == {2: False, 1: False}
    assert inspect_relation(GraphRelation(edges, distance="resistance")).has_vector_dual[1]


def test_resistances_are_read_as_squared_distances_and_paths_as_nobody_said(W):
    paths, wires = GraphRelation(W), GraphRelation(W, distance="resistance")
    assert (paths.exponent, paths.exponent_given) == (2, False)
    assert (wires.exponent, wires.exponent_given) == (1, True)
    assert GraphRelation(W, exponent=1).exponent_given


def test_a_block_is_searched_from_its_shorter_side(W, monkeypatch):
    counted = searches_of(monkeypatch, ShortestPaths)
    relation, D = GraphRelation(W), floyd_warshall(W)
    assert_allclose(relation.block(cols=np.array([7, 3])), D[:, [7, 3]])
    assert sorted(counted) == [3, 7]
    assert_allclose(relation.block(np.array([5])), D[[5]])
    assert sorted(counted) == [3, 5, 7]


def test_what_was_found_is_not_searched_again(W, rng, monkeypatch):
    counted = searches_of(monkeypatch, ShortestPaths)
    relation, A = GraphRelation(W), rng.standard_normal((2, 60))
    first = relation.product(A)
    assert_array_equal(relation.with_exponent(2).product(A), first)
    relation.block(slice(0, 30))
    assert len(counted) == 60


def test_a_product_searches_only_where_there_are_coefficients(W, rng, monkeypatch):
    counted = searches_of(monkeypatch, ShortestPaths)
    A = np.zeros((2, 60))
    A[:, [4, 9]] = rng.standard_normal((2, 2))
    assert_allclose(GraphRelation(W).product(A), A @ floyd_warshall(W) ** 2, atol=1e-12)
    assert sorted(counted) == [4, 9]


def test_a_product_with_resistances_needs_the_diagonal_once(W, rng, monkeypatch):
    counted = searches_of(monkeypatch, Resistances)
    relation, A = GraphRelation(W, distance="resistance"), rng.standard_normal((2, 60))
    relation.product(A)
    relation.product(2 * A)
    assert sorted(counted) == list(range(60))


def test_resistances_between_some_nodes_are_solved_for_those_alone(W, monkeypatch):
    counted = searches_of(monkeypatch, Resistances)
    few = np.array([3, 17, 40])
    assert_allclose(
        GraphRelation(W, distance="resistance").restrict(few).block(),
        resistances(W)[np.ix_(few, few)],
        atol=1e-10,
    )
    assert sorted(counted) == [3, 17, 40]


def test_the_budget_bounds_what_is_kept(W, monkeypatch):
    counted = searches_of(monkeypatch, ShortestPaths)
    relation = GraphRelation(W, memory=10 * 60 * 8)
    relation.block()
    relation.block()
    assert len(counted) == 60 + 50


def test_paths_among_some_nodes_lead_through_the_others(W):
    few = np.array([50, 2, 30])
    part = GraphRelation(W, ids=[f"node {i}" for i in range(60)]).restrict(few)
    assert_allclose(part.block(), floyd_warshall(W)[np.ix_(few, few)], atol=1e-12)
    assert part.ids.tolist() == ["node 50", "node 2", "node 30"]


@pytest.mark.parametrize("distance", ["shortest-path", "resistance"])
def test_a_node_may_be_taken_twice(W, rng, distance):
    twice = np.array([5, 5, 8])
    relation, A = GraphRelation(W, distance=distance), rng.standard_normal((2, 3))
    part = relation.restrict(twice)
    assert_allclose(part.block(), relation.block(twice, twice), atol=1e-12)
    assert_allclose(part.product(A), A @ part.block_sq(), atol=1e-12)


@pytest.mark.parametrize("distance", ["shortest-path", "resistance"])
def test_a_pickled_relation_is_the_same(W, distance):
    relation = GraphRelation(W, distance=distance)
    D = relation.block()
    assert_allclose(pickle.loads(pickle.dumps(relation)).block(), D, atol=1e-12)


def test_parts_that_no_path_joins_are_far_from_each_other(apart):
    with pytest.warns(RelationWarning, match=r"3 parts .* of 40, 19, 1 nodes; .* put 819 pairs"):
        relation = GraphRelation(apart, disconnected="far")
    D = floyd_warshall(apart)
    inside = D[np.isfinite(D)].max()
    assert inside <= relation.far <= 2 * inside
    assert_allclose(relation.block(), np.where(np.isinf(D), relation.far, D), atol=1e-12)
    assert_array_equal(relation.parts, np.repeat([0, 1, 2], [40, 19, 1]))
    largest = relation.restrict(relation.parts == 0)
    assert_allclose(largest.block(), D[:40, :40], atol=1e-12)


def test_far_is_as_far_as_the_user_says(apart):
    for distance in ("shortest-path", "resistance"):
        with pytest.warns(RelationWarning, match="at the dissimilarity 77"):
            relation = GraphRelation(apart, distance=distance, disconnected="far", far=77)
        assert relation.block([0], [59]) == 77


def test_resistances_between_parts_keep_the_vector_dual(apart, rng):
    with pytest.warns(RelationWarning, match="3 parts"):
        relation = GraphRelation(apart, distance="resistance", disconnected="far")
    same = relation.parts[:, None] == relation.parts
    R = np.where(same, resistances(apart), relation.far)
    A = rng.standard_normal((3, 60))
    assert R[same].max() <= relation.far
    assert_allclose(relation.block(), R, atol=1e-10)
    assert_allclose(relation.product(A), A @ R, atol=1e-10)
    assert inspect_relation(relation).has_vector_dual[1]


def test_many_leaves_far_from_each_other_keep_the_vector_dual():
    # a star's leaves lie on a large sphere: twice the largest resistance would not do
    edges = [(0, i) for i in range(1, 30)] + [(30, i) for i in range(31, 60)]
    with pytest.warns(RelationWarning, match="2 parts"):
        relation = GraphRelation(edges, distance="resistance", disconnected="far")
    assert inspect_relation(relation).has_vector_dual[1]
    with pytest.warns(RelationWarning, match="2 parts"):
        nearer = GraphRelation(edges, distance="resistance", disconnected="far", far=4)
    assert not inspect_relation(nearer).has_vector_dual[1]


@pytest.mark.filterwarnings("ignore:No vectors have")  # those of paths need not
@pytest.mark.parametrize("distance", ["shortest-path", "resistance"])
def test_a_network_trains_on_a_graph_as_on_its_matrix(W, rng, distance):
    relation = GraphRelation(W, distance=distance, exponent=1)
    y = (np.arange(60) > 30).astype(int)
    known, others = np.split(rng.permutation(60), [40])
    D = relation.block()
    options = {"random_state": 0, "exponent": 1, "n_prototypes": 3}
    ours = RBFNetworkClassifier(**options).fit(relation.restrict(known), y[known])
    dense = RBFNetworkClassifier(**options).fit(D[np.ix_(known, known)], y[known])
    assert_allclose(
        ours.decision_function(relation[np.ix_(others, known)]),
        dense.decision_function(D[np.ix_(others, known)]),
        atol=1e-8,
    )
    model = RBFNetworkRegressor(metric=relation, **options).fit(known[:, None], known)
    assert model.predict(others[:, None]).shape == (20,)
