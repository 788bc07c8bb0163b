"""Options of Descent that cannot be meant: each has an error that names it and says what to do."""

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import OptionError
from relrbf.training import Descent


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"update": "printed"}, r"update='printed' does not exist; .*'exact', 'published'"),
        ({"learning_rate": (2.0, 0.05)}, r"learning_rate is \(2.0, 0.05\); .*low ≤ high"),
        ({"learning_rate": (0, 1)}, "both above 0"),
        ({"learning_rate": (0.1, np.inf)}, "two finite numbers"),
        ({"learning_rate": 0.1}, "learning_rate is 0.1"),
        ({"learning_rate": "fast"}, "learning_rate='fast' does not exist"),
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
        ({"acceleration": "adam"}, "acceleration='adam' does not exist"),
        ({"acceleration": "momentum", "update": "published"}, "Use update='exact'"),
        ({"momentum": 1.0}, "momentum is 1.0; it must be below 1"),
        ({"checkpoint": 3}, "checkpoint is 3"),
        ({"checkpoint": "."}, "is a folder"),
        ({"checkpoint": "no/such/folder/file"}, "lies in a folder that does not exist"),
        ({"checkpoint_every": 0}, "checkpoint_every is 0"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_at_once(options, message):
    with pytest.raises(OptionError, match=message):
        Descent(**options)


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
    ],
)
def test_a_validation_part_that_cannot_validate_is_refused(blobs, options, message):
    _, D, y = blobs
    model = RBFNetworkClassifier(4, max_iter=2, random_state=0).fit(D, y)
    before = model.predict(D)
    with pytest.raises(OptionError, match=message):
        model.set_params(solver=Descent(**options)).fit(D, y)
    assert (model.predict(D) == before).all()


def test_too_few_objects_to_split_off_a_part_are_refused():
    D = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
    with pytest.raises(OptionError, match=r"validation_fraction=0.15 leaves objects of one class"):
        RBFNetworkClassifier(1, solver=Descent(), random_state=0).fit(D, [0, 1, 1])


def test_regression_needs_no_classes_to_validate(blobs):
    _, D, y = blobs
    model = RBFNetworkRegressor(4, solver=Descent(validation=[0, 1, 2]), max_iter=5, random_state=0)
    assert len(model.fit(D, y.astype(float)).history_.validation) == 6


@pytest.mark.parametrize("loss", ["logistic", 3, None])
def test_a_loss_that_does_not_exist_is_refused(blobs, loss):
    _, D, y = blobs
    with pytest.raises(OptionError, match=r"loss=.* does not exist; .*'cross-entropy'"):
        RBFNetworkClassifier(loss=loss).fit(D, y)
