"""Objects with names: labels follow them, and splits of a frame are refused in a sentence."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation, inspect_relation
from relrbf.clustering import RelationalKMeans
from relrbf.embeddings import LandmarkMDS
from relrbf.exceptions import RelationError
from relrbf.report import evaluate

X, Y = load_iris(return_X_y=True)
NAMES = [f"flower {k}" for k in range(len(X))]
FRAME = pd.DataFrame(cdist(X, X), NAMES, NAMES)
SERIES = pd.Series(Y, NAMES)
SHUFFLED = SERIES.sample(frac=1, random_state=0)


@pytest.mark.parametrize("objects", [FRAME, as_relation(FRAME)], ids=["frame", "relation"])
def test_labels_with_an_index_are_matched_by_name(objects):
    model = RBFNetworkClassifier(random_state=0).fit(objects, SHUFFLED)
    expected = RBFNetworkClassifier(random_state=0).fit(objects, Y)
    assert_array_equal(model.predict(FRAME), expected.predict(FRAME))
    weights = pd.Series(np.arange(1.0, 151), NAMES)
    weighted = RBFNetworkRegressor(random_state=0).fit(objects, SHUFFLED, weights[::-1])
    plain = RBFNetworkRegressor(random_state=0).fit(objects, Y, weights.to_numpy())
    assert_array_equal(weighted.predict(FRAME), plain.predict(FRAME))


def test_labels_of_other_objects_are_refused():
    other = SHUFFLED.rename({"flower 3": "tree 3"})
    with pytest.raises(ValueError, match=r"index of y names other objects .*'flower 3'"):
        RBFNetworkClassifier().fit(FRAME, other)


@pytest.mark.parametrize(
    ("objects", "labels"),
    [(FRAME, pd.Series(Y)), (FRAME.to_numpy(), SHUFFLED), (FRAME, Y.tolist())],
    ids=["numbered labels", "objects without names", "a list"],
)
def test_without_names_on_both_sides_labels_are_taken_by_position(objects, labels):
    model = RBFNetworkClassifier(random_state=0).fit(objects, labels)
    expected = RBFNetworkClassifier(random_state=0).fit(FRAME.to_numpy(), np.asarray(labels))
    assert_array_equal(model.predict(objects), expected.predict(FRAME.to_numpy()))


@pytest.mark.parametrize(
    "model", [RBFNetworkClassifier(), RelationalKMeans(2), LandmarkMDS(2)], ids=["net", "km", "mds"]
)
def test_new_objects_with_two_columns_of_one_name_are_refused_by_name(model):
    model.fit(FRAME, Y)
    repeated = FRAME.rename(columns={"flower 7": "flower 3"})
    with pytest.raises(RelationError, match="several columns named 'flower 3'"):
        getattr(model, "predict", getattr(model, "transform", None))(repeated)


def test_cross_validation_of_a_frame_says_what_to_pass_and_that_works():
    model = RBFNetworkClassifier(random_state=0)
    with pytest.raises(RelationError, match=r"as_relation\(X\)"):
        cross_val_score(model, FRAME, SERIES, cv=3)
    assert cross_val_score(model, as_relation(FRAME), SERIES, cv=3).min() > 0.9


def test_what_is_scored_inspected_or_reported_is_matched_by_name_too():
    model = RBFNetworkClassifier(random_state=0).fit(FRAME, SHUFFLED)
    assert model.score(FRAME, SHUFFLED) == model.score(FRAME, SERIES) > 0.9
    weights = pd.Series(np.arange(1.0, 151), NAMES)
    expected = model.score(FRAME, SERIES, weights.to_numpy())
    assert model.score(FRAME, SHUFFLED, weights.sample(frac=1, random_state=1)) == expected
    inspections = [str(inspect_relation(FRAME, y)) for y in (SERIES, SHUFFLED)]
    assert inspections[0] == inspections[1]
    options = {"n_splits": 2, "n_repeats": 1, "baselines": False}
    scores = [evaluate(model, FRAME, y, **options).score.mean for y in (SERIES, SHUFFLED)]
    assert scores[0] == scores[1]


def test_targets_are_scored_by_name():
    targets = pd.Series(X[:, 2], NAMES)
    model = RBFNetworkRegressor(random_state=0).fit(FRAME, targets)
    assert model.score(FRAME, targets.sample(frac=1, random_state=0)) > 0.9
