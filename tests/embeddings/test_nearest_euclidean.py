"""The nearest Euclidean relation: against cvxpy, against Dykstra, against what others change."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from relrbf.embeddings import (
    ClassicalMDS,
    NearestEuclideanMDS,
    ProximalMDS,
    SearchStatus,
    nearest_euclidean,
)
from relrbf.embeddings.nearest_euclidean import nearest_euclidean_sq
from relrbf.embeddings.spectrum import centred

NORMS = pytest.mark.parametrize("norm", ["l2", "l1"])


def random_relation(rng, n=20):
    D = np.triu(rng.random((n, n)), 1)
    return D + D.T


def relations(rng):
    X = rng.standard_normal((20, 4))
    return [random_relation(rng), cdist(X, X, "cityblock"), np.round(3 * random_relation(rng))]


def distance(S, other, norm):
    change = (S - other)[np.triu_indices(len(S), 1)]
    return np.linalg.norm(change, 2 if norm == "l2" else 1)


def best_by_cvxpy(S, norm):
    """Minimise over Gram matrices; independent of every formula in the library."""
    n = len(S)
    G = cp.Variable((n, n), PSD=True)
    own = cp.reshape(cp.diag(G), (n, 1), order="C")
    X = own @ np.ones((1, n)) + np.ones((n, 1)) @ own.T - 2 * G
    rows, cols = np.triu_indices(n, 1)
    change = (X - S)[rows, cols]
    cp.Problem(cp.Minimize(cp.norm(change, 2 if norm == "l2" else 1))).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10
    )
    return float(np.linalg.norm(change.value, 2 if norm == "l2" else 1))


@NORMS
def test_none_that_cvxpy_finds_is_nearer(rng, norm):
    for D in relations(rng):
        mds = NearestEuclideanMDS(norm=norm).fit(D)
        best = best_by_cvxpy(D**2, norm)
        realised = distance(D**2, cdist(mds.embedding_, mds.embedding_) ** 2, norm)
        assert_allclose(realised, best, rtol=1e-6)
        assert_allclose(mds.distance_, realised, rtol=1e-9)
        assert mds.gap_ <= 1e-7
        assert mds.status_ is SearchStatus.CONVERGED


def dykstra(S, n_iter):
    """Alternate between the cone and zero diagonals, with Dykstra's correction (theory 8)."""
    X, correction = S.copy(), np.zeros_like(S)
    for _ in range(n_iter):
        given = X + correction
        values, vectors = np.linalg.eigh(centred(given))
        inside = given - (vectors * np.maximum(values, 0)) @ vectors.T
        correction = given - inside
        X = inside - np.diag(np.diagonal(inside))
    return X


def test_it_is_where_dykstras_projections_end(rng):
    S = random_relation(rng, 12) ** 2
    found = nearest_euclidean_sq(S, "l2", 1e-12, 100)
    assert found.n_iter < 20
    assert_allclose(found.distances_sq, dykstra(S, 5000), atol=1e-6)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@NORMS
def test_classical_and_proximal_scaling_are_never_nearer(rng, norm):
    for D in [*relations(rng), random_relation(rng, 5)]:
        mds = NearestEuclideanMDS(norm=norm).fit(D)
        for other in (ClassicalMDS(), ProximalMDS()):
            Z = other.fit_transform(D)
            assert mds.distance_ <= distance(D**2, cdist(Z, Z) ** 2, norm) * (1 + 1e-7)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@pytest.mark.parametrize("exponent", [1, 2])
@pytest.mark.parametrize("name", ["HG-194", "yeast-200", "protein-213"])
def test_on_shared_relations_it_changes_least(shared_data, name, exponent):
    R = np.load(shared_data / name / f"{name}.npz")["R"]
    mds = NearestEuclideanMDS(exponent=exponent).fit(R)
    assert mds.gap_ <= 1e-7
    for other in (ClassicalMDS(exponent=exponent), ProximalMDS(exponent=exponent)):
        Z = other.fit_transform(R)
        assert mds.distance_ <= distance(R**exponent, cdist(Z, Z) ** 2, "l2") + 1e-8


@NORMS
def test_where_vectors_exist_nothing_changes(blobs, norm):
    _, D, _ = blobs
    mds = NearestEuclideanMDS(norm=norm).fit(D)
    assert mds.distance_ < 1e-9
    assert_allclose(mds.embedding_, ClassicalMDS().fit_transform(D), atol=1e-8)


def test_least_absolute_changes_leave_more_as_it_was(rng):
    X = rng.standard_normal((25, 3))
    S = cdist(X, X) ** 2
    S[3, 7] = S[7, 3] = S[3, 7] * 4  # one wrong entry
    unchanged = {
        norm: np.mean(np.abs(nearest_euclidean_sq(S, norm, 1e-9, 5000).distances_sq - S) < 1e-5)
        for norm in ("l2", "l1")
    }
    assert unchanged["l1"] > 0.95
    assert unchanged["l2"] < 0.5


@NORMS
def test_the_scale_of_the_dissimilarities_does_not_matter(rng, norm):
    D = random_relation(rng, 10)
    small = NearestEuclideanMDS(norm=norm).fit(D)
    large = NearestEuclideanMDS(norm=norm).fit(1e5 * D)
    assert_allclose(large.distance_, 1e10 * small.distance_, rtol=1e-6)


