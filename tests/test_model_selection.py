"""A split cuts both axes, and everything that goes with the objects alike."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.model_selection import train_test_split as sklearn_split

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.model_selection import train_test_split
from relrbf.relations import CrossRelation, Relation


@pytest.fixture
def split(blobs):
    """Return what a split of D must be: positions as scikit-learn draws them."""
    train, test = sklearn_split(np.arange(60), random_state=3)
    return train, test


def test_rows_are_queries_and_columns_training_objects(blobs, split):
    _, D, y = blobs
    train, test = split
    D_train, D_test, y_train, y_test = train_test_split(D, y, random_state=3)
    assert_array_equal(D_train, D[np.ix_(train, train)])
    assert_array_equal(D_test, D[np.ix_(test, train)])
    assert_array_equal(y_train, y[train])
    assert_array_equal(y_test, y[test])


def test_a_model_fits_and_predicts_the_parts(blobs):
    _, D, y = blobs
    for data in (D, as_relation(D), squareform(D, checks=False)):
        D_train, D_test, y_train, y_test = train_test_split(data, y, random_state=0, stratify=y)
        model = RBFNetworkClassifier(random_state=0).fit(D_train, y_train)
        assert model.score(D_test, y_test) > 0.6


def test_relations_stay_relations_with_their_ids(blobs, split):
    _, D, _ = blobs
    train, test = split
    relation = as_relation(D, ids=[f"g{i}" for i in range(60)], exponent=1)
    D_train, D_test = train_test_split(relation, random_state=3)
    assert isinstance(D_train, Relation)
    assert isinstance(D_test, CrossRelation)
    assert D_train.exponent == 1
    assert D_train.ids.tolist() == D_test.column_ids.tolist() == [f"g{i}" for i in train]
    assert_array_equal(D_test, D[np.ix_(test, train)])


def test_frames_stay_frames_with_their_ids_matched_by_name(blobs, split):
    import pandas as pd

    _, D, y = blobs
    train, test = split
    names = [f"g{i}" for i in range(60)]
    frame = pd.DataFrame(D, names, names)
    labels = pd.Series(y, names)
    shuffled = frame[names[::-1]]
    D_train, D_test, y_train, _ = train_test_split(shuffled, labels, random_state=3)
    assert list(D_train.index) == list(D_train.columns) == list(D_test.columns)
    assert list(D_test.index) == [names[i] for i in test]
    assert list(y_train.index) == list(D_train.index)
    assert_array_equal(D_train, D[np.ix_(train, train)])


def test_whatever_goes_with_the_objects_is_cut_alike(blobs, split):
    _, D, _ = blobs
    train, test = split
    names, extra = [f"g{i}" for i in range(60)], sparse.csr_array(np.eye(60, 5))
    parts = train_test_split(D, names, extra, as_relation(D), random_state=3)
    assert parts[2] == [names[i] for i in train]
    assert_array_equal(parts[5].toarray(), np.eye(60, 5)[test])
    assert parts[6].shape == (45, 45)
    assert parts[7].shape == (15, 45)


def test_sizes_shuffling_and_strata_are_scikit_learns(blobs):
    _, D, y = blobs
    D_train, D_test = train_test_split(D, test_size=6, train_size=0.5, random_state=0)
    assert D_train.shape == (30, 30)
    assert D_test.shape == (6, 30)
    assert_array_equal(train_test_split(D, shuffle=False)[1], D[45:, :45])
    *_, held_out = train_test_split(D, y, stratify=y, random_state=0)
    assert np.bincount(held_out).tolist() == [5, 5, 5]


def test_groups_stay_together(shared_data):
    data = np.load(shared_data / "HG-194" / "HG-194.npz")
    _, _, genes, genes_out = train_test_split(
        data["R"], data["gene"], groups=data["gene"], random_state=0
    )
    assert not set(genes) & set(genes_out)
    assert len(set(genes_out)) == round(0.25 * len(set(data["gene"])))
    duplicates = np.unique(data["R"], axis=0, return_inverse=True)[1]
    assert train_test_split(data["R"], groups=duplicates, random_state=0)[1].min() > 0
    assert train_test_split(data["R"], random_state=0)[1].min() == 0


def test_groups_admit_no_strata(blobs):
    _, D, y = blobs
    for options in ({"stratify": y}, {"shuffle": False}):
        with pytest.raises(ValueError, match="split as wholes"):
            train_test_split(D, groups=y, **options)


def test_memory_maps_are_cut_without_being_read_whole(tmp_path, blobs):
    _, D, _ = blobs
    np.save(tmp_path / "D.npy", D)
    mapped = np.load(tmp_path / "D.npy", mmap_mode="r")
    for part, whole in zip(
        train_test_split(mapped, random_state=0), train_test_split(D, random_state=0), strict=True
    ):
        assert_array_equal(part, whole)


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (np.ones((3, 4)), r"D has shape \(3, 4\)"),
        (np.ones((2, 2, 2)), r"D has shape \(2, 2, 2\)"),
        (np.ones(4), "a condensed vector holds"),
    ],
)
def test_what_has_no_two_axes_of_the_same_objects_is_refused(D, message):
    with pytest.raises(ValueError, match=message):
        train_test_split(D)


def test_a_cross_relation_is_refused(blobs):
    with pytest.raises(ValueError, match="one row and one column per object"):
        train_test_split(as_relation(blobs[1])[:5])


def test_other_lengths_are_refused_by_name(blobs):
    _, D, y = blobs
    with pytest.raises(ValueError, match=r"arrays\[1\] has 59 entries for the 60 objects"):
        train_test_split(D, y, y[:59])
    with pytest.raises(ValueError, match="groups has 3 entries"):
        train_test_split(D, groups=[1, 2, 3])
    with pytest.raises(ValueError, match=r"arrays\[0\] is None"):
        train_test_split(D, None)


def test_a_second_matrix_must_say_whether_it_is_a_relation(blobs):
    _, D, _ = blobs
    with pytest.raises(ValueError, match=r"arrays\[0\] is square as D is"):
        train_test_split(D, D**2)
    parts = train_test_split(D, as_relation(D**2), random_state=0)
    assert_array_equal(parts[3], parts[1] ** 2)
