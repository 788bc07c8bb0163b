"""Landmark scaling reads the landmarks' columns, and needs no others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.embeddings import ClassicalMDS, LandmarkMDS
from relrbf.exceptions import NotEuclideanWarning
from relrbf.relations import DenseRelation


class Spy(DenseRelation):
    """A relation that counts how often each entry was read."""

    def __init__(self, matrix):
        super().__init__(matrix)
        self.read = np.zeros(matrix.shape, dtype=int)

    def block(self, rows=slice(None), cols=slice(None)):
        every = np.arange(self.n_objects)
        self.read[np.ix_(every[rows], every[cols])] += 1
        return super().block(rows, cols)


@pytest.mark.parametrize("landmarks", ["maxmin", "random", [3, 1, 20, 50, 33, 8]])
def test_landmarks_that_span_the_vectors_give_their_distances(blobs, landmarks):
    _, D, _ = blobs
    n_landmarks = 10 if isinstance(landmarks, str) else "auto"
    mds = LandmarkMDS(n_landmarks=n_landmarks, landmarks=landmarks, random_state=0).fit(D)
    assert_allclose(cdist(mds.embedding_, mds.embedding_), D, atol=1e-8)


def test_all_objects_as_landmarks_are_classical_scaling(blobs):
    _, D, _ = blobs
    mds = LandmarkMDS(3).fit(D)
    assert_array_equal(mds.support_, np.arange(60))
    assert_allclose(mds.embedding_, ClassicalMDS(3).fit_transform(D), atol=1e-10)


@pytest.mark.parametrize("landmarks", ["maxmin", "random"])
def test_only_the_landmarks_columns_are_read(blobs, landmarks):
    _, D, _ = blobs
    relation = Spy(D)
    mds = LandmarkMDS(2, n_landmarks=7, landmarks=landmarks, random_state=1).fit(relation)
    others = np.setdiff1d(np.arange(60), mds.support_)
    assert len(mds.support_) == 7
    assert relation.read.sum() == 7 * 60  # each once
    assert not relation.read[np.ix_(others, others)].any()  # rows and columns are the same


def test_a_compact_embedding_takes_the_landmarks_columns_only(blobs):
    _, D, _ = blobs
    mds = LandmarkMDS(2, n_landmarks=7, random_state=0).fit(D)
    small = mds.compact()
    assert small.n_features_in_ == 7
    assert_array_equal(small.transform(D[:, mds.support_]), mds.transform(D))
    assert_array_equal(small.compact().transform(D[:, mds.support_]), mds.transform(D))


def test_copies_are_no_landmarks_of_their_own(shared_data):
    R = np.load(shared_data / "HG-194" / "HG-194.npz")["R"]
    with pytest.warns(NotEuclideanWarning):
        mds = LandmarkMDS(random_state=0).fit(R)
    assert len(mds.support_) == 30
    assert len(np.unique(R[mds.support_], axis=0)) == 30


def test_landmarks_follow_the_seed(blobs):
    _, D, _ = blobs
    chosen = [LandmarkMDS(n_landmarks=5, random_state=s).fit(D).support_ for s in (0, 0, 1)]
    assert_array_equal(chosen[0], chosen[1])
    assert not np.array_equal(chosen[0], chosen[2])


def test_new_objects_are_placed_by_their_landmarks_alone(blobs):
    _, D, _ = blobs
    mds = LandmarkMDS(n_landmarks=10, random_state=0).fit(D[:50, :50])
    row = D[50:51, :50].copy()
    placed = mds.transform(row)
    row[:, np.setdiff1d(np.arange(50), mds.support_)] = 1.0
    assert_array_equal(mds.transform(row), placed)