@NORMS
def test_too_few_iterations_are_said_to_be_and_give_vectors_all_the_same(rng, norm):
    D = random_relation(rng, 12)
    with pytest.warns(ConvergenceWarning, match="another may be nearer"):
        mds = NearestEuclideanMDS(norm=norm, max_iter=1).fit(D)
    assert mds.status_ is SearchStatus.MAX_ITER
    assert mds.gap_ > 1e-7
    assert np.isfinite(mds.embedding_).all()


@NORMS
def test_a_callback_may_stop_the_search(rng, norm):
    gaps = []

    def stop(gap):
        gaps.append(gap)
        return True

    found = nearest_euclidean_sq(random_relation(rng, 12) ** 2, norm, 1e-12, 500, stop)
    assert len(gaps) == 1
    assert found.status is SearchStatus.STOPPED


def test_verbose_prints_how_far_it_is(rng, capsys):
    NearestEuclideanMDS(norm="l1", verbose=2).fit(random_relation(rng, 10))
    assert "iteration 1: relative gap" in capsys.readouterr().out


def test_a_new_object_is_placed_with_the_least_squared_change(rng):
    D = random_relation(rng, 30)
    mds = NearestEuclideanMDS().fit(D[:20, :20])
    X = mds.embedding_
    for row, z in zip(D[20:, :20], mds.transform(D[20:, :20]), strict=True):

        def change(place, t=row**2):
            between = np.square(X - place[:-1]).sum(axis=1) + place[-1] ** 2
            return np.square(between - t).sum()

        height = np.sqrt(max(np.mean(row**2 - np.square(X - z).sum(axis=1)), 0))
        best = min(
            minimize(change, start, options={"gtol": 1e-9}).fun
            for start in (np.append(z, height), rng.standard_normal(X.shape[1] + 1))
        )
        assert_allclose(change(np.append(z, height)), best, rtol=1e-6)


def test_a_few_coordinates_of_new_objects_are_the_first_of_all(rng):
    D = random_relation(rng, 25)
    whole, few = (NearestEuclideanMDS(k).fit(D[:20, :20]) for k in (None, 3))
    assert_allclose(few.transform(D[20:, :20]), whole.transform(D[20:, :20])[:, :3])


@NORMS
@pytest.mark.parametrize("noise", [1e-5, 1e-7, 1e-8, 1e-9])
def test_the_change_is_in_proportion_to_what_is_wrong_however_little(norm, noise):
    rng = np.random.default_rng(2)
    X, N = rng.standard_normal((40, 3)), rng.standard_normal((40, 40))
    wrong = cdist(X, X) ** 2 * (N + N.T)
    usual = nearest_euclidean_sq(cdist(X, X) ** 2 + 1e-4 * wrong, norm, 1e-7, 3000)
    found = nearest_euclidean_sq(cdist(X, X) ** 2 + noise * wrong, norm, 1e-7, 3000)
    assert found.status is SearchStatus.CONVERGED
    assert_allclose(found.distance / noise, usual.distance / 1e-4, rtol=2e-3 + found.gap)


def test_rounding_may_hide_further_progress(rng, monkeypatch):
    monkeypatch.setattr(nearest_euclidean, "MIN_STEP_FRACTION", 2.0)  # no step is worth a try
    with pytest.warns(ConvergenceWarning, match="rounding errors hide"):
        mds = NearestEuclideanMDS().fit(random_relation(rng, 12))
    assert mds.status_ is SearchStatus.STALLED


def test_where_vectors_exist_it_is_not_farther_by_a_digit(blobs):
    _, D, _ = blobs
    for mds in (NearestEuclideanMDS(), NearestEuclideanMDS(norm="l1")):
        assert_array_equal(mds.fit_transform(D), ClassicalMDS().fit_transform(D))


def test_the_sum_is_never_above_that_of_the_squares_it_starts_from(rng):
    S = random_relation(rng, 20) ** 2
    start = distance(S, nearest_euclidean_sq(S, "l2", 1e-9, 50).distances_sq, "l1")
    assert nearest_euclidean_sq(S, "l1", 1e-12, 1).distance <= start * (1 + 1e-3)


def test_a_search_keeps_the_best_it_has_met(rng):
    S = random_relation(rng, 12) ** 2
    search = nearest_euclidean._BestSoFar(S, 2, np.zeros_like(S))
    good = nearest_euclidean._DualPoint(S, np.zeros(12))
    search.update(good.member, good.excess)
    distance, bound = search.distance, search.bound
    assert 0 < bound < distance
    search.update(10 * S, np.eye(12))  # farther, and a bound that says nothing
    assert (search.distance, search.bound) == (distance, bound)


def test_the_penalty_follows_the_residual_that_is_behind():
    one, small = np.ones((2, 2)), np.full((2, 2), 0.1)
    assert nearest_euclidean._penalty_factor(one, small, one, one) == 2
    assert nearest_euclidean._penalty_factor(small, one, one, one) == 0.5
    assert nearest_euclidean._penalty_factor(one, one, one, one) == 1
