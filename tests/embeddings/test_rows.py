"""Dissimilarities to the training objects, as features or for estimators that take a matrix."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from relrbf import as_relation
from relrbf.embeddings import DissimilarityRows
from relrbf.exceptions import OptionError


@parametrize_with_checks([DissimilarityRows(metric) for metric in ("precomputed", "cityblock")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_any_way_to_give_the_objects_gives_the_same_rows(blobs):
    X, D, _ = blobs
    new, old = np.arange(50, 60), np.arange(50)
    expected = D[np.ix_(new, old)]
    for metric, train, test in [
        ("precomputed", D[:50, :50], expected),
        ("precomputed", as_relation(D)[np.ix_(old, old)], as_relation(D)[np.ix_(new, old)]),
        ("euclidean", X[:50], X[50:]),
        (as_relation(D), old[:, None], new[:, None]),
    ]:
        assert_array_equal(DissimilarityRows(metric).fit(train).transform(test), expected)


def test_rows_are_dissimilarities_whatever_the_exponent(blobs):
    _, D, _ = blobs
    rows = DissimilarityRows(as_relation(D, exponent=1)).fit([[0], [1], [2]])
    assert_array_equal(rows.transform([[3]]), D[3:4, :3])


def test_neighbours_are_cut_along_both_axes(blobs):
    _, D, y = blobs
    neighbours = KNeighborsClassifier(3, metric="precomputed")
    expected = cross_val_score(neighbours, D, y)
    positions = np.arange(60)[:, None]
    for rows, X in [(DissimilarityRows(), D), (DissimilarityRows(as_relation(D)), positions)]:
        assert_array_equal(cross_val_score(make_pipeline(rows, neighbours), X, y), expected)


def test_bags_of_neighbours_are_those_cut_by_hand(blobs):
    _, D, y = blobs
    neighbours = KNeighborsClassifier(3, metric="precomputed")
    model = make_pipeline(DissimilarityRows(as_relation(D)), neighbours)
    bags = BaggingClassifier(model, 5, random_state=0).fit(np.arange(50)[:, None], y[:50])
    by_hand = [
        clone(neighbours).fit(D[np.ix_(bag, bag)], y[bag]).predict_proba(D[50:, bag])
        for bag in bags.estimators_samples_
    ]
    assert_array_equal(bags.predict_proba(np.arange(50, 60)[:, None]), np.mean(by_hand, axis=0))


def test_rows_come_as_a_frame_when_asked(blobs):
    _, D, _ = blobs
    frame = DissimilarityRows().set_output(transform="pandas").fit_transform(D)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns[-1] == "dissimilarityrows59"


def test_a_metric_that_does_not_exist(blobs):
    with pytest.raises(OptionError, match="metric='nearness' does not exist"):
        DissimilarityRows("nearness").fit(blobs[0])
