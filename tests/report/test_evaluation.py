"""Folds, baselines and scores of held-out objects."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import r2_score

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.exceptions import OptionError
from relrbf.report import evaluate
from relrbf.report.baselines import BASELINES, TrainingSet
from relrbf.report.data import FittedData
from relrbf.report.evaluation import (
    BaselineComparison,
    _calibration,
    compare,
    fold_scores,
    score_of,
)
from relrbf.report.held_out import (
    CrossValidation,
    plan_cross_validation,
    predict_held_out,
    splits_without_duplicates,
)
from relrbf.report.sections import log_loss_of
from tests.report.made import held_out_of, made_classes, made_classifier, made_regressor


def data_of(y, D=None):
    y = np.asarray(y)
    n = len(y)
    D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float) if D is None else D
    names = np.arange(n).astype(str)
    classes = np.array(list("abcdefgh"))[: y.max() + 1] if y.dtype.kind == "i" else np.empty(0)
    return FittedData(as_relation(D), names, y, classes, None)


def test_folds_hold_every_object_out_once_per_repetition():
    data = data_of(np.arange(40) % 2)
    plan = plan_cross_validation(data, 5, 3)
    held = np.concatenate([test for _, test in plan.splits(data)])
    assert np.bincount(held).tolist() == [3] * 40
    assert str(plan) == "5-fold cross-validation, 3 repetitions"


def test_small_classes_lead_to_fewer_folds_and_a_note():
    plan = plan_cross_validation(data_of([0] * 20 + [1] * 3), 5, None)
    assert plan.n_splits == 3
    assert "the smallest class has 3 objects" in " ".join(plan.notes)


def test_a_class_of_one_object_is_noted():
    data = data_of([0] * 8 + [1] * 8 + [2])
    plan = plan_cross_validation(data, 4, 1)
    assert plan.n_splits == 4
    assert "One class has a single object" in plan.notes[0]
    assert len(plan.splits(data)) == 4


def test_many_objects_are_held_out_once():
    plan = plan_cross_validation(data_of(np.arange(1200) % 2, np.zeros((1200, 1200))), 5, None)
    assert (plan.n_repeats, plan.notes) == (
        1,
        ("With more than 1,000 objects there is 1 repetition.",),
    )


def test_one_class_of_two_cannot_be_held_out():
    with pytest.raises(OptionError, match="fewer than two classes"):
        plan_cross_validation(data_of([0, 0, 0, 1]), 5, 1)


def test_duplicates_are_never_on_both_sides():
    D, _ = made_classes(n=12)
    origin = np.tile(np.arange(12), 3)
    data = data_of(np.arange(36) % 3, D[np.ix_(origin, origin)])
    assert data.n_duplicates == 24
    assert data.n_equal.tolist() == [2] * 36
    splits = splits_without_duplicates(data, CrossValidation(4, 1))
    assert len(splits) == 4
    for train, test in splits:
        assert not set(origin[train]) & set(origin[test])


def test_baselines_learn_classes_and_targets():
    D, names = made_classes(n=60, spread=0.3)
    y = np.unique(names, return_inverse=True)[1]
    train, test = np.arange(40), np.arange(40, 60)
    known = TrainingSet(D[np.ix_(train, train)], y[train], has_classes=True)
    for predict in BASELINES.values():
        assert np.mean(predict(known, D[np.ix_(test, train)]) == y[test]) > 0.9
    _, D, t = made_regressor(60)
    known = TrainingSet(D[np.ix_(train, train)], t[train], has_classes=False)
    for predict in BASELINES.values():
        assert np.corrcoef(predict(known, D[np.ix_(test, train)]), t[test])[0, 1] > 0.6


def test_predictions_are_gathered_by_object():
    P = np.array([[0.9, 0.1], [0.6, 0.4]])
    held = held_out_of(
        data_of([0, 1, 0, 1]),
        ([0, 1], {"network": [0, 0], "x": [1, 1]}, P),
        ([2, 3], {"network": [0, 1], "x": [0, 1]}, P[:, ::-1]),
    )
    assert held.predicted.tolist() == [0, 0, 1, 1]
    assert held.misclassified.tolist() == [1]
    assert held.n_wrong.tolist() == [0, 1, 0, 0]
    assert held.confusion.tolist() == [[2, 0], [1, 1]]
    assert fold_scores(held, "network").tolist() == [0.5, 1.0]
    comparison = compare(held, "x")
    assert comparison.mean == 0
    assert comparison.outcome == "equal"


def predicted_twice():
    """Two repetitions, in which the networks are confident of different classes."""
    P, Q = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]), np.array([[0.3, 0.7]])
    return held_out_of(
        data_of([0, 1, 1]),
        ([0, 1, 2], {"network": [0, 1, 0]}, P),
        ([0], {"network": [1]}, Q),
        ([2, 1], {"network": [1, 1]}, Q[[0, 0]]),
    )


def test_calibration_counts_every_prediction_not_their_mean():
    held = predicted_twice()
    assert held.confidence.mean() == pytest.approx((0.9 + 0.8 + 0.7 + 3 * 0.7) / 6)
    assert held.is_correct.mean() == pytest.approx(4 / 6)
    assert held.probabilities.shape == (6, 2)
    assert held.mean_probabilities[0].tolist() == pytest.approx([0.6, 0.4])
    loss = -np.log([0.9, 0.8, 0.3, 0.3, 0.7, 0.7]).mean()
    assert log_loss_of(held) == pytest.approx(loss)


@pytest.mark.parametrize(
    ("n", "sure", "n_right", "told"),
    [
        (
            1500,
            0.94,
            1485,
            "Its probabilities are too low: 0.94 on average, with an accuracy",
        ),
        (1500, 0.94, 1350, "Warning: its probabilities are too high"),
        (1500, 0.94, 1425, "Its probabilities are calibrated"),  # 0.01 is too little
        (40, 0.9, 34, "Its probabilities are calibrated"),  # 0.05 of few is chance
    ],
)
def test_probabilities_are_compared_with_what_chance_explains(n, sure, n_right, told):
    y = np.arange(n) % 2
    said = np.where(np.arange(n) < n_right, y, 1 - y)
    P = np.full((n, 2), 1 - sure)
    P[np.arange(n), said] = sure
    held = held_out_of(data_of(y, np.zeros((n, n))), (np.arange(n), {"network": said}, P))
    assert _calibration(held).startswith(told)


def test_accuracy_is_the_share_of_all_predictions_that_are_correct():
    held = predicted_twice()  # folds of three, one and two objects
    assert score_of(held, "network").mean == pytest.approx(4 / 6)
    assert np.trace(held.confusion) / 3 == pytest.approx(4 / 6)
    assert held.n_wrong.tolist() == [1, 0, 1]


def targets_held_out(tests, y):
    """Return predictions with an error of 0.1, and a baseline, for folds of a regression."""
    y = np.asarray(y, dtype=float)
    folds = [(test, {"network": y[test] + 0.1, "baseline": 0 * y[test]}, None) for test in tests]
    return held_out_of(data_of(y), *folds)


def test_folds_of_one_object_or_of_equal_targets_have_an_r2():
    held = targets_held_out([[0, 1], [2], [3, 4]], [0, 1, 2, 5, 5])
    np.testing.assert_allclose(fold_scores(held, "network"), 1 - 0.01 / np.var(held.data.y))
    assert np.isfinite(compare(held, "baseline").mean)


def test_r2_over_folds_is_that_of_all_predictions():
    held = targets_held_out([[0, 1, 2], [4], [3, 5]], [0, 1, 2, 5, 5, 7])
    for model in ("network", "baseline"):
        expected = r2_score(held.truth, held.predictions[model])
        assert score_of(held, model).mean == pytest.approx(expected)


def test_equal_targets_leave_nothing_to_explain():
    assert fold_scores(targets_held_out([[0], [1]], [3, 3]), "network").tolist() == [0, 0]


def test_three_targets_are_too_few_for_cross_validation():
    with pytest.raises(OptionError, match="needs 4"):
        plan_cross_validation(data_of([0.0, 1.0, 2.0]), 5, 1)


def test_an_object_has_its_class_or_target_as_a_label():
    assert data_of([0, 1]).label(1) == "b"
    assert data_of([0.5, 1.25]).label(1) == "1.25"


def test_svm_and_ridge_weigh_classes_as_the_network_does(rng):
    y = np.array([0] * 45 + [1] * 5)
    X = rng.standard_normal(50) + y
    D = np.abs(np.subtract.outer(X, X))
    found = {}
    for name, weight in (("none", None), ("balanced", "balanced"), ("given", {0: 1.0, 1: 9.0})):
        known = TrainingSet(D, y, True, class_weight=weight)
        found[name] = {baseline: predict(known, D) for baseline, predict in BASELINES.items()}
    for baseline in ("SVM", "ridge on rows"):
        assert found["balanced"][baseline].sum() > found["none"][baseline].sum()
        assert found["given"][baseline].sum() > found["none"][baseline].sum()
    assert found["balanced"]["k-NN"].tolist() == found["none"]["k-NN"].tolist()


def test_class_weights_are_by_position_and_one_where_not_given():
    data = data_of([0, 1, 2])
    model = RBFNetworkClassifier(class_weight={"b": 4.0})
    assert replace(data, model=model).class_weight == {0: 1.0, 1: 4.0, 2: 1.0}
    assert data.class_weight is None


def test_small_differences_are_not_significant():
    assert BaselineComparison(0.1, 0.1, 0.2).outcome == "better, not significantly"
    assert BaselineComparison(-0.3, 0.1, 0.2).outcome == "worse"


def test_rounding_is_not_a_difference():
    assert BaselineComparison(-2.8e-17, 0.1, 0.2).outcome == "equal"


def test_the_baseline_predicts_the_largest_class_or_the_mean():
    D, _ = made_classes(n=24)
    for y, expected in ((np.arange(24) % 2, 0.5), ((np.arange(24) > 5).astype(int), 0.75)):
        model = RBFNetworkClassifier(2, random_state=0, max_iter=5)
        data = replace(data_of(y, D), model=model)
        held = predict_held_out(data, plan_cross_validation(data, 5, 1).splits(data), seed=0)
        assert score_of(held, "baseline").mean == pytest.approx(expected)
    model, D, y = made_regressor(12)
    held = evaluate(model, D, y, n_splits=2, n_repeats=1, baselines=False).held_out
    other = [y[held.objects[held.folds != k]].mean() for k in held.folds]
    np.testing.assert_allclose(held.predictions["baseline"], other)


def test_duplicates_count_for_the_class_that_each_has():
    # the second class consists of duplicates of the first
    D = np.abs(np.subtract.outer(np.arange(20) // 2, np.arange(20) // 2)).astype(float)
    data = data_of(np.arange(20) % 2, D)
    assert data.n_duplicates == 10
    assert data.n_contradicted == 20
    assert len(splits_without_duplicates(data, CrossValidation(4, 1))) == 4
    assert data_of(np.arange(20) // 10, D).n_contradicted == 0


def test_targets_that_differ_by_rounding_are_constant():
    assert data_of(np.array([0.3, 0.1 + 0.2])).is_constant
    assert data_of(np.zeros(3)).is_constant
    assert not data_of(np.array([1e-9, 2e-9])).is_constant


def test_evaluate_tells_each_step_and_can_leave_out_the_baselines():
    model, D, y = made_classifier(n=24)
    told = []
    found = evaluate(
        model,
        D,
        y,
        n_splits=3,
        n_repeats=1,
        baselines=False,
        progress=lambda *step: told.append(step),
    )
    assert set(found.scores) == {"network", "baseline"}
    assert told[0] == ("cross-validating: network", 0, 3)
    assert told[-1] == ("cross-validating: network", 3, 3)
    assert str(found) == "\n".join(found.sentences)
