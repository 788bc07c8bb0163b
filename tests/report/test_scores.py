"""Intervals and scores are those of textbooks, and count what depends on each other once."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binomtest
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    roc_auc_score,
)

from relrbf.report import evaluate
from relrbf.report.baselines import TrainingSet, predict_neighbours
from relrbf.report.evaluation import Score
from relrbf.report.held_out import (
    conformal_half_width,
    interval_of,
    is_uneven,
    metrics_of,
    precision_recall,
    units_of,
)
from tests.report.made import held_out_of, made_classes, made_classifier, made_regressor
from tests.report.test_evaluation import data_of


def held_with(y, predicted, D=None, P=None):
    n_classes = int(np.max(y)) + 1
    P = np.eye(n_classes)[predicted] if P is None else P
    return held_out_of(data_of(y, D), (np.arange(len(y)), {"network": np.asarray(predicted)}, P))


def test_the_interval_of_an_accuracy_is_wilsons():
    y = np.arange(40) % 2
    predicted = np.where(np.arange(40) < 33, y, 1 - y)
    expected = binomtest(33, 40).proportion_ci(method="wilson")
    assert interval_of(held_with(y, predicted), "network") == pytest.approx(tuple(expected))


def test_ten_of_ten_are_not_certain():
    y = np.arange(10) % 2
    low, high = interval_of(held_with(y, y), "network")
    assert low == pytest.approx(binomtest(10, 10).proportion_ci(method="wilson").low)
    assert high == 1


def test_duplicates_count_as_one_object():
    which = np.repeat(np.arange(10), 4)
    D = np.abs(np.subtract.outer(which, which)).astype(float)
    low, _ = interval_of(held_with(which % 2, which % 2, D), "network")
    assert low == pytest.approx(binomtest(10, 10).proportion_ci(method="wilson").low)


def test_classes_of_any_size_count_alike_in_a_balanced_interval():
    y = np.array([0] * 90 + [1] * 10)
    predicted = np.where(np.arange(100) < 95, y, 0)
    held = held_with(y, predicted)
    low, high = interval_of(held, "network", balanced=True)
    assert (low + high) / 2 == pytest.approx(0.75)  # recalls of 1 and 0.5
    plain = interval_of(held, "network")
    assert high - low > 2 * (plain[1] - plain[0])  # ten objects decide


def test_r2_has_the_interval_that_resampled_objects_give():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(300)
    predicted = y + 0.5 * rng.standard_normal(300)
    held = held_out_of(data_of(y), (np.arange(300), {"network": predicted}, None))
    low, high = interval_of(held, "network")
    draws = rng.integers(0, 300, (2000, 300))
    scores = 1 - ((predicted - y)[draws] ** 2).mean(axis=1) / y[draws].var(axis=1)
    spread = 1.97 * scores.std()
    assert (high - low) / 2 == pytest.approx(spread, rel=0.1)  # 2,000 draws: 3 % at 2 deviations
    assert (high + low) / 2 == pytest.approx(1 - ((predicted - y) ** 2).mean() / y.var())


def test_further_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = np.array([0] * 30 + [1] * 12 + [2] * 8)
    P = rng.dirichlet([1, 1, 1], 50) + 0.5 * np.eye(3)[y]
    P /= P.sum(axis=1, keepdims=True)
    predicted = P.argmax(axis=1)
    found = metrics_of(held_with(y, predicted, P=P))
    assert found["balanced accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    assert found["F1, mean of the classes"] == pytest.approx(
        f1_score(y, predicted, average="macro")
    )
    assert found["MCC"] == pytest.approx(matthews_corrcoef(y, predicted))
    assert found["ROC AUC"] == pytest.approx(roc_auc_score(y, P, multi_class="ovr"))
    average = np.mean([average_precision_score(y == k, P[:, k]) for k in range(3)])
    assert found["average precision, mean of the classes"] == pytest.approx(average)


def test_uneven_classes_put_other_scores_first():
    even, uneven = np.arange(40) % 2, (np.arange(40) < 8).astype(int)
    assert not is_uneven(held_with(even, even))
    assert next(iter(metrics_of(held_with(even, even)))) == "accuracy"
    held = held_with(uneven, uneven)
    assert is_uneven(held)
    assert next(iter(metrics_of(held))) == "balanced accuracy"


def test_curves_are_of_the_smallest_classes_that_have_enough_objects():
    y = np.repeat(np.arange(5), [2, 20, 9, 7, 12])
    names = [name for name, *_ in precision_recall(held_with(y, y))]
    assert names == ["d", "c", "e"]


def test_a_prediction_interval_is_the_conformal_quantile_of_held_out_residuals():
    y = np.zeros(19)
    residuals = np.arange(1.0, 20)
    held = held_out_of(data_of(y), (np.arange(19), {"network": y + residuals}, None))
    assert conformal_half_width(held, 0.9) == 18  # the 18th of 20, one of which is infinite
    assert conformal_half_width(held, 0.95) == 19
    assert conformal_half_width(held, 0.99) is None  # too few objects


def test_prediction_intervals_cover_new_objects():
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(300):
        y, new = rng.standard_normal(59), rng.standard_normal()
        held = held_out_of(data_of(y), (np.arange(59), {"network": 0 * y}, None))
        covered.append(abs(new) <= conformal_half_width(held))
    assert abs(np.mean(covered) - 0.9) < 3 * np.sqrt(0.09 / 300)


def test_objects_of_a_group_are_never_on_both_sides():
    model, D, y = made_classifier(n=60)
    groups = np.arange(60) // 4
    found = evaluate(model, D, y, n_splits=3, n_repeats=2, groups=groups, baselines=False)
    assert "with groups kept in one fold" in str(found.cross_validation)
    for train, test in found.cross_validation.splits(found.data):
        assert not set(groups[train]) & set(groups[test])
    assert found.held_out.n_repeats == 2
    model, D, y = made_regressor(40)
    found = evaluate(model, D, y, n_splits=3, groups=np.arange(40) // 4, baselines=False)
    assert len(found.cross_validation.splits(found.data)) == 6


def test_groups_widen_the_interval():
    model, D, y = made_classifier(n=60)
    options = {"n_splits": 3, "n_repeats": 1, "baselines": False}
    plain = evaluate(model, D, y, **options).intervals["network"]
    grouped = evaluate(model, D, y, groups=np.arange(60) // 6, **options).intervals["network"]
    assert grouped[1] - grouped[0] > 1.5 * (plain[1] - plain[0])


def test_duplicates_join_their_groups():
    D, _ = made_classes(n=6)
    which = np.array([0, 1, 2, 3, 4, 5, 0])
    data = data_of(np.arange(7) % 2, D[np.ix_(which, which)])
    units = units_of(data, np.array([0, 0, 1, 1, 2, 2, 3]))
    assert units[6] == units[0] == units[1]
    assert len(set(units)) == 3


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros(5), r"groups has shape \(5,\) for 24 objects"),
        (np.zeros(24), "groups holds one group"),
        (np.arange(24) % 3, "each class needs objects in two groups"),
    ],
)
def test_groups_that_cannot_be_held_out_are_refused(groups, message):
    model, D, y = made_classifier(n=24, n_classes=2)
    if "two groups" in message:
        groups = (y == y[0]).astype(int)
    with pytest.raises(ValueError, match=message):
        evaluate(model, D, y, groups=groups)


def test_a_result_is_called_inflated_only_if_it_is():
    model, D, y = made_classifier(n=24)
    twice = np.tile(np.arange(24), 2)
    model.fit(D[np.ix_(twice, twice)], y[twice])
    found = evaluate(model, D[np.ix_(twice, twice)], y[twice], n_splits=2, baselines=False)
    plain = found.score.mean
    for apart, is_inflated in ((plain - 0.1, True), (plain - 0.01, False), (plain + 0.1, False)):
        other = replace(found, score_without_duplicates=Score(apart, 0.1))
        assert ("inflates" in str(other)) == is_inflated


def test_a_baseline_is_tuned_without_the_help_of_an_objects_group():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 3)
    places = rng.standard_normal((20, 2))[groups] + 1e-3 * rng.standard_normal((60, 2))
    y = rng.standard_normal(20)[groups]  # the same within a group, and chance between groups
    D, D_new = cdist(places, places), cdist(rng.standard_normal((50, 2)), places)
    alone = predict_neighbours(TrainingSet(D, y, has_classes=False), D_new)
    together = predict_neighbours(TrainingSet(D, y, has_classes=False, groups=groups), D_new)
    assert together.std() < 0.7 * alone.std()  # a mean of many, not the nearest group's value
