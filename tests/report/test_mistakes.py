"""The reasons given for a mistake are true."""

import numpy as np

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.report.data import validate_fit
from relrbf.report.objects import explain_mistake, mistakes_table
from tests.report.made import held_out_of


def held_for(D, y, said, sure=0.8, names=None):
    """Return answers for all objects at once, as if each had been held out."""
    model = RBFNetworkClassifier(random_state=0).fit(as_relation(D), y)
    data = validate_fit(model, D, y, names or [f"o{i}" for i in range(len(y))])
    P = np.full((len(y), len(data.classes)), (1 - sure) / (len(data.classes) - 1))
    P[np.arange(len(y)), said] = sure
    return held_out_of(data, (np.arange(len(y)), {"network": np.asarray(said)}, P))


def line(places):
    places = np.asarray(places, dtype=float)
    return np.abs(np.subtract.outer(places, places))


def test_a_duplicate_of_another_class_is_named():
    D = line([0, 0, 1, 2, 10, 11, 12, 13])
    held = held_for(D, list("abaabbbb"), [0, 0, 0, 0, 1, 1, 1, 1])
    row = explain_mistake(held, 1)
    assert row[:5] == ["o1", "b", "a", "0.80", "1 of 1"]
    assert "Its duplicate o0 is of class a." in row[-1]


def test_an_object_at_distance_zero_is_a_duplicate_only_if_all_dissimilarities_agree():
    D = line([0, 0, 1, 2, 10, 11, 12, 13])
    D[1, 2] = D[2, 1] = 1.5
    held = held_for(D, list("abaabbbb"), [0, 0, 0, 0, 1, 1, 1, 1])
    assert "o0, at dissimilarity 0, is of class a." in explain_mistake(held, 1)[-1]


def test_an_object_misclassified_once_is_listed_with_its_wrong_class():
    D = line([0, 1, 2, 3, 10, 11, 12, 13])
    held = held_for(D, list("aaaabbbb"), [1, 0, 0, 0, 1, 1, 1, 1], sure=0.6)
    right = held_for(D, list("aaaabbbb"), [0, 0, 0, 0, 1, 1, 1, 1], sure=0.95)
    folds = [(np.arange(8), part.predictions, part.probabilities) for part in (held, right)]
    both = held_out_of(held.data, *folds)
    assert both.predicted[0] == both.data.y[0]
    table = mistakes_table(both)
    [row] = table.rows
    assert row[:3] == ["o0", "a", "b"]
    assert "Wrong in 1 of 2 repetitions." in row[-1]
    assert "Its mean prediction is correct: 0.68." in row[-1]
    assert table.title == "Wrong when held out: 1"


def test_neighbours_of_other_classes_are_counted():
    D = line([0, 1, 2, 3.5, 10, 11, 12, 13])
    held = held_for(D, list("aaabbbbb"), [0, 0, 0, 0, 1, 1, 1, 1])
    assert "None of its 3 nearest objects is of class b." in explain_mistake(held, 3)[-1]
    assert explain_mistake(held, 3)[-2] == "o2 (a, 1.5), o1 (a, 2.5), o0 (a, 3.5)"


def test_where_every_object_has_a_prototype_its_nearest_objects_are_outweighed():
    D = line([0, 1, 2, 3, 10, 11, 12, 13])
    held = held_for(D, list("aaaabbbb"), [1, 0, 0, 0, 1, 1, 1, 1])
    why = explain_mistake(held, 0)[-1]
    assert "Its nearest objects are of its own class: farther ones outweigh them." in why


def test_close_calls_small_classes_and_isolated_objects_are_reasons():
    D = line([0, 1, 2, 3, 10, 11, 12, 60])
    held = held_for(D, list("aaaabbbb"), [0, 0, 0, 0, 1, 1, 1, 0], sure=0.51)
    why = explain_mistake(held, 7)[-1]
    assert "A close call: 0.49 for its own class." in why
    assert "Its class has only 4 objects." in why
    assert "It is isolated." in why


def test_the_most_confident_mistakes_come_first_and_only_so_many(monkeypatch):
    monkeypatch.setattr("relrbf.report.objects.MAX_LISTED_MISTAKES", 2)
    D = line([0, 1, 2, 3, 10, 11, 12, 13])
    held = held_for(D, list("aaaabbbb"), [1, 1, 1, 0, 1, 1, 1, 1])
    held.probabilities[2] = [0.1, 0.9]
    table = mistakes_table(held)
    assert [row[0] for row in table.rows] == ["o2", "o0"]
    assert table.keys == ["o2", "o0"]
    assert table.title == "Wrong when held out: the first 2 of 3"
    assert len(table.download[1].splitlines()) == 4  # the file has all, under a header


def test_the_file_of_mistakes_holds_no_formula():
    D = line([0, 1, 2, 3, 10, 11, 12, 13])
    held = held_for(D, list("aaaabbbb"), [1, 0, 0, 0, 1, 1, 1, 1], names=["=1+1", *"bcdefgh"])
    assert mistakes_table(held).download[1].splitlines()[1].startswith("'=1+1,a,b,0.80,1 of 1,")
