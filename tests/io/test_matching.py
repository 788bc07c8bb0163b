"""Two files name the same objects: they are matched by name, never by position."""

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier
from relrbf.exceptions import RelationError
from relrbf.io import (
    LoadedMatrix,
    load_labels,
    load_matrix,
    match_columns,
    match_labels,
    save_matrix,
)


@pytest.fixture
def labels(put):
    return load_labels(put("id,label\nb,fish\na,bird\nc,bird\n", "y.csv"))


def test_labels_are_put_in_the_order_of_the_matrix(labels):
    matched = match_labels(labels, ["a", "b", "c"])
    assert matched.values.tolist() == ["bird", "fish", "bird"]
    assert matched.ids.tolist() == ["a", "b", "c"]
    assert matched.notes == labels.notes


def test_a_missing_label_and_one_too_many_are_named(labels):
    with pytest.raises(RelationError, match=r"no label for 1 of 3 objects \('x'\)"):
        match_labels(labels, ["a", "b", "x"])
    with pytest.raises(RelationError, match=r"labels 1 of 3 objects \('c'\).*allow_extra=True"):
        match_labels(labels, ["a", "b"])
    matched = match_labels(labels, ["b", "a"], allow_extra=True)
    assert matched.values.tolist() == ["fish", "bird"]
    assert "1 labels of other objects were left out" in matched.notes


def test_objects_of_one_name_are_refused(labels):
    with pytest.raises(RelationError, match="same name: 'a'"):
        match_labels(labels, ["a", "a", "b"])


def test_without_ids_on_one_side_position_counts_and_is_said_to(put, labels):
    matched = match_labels(labels, None, n_objects=3)
    assert matched.values.tolist() == ["fish", "bird", "bird"]
    assert "the matrix has no ids" in matched.notes[-1]
    alone = load_labels(put("bird\nfish\nbird\n", "z.csv"))
    matched = match_labels(alone, ["a", "b", "c"])
    assert matched.values.tolist() == ["bird", "fish", "bird"]
    assert matched.ids.tolist() == ["a", "b", "c"]
    assert "z.csv has no ids" in matched.notes[-1]
    with pytest.raises(RelationError, match="3 labels for 4 objects"):
        match_labels(alone, None, n_objects=4)
    with pytest.raises(RelationError, match="'bird', is a header, pass header=True"):
        match_labels(alone, ["a", "b"])


def test_columns_are_put_in_the_order_of_training(put):
    new = load_matrix(put("id,c,a,x,b\nn1,3,1,9,2\nn2,6,4,9,5\n"))
    matched = match_columns(new, ["a", "b", "c"])
    assert matched.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert matched.column_ids.tolist() == ["a", "b", "c"]
    assert matched.row_ids.tolist() == ["n1", "n2"]
    assert matched.notes[-1] == "1 columns of other objects were left out"


def test_a_missing_column_is_named_unless_no_prediction_needs_it(put):
    new = load_matrix(put("id,c,a\nn1,3,1\n"))
    with pytest.raises(RelationError, match=r"no column for 1 of 3 objects \('b'\)"):
        match_columns(new, ["a", "b", "c"])
    with pytest.raises(RelationError, match=r"1 of 2 objects \('b'\)"):
        match_columns(new, ["a", "b", "c"], support=[0, 1])
    matched = match_columns(new, ["a", "b", "c"], support=[0, 2])
    assert matched.values[:, [0, 2]].tolist() == [[1, 3]]
    assert np.isfinite(matched.values).all()
    assert "1 training objects have no column" in matched.notes[-1]


def test_a_matrix_that_lies_on_its_side_is_recognised(put):
    with pytest.raises(RelationError, match="transpose it"):
        match_columns(load_matrix(put("id,n1\na,1\nb,2\n")), ["a", "b"])


def test_columns_without_names_count_by_position(put):
    new = load_matrix(put("0.5,0.25\n1.5,2.5\n"))
    matched = match_columns(new, ["a", "b"])
    assert matched.values.tolist() == [[0.5, 0.25], [1.5, 2.5]]
    assert "the columns of" in matched.notes[-1]
    assert "D.csv have no names, so columns were taken" in matched.notes[-1]
    with pytest.raises(RelationError, match=r"2 columns without names.*3 objects"):
        match_columns(new, ["a", "b", "c"])
    named = load_matrix(put("id,a,b\nn,1,2\n"))
    assert "the model has no ids" in match_columns(named, None).notes[-1]


@pytest.mark.parametrize("suffix", [".csv", ".npy", ".zarr"])
def test_shuffled_files_give_the_same_predictions(tmp_path, blobs, rng, suffix):
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    _, D, y = blobs
    ids = np.array([f"o{i}" for i in range(60)])
    train, new = np.arange(0, 60, 2), np.arange(1, 60, 2)
    relation = D[np.ix_(train, train)]
    model = RBFNetworkClassifier(n_prototypes=3, random_state=0).fit(relation, y[train])
    expected = model.predict(D[np.ix_(new, train)])
    columns, rows = rng.permutation(train), rng.permutation(new)
    path = tmp_path / f"D_new{suffix}"
    save_matrix(path, D[np.ix_(rows, columns)], ids[rows], ids[columns])
    matched = match_columns(load_matrix(path), ids[train])
    found = dict(zip(matched.row_ids, model.predict(matched.values), strict=True))
    assert [found[name] for name in ids[new]] == expected.tolist()


def test_columns_in_another_order_lie_in_memory_as_if_they_were_in_order():
    new = LoadedMatrix(np.arange(6.0).reshape(2, 3), None, np.array(list("cab")), (), "new.csv")
    matched = match_columns(new, list("abc")).values
    assert matched.tolist() == [[1, 2, 0], [4, 5, 3]]
    assert matched.flags.c_contiguous
