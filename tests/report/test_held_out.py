"""Who is held out, what rivals say, and how differences are judged."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.exceptions import OptionError
from relrbf.report.accuracy import _calibration_facts
from relrbf.report.case import EMPTY, Case
from relrbf.report.folds import parts_without_twins, plan_for
from relrbf.report.held_out import Answers, HeldOut, hold_out
from relrbf.report.rivals import baseline, neighbour_votes, rival_answers
from relrbf.report.scores import Lead, goodness, lead_over, score_of
from relrbf.report.summary import _probabilities, sure_and_right
from tests.report.made import made_classes, made_regressor


def case_of(y, D=None):
    y = np.asarray(y)
    n = len(y)
    D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float) if D is None else D
    names = np.arange(n).astype(str)
    classes = np.array(list("abcdefgh"))[: y.max() + 1] if y.dtype.kind == "i" else EMPTY
    return Case(as_relation(D), names, y, classes)


def test_parts_hold_every_object_out_once_per_repetition():
    case = case_of(np.arange(40) % 2)
    plan = plan_for(case, 5, 3)
    held = np.concatenate([part.test for part in plan.parts(case, 0)])
    assert np.bincount(held).tolist() == [3] * 40
    assert str(plan) == "5-fold cross-validation, 3 times"


def test_small_classes_ask_for_fewer_parts_and_say_so():
    plan = plan_for(case_of([0] * 20 + [1] * 3), 5, None)
    assert plan.n_splits == 3
    assert "the smallest class has 3 objects" in " ".join(plan.notes)


def test_a_single_object_is_not_asked_to_be_in_two_parts():
    case = case_of([0] * 8 + [1] * 8 + [2])
    plan = plan_for(case, 4, 1)
    assert plan.n_splits == 4
    assert "One class is of a single object" in plan.notes[0]
    assert len(plan.parts(case, 0)) == 4


def test_many_objects_are_held_out_once():
    plan = plan_for(case_of(np.arange(1200) % 2, np.zeros((1200, 1200))), 5, None)
    assert (plan.n_repeats, plan.notes) == (
        1,
        ("With more than 1,000 objects each is held out once only.",),
    )


def test_one_class_of_two_cannot_be_held_out():
    with pytest.raises(OptionError, match="fewer than two classes"):
        plan_for(case_of([0, 0, 0, 1]), 5, 1)


def test_copies_are_never_on_both_sides():
    D, _ = made_classes(n=12)
    copies = np.tile(np.arange(12), 3)
    case = case_of(np.arange(36) % 3, D[np.ix_(copies, copies)])
    assert case.n_twins == 24
    assert case.n_copies.tolist() == [2] * 36
    parts = parts_without_twins(case, 4, 0)
    assert len(parts) == 4
    for part in parts:
        assert not set(copies[part.train]) & set(copies[part.test])


@pytest.mark.parametrize("k", [1, 3, 9])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_vote_as_those_of_scikit_learn(rng, k, weights):
    X, X_new = rng.standard_normal((40, 2)), rng.standard_normal((15, 2))
    D_new = np.linalg.norm(X_new[:, None] - X, axis=2)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    for y, kind in (
        (rng.integers(3, size=40), KNeighborsClassifier),
        (X[:, 0], KNeighborsRegressor),
    ):
        theirs = kind(k, metric="precomputed", weights=weights).fit(D, y).predict(D_new)
        has_classes = kind is KNeighborsClassifier
        ours = neighbour_votes(y, D_new, k, weights == "distance", has_classes)
        np.testing.assert_allclose(ours, theirs)


def test_rivals_learn_classes_and_numbers():
    D, names = made_classes(n=60, spread=0.3)
    y = np.unique(names, return_inverse=True)[1]
    train, test = np.arange(40), np.arange(40, 60)
    blocks = D[np.ix_(train, train)], y[train], D[np.ix_(test, train)]
    for said in rival_answers(*blocks, has_classes=True, seed=0).values():
        assert np.mean(said == y[test]) > 0.9
    _, D, t = made_regressor(60)
    blocks = D[np.ix_(train, train)], t[train], D[np.ix_(test, train)]
    for said in rival_answers(*blocks, has_classes=False, seed=0).values():
        assert np.corrcoef(said, t[test])[0, 1] > 0.6


def test_the_baseline_says_the_largest_class_or_the_mean():
    assert baseline(np.array([2, 1, 1]), 2, True).tolist() == [1, 1]
    assert baseline(np.array([2.0, 1.0]), 2, False).tolist() == [1.5, 1.5]


def test_held_out_answers_are_gathered_by_object():
    case = case_of([0, 1, 0, 1])
    P = np.array([[0.9, 0.1], [0.6, 0.4]])
    first = Answers(np.array([0, 1]), {"network": np.array([0, 0]), "x": np.array([1, 1])}, P, 2)
    second = Answers(
        np.array([2, 3]), {"network": np.array([0, 1]), "x": np.array([0, 1])}, P[:, ::-1], 2
    )
    held = HeldOut(case, [first, second])
    assert held.predicted.tolist() == [0, 0, 1, 1]
    assert held.wrong.tolist() == [1]
    assert held.times_wrong.tolist() == [0, 1, 0, 0]
    assert held.confusion.tolist() == [[2, 0], [1, 1]]
    assert goodness(held, "network").tolist() == [0.5, 1.0]
    lead = lead_over(held, "x")
    assert lead.mean == 0
    assert lead.verdict == "level"


def twice_answered():
    """Two repetitions: the networks are sure of different classes, their mean is not."""
    case = case_of([0, 1, 1])
    P, Q = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]), np.array([[0.3, 0.7]])
    first = Answers(np.array([0, 1, 2]), {"network": np.array([0, 1, 0])}, P, 2)
    second = Answers(np.array([0]), {"network": np.array([1])}, Q, 2)
    third = Answers(np.array([2, 1]), {"network": np.array([1, 1])}, Q[[0, 0]], 2)
    return HeldOut(case, [first, second, third])


def test_calibration_counts_every_answer_not_their_mean():
    held = twice_answered()
    sure, right = sure_and_right(held)
    assert sure == pytest.approx((0.9 + 0.8 + 0.7 + 3 * 0.7) / 6)
    assert right == pytest.approx(4 / 6)
    assert held.n_answers == 6
    assert held.stated.shape == (6, 2)
    assert held.probabilities[0].tolist() == pytest.approx([0.6, 0.4])
    loss = -np.log([0.9, 0.8, 0.3, 0.3, 0.7, 0.7]).mean()
    assert _calibration_facts(held) == [
        ("mean probability of what it says", f"{sure:.3f}, and it is right in 0.667"),
        ("log-loss", f"{loss:.3f}"),
    ]


@pytest.mark.parametrize(
    ("n", "sure", "n_right", "told"),
    [
        (1500, 0.94, 1485, "Its probabilities are too modest: 0.94 on average, and right in 0.99."),
        (1500, 0.94, 1350, "Watch: its probabilities are too high"),
        (1500, 0.94, 1425, "Trust: its probabilities mean what they say"),  # 0.01 is too little
        (40, 0.9, 34, "Trust: its probabilities mean what they say"),  # 0.05 of few is chance
    ],
)
def test_probabilities_are_judged_by_what_chance_explains(n, sure, n_right, told):
    y = np.arange(n) % 2
    said = np.where(np.arange(n) < n_right, y, 1 - y)
    P = np.full((n, 2), 1 - sure)
    P[np.arange(n), said] = sure
    case = case_of(y, np.zeros((n, n)))
    held = HeldOut(case, [Answers(np.arange(n), {"network": said}, P, n)])
    [sentence] = _probabilities(held)
    assert sentence.startswith(told)


def test_accuracy_is_the_share_of_all_answers_that_are_right():
    held = twice_answered()  # parts of three, one and two objects
    assert score_of(held, "network").mean == pytest.approx(4 / 6)
    assert np.trace(held.confusion) / 3 == pytest.approx(4 / 6)
    assert sure_and_right(held)[1] == pytest.approx(4 / 6)
    assert held.times_wrong.tolist() == [1, 0, 1]


def test_equal_probabilities_leave_it_to_what_was_said():
    case = case_of([0, 1])
    P = np.full((2, 2), 0.5)
    held = HeldOut(case, [Answers(np.array([0, 1]), {"network": np.array([0, 1])}, P, 2)])
    assert held.predicted.tolist() == [0, 1]


def numbers_held(tests, y):
    """Return answers that are off by 0.1, and a baseline, for parts of a regression."""
    y = np.asarray(y, dtype=float)
    answers = [
        Answers(test, {"network": y[test] + 0.1, "baseline": 0 * y[test]}, None, len(y))
        for test in map(np.array, tests)
    ]
    return HeldOut(case_of(y), answers)


def test_parts_of_one_object_or_of_equal_targets_have_an_r2():
    held = numbers_held([[0, 1], [2], [3, 4]], [0, 1, 2, 5, 5])
    np.testing.assert_allclose(goodness(held, "network"), 1 - 0.01 / np.var(held.case.y))
    assert np.isfinite(lead_over(held, "baseline").mean)


def test_r2_over_parts_is_that_of_all_answers():
    held = numbers_held([[0, 1, 2], [4], [3, 5]], [0, 1, 2, 5, 5, 7])
    for model in ("network", "baseline"):
        assert score_of(held, model).mean == pytest.approx(r2_score(*held.all_of(model)))


def test_equal_targets_leave_nothing_to_explain():
    assert goodness(numbers_held([[0], [1]], [3, 3]), "network").tolist() == [0, 0]


def test_three_numbers_cannot_be_held_out():
    with pytest.raises(OptionError, match="takes 4"):
        plan_for(case_of([0.0, 1.0, 2.0]), 5, 1)


def test_an_object_says_its_class_without_listing_all(monkeypatch):
    monkeypatch.delattr(Case, "labels")
    assert case_of([0, 1]).said(1) == "b"
    assert case_of([0.5, 1.25]).said(1) == "1.25"


def test_the_svm_weighs_classes_as_the_network_does(rng):
    y = np.array([0] * 45 + [1] * 5)
    X = rng.standard_normal(50) + y
    D = np.abs(np.subtract.outer(X, X))
    found = {}
    for name, weight in (("none", None), ("balanced", "balanced"), ("given", {0: 1.0, 1: 9.0})):
        how = {"has_classes": True, "seed": 0, "class_weight": weight}
        found[name] = rival_answers(D, y, D, **how)
    assert found["balanced"]["SVM"].sum() > found["none"]["SVM"].sum()
    assert found["given"]["SVM"].sum() > found["none"]["SVM"].sum()
    assert found["balanced"]["k-NN"].tolist() == found["none"]["k-NN"].tolist()


def test_class_weights_are_by_position_and_one_where_not_given():
    case = case_of([0, 1, 2])
    model = RBFNetworkClassifier(class_weight={"b": 4.0})
    assert replace(case, model=model).class_weight == {0: 1.0, 1: 4.0, 2: 1.0}
    assert case.class_weight is None


def test_small_differences_may_be_chance():
    assert Lead(0.1, 0.1, 0.2).verdict == "ahead, which may be chance"
    assert Lead(-0.3, 0.1, 0.2).verdict == "behind"


def test_rounding_is_not_a_difference():
    assert Lead(-2.8e-17, 0.1, 0.2).verdict == "level"


def test_equal_classes_give_a_baseline_of_one_half():
    D, _ = made_classes(n=24)
    case = case_of(np.arange(24) % 2, D)
    case = replace(case, model=RBFNetworkClassifier(2, random_state=0, max_iter=5))
    parts = plan_for(case, 5, 1).parts(case, 0)
    held = HeldOut(case, list(hold_out(case, parts, 0, None, rivals=False)))
    assert score_of(held, "baseline").mean == pytest.approx(0.5)


def test_copies_count_for_the_class_that_each_has():
    # the second class is of copies alone, whose first is of the first class
    D = np.abs(np.subtract.outer(np.arange(20) // 2, np.arange(20) // 2)).astype(float)
    case = case_of(np.arange(20) % 2, D)
    assert case.n_twins == 10
    assert case.n_contradicted == 20
    assert len(parts_without_twins(case, 4, 0)) == 4
    assert case_of(np.arange(20) // 10, D).n_contradicted == 0


def test_targets_that_differ_by_rounding_do_not_vary():
    assert not case_of(np.array([0.3, 0.1 + 0.2])).varies
    assert not case_of(np.zeros(3)).varies
    assert case_of(np.array([1e-9, 2e-9])).varies
