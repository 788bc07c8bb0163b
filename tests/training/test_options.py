"""Options of GradientDescent that cannot be meant: each error names one and says what to do."""

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import OptionError
from relrbf.training import GradientDescent
from relrbf.training.base import draw_validation_mask


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"update": "printed"}, r"update='printed' does not exist; .*'exact', 'published'"),
        ({"learning_rate": (2.0, 0.05)}, r"learning_rate is \(2.0, 0.05\); .*low ≤ high"),
        ({"learning_rate": (0, 1)}, "both above 0"),
        ({"learning_rate": (0.1, np.inf)}, "two finite numbers"),
        ({"learning_rate": 0.1}, "learning_rate is 0.1"),
        ({"learning_rate": "fast"}, r"learning_rate is 'fast'; .*, or 'curvature'"),
        ({"adapt": (1.05, 0.7, 0.05)}, r"adapt is .*\(shrink, grow, tolerance\)"),
        ({"adapt": (0.7, 1.05)}, "adapt is"),
        ({"adapt": (0.7, 1.05, -0.1)}, "adapt is"),
        ({"adapt": (0.7, "a", 0.1)}, "adapt is"),
        ({"patience": 0}, "patience is 0; it must be an integer, at least 1"),
        ({"grow_after": 0}, "grow_after is 0"),
        ({"validation_fraction": 0}, "validation_fraction is 0; .*between 0 and 1, or None"),
        ({"validation_fraction": 1.0}, "validation_fraction is 1.0"),
        ({"initial_weights": (1.75, -1.75)}, "initial_weights is"),
        ({"initial_bandwidths": (3.75, 0.25)}, "initial_bandwidths is"),
        ({"initial_bandwidths": (-1, 1)}, "both above 0"),
        ({"unit": 0}, "unit is 0"),
        ({"unit": "mm"}, "unit is 'mm'"),
        ({"stable": 1}, "stable is 1; it must be True or False"),
        ({"min_bandwidth": -1}, "min_bandwidth is -1"),
        ({"min_bandwidth": 0}, "min_bandwidth is 0; it must be a positive number"),
        ({"learning_rate": (True, True)}, "two finite numbers"),
        ({"acceleration": "adam"}, "acceleration='adam' does not exist"),
        ({"acceleration": "momentum", "update": "published"}, "Use update='exact'"),
        ({"momentum": 1.0}, "momentum is 1.0; it must be a number below 1"),
        ({"checkpoint": 3}, "checkpoint is 3"),
        ({"checkpoint": "."}, "is a folder"),
        ({"checkpoint": "no/such/folder/file"}, "lies in a folder that does not exist"),
        ({"checkpoint_every": 0}, "checkpoint_every is 0"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_at_once(options, message):
    with pytest.raises(OptionError, match=message):
        GradientDescent(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"validation": []}, "validation must be a flat array, not empty"),
        ({"validation": np.zeros(60, dtype=bool)}, "validation leaves no object for validation"),
        ({"validation": np.ones(60, dtype=bool)}, "validation leaves no object for training"),
        ({"validation": np.ones(5, dtype=bool)}, "validation has 5 booleans for 60 objects"),
        ({"validation": [0, 60]}, "validation holds the position 60"),
        ({"validation": [0, -1]}, "validation holds the position -1"),
        ({"validation": [0.5]}, "dtype float64"),
        ({"validation": np.arange(3)}, "objects of one class only for validation"),
        ({"validation": np.arange(20, 60)}, "objects of one class only for training"),
        ({"validation": np.arange(15, 45)}, "leaves no object of class number 1 for training"),
    ],
)
def test_a_validation_part_that_cannot_validate_is_refused(blobs, options, message):
    _, D, y = blobs
    model = RBFNetworkClassifier(4, max_iter=2, random_state=0).fit(D, y)
    before = model.predict(D)
    with pytest.raises(OptionError, match=message):
        model.set_params(solver=GradientDescent(**options)).fit(D, y)
    assert (model.predict(D) == before).all()


def test_too_few_objects_to_split_off_a_part_are_refused():
    D = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
    with pytest.raises(OptionError, match=r"validation_fraction=0.15 leaves objects of one class"):
        RBFNetworkClassifier(1, solver=GradientDescent(), random_state=0).fit(D, [0, 1, 1])


def test_growth_that_cannot_come_about_is_refused(blobs):
    _, D, y = blobs
    for solver, message in (
        (GradientDescent.curvature_scaled(), "growth, which needs a validation part"),
        (GradientDescent(patience=5), "patience=5 stops training before grow_after=5"),
    ):
        with pytest.raises(OptionError, match=message):
            RBFNetworkClassifier(4, max_prototypes=8, solver=solver, max_iter=2).fit(D, y)


def test_a_limit_of_growth_holds_for_class_prototypes_too(blobs):
    _, D, y = blobs
    with pytest.raises(OptionError, match="max_prototypes is 2 and training starts from 3"):
        RBFNetworkClassifier(init="class", max_prototypes=2).fit(D, y)


def test_auto_holds_nothing_out_where_nothing_can_grow(blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(4, max_prototypes=4, max_iter=2, random_state=0).fit(D, y)
    assert model.history_.validation_error == []


def test_the_validation_part_has_its_share_of_every_class_and_takes_no_last_object():
    y = np.repeat([0, 1, 2, 3], [100, 40, 3, 1])
    counts = np.zeros(4)
    for seed in range(200):
        mask = draw_validation_mask(0.15, np.ones(144), y, np.random.default_rng(seed))
        counts += np.bincount(y[mask], minlength=4)
    assert counts[3] == 0
    assert abs(counts[:3] / 200 - [15, 6, 0.45]).max() < 0.12


@pytest.mark.parametrize("given", [np.array([-1.0, 1.0]), [-1, 1]])
def test_a_range_may_be_an_array_or_a_list(blobs, given):
    _, D, y = blobs
    solver = GradientDescent(initial_weights=given, initial_bandwidths=np.array([1.0, 2.0]))
    assert RBFNetworkClassifier(4, solver=solver, max_iter=2, random_state=0).fit(D, y).n_iter_ == 2


def test_a_start_narrower_than_the_floor_stays_and_trains(blobs):
    _, D, y = blobs
    solver = GradientDescent(initial_bandwidths=(0.01, 0.02), initial_weights=None)
    model = RBFNetworkClassifier(6, solver=solver, max_iter=60, tol=0, random_state=0).fit(D, y)
    assert model.history_.rejected == []
    assert model.history_.objective[-1] < model.history_.objective[0]


def test_regression_needs_no_classes_to_validate(blobs):
    _, D, y = blobs
    model = RBFNetworkRegressor(
        4, solver=GradientDescent(validation=[0, 1, 2]), max_iter=5, random_state=0
    )
    assert len(model.fit(D, y.astype(float)).history_.validation_error) == 6


@pytest.mark.parametrize("loss", ["logistic", 3, None])
def test_a_loss_that_does_not_exist_is_refused(blobs, loss):
    _, D, y = blobs
    with pytest.raises(OptionError, match=r"loss=.* does not exist; .*'cross-entropy'"):
        RBFNetworkClassifier(loss=loss).fit(D, y)
