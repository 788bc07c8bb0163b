"""Relations made Euclidean, and new objects treated alike."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.embeddings import ClassicalMDS, NearestEuclideanMDS, ProximalMDS, SearchStatus
from relrbf.relations import DenseRelation, VectorRelation
from relrbf.relations.properties import spectrum
from relrbf.repair import (
    nearest_euclidean,
    nearest_metric,
    spectrum_clip,
    spectrum_flip,
    spectrum_shift,
)

REPAIRS = [nearest_euclidean, spectrum_clip, spectrum_flip, spectrum_shift]
ALL = pytest.mark.parametrize("repair", REPAIRS)


def ended(repair):
    """Only a search knows that nothing is nearer."""
    is_search = repair is nearest_euclidean
    return SearchStatus.CONVERGED if is_search else SearchStatus.CLOSED_FORM


BOTH = pytest.mark.parametrize("exponent", [1, 2])
pytestmark = pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")


@pytest.fixture
def relation(rng):
    D = np.triu(rng.random((26, 26)), 1)
    return D + D.T


def is_euclidean(D, exponent):
    values = spectrum(D**exponent)
    return values[0] > -1e-10 * values[-1]


@ALL
@BOTH
def test_a_repaired_relation_has_vectors(relation, repair, exponent):
    repaired = repair(relation, exponent=exponent)
    assert is_euclidean(repaired.matrix, exponent)
    assert_array_equal(repaired.matrix, repaired.matrix.T)
    assert_array_equal(np.diagonal(repaired.matrix), 0)
    assert repaired.status is ended(repair)
    assert repaired.n_changed == 325  # every pair
    change = (repaired.matrix**exponent - relation**exponent)[np.triu_indices(26, 1)]
    assert_allclose(repaired.distance, np.linalg.norm(change))


@ALL
def test_where_vectors_exist_nothing_changes(blobs, repair):
    _, D, _ = blobs
    repaired = repair(D)
    assert_array_equal(repaired.matrix, D)
    assert repaired.n_changed == repaired.distance == 0
    assert repaired.status is SearchStatus.UNCHANGED
    part = repair(D[:40, :40])
    assert_allclose(part.extend(D[:, :40]), D[:, :40], atol=1e-8)


@ALL
@BOTH
def test_training_objects_get_their_repaired_rows(relation, repair, exponent):
    repaired = repair(relation, exponent=exponent)
    assert_array_equal(repaired.extend(relation), repaired.matrix)
    assert_array_equal(repaired.extend(relation[3:5]), repaired.matrix[3:5])


@pytest.mark.parametrize("repair", REPAIRS[:3])  # a new object may need a larger shift
@BOTH
def test_a_new_object_fits_among_the_repaired_ones(relation, repair, exponent):
    repaired = repair(relation[:25, :25], exponent=exponent)
    row = repaired.extend(relation[25:, :25])
    whole = np.block([[repaired.matrix, row.T], [row, np.zeros((1, 1))]])
    assert is_euclidean(whole, exponent)


@pytest.mark.parametrize(
    ("repair", "embedding"),
    [
        (nearest_euclidean, NearestEuclideanMDS()),
        (spectrum_clip, ClassicalMDS()),
        (spectrum_flip, ClassicalMDS(negative="flip")),
        (spectrum_shift, ProximalMDS()),
    ],
)
def test_each_is_what_an_embedding_realises(relation, repair, embedding):
    Z = embedding.fit_transform(relation)
    assert_allclose(repair(relation).matrix, cdist(Z, Z), atol=1e-7)


def pseudo(above, below, others_above, others_below):
    """Return squared dissimilarities in a space with negative directions."""
    return cdist(above, others_above) ** 2 - cdist(below, others_below) ** 2


def test_new_objects_lose_or_turn_the_same_negative_directions(rng):
    # orthogonal over the training objects, so that the spectrum finds these very directions
    X = rng.standard_normal((30, 5))
    X = np.vstack([np.linalg.qr(X - X.mean(axis=0))[0], 0.2 * rng.standard_normal((10, 5))])
    above, below = X[:, :3] * [9, 8, 7], X[:, 3:] * [0.2, 0.1]
    S = pseudo(above, below, above[:30], below[:30])
    S = np.maximum(S, 0)
    assert (S[~np.eye(40, 30, dtype=bool)] > 0).all()  # else the relation would be another one
    D, D_new = np.sqrt(S[:30]), np.sqrt(S[30:])
    positive, negative = cdist(above, above[:30]) ** 2, cdist(below, below[:30]) ** 2
    clipped, flipped = spectrum_clip(D), spectrum_flip(D)
    assert_allclose(clipped.matrix**2, positive[:30], atol=1e-9)
    assert_allclose(flipped.matrix**2, (positive + negative)[:30], atol=1e-9)
    assert_allclose(clipped.extend(D_new) ** 2, positive[30:], atol=1e-9)
    assert_allclose(flipped.extend(D_new) ** 2, (positive + negative)[30:], atol=1e-9)


def test_what_lies_outside_the_training_objects_is_kept_as_a_height(rng):
    X = np.hstack([rng.standard_normal((30, 3)), np.zeros((30, 1))])
    z = np.array([[0.0, 1, 2, 5]])
    D, D_new = cdist(X, X), cdist(z, X)
    for repair in REPAIRS:
        assert_allclose(repair(D).extend(D_new), D_new)


def test_a_negative_height_is_left_out_or_turned_round(rng):
    X = rng.standard_normal((30, 3))
    z = rng.standard_normal((1, 3)) + 5
    D, S_new = cdist(X, X), cdist(z, X) ** 2
    low = np.sqrt(S_new - 0.3)
    assert_allclose(spectrum_clip(D).extend(low) ** 2, S_new)
    assert_allclose(spectrum_flip(D).extend(low) ** 2, S_new + 0.3)


def test_a_new_object_is_put_where_it_changes_least(rng):
    D = cdist(*2 * [rng.random((21, 4))], "cityblock")
    repaired = nearest_euclidean(D[:15, :15])
    X = ClassicalMDS().fit_transform(repaired.matrix)
    for row, measured in zip(repaired.extend(D[15:, :15]), D[15:, :15], strict=True):

        def change(place, t=measured**2):
            between = np.square(X - place[:-1]).sum(axis=1) + place[-1] ** 2
            return np.square(between - t).sum()

        starts = rng.standard_normal((5, X.shape[1] + 1))
        best = min(minimize(change, start, options={"gtol": 1e-9}).fun for start in starts)
        assert_allclose(np.square(row**2 - measured**2).sum(), best, rtol=1e-5)


@ALL
def test_the_users_matrix_and_the_result_are_apart(blobs, relation, repair):
    for D in (blobs[1], relation):
        repaired = repair(D)
        assert not np.shares_memory(repaired.matrix, D)
        row = repaired.extend(D[:1])
        repaired.matrix[:] = 7
        assert_array_equal(repaired.extend(D[:1]), row)


@ALL
def test_rounding_errors_of_symmetry_do_not_come_back(blobs, relation, repair):
    for D in (blobs[1], relation):
        D = D.copy()
        D[0, 1] += 1e-10
        np.fill_diagonal(D, 1e-12)
        repaired = repair(D).matrix
        assert_array_equal(repaired, repaired.T)
        assert_array_equal(np.diagonal(repaired), 0)


@ALL
def test_similarities_of_new_objects_are_turned_round_too(rng, repair):
    X = rng.standard_normal((30, 3))
    similarities = np.exp(-cdist(X, X, "cityblock") / 5)
    with pytest.warns(UserWarning, match="looks like similarities"):
        repaired = repair(similarities)
    assert_allclose(repaired.extend(similarities), repaired.matrix, atol=1e-7)


@ALL
@pytest.mark.parametrize("scale", [1e-110, 1e110])
def test_the_unit_of_the_dissimilarities_does_not_matter(relation, repair, scale):
    repaired = repair(scale * relation)
    assert repaired.status is ended(repair)
    assert_allclose(repaired.matrix / scale, repair(relation).matrix, atol=1e-6)


@ALL
def test_relations_that_were_never_validated_spread_no_nan(blobs, repair):
    X, D, _ = blobs
    X[0], D[0, 3], D[3, 0] = np.nan, np.nan, np.nan
    for bad in (VectorRelation(X), DenseRelation(D)):
        with pytest.raises(ValueError, match="NaN"):
            repair(bad)


@ALL
def test_one_object_is_too_few(blobs, repair):
    with pytest.raises(ValueError, match="1 objects; at least two"):
        repair(as_relation(blobs[1])[np.ix_([0], [0])])


@pytest.mark.parametrize("repair", [*REPAIRS, nearest_metric])
def test_a_pickled_repair_treats_new_objects_the_same(relation, repair):
    repaired = repair(relation[:20, :20])
    again = pickle.loads(pickle.dumps(repaired))
    assert_array_equal(again.extend(relation[:, :20]), repaired.extend(relation[:, :20]))


def test_progress_must_be_callable(relation):
    with pytest.raises(ValueError, match="progress is 3"):
        nearest_euclidean(relation, progress=3)


@ALL
def test_columns_of_other_objects_are_refused(relation, repair):
    import pandas as pd

    names = [f"g{i}" for i in range(26)]
    frame = pd.DataFrame(relation, names, names)
    repaired = repair(frame)
    assert_array_equal(repaired.extend(frame), repaired.matrix)
    with pytest.raises(ValueError, match="another order"):
        repaired.extend(frame[names[::-1]])


def test_a_shift_is_added_to_new_objects_too(relation):
    repaired = spectrum_shift(relation[:25, :25])
    shift = -2 * spectrum(relation[:25, :25] ** 2)[0]
    assert_allclose(repaired.extend(relation[25:, :25]) ** 2, relation[25:, :25] ** 2 + shift)


@ALL
def test_a_network_learns_from_the_repaired_relation(shared_data, repair):
    data = np.load(shared_data / "protein-213" / "protein-213.npz")
    R, y = data["R"], data["y"]
    train, test = np.arange(213) % 3 > 0, np.arange(213) % 3 == 0
    repaired = repair(R[np.ix_(train, train)])
    model = RBFNetworkClassifier(random_state=0).fit(repaired.relation, y[train])
    assert model.relation_report_.has_vector_dual[2]
    assert model.score(repaired.extend(R[np.ix_(test, train)]), y[test]) > 0.95


def test_the_l1_repair_is_nearer_in_its_norm_and_keeps_more(rng):
    X = rng.standard_normal((25, 3))
    D = cdist(X, X)
    D[3, 7] = D[7, 3] = 2 * D[3, 7]
    by_squares, by_sum = nearest_euclidean(D, exponent=2), nearest_euclidean(D, "l1", exponent=2)

    def total(repaired):
        return np.abs(repaired.matrix**2 - D**2)[np.triu_indices(25, 1)].sum()

    assert_allclose(by_sum.distance, total(by_sum), rtol=1e-6)
    assert total(by_sum) < total(by_squares)
    assert by_sum.n_changed < by_squares.n_changed / 2
    assert by_sum.gap <= 1e-7


@ALL
def test_ids_and_the_exponent_are_carried_over(relation, repair):
    names = [f"g{i}" for i in range(26)]
    repaired = repair(as_relation(relation, ids=names, exponent=1))
    assert repaired.relation.ids.tolist() == names
    assert repaired.exponent == repaired.relation.exponent == 1
    assert_array_equal(repaired.matrix, repair(relation, exponent=1).matrix)


@ALL
def test_float32_stays_float32(relation, repair):
    repaired = repair(relation.astype(np.float32))
    assert repaired.matrix.dtype == np.float32
    assert repaired.extend(relation.astype(np.float32)).dtype == np.float32
    assert_allclose(repaired.matrix, repair(relation).matrix, atol=1e-5)


def test_progress_is_told_and_may_stop(relation):
    told = []

    def stop(iteration, gap):
        told.append((iteration, gap))
        return iteration == 2

    repaired = nearest_euclidean(relation, progress=stop, tol=0)
    assert [iteration for iteration, _ in told] == [1, 2]
    assert repaired.status is SearchStatus.STOPPED
    assert is_euclidean(repaired.matrix, 2)


def test_too_few_iterations_are_said_to_be(relation):
    repaired = nearest_euclidean(relation, max_iter=1)
    assert repaired.status is SearchStatus.MAX_ITER
    assert repaired.gap > 1e-7


@ALL
def test_bad_matrices_are_refused(repair):
    with pytest.raises(ValueError, match="NaN"):
        repair(np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="not symmetric"):
        repair(np.array([[0.0, 1, 2], [2, 0, 1], [2, 1, 0]]))
    with pytest.raises(ValueError, match="exponent is 0"):
        repair(np.zeros((3, 3)), exponent=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"norm": "l3"}, "norm='l3'"), ({"tol": -1}, "tol is -1"), ({"max_iter": 0}, "max_iter is 0")],
)
def test_options_that_do_not_exist_are_refused(relation, options, message):
    with pytest.raises(ValueError, match=message):
        nearest_euclidean(relation, **options)


@ALL
def test_new_objects_are_validated(relation, repair):
    repaired = repair(relation)
    with pytest.raises(ValueError, match="NaN"):
        repaired.extend(np.full((1, 26), np.nan))
    with pytest.raises(ValueError, match="one column for each of the 26"):
        repaired.extend(np.ones((1, 25)))
    with pytest.raises(ValueError, match="Negative"):
        repaired.extend(-np.ones((1, 26)))
