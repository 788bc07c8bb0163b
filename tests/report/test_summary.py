"""The top of the page says what was found, no more and no less, and what to do about it."""

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier
from relrbf.report import EvaluationResult, evaluate
from relrbf.report.held_out import CrossValidation
from relrbf.report.sections import baselines_section, expectation, lead_text, next_steps, size_text
from tests.report.made import held_out_of, made_classes, made_classifier, made_regressor
from tests.report.test_evaluation import data_of


def found_with(shares, n=100, n_folds=5):
    """Return an evaluation in which models predict these shares of the objects correctly."""
    y = np.arange(n) % 2
    rng = np.random.default_rng(0)
    predicted = {name: np.where(rng.random(n) < share, y, 1 - y) for name, share in shares.items()}
    parts = np.array_split(np.arange(n), n_folds)
    folds = [
        (part, {name: values[part] for name, values in predicted.items()}, np.eye(2)[y[part]])
        for part in parts
    ]
    held = held_out_of(data_of(y, np.ones((n, n)) - np.eye(n)), *folds)
    return EvaluationResult(held, CrossValidation(n_folds, 1))


def test_the_lead_names_the_constant_and_what_the_network_beats():
    found = found_with({"network": 1.0, "k-NN": 0.5, "SVM": 1.0, "baseline": 0.5}, n=200)
    lead = lead_text(found)
    assert lead.startswith("Accuracy on held-out objects is 100.0 % (95 % interval ")
    assert "for always predicting “a”." in lead
    assert lead.endswith("It is significantly better than k-NN, and level with SVM.")


def test_a_baseline_that_wins_is_named():
    found = found_with({"network": 0.4, "SVM": 1.0, "baseline": 0.5}, n=200)
    assert lead_text(found).endswith("The network is significantly worse than SVM.")


def test_dots_lie_where_their_numbers_say():
    found = found_with({"network": 0.9, "SVM": 0.7, "baseline": 0.5})
    [plot] = baselines_section(found).dot_plots
    assert [dot.name for dot in plot.dots] == ["relrbf network", "SVM", "always “a”"]
    (start, first), (end, last) = plot.ticks[0], plot.ticks[-1]
    assert (start, end) == (0, pytest.approx(1))
    for name, dot in zip(found.scores, plot.dots, strict=True):
        low, high = found.intervals[name]
        for place, value in (
            (dot.value, found.scores[name].mean),
            (dot.low, low),
            (dot.high, high),
        ):
            shown = float(first) + place * (float(last) - float(first))
            assert shown == pytest.approx(100 * value)


def test_a_constant_far_below_the_models_is_beyond_the_axis():
    found = found_with({"network": 0.99, "SVM": 0.98, "baseline": 0.1})
    [plot] = baselines_section(found).dot_plots
    assert [dot.is_beyond for dot in plot.dots] == [False, False, True]
    assert float(plot.ticks[0][1]) > 50
    assert plot.dots[2].text.startswith("11.0 %")


def test_a_label_that_contradicts_all_its_neighbours_is_to_be_checked_first():
    D, y = made_classes(n=60, spread=0.2)
    names = [f"object {i}" for i in range(60)]
    y[7] = "kind <2>"  # its place is among kind 1
    model = RBFNetworkClassifier(6, random_state=0).fit(D, y)
    found = evaluate(model, D, y, ids=names, n_splits=3, n_repeats=1, baselines=False)
    steps = next_steps(found)
    assert steps[0].startswith("Check the label of object 7: the network disagrees")
    assert steps[-1].startswith("Predict new objects")


def test_targets_come_with_their_interval_and_without_probabilities():
    model, D, y = made_regressor(40)
    found = evaluate(model, D, y, n_splits=3, n_repeats=1, baselines=False)
    [step] = next_steps(found)
    assert f"expect errors of at most {found.half_width:.3g} for 90 % of them" in step
    low, high = found.intervals["network"]
    assert expectation(found)[0].startswith(f"Expect R² of {low:.3f} to {high:.3f} for new objects")


def test_several_prototypes_on_each_object_are_counted_so():
    D, y = made_classes(n=40)
    model = RBFNetworkClassifier("all", random_state=0).fit(D, y)
    found = evaluate(model, D, y, n_splits=2, n_repeats=1, baselines=False)
    c, n = len(model.prototypes_), found.data.n_places
    assert n == 40
    each = f", {c // n} on each of 40 objects" if c > n else ""
    assert f"The network has {c} prototypes{each}" in size_text(found)
    model, D, y = made_classifier(n=24)
    found = evaluate(model, D, y, n_splits=2, n_repeats=1, baselines=False)
    assert "trained on 24 objects of 3 classes." in size_text(found)
