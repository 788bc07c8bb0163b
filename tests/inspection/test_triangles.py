"""Triangles: every triple, or a sample of them."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from relrbf import inspect_relation
from relrbf.inspection import triangles
from relrbf.inspection.report import RelationInspection, StepProgress
from relrbf.inspection.triangles import (
    draw_triples,
    inspect_all_triangles,
    inspect_sampled_triangles,
)
from relrbf.relations import DenseRelation, VectorRelation


def by_brute_force(D):
    """Count as the definition says: known triples, violated ones, the worst, its excess."""
    n_known, violated = 0, []
    for i, j, k in permutations(range(len(D)), 3):
        direct, detour = D[i, j], D[i, k] + D[k, j]
        if np.isfinite([D[i, j], D[i, k], D[k, j]]).all():
            n_known += 1
            if direct - detour > 1e-8 * abs(direct):
                violated.append((detour - direct, i, j, k))
    excess, *worst = min(violated, default=(None, None))
    return n_known, len(violated), tuple(worst), excess


def count(D, *, mirrored):
    n = len(D)
    report = RelationInspection(n, is_symmetric=mirrored, n_missing=int((~np.isfinite(D)).sum()))
    progress = StepProgress(None)
    inspect_all_triangles(DenseRelation(D), np.arange(n), np.ones(n), report, progress)
    return report


def any_matrix(seed, *, symmetric, whole):
    """Return numbers with ties, negatives, NaN and infinities, as the seed has it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 10))
    D = rng.integers(0, 5, (n, n)).astype(float) if whole else rng.random((n, n))
    D[rng.random((n, n)) < rng.choice([0, 0.2])] *= -1
    D[rng.random((n, n)) < rng.choice([0, 0.2])] = np.nan
    D[rng.random((n, n)) < rng.choice([0, 0.1])] = np.inf
    return np.triu(D, 1) + np.triu(D, 1).T if symmetric else D


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.sampled_from([3, 64]))
def test_counts_are_those_of_brute_force(seed, symmetric, whole, tile):
    D = any_matrix(seed, symmetric=symmetric, whole=whole)
    n_known, n_violated, worst, excess = by_brute_force(D)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triangles, "ROWS_AT_ONCE", tile)
        found = count(D, mirrored=symmetric)
    assert (found.n_triples, found.n_violated) == (n_known, n_violated)
    if n_violated:
        assert found.worst_triple == worst
        assert found.worst_excess == pytest.approx(-excess)
    else:
        assert found.worst_triple is None
        assert found.worst_excess is None


