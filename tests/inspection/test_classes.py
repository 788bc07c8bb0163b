"""What labels add."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from relrbf import inspect_relation


def test_the_neighbour_error_is_scikit_learns(blobs):
    X, D, y = blobs
    scores = cross_val_score(KNeighborsClassifier(1), X, y, cv=LeaveOneOut())
    report = inspect_relation(D, y)
    assert report.neighbour_error == pytest.approx(1 - scores.mean())
    assert report.neighbour_error_without_duplicates == report.neighbour_error
    assert report.class_counts == {0: 20, 1: 20, 2: 20}


def test_duplicates_flatter_the_neighbour_error(blobs):
    X, _, y = blobs
    twice = np.vstack([X, X])
    report = inspect_relation(cdist(twice, twice), np.append(y, y))
    alone = inspect_relation(cdist(X, X), y)
    assert report.neighbour_error == 0
    assert report.neighbour_error_without_duplicates == pytest.approx(alone.neighbour_error)
    assert "where duplicates do not count" in str(report)


def test_means_are_over_pairs_of_different_objects(blobs, monkeypatch):
    monkeypatch.setattr("relrbf.relations.blocks.BLOCK_BYTES", 1024)  # several blocks
    _, D, y = blobs
    report = inspect_relation(D, y)
    same = (y[:, None] == y) & ~np.eye(60, dtype=bool)
    assert report.mean_within == pytest.approx(D[same].mean())
    assert report.mean_between == pytest.approx(D[y[:, None] != y].mean())


def test_one_class_has_no_between_and_single_objects_no_within(k23):
    report = inspect_relation(k23, ["a"] * 5)
    assert report.mean_between is None
    assert report.neighbour_error == 0
    report = inspect_relation(k23, list("abcde"))
    assert report.mean_within is None
    assert report.neighbour_error == 1


def test_objects_that_are_all_equal_have_no_stranger():
    report = inspect_relation(np.zeros((3, 3)), [0, 0, 1])
    assert report.neighbour_error_without_duplicates is None
    assert report.neighbour_error == pytest.approx(1 / 3)


def test_many_classes_are_not_all_listed(rng):
    X = rng.random((24, 2))
    text = str(inspect_relation(cdist(X, X), np.arange(24) // 2))
    assert "9 2 and 2 more; the nearest" in text


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 0, 1], "y has 4 entries for 5 objects"),
        ([0.5, 1.2, 0, 1, 3], "Unknown label type: continuous"),
        ([0, 1, 0, 1, np.nan], "NaN"),
        (np.ma.masked_equal([0, 1, 0, 1, 2], 2), "y is a masked array"),
    ],
)
def test_labels_must_be_labels(k23, y, message):
    with pytest.raises(ValueError, match=message):
        inspect_relation(k23, y)
