"""Edge lists."""

import numpy as np
import pytest

from relrbf.exceptions import OptionError, RelationError
from relrbf.io import load_matrix

LISTS = {
    "spaces": "a b 1\nb c 2\n",
    "tabs": "a\tb\t1\nb\tc\t2\n",
    "commas and a header": "source,target,weight\na,b,1\nb,c,2\n",
    "decimal commas": "a;b;1,0\nb;c;2,0\n",
    "decimal commas between spaces": "a b 1,0\nb c 2,0\n",
    "decimal commas between bars": "a|b|1,0\nb|c|2,0\n",
    "commas and a space": 'a, "b",1\nb, "c",2\n',
    "comments": "# edges\na b 1\n% more\nb c 2\n",
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_edges_become_paths_between_named_nodes(put, text):
    matrix = load_matrix(put(text, "edges.txt"), graph=True)
    assert matrix.ids.tolist() == ["a", "b", "c"]
    assert matrix.relation().block().tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    assert "a graph of 3 nodes, from 2 edges i j weight" in matrix.notes


def test_nodes_that_are_numbers_come_in_their_order_and_stay_text(put):
    matrix = load_matrix(put("10 2\n2 7\n"), graph=True)
    assert matrix.ids.tolist() == ["2", "7", "10"]
    assert matrix.relation().block()[0].tolist() == [0, 1, 1]


def test_options_go_to_the_graph(put):
    path = put("a b 4\nb a 2\n")
    with pytest.raises(RelationError):
        load_matrix(path, graph=True)
    with pytest.warns(UserWarning, match="directed='min'"):
        assert load_matrix(path, graph={"directed": "min"}).values.block()[0, 1] == 2
    with pytest.raises(OptionError, match="not understood"):
        load_matrix(path, graph={"colour": "red"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b 1\nb c x\n", "line 2: the weight 'x' is not a number"),
        ("a b 1 5\nb c 2 6\n", "line 1: the line has 4 cells"),
        ("source,target,weight\n", "has no edges"),
        ("a b NA\nb c 1\n", "line 1: the weight 'NA' is not a number"),
    ],
)
def test_an_edge_that_is_none_is_named_by_its_line(put, text, message):
    with pytest.raises(RelationError, match=message):
        load_matrix(put(text), graph=True)


def test_a_graph_takes_no_policy_for_a_matrix(put):
    matrix = load_matrix(put("a b 1\nb c 2\n"), graph=True)
    with pytest.raises(OptionError, match="symmetrize"):
        matrix.relation(symmetrize="mean")
    assert matrix.relation(exponent=1).exponent == 1


def test_a_dense_array_of_weights_is_a_graph_when_asked(tmp_path):
    np.save(tmp_path / "A.npy", np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    assert load_matrix(tmp_path / "A.npy", graph=True).values.block()[0].tolist() == [0, 1, 3]