def test_gaps_on_one_side_are_counted_as_they_are(rng, monkeypatch):
    monkeypatch.setattr(triangles, "ROWS_AT_ONCE", 3)
    D = np.triu(rng.random((9, 9)), 1)
    D += D.T
    D[1, 7] = D[5, 2] = np.nan
    report = inspect_relation(D)
    assert report.is_symmetric
    assert (report.n_triples, report.n_violated) == by_brute_force(D)[:2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("repeated", [False, True])
def test_the_compiled_loop_is_faster_not_different(rng, dtype, repeated):
    pytest.importorskip("numba")
    for D in (
        rng.random((13, 13)),
        rng.integers(0, 4, (13, 13)),
        any_matrix(3, symmetric=0, whole=1),
    ):
        D = np.where(np.isfinite(D), D, np.nan).astype(dtype)
        D[0, 1] = np.nan
        n = len(D)
        weights = rng.integers(1, 4, n).astype(float) if repeated else np.ones(n)
        for mirrored in (False, True):
            arguments = D, triangles.lowered(D), weights, 2, n, mirrored
            compiled = triangles.compile_counter()(*arguments)
            assert triangles.count_triples(*arguments) == compiled


def test_many_objects_are_counted_by_the_compiled_loop(monkeypatch):
    pytest.importorskip("numba")
    double = np.dtype(float)
    assert (
        triangles.choose_counter(triangles.MIN_COMPILED_OBJECTS, double)
        is triangles.compile_counter()
    )
    assert (
        triangles.choose_counter(triangles.MIN_COMPILED_OBJECTS - 1, double)
        is triangles.count_triples
    )
    monkeypatch.setattr(triangles, "has_numba", lambda: False)
    assert (
        triangles.choose_counter(triangles.MIN_COMPILED_OBJECTS, double) is triangles.count_triples
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_on_a_line_violate_nothing(rng, dtype):
    X = (rng.random(40)[:, None] * np.array([0.3, -1.7, 1e3]) + 5).astype(dtype)
    for D in (cdist(X, X), 1e-12 * cdist(X, X), np.abs(X[:, 0] - X[:, 0, None])):
        report = inspect_relation(D.astype(dtype))
        assert report.n_violated == 0
        assert report.is_metric


def test_a_violation_beyond_rounding_is_found():
    D = np.array([[0, 1, 2.00001], [1, 0, 1], [2.00001, 1, 0]])
    assert inspect_relation(D).worst_triple == (0, 2, 1)
    assert inspect_relation(D).n_violated == 2


def test_copies_count_as_often_as_they_are_there(rng):
    distinct = rng.random((6, 6)) ** 3
    distinct = np.triu(distinct, 1) + np.triu(distinct, 1).T
    who = np.array([0, 1, 2, 3, 4, 5, 0, 0, 3, 5])
    D = distinct[np.ix_(who, who)]
    report = inspect_relation(D)
    assert report.n_duplicate_objects == 4
    n_known, n_violated, worst, _ = by_brute_force(D)
    assert (report.n_triples, report.n_violated) == (n_known, n_violated)
    assert report.worst_triple == worst


def test_triples_are_drawn_uniformly():
    i, j, k = draw_triples(4, 48_000, np.random.default_rng(0))
    triples, counts = np.unique(np.stack([i, j, k], axis=1), axis=0, return_counts=True)
    assert_array_equal(triples, sorted(permutations(range(4), 3)))
    assert np.abs(counts - 2000).max() < 5 * np.sqrt(2000)


def test_the_interval_of_a_sample_covers_the_fraction(rng):
    X = rng.standard_normal((60, 3))
    relation = DenseRelation(cdist(X, X) ** 1.6)
    exact = count(relation.matrix, mirrored=True).triangle_violation_fraction
    inside = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triangles, "N_SAMPLED_TRIPLES", 2000)
        for seed in range(200):
            found = RelationInspection(60)
            inspect_sampled_triangles(relation, seed, found, StepProgress(None))
            low, high = found.triangle_violation_interval
            assert low < found.triangle_violation_fraction < high
            inside.append(low <= exact <= high)
    assert np.mean(inside) > 0.9


def test_beyond_the_limit_triples_are_drawn(rng, monkeypatch):
    monkeypatch.setattr(triangles, "N_SAMPLED_TRIPLES", 4000)
    X = rng.standard_normal((50, 2))
    D = cdist(X, X) ** 2
    report = inspect_relation(D, max_exact=49)
    assert report.triangles_sampled
    assert report.n_triples == 4000
    i, j, k = report.worst_triple
    assert report.worst_excess == pytest.approx(D[i, j] - D[i, k] - D[k, j])
    exact = inspect_relation(D)
    low, high = report.triangle_violation_interval
    assert low < exact.triangle_violation_fraction < high
    assert not exact.triangles_sampled
    assert report.is_metric is False
    assert "drawn, 95% interval" in str(report)
    assert "the worst of them" in str(report)


def test_a_sample_without_a_violation_does_not_make_a_metric(rng, monkeypatch):
    monkeypatch.setattr(triangles, "N_SAMPLED_TRIPLES", 4000)
    X = rng.standard_normal((50, 2))
    report = inspect_relation(VectorRelation(X), max_exact=49)
    assert report.triangle_violation_fraction == 0
    assert report.worst_triple is None
    assert report.is_metric is None


def test_a_sample_leaves_out_what_is_missing(rng, monkeypatch):
    monkeypatch.setattr(triangles, "N_SAMPLED_TRIPLES", 4000)
    D = cdist(*[rng.standard_normal((30, 2))] * 2)
    D[3, 5] = D[5, 3] = np.nan
    D[1, 2] = D[2, 1] = np.inf
    report = inspect_relation(D, max_exact=29)
    assert 0 < report.n_triples < 4000
    assert report.n_violated == 0
    nothing = inspect_relation(np.full((30, 30), np.nan), max_exact=29)
    assert nothing.triangle_violation_fraction is None
    assert nothing.n_triples == 0


def test_the_same_seed_draws_the_same(rng, monkeypatch):
    monkeypatch.setattr(triangles, "N_SAMPLED_TRIPLES", 500)
    D = cdist(*[rng.standard_normal((30, 2))] * 2) ** 2
    drawn = [inspect_relation(D, max_exact=29, random_state=s).n_violated for s in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_two_objects_have_no_triangle():
    report = inspect_relation([[0, 1], [1, 0]])
    assert report.triangle_violation_fraction == 0
    assert report.n_triples == 0
    assert report.is_metric


@pytest.mark.parametrize("max_exact", [2, 3000])
def test_detours_that_are_out_of_range_violate_nothing(max_exact):
    D = np.full((4, 4), 3e38, dtype=np.float32)
    np.fill_diagonal(D, 0)
    report = inspect_relation(D, max_exact=max_exact)
    assert report.n_violated == 0
