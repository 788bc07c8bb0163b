"""Why an object is wrong is said in words that hold."""

import numpy as np

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.report.case import case_of_fit
from relrbf.report.held_out import Answers, HeldOut
from relrbf.report.mistakes import explain, mistakes_section


def held_for(D, y, said, sure=0.8):
    """Return answers for all objects at once, as if each had been held out."""
    model = RBFNetworkClassifier(random_state=0).fit(as_relation(D), y)
    case = case_of_fit(model, D, y, [f"o{i}" for i in range(len(y))])
    P = np.full((len(y), len(case.classes)), (1 - sure) / (len(case.classes) - 1))
    P[np.arange(len(y)), said] = sure
    return HeldOut(case, [Answers(np.arange(len(y)), {"network": np.asarray(said)}, P, len(y))])


def line(places):
    places = np.asarray(places, dtype=float)
    return np.abs(np.subtract.outer(places, places))


def test_a_copy_of_another_class_is_named():
    D = line([0, 0, 1, 2, 10, 11, 12, 13])
    held = held_for(D, list("abaabbbb"), [0, 0, 0, 0, 1, 1, 1, 1])
    row = explain(held.case, held, 1)
    assert row[:5] == ["o1", "b", "a", "0.80", "1 of 1"]
    assert "Its copy o0 is of another class: a." in row[-1]


def test_an_object_at_distance_zero_is_a_copy_only_if_others_do_not_tell_them_apart():
    D = line([0, 0, 1, 2, 10, 11, 12, 13])
    D[1, 2] = D[2, 1] = 1.5
    held = held_for(D, list("abaabbbb"), [0, 0, 0, 0, 1, 1, 1, 1])
    assert "o0, at distance 0, is of another class: a." in explain(held.case, held, 1)[-1]


def test_an_object_that_is_wrong_once_is_listed_with_what_it_was_taken_for():
    D = line([0, 1, 2, 3, 10, 11, 12, 13])
    held = held_for(D, list("aaaabbbb"), [1, 0, 0, 0, 1, 1, 1, 1], sure=0.6)
    right = held_for(D, list("aaaabbbb"), [0, 0, 0, 0, 1, 1, 1, 1], sure=0.95)
    both = HeldOut(held.case, [*held.answers, *right.answers])
    assert both.predicted[0] == both.case.y[0]
    section = mistakes_section(both.case, both)
    [row] = section.tables[0].rows
    assert row[:3] == ["o0", "a", "b"]
    assert row[4] == "1 of 2"
    assert "By the mean of its answers it is right: 0.68." in row[-1]
    assert "1 of 8 objects is given a wrong class when held out, in one answer" in section.text


def test_neighbours_of_other_classes_are_counted():
    D = line([0, 1, 2, 3.5, 10, 11, 12, 13])
    held = held_for(D, list("aaabbbbb"), [0, 0, 0, 0, 1, 1, 1, 1])
    assert "None of its 3 nearest objects is of class b." in explain(held.case, held, 3)[-1]
    assert explain(held.case, held, 3)[-2] == "o2 (a, 1.5), o1 (a, 2.5), o0 (a, 3.5)"


def test_close_calls_small_classes_and_lonely_objects_are_told():
    D = line([0, 1, 2, 3, 10, 11, 12, 60])
    held = held_for(D, list("aaaabbbb"), [0, 0, 0, 0, 1, 1, 1, 0], sure=0.51)
    why = explain(held.case, held, 7)[-1]
    assert "A close call: 0.49 for its own class." in why
    assert "Its class has 4 objects only." in why
    assert "It lies apart from all others." in why


def test_the_surest_mistakes_come_first_and_only_so_many(monkeypatch):
    monkeypatch.setattr("relrbf.report.mistakes.MOST_LISTED", 2)
    D = line([0, 1, 2, 3, 10, 11, 12, 13])
    held = held_for(D, list("aaaabbbb"), [1, 1, 1, 0, 1, 1, 1, 1])
    held.answers[0].probabilities[2] = [0.1, 0.9]
    section = mistakes_section(held.case, held)
    assert [row[0] for row in section.tables[0].rows] == ["o2", "o0"]
    assert "3 of 8 objects are given a wrong class" in section.text
    assert "Listed are the 2 surest; 1 more is not." in section.text
