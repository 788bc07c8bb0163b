"""Every kind of graph that may come, and what is refused or changed with a warning."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from relrbf.exceptions import OptionError, RelationError, RelationWarning
from relrbf.relations import GraphRelation

TRIANGLE = np.array([[0, 3.0, 1], [3, 0, 1], [1, 1, 0]])  # round the corner is shorter
PATHS = np.array([[0, 2.0, 1], [2, 0, 1], [1, 1, 0]])


class FakeGraph:
    """What is used of a networkx graph, for where networkx is not installed."""

    def __init__(self, nodes, rows, directed=False):
        self.nodes = nodes
        self._rows, self._directed = rows, directed

    def edges(self, data):
        assert data == "weight"
        return self._rows

    def is_directed(self):
        return self._directed


def block(graph, **options):
    return GraphRelation(graph, **options).block()


@pytest.mark.parametrize(
    "graph",
    [
        TRIANGLE,
        TRIANGLE.tolist(),
        TRIANGLE.astype(int),
        sparse.csr_array(TRIANGLE),
        sparse.csc_matrix(TRIANGLE),
        sparse.coo_array(TRIANGLE),
        [(0, 1, 3.0), (1, 2, 1), (0, 2, 1.0)],
        [(0, 1, 3.0), (1, 0, 3.0), (2, 1, 1), (0, 2, 1.0)],  # both ways, where one likes
        np.array([[0, 1, 3], [1, 2, 1], [0, 2, 1], [2, 0, 1]]),
        np.array([[0.0, 1, 3], [1, 2, 1], [0, 2, 1], [2, 0, 1]]),
        pd.DataFrame({"i": [0, 1, 0, 2], "j": [1, 2, 2, 0], "weight": [3, 1, 1, 1]}),
        FakeGraph([0, 1, 2], [(0, 1, 3.0), (1, 2, 1.0), (0, 2, 1.0)]),
    ],
    ids=lambda graph: type(graph).__name__,
)
def test_a_graph_comes_in_many_forms(graph):
    relation = GraphRelation(graph)
    assert_allclose(relation.block(), PATHS)
    assert relation.ids is None


def test_nothing_of_the_users_is_changed():
    graph = sparse.csr_array((np.array([1.0, 1, 3, 2]), np.array([1, 1, 0, 2]), [0, 2, 4, 4]))
    graph.resize(3, 3)
    before = graph.data.copy(), graph.indices.copy()
    with pytest.warns(RelationWarning, match="directed"):
        GraphRelation(graph, directed="min")
    assert_array_equal(graph.data, before[0])
    assert_array_equal(graph.indices, before[1])


def test_names_of_nodes_become_ids():
    relation = GraphRelation([("b", "a", 1), ("b", "c", 2)])
    assert relation.ids.tolist() == ["b", "a", "c"]  # as they first appear
    assert_allclose(relation.block([1]), [[1, 0, 3]])
    assert GraphRelation(np.array([["b", "a", "1"], ["b", "c", "2"]])).block()[1, 2] == 3


def test_numbers_that_do_not_count_from_zero_are_names():
    for graph in ([(7, 3), (3, 9)], np.array([[7, 3], [3, 9], [9, 7], [7, 1]])):
        relation = GraphRelation(graph)
        assert relation.ids.tolist() == sorted({i for edge in graph for i in edge})


def test_ids_name_all_nodes_of_a_list_in_their_order():
    relation = GraphRelation([("a", "b"), ("b", "c")], ids=["c", "b", "a"])
    assert_array_equal(relation.block([0]), [[0, 1, 2]])
    with pytest.raises(RelationError, match="2 parts that no path joins, of 3, 1 nodes"):
        GraphRelation([("a", "b"), ("b", "c")], ids=["c", "b", "a", "alone"])


def test_a_networkx_graph_names_its_nodes():
    relation = GraphRelation(FakeGraph([(0, 0), (0, 1)], [((0, 0), (0, 1), None)]))
    assert relation.ids.tolist() == [(0, 0), (0, 1)]
    assert_array_equal(relation.block(), [[0, 1], [1, 0]])
    swapped = GraphRelation(FakeGraph(["a", "b"], [("a", "b", 1)]), ids=["b", "a"])
    assert swapped.ids.tolist() == ["b", "a"]


def test_networkx_itself():
    nx = pytest.importorskip("networkx")
    graph = nx.karate_club_graph()
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph))
    expected = [[lengths[i][j] for j in graph] for i in graph]
    assert_allclose(block(graph), expected)


def test_a_frame_of_a_matrix_is_matched_by_name():
    frame = pd.DataFrame(TRIANGLE, index=["a", "b", "c"], columns=["a", "b", "c"])
    relation = GraphRelation(frame[["c", "a", "b"]])
    assert relation.ids.tolist() == ["a", "b", "c"]
    assert_allclose(relation.block(), PATHS)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.zeros((3, 3)), "3 nodes and no edge"),
        (sparse.csr_array((4, 4)), "4 nodes and no edge"),
        ([], r"shape \(0,\)"),
        (np.zeros((0, 0)), r"shape \(0, 0\)"),
        (np.zeros((3, 5)), r"shape \(3, 5\); it must be square"),
        (sparse.csr_array((3, 5)), r"shape \(3, 5\)"),
        (np.zeros(4), r"shape \(4,\)"),
        ([[0, 1], [1]], "its rows differ"),
        ([(0, 1), (1, 2, 3.0)], r"holds \(0, 1\)"),
        ([(0, 1, 2, 3)], r"holds \(0, 1, 2, 3\)"),
        ([(0, 1), 5], "holds 5"),
        ([(0, 1, "near")], "the weight, must be a number"),
        ([(0.5, 1)], "node 0.5; nodes are whole numbers"),
        (np.array([[0.5, 1], [1, 2], [2, 3]]), "node 0.5"),
        (np.array([[np.inf, 1], [1, 2], [2, 3]]), "node inf"),
        ([([0], 1)], "nodes that are lists"),
        (np.array([["a", "b"], ["b", "a"]]), "list of tuples"),
        (TRIANGLE.astype(complex), "type complex128"),
        (sparse.csr_array(TRIANGLE.astype(complex)), "type complex128"),
        (-TRIANGLE, r"6 edges whose weight is negative, the first \(0, 1\), of -3"),
        ([("a", "b", -1.0)], r"negative, the first \('a', 'b'\), of -1"),
        (np.where(TRIANGLE == 3, np.nan, TRIANGLE), r"2 edges .* not finite, the first \(0, 1\)"),
        ([(0, 1, np.inf)], r"not finite, the first \(0, 1\), of inf"),
        ([(0, 1, 1), (1, 2, 1e-200)], r"so short .* the first \(1, 2\), of 1e-200"),
        ([(0, 1, 1e200)], "whose square is out of the range"),
        (np.ma.masked_equal(TRIANGLE, 3), "masked array"),
        ([(0, 1), (2, 3)], "2 parts that no path joins, of 2, 2 nodes"),
        (FakeGraph([0, 1, 2], [(0, 1, 1), (1, 2, None)]), r"1 of the 2 edges .* \(1, 2\)"),
    ],
)
def test_what_is_no_graph_is_refused(graph, message):
    with pytest.raises(RelationError, match=message):
        GraphRelation(graph)


def test_an_edge_to_a_node_that_is_not_there_is_refused():
    for edges in ([(0, 1), (1, 5)], np.array([[0, 1], [1, 5], [0, 2]])):
        with pytest.raises(RelationError, match="edge at 5, which is none of the 3 nodes"):
            GraphRelation(edges, ids=range(3))
    with pytest.raises(RelationError, match="edge at -1"):
        GraphRelation([(0, -1)], ids=range(2))
    with pytest.raises(RelationError, match="ids lacks the node 'b'"):
        GraphRelation(FakeGraph(["a", "b"], [("a", "b", 1)]), ids=["a", "c"])


def test_ids_that_do_not_fit_are_refused():
    with pytest.raises(RelationError, match=r"ids has shape \(2,\) for 3 objects"):
        GraphRelation(TRIANGLE, ids=["a", "b"])
    with pytest.raises(RelationError, match="ids must differ; 'a'"):
        GraphRelation(TRIANGLE, ids=["a", "b", "a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distance": "euclidean"}, "distance='euclidean' does not exist"),
        ({"weights": "costs"}, "weights='costs'"),
        ({"directed": True}, "directed=True"),
        ({"disconnected": "drop"}, "disconnected='drop'"),
        ({"duplicates": "first"}, "duplicates='first'"),
        ({"zeros": 0}, "zeros=0"),
        ({"far": 3.0}, "needs disconnected='far'"),
        ({"far": -1, "disconnected": "far"}, "far is -1"),
        ({"far": 0, "disconnected": "far"}, "far is 0"),
        ({"exponent": -3}, "exponent is -3"),
        ({"memory": "much"}, "memory is 'much'"),
        ({"zeros": "keep", "distance": "resistance"}, "edges of no length"),
        ({"zeros": "keep", "weights": "strengths"}, "edges of no length"),
    ],
)
def test_options_that_do_not_exist_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        GraphRelation(TRIANGLE, **options)


def test_loops_are_left_out_and_counted():
    with pytest.warns(RelationWarning, match=r"2 edges from a node to itself, the first \(0, 0\)"):
        relation = GraphRelation(TRIANGLE + np.diag([5.0, 7.0, 0.0]))
    assert_allclose(relation.block(), PATHS)


DIRECTED = np.array([[0, 1.0, 0], [3, 0, 2], [0, 0, 0]])  # 0 ⇄ 1 by 1 and 3, 1 → 2 by 2


def test_a_directed_graph_is_refused_with_how_directed_it_is():
    message = r"of 2 joined pairs of nodes, 1 are joined one way only and 1 by different weights"
    with pytest.raises(RelationError, match=message):
        GraphRelation(DIRECTED)
    with pytest.raises(RelationError, match="directed"):
        GraphRelation(FakeGraph([0, 1], [(0, 1, 1.0)], directed=True))


@pytest.mark.parametrize(("policy", "length"), [("min", 1), ("max", 3), ("mean", 2)])
def test_directions_are_removed_by_a_named_policy(policy, length):
    rows = [(0, 1, 1.0), (1, 0, 3.0), (1, 2, 2.0)]
    for graph in (DIRECTED, sparse.csr_array(DIRECTED), FakeGraph([0, 1, 2], rows, directed=True)):
        with pytest.warns(RelationWarning, match=f"1 are joined one way .* took the {policy}"):
            relation = GraphRelation(graph, directed=policy)
        assert_allclose(relation.block([2]), [[2 + length, 2, 0]])


def test_a_list_of_edges_has_no_directions_but_may_contradict_itself():
    with pytest.raises(RelationError, match="0 are joined one way only and 1 by different"):
        GraphRelation([(0, 1, 1.0), (1, 0, 3.0)])
    with pytest.warns(RelationWarning, match="took the max"):
        assert block([(0, 1, 1.0), (1, 0, 3.0)], directed="max")[0, 1] == 3


def test_rounding_makes_no_direction():
    assert block([(0, 1, 1.0), (1, 0, 1.0 + 1e-12)])[0, 1] == 1


def test_ignored_weights_may_differ():
    assert block(np.array([[0, 1], [3, 0]]), weights="ignore")[0, 1] == 1


@pytest.mark.parametrize(("policy", "length"), [("min", 1), ("max", 4), ("mean", 2), ("sum", 6)])
def test_edges_said_twice_are_merged_by_a_named_policy(policy, length):
    edges = [(0, 1, 1.0), (0, 1, 4.0), (1, 2, 1.0), (0, 1, 1.0)]
    with pytest.raises(RelationError, match=r"1 edges more than once, the first of them \(0, 1\)"):
        GraphRelation(edges)
    with pytest.warns(RelationWarning, match=f"duplicates='{policy}' made one"):
        assert block(edges, duplicates=policy)[0, 1] == length


def test_entries_in_the_same_place_of_a_sparse_matrix_add_up():
    graph = sparse.coo_array(([1.0, 2, 3], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert block(graph)[0, 1] == 3


def test_weights_of_zero_are_what_the_user_says():
    edges = [("a", "b", 0.0), ("b", "c", 1.0), ("a", "c", 5.0)]
    with pytest.raises(RelationError, match=r"1 edges of weight 0, the first \('a', 'b'\)"):
        GraphRelation(edges)
    assert_allclose(block(edges, zeros="keep"), [[0, 0, 1], [0, 0, 1], [1, 1, 0]])
    with pytest.warns(RelationWarning, match="zeros='drop' left them out"):
        assert_allclose(block(edges, zeros="drop")[0], [0, 6, 5])
    explicit = sparse.coo_array(([0.0, 0.0, 1, 1], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    assert_allclose(block(explicit, zeros="keep")[0], [0, 0, 1])
    with (
        pytest.warns(RelationWarning, match="2 edges of weight 0"),
        pytest.raises(RelationError, match="2 parts"),
    ):
        GraphRelation(explicit, zeros="drop")


def test_a_strength_too_small_for_a_length_is_refused():
    with pytest.raises(RelationError, match="1 inf entries"):
        GraphRelation([(0, 1, 1e-320)], weights="strengths")


def test_any_other_object_is_refused_by_its_shape():
    with pytest.raises(RelationError, match=r"shape \(\)"):
        GraphRelation(SimpleNamespace())
