"""The spectrum of all objects, whole or from products alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf import inspect_relation
from relrbf.inspection import spectrum, triangles
from relrbf.inspection.spectrum import weighted_spectrum
from relrbf.relations import VectorRelation
from relrbf.relations.properties import spectrum as plain_spectrum


def noisy(rng, n, dtype=np.float64):
    """Return distances between vectors, and noise that leaves none."""
    X = rng.standard_normal((n, 10))
    noise = 0.3 * rng.random((n, n))
    D = cdist(X, X) + noise + noise.T
    np.fill_diagonal(D, 0)
    return D.astype(dtype)


def test_k23_is_a_metric_without_a_vector_dual(k23):
    report = inspect_relation(k23)
    assert report.is_metric
    assert report.has_vector_dual == {2: False, 1: False}
    assert_allclose([report.smallest_eigenvalue[e] for e in (1, 2)], [-0.2, -1.6])  # theory 5.3
    assert_allclose([report.additive_constant[e] for e in (1, 2)], [0.4, 3.2])
    assert report.suggested_exponent == 1


def test_the_constant_makes_vectors_exist_and_less_does_not(k23):
    needed = inspect_relation(k23).additive_constant[1]
    shifted = k23 + needed * (1 - np.eye(5))
    assert inspect_relation(shifted).has_vector_dual[1]
    assert not inspect_relation(shifted - 0.01 * (1 - np.eye(5))).has_vector_dual[1]


def test_duplicates_are_decomposed_once_and_counted_all(rng):
    distinct = noisy(rng, 12) ** 2
    who = rng.integers(0, 12, 40)
    counts = np.bincount(who, minlength=12)
    present = np.flatnonzero(counts)
    S = distinct**2
    merged = weighted_spectrum(S[np.ix_(present, present)], counts[present].astype(float))
    whole = plain_spectrum(S[np.ix_(who, who)])
    assert_allclose(merged[[0, -1]], whole[[0, -1]])
    assert_allclose(np.abs(merged).sum(), np.abs(whole).sum())
    assert_allclose(merged[merged < -1e-9], whole[whole < -1e-9])


def test_distances_of_vectors_have_a_dual_under_both_exponents(blobs, monkeypatch):
    made = []
    real = spectrum.weighted_spectrum
    monkeypatch.setattr(spectrum, "weighted_spectrum", lambda *a: made.append(1) or real(*a))
    report = inspect_relation(blobs[1])
    assert report.has_vector_dual == {2: True, 1: True}
    assert report.negative_eigenfraction == {2: 0, 1: 0}
    assert report.additive_constant == {2: 0, 1: 0}
    assert report.suggested_exponent == 2
    assert len(made) == 1  # Schoenberg: no second decomposition


def test_squared_distances_have_a_dual_as_such_only(blobs):
    report = inspect_relation(blobs[1] ** 2)
    assert report.has_vector_dual == {2: False, 1: True}
    assert report.suggested_exponent == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_alone_tell_what_the_whole_spectrum_does(rng, dtype):
    D = noisy(rng, 600, dtype)
    whole, products = inspect_relation(D), inspect_relation(D, max_exact=599)
    assert products.spectrum_sampled
    assert not whole.spectrum_sampled
    for exponent in (2, 1):
        for end in ("smallest_eigenvalue", "largest_eigenvalue"):
            exact, found = (getattr(r, end)[exponent] for r in (whole, products))
            assert found == pytest.approx(exact, rel=1e-5)
        low, high = products.negative_eigenfraction_interval[exponent]
        share = products.negative_eigenfraction[exponent]
        assert low < share < high
        assert high - low < 0.2 * share
        assert low - 0.01 * share < whole.negative_eigenfraction[exponent] < high + 0.01 * share
    assert products.has_vector_dual == {2: False, 1: False}
    assert "95% interval" in str(products)


def test_the_interval_covers_the_negative_share(rng, monkeypatch):
    monkeypatch.setattr(triangles, "N_SAMPLED_TRIPLES", 10)
    D = noisy(rng, 200)
    exact = inspect_relation(D).negative_eigenfraction[2]
    inside = []
    for seed in range(40):
        report = inspect_relation(D, max_exact=199, random_state=seed)
        low, high = report.negative_eigenfraction_interval[2]
        inside.append(low <= exact <= high)
    assert np.mean(inside) > 0.8


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_find_vectors_where_they_exist(rng, dtype):
    relation = VectorRelation(rng.standard_normal((300, 4)).astype(dtype))
    report = inspect_relation(relation, max_exact=100)
    assert report.has_vector_dual == {2: True, 1: True}
    assert report.negative_eigenfraction == {2: 0, 1: 0}
    city = cdist(relation.vectors, relation.vectors, "cityblock").astype(dtype)
    report = inspect_relation(city, max_exact=100)
    assert report.has_vector_dual == {2: False, 1: True}


def test_few_steps_find_ends_that_are_never_too_far_out(rng, monkeypatch):
    D = noisy(rng, 300)
    exact = inspect_relation(D)
    monkeypatch.setattr(spectrum, "MAX_RESTARTS", 1)
    monkeypatch.setattr(spectrum, "N_LANCZOS_STEPS", 30)
    found = inspect_relation(D, max_exact=100)
    for exponent in (2, 1):
        smallest = exact.smallest_eigenvalue[exponent]
        assert smallest < found.smallest_eigenvalue[exponent] < 0.8 * smallest
        assert_allclose(found.largest_eigenvalue[exponent], exact.largest_eigenvalue[exponent])


def test_a_handful_of_objects_may_be_read_by_products_too(k23):
    report = inspect_relation(k23, max_exact=2)
    assert_allclose([report.smallest_eigenvalue[e] for e in (1, 2)], [-0.2, -1.6])
    assert_allclose(report.largest_eigenvalue[2], 2)
    assert report.has_vector_dual == {2: False, 1: False}


@pytest.mark.parametrize("max_exact", [20, 3000])
def test_scale_changes_no_share(rng, max_exact):
    D = noisy(rng, 30) ** 2
    reports = [inspect_relation(c * D, max_exact=max_exact) for c in (1, 1e-140, 1e140)]
    for exponent in (2, 1):
        shares = [report.negative_eigenfraction[exponent] for report in reports]
        assert_allclose(shares, shares[0], rtol=1e-4)  # the smallest digits are rounding
        assert reports[0].smallest_eigenvalue[exponent] < 0
        smallest = [report.smallest_eigenvalue[exponent] for report in reports]
        assert_allclose(smallest[1], smallest[0] * 1e-140**exponent)
        assert_allclose(smallest[2], smallest[0] * 1e140**exponent)


def test_equal_objects_have_vectors():
    report = inspect_relation(np.zeros((4, 4)))
    assert report.has_vector_dual == {2: True, 1: True}
    assert report.n_duplicate_objects == 3
    assert report.intrinsic_dimension is None


def test_a_search_that_has_not_converged_claims_nothing(rng, monkeypatch):
    monkeypatch.setattr(spectrum, "MAX_RESTARTS", 1)
    S = np.diag(np.linspace(1, 2, 400))  # a spectrum without gaps converges late
    Q = np.linalg.qr(rng.standard_normal((400, 400)))[0]
    gram = Q @ S @ Q.T
    own = np.diagonal(gram)
    D = np.sqrt(np.maximum(own[:, None] + own - gram - gram.T, 0))
    np.fill_diagonal(D, 0)
    report = inspect_relation(D, max_exact=100)
    assert report.has_vector_dual[2] is None
    assert "has not converged" in str(report)
    assert "raise max_exact" in str(report)
    assert inspect_relation(D, max_exact=400).has_vector_dual[2] is True


def test_one_far_object_does_not_vouch_for_the_others(k23):
    D = np.full((6, 6), 2e4)
    D[:5, :5] = k23
    D[5, 5] = 0
    assert not inspect_relation(D).has_vector_dual[1]
