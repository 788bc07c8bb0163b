"""New objects get dissimilarities that fit the repaired ones, the nearest such."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.exceptions import RelationError
from relrbf.repair import nearest_metric
from relrbf.repair.triangles import NewObjectTriangles
from tests.repair.references import cvxpy_row_distance, largest_violation, random_relation

NORMS = ("l2", "l1")
ORDER = {"l2": 2, "l1": 1}


def bordered(metric, row):
    """The matrix of n + 1 objects."""
    return np.block([[metric, row[:, None]], [row[None], np.zeros((1, 1))]])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [2, 3, 12, 25])
def test_extended_relation_obeys_every_triangle(norm, n, rng):
    repair = nearest_metric(random_relation(rng, n), norm)
    rows = np.vstack([rng.random((4, n)), 5 * rng.random((2, n)), rng.integers(0, 2, (3, n))])
    extended = repair.extend(rows)
    assert extended.shape == rows.shape
    for row in extended:
        assert largest_violation(bordered(repair.matrix, row)) <= 1e-11


@pytest.mark.parametrize("norm", NORMS)
def test_no_row_that_fits_is_nearer_by_cvxpy(norm, rng):
    repair = nearest_metric(random_relation(rng, 15), norm)
    rows = rng.random((5, 15))
    for row, new in zip(rows, repair.extend(rows), strict=True):
        distance = np.linalg.norm(new - row, ORDER[norm])
        assert distance == pytest.approx(cvxpy_row_distance(row, repair.matrix, norm), rel=1e-5)


@pytest.mark.parametrize("norm", NORMS)
def test_training_objects_get_their_repaired_rows(norm, rng):
    D = random_relation(rng, 20)
    repair = nearest_metric(D, norm)
    rows = np.vstack([D[[3, 11]], rng.random((1, 20))])
    extended = repair.extend(rows)
    assert np.array_equal(extended[:2], repair.matrix[[3, 11]])
    assert not np.array_equal(extended[2], rows[2])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_row_that_fits_comes_back_bitwise(dtype, rng):
    X = rng.standard_normal((20, 3)).astype(dtype)
    D = cdist(X, X).astype(dtype)
    rows = cdist(rng.standard_normal((5, 3)), X).astype(dtype)
    extended = nearest_metric(D).extend(rows)
    assert extended.dtype == dtype
    assert np.array_equal(extended, rows)


def test_equal_training_objects_stay_equally_far_from_new_ones(rng):
    group = np.repeat(np.arange(6), 3)
    D = random_relation(rng, 6)[np.ix_(group, group)]
    for norm in NORMS:
        new = nearest_metric(D, norm).extend(rng.random((2, 18)))
        np.testing.assert_allclose(new, new[:, ::3][:, group], atol=1e-12)


def test_l1_corrects_one_wrong_dissimilarity_and_no_other():
    row = np.ones((1, 10))
    row[0, 4] = 7
    new = nearest_metric(1 - np.eye(10), "l1").extend(row)
    assert new.tolist() == [[1, 1, 1, 1, 2, 1, 1, 1, 1, 1]]


def test_closing_a_row_makes_any_row_fit_and_leaves_a_fitting_one(rng):
    for n in (2, 5, 30):
        metric = nearest_metric(random_relation(rng, n)).matrix
        constraints = NewObjectTriangles(metric)
        for scale in (0.0, 0.3, 3.0):
            x = np.zeros(n * (n + 1) // 2)
            x[constraints.own] = scale * rng.standard_normal(n)
            once = constraints.closed(x)
            assert largest_violation(bordered(metric, once[constraints.own])) <= 1e-14
            np.testing.assert_allclose(constraints.closed(once), once, atol=1e-15)


def test_hg194_splits_into_training_and_new_objects(shared_data):
    D = np.load(shared_data / "HG-194" / "HG-194.npz")["R"]
    train, new = np.arange(0, 194, 4), np.arange(1, 194, 12)
    repair = nearest_metric(D[np.ix_(train, train)])
    for row in repair.extend(D[np.ix_(new, train)]):
        assert largest_violation(bordered(repair.matrix, row)) <= 1e-12


def test_an_estimator_learns_from_the_repaired_and_predicts_from_the_extended(rng):
    y = np.repeat([0, 1], 20)
    X = rng.standard_normal((40, 2)) + 4 * y[:, None]
    D = cdist(X, X) ** 2
    train, new = np.arange(0, 40, 2), np.arange(1, 40, 2)
    repair = nearest_metric(D[np.ix_(train, train)])
    model = RBFNetworkClassifier(2, random_state=0).fit(repair.relation, y[train])
    assert model.score(repair.extend(D[np.ix_(new, train)]), y[new]) > 0.9


def test_new_objects_come_as_frames_and_relations_too(rng):
    import pandas as pd

    names = list("abcdefgh")
    D = random_relation(rng, 8)
    repair = nearest_metric(pd.DataFrame(D, index=names, columns=names))
    rows = rng.random((2, 8))
    expected = repair.extend(rows)
    assert np.array_equal(repair.extend(pd.DataFrame(rows, columns=names)), expected)
    with pytest.raises(RelationError, match="another order"):
        repair.extend(pd.DataFrame(rows, columns=names[::-1]))
    whole = as_relation(random_relation(rng, 10))
    part = whole[np.ix_(np.arange(8, 10), np.arange(8))]
    assert repair.extend(part).shape == (2, 8)


def test_bad_new_objects_are_refused(rng):
    repair = nearest_metric(random_relation(rng, 6))
    with pytest.raises(RelationError, match=r"D_new has shape \(2, 5\).*6 training objects"):
        repair.extend(np.ones((2, 5)))
    with pytest.raises(RelationError, match="D_new contains 6 NaN"):
        repair.extend(np.full((1, 6), np.nan))
    with pytest.raises(RelationError, match="Negative values"):
        repair.extend(np.full((1, 6), -1.0))
