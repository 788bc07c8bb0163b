"""nearest_metric: a metric comes back, the nearest one, and nothing moves without need."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform

from relrbf import as_relation
from relrbf.embeddings import SearchStatus
from relrbf.exceptions import OptionError, RelationError
from relrbf.repair import nearest_metric
from tests.repair.references import cvxpy_distance, largest_violation, random_relation

NORMS = ("l2", "l1")
CONVERGED, UNCHANGED = SearchStatus.CONVERGED, SearchStatus.UNCHANGED


def with_one_huge_entry(rng):
    D = random_relation(rng, 12)
    D[2, 7] = D[7, 2] = 1e6
    return D


MADE = {
    "uniform": lambda rng: random_relation(rng, 40),
    "squares": lambda rng: cdist(*[rng.standard_normal((30, 2))] * 2) ** 2,
    "ties": lambda rng: random_relation(rng, 20, lambda m: rng.integers(1, 9, m).astype(float)),
    "zeros": lambda rng: random_relation(rng, 15, lambda m: rng.integers(0, 3, m).astype(float)),
    "mostly zeros": lambda rng: random_relation(rng, 12, lambda m: (rng.random(m) > 0.9) * 1.0),
    "zeros among others": lambda rng: random_relation(
        rng, 13, lambda m: rng.random(m) * (rng.random(m) > 0.7)
    ),
    "one huge entry": with_one_huge_entry,
    "tiny numbers": lambda rng: 1e-30 * random_relation(rng, 15),
    "huge numbers": lambda rng: 1e30 * random_relation(rng, 15),
    "nearly a metric": lambda rng: (
        cdist(*[np.linspace(0, 1, 12)[:, None]] * 2) + 1e-9 * random_relation(rng, 12)
    ),
    "three objects": lambda rng: squareform([5.0, 1.0, 1.0]),
}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("made", MADE.values(), ids=MADE.keys())
def test_repaired_relation_obeys_every_triangle(made, norm, rng):
    D = made(rng)
    repair = nearest_metric(D, norm)
    M = repair.matrix
    assert repair.status is CONVERGED
    assert repair.gap <= 1e-5  # what is nearly a metric is repaired near the limits of rounding
    assert largest_violation(M) <= 1e-12 * M.max()
    assert np.array_equal(M, M.T)
    assert not np.diagonal(M).any()
    assert M.min() >= 0
    assert repair.n_changed == np.count_nonzero(squareform(M != D)) > 0


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["HG-194", "yeast-200"])
def test_real_relations_become_metric(name, norm, shared_data):
    D = np.load(shared_data / name / f"{name}.npz")["R"]
    repair = nearest_metric(D, norm, tol=1e-2)
    assert repair.status is CONVERGED
    assert largest_violation(D) > 0.1
    assert largest_violation(repair.matrix) <= 1e-12


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(3))
def test_no_metric_is_nearer_by_cvxpy(norm, seed):
    D = random_relation(np.random.default_rng(seed), 15)
    repair = nearest_metric(D, norm)
    assert repair.distance == pytest.approx(cvxpy_distance(D, norm), rel=2e-6)
    changes = squareform(repair.matrix - D)
    order = {"l2": 2, "l1": 1}[norm]
    assert repair.distance == pytest.approx(np.linalg.norm(changes, order))


@pytest.mark.parametrize("norm", NORMS)
def test_repairing_equal_objects_as_one_loses_nothing(norm, rng):
    distinct = random_relation(rng, 7)
    group = rng.permutation(np.repeat(np.arange(7), [1, 3, 2, 4, 1, 2, 2]))
    D = distinct[np.ix_(group, group)]
    repair = nearest_metric(D, norm)
    assert repair.distance == pytest.approx(cvxpy_distance(D, norm), rel=2e-6)
    assert not repair.matrix[group[:, None] == group].any()


@pytest.mark.parametrize("norm", NORMS)
def test_a_metric_comes_back_bitwise(norm, k23, rng):
    for metric in (k23, cdist(*[rng.standard_normal((30, 3))] * 2), squareform([3.0]), k23 * 0):
        repair = nearest_metric(metric, norm)
        assert repair.status is UNCHANGED
        assert np.array_equal(repair.matrix, metric)
        assert (repair.n_changed, repair.distance, repair.n_iter, repair.gap) == (0, 0, 0, 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_collinear_points_are_a_metric_to_rounding(dtype, rng):
    D = squareform(0.1 * pdist(rng.random((40, 1)))).astype(dtype)
    assert largest_violation(D) > 0
    assert nearest_metric(D).status is UNCHANGED


@pytest.mark.parametrize("norm", NORMS)
def test_repair_is_idempotent(norm, rng):
    for n in (4, 15, 40):
        first = nearest_metric(random_relation(rng, n), norm)
        second = nearest_metric(first.matrix, norm)
        assert second.status is UNCHANGED
        assert np.array_equal(second.matrix, first.matrix)


@pytest.mark.parametrize("norm", NORMS)
def test_repair_scales_with_the_relation(norm, rng):
    D = random_relation(rng, 20)
    plain, scaled = nearest_metric(D, norm), nearest_metric(1024 * D, norm)
    np.testing.assert_allclose(scaled.matrix, 1024 * plain.matrix, rtol=1e-9)
    assert scaled.distance == pytest.approx(1024 * plain.distance)


def test_the_order_of_the_objects_does_not_matter(rng):
    D = random_relation(rng, 20)
    order = rng.permutation(20)
    plain = nearest_metric(D, tol=1e-11).matrix
    permuted = nearest_metric(D[np.ix_(order, order)], tol=1e-11).matrix
    np.testing.assert_allclose(permuted, plain[np.ix_(order, order)], atol=1e-6)


@pytest.mark.parametrize("norm", NORMS)
def test_what_no_broken_triangle_touches_does_not_move(norm, rng):
    """Two groups far apart: the broken triangles are all within the first."""
    D = np.full((20, 20), 10.0)
    D[:8, :8] = random_relation(rng, 8, lambda m: 1 + 4 * rng.random(m))
    D[8:, 8:] = 1 + squareform(rng.random(66))
    np.fill_diagonal(D, 0)
    M = nearest_metric(D, norm).matrix
    assert largest_violation(D) > 0.5
    assert np.array_equal(M[8:], D[8:])


def test_l1_moves_one_wrong_pair_and_no_other():
    D = 1 - np.eye(10)
    D[3, 9] = D[9, 3] = 7
    repair = nearest_metric(D, "l1")
    assert repair.n_changed == 1
    assert repair.matrix[3, 9] == 2
    assert nearest_metric(D, "l2").n_changed == 17


def test_one_wrong_pair_costs_l1_what_exceeds_the_shortest_detour(rng):
    X = rng.standard_normal((30, 4))
    D = cdist(X, X)
    D[3, 9] = D[9, 3] = 40
    repair = nearest_metric(D, "l1")
    others = np.delete(np.arange(30), [3, 9])
    assert repair.distance == pytest.approx(40 - (D[3] + D[9])[others].min(), rel=1e-6)
    assert repair.n_changed <= 3  # a leg of the shortest detour may share the change


def test_l1_changes_no_more_pairs_than_a_vertex_of_the_programme(rng):
    """Pairs that only rounding or an early end would move are given back as they were."""
    D = random_relation(rng, 30)
    changes = squareform(np.abs(nearest_metric(D, "l1").matrix - D))
    assert 0 < np.count_nonzero(changes) < 0.6 * len(changes)
    assert np.count_nonzero((changes > 0) & (changes < 1e-7)) == 0


@pytest.mark.parametrize("norm", NORMS)
def test_float32_stays_float32(norm, rng):
    D = random_relation(rng, 25)
    single, double = nearest_metric(D.astype(np.float32), norm), nearest_metric(D, norm)
    assert single.matrix.dtype == np.float32
    assert largest_violation(single.matrix) <= 2e-7
    assert single.distance == pytest.approx(double.distance, rel=1e-5)
    assert nearest_metric(single.matrix, norm).status is UNCHANGED


def test_rounding_in_symmetry_is_averaged_and_in_the_diagonal_removed(k23):
    D = k23.copy()
    D[0, 1] += 1e-12
    D[3, 3] = 1e-12
    M = nearest_metric(D).matrix
    assert np.array_equal(M, M.T)
    assert not np.diagonal(M).any()
    assert M[0, 1] == pytest.approx(2 + 5e-13, abs=1e-16)


def test_rounding_below_zero_becomes_zero(k23):
    D = np.zeros((6, 6))
    D[:5, :5] = k23
    D[5, :5] = D[:5, 5] = k23[0]
    D[0, 5] = D[5, 0] = -1e-17
    assert nearest_metric(D).matrix[0, 5] == 0


def test_max_iter_ends_with_advice_and_a_metric(rng):
    repair = nearest_metric(random_relation(rng, 30), max_iter=2)
    assert repair.status is SearchStatus.MAX_ITER
    assert "Raise max_iter" in repair.status.value
    assert repair.n_iter == 2
    assert repair.gap > 1e-6
    assert largest_violation(repair.matrix) <= 1e-12


def test_progress_is_told_and_may_stop(rng):
    seen = []

    def progress(iteration, violation):
        seen.append((iteration, violation))
        return iteration == 3

    repair = nearest_metric(random_relation(rng, 30), progress=progress)
    assert repair.status is SearchStatus.STOPPED
    assert [iteration for iteration, _ in seen] == [1, 2, 3]
    assert seen[0][1] > seen[2][1] > 0
    assert largest_violation(repair.matrix) <= 1e-12


def test_the_gap_bounds_what_is_left_to_gain(rng):
    D = random_relation(rng, 25)
    for norm, power in (("l2", 2), ("l1", 1)):
        early, late = nearest_metric(D, norm, max_iter=6), nearest_metric(D, norm, tol=1e-8)
        assert late.distance**power >= (1 - early.gap) * early.distance**power
        assert early.gap < 1


def test_every_form_of_a_relation_is_taken_and_ids_are_kept(rng):
    import pandas as pd

    D = random_relation(rng, 8)
    names = list("abcdefgh")
    expected = nearest_metric(D).matrix
    frame = pd.DataFrame(D, index=names, columns=names)
    repair = nearest_metric(frame)
    assert repair.ids.tolist() == repair.relation.ids.tolist() == names
    assert np.array_equal(repair.relation.block(), expected)
    assert np.array_equal(nearest_metric(squareform(D)).matrix, expected)
    relation = nearest_metric(as_relation(D, exponent=1)).relation
    assert relation.exponent == 1
    assert nearest_metric(D).ids is None


def test_bad_input_is_refused(rng):
    D = random_relation(rng, 5)
    broken = D.copy()
    broken[1, 2] = broken[2, 1] = np.nan
    with pytest.raises(RelationError, match="NaN"):
        nearest_metric(broken)
    with pytest.raises(RelationError, match="not symmetric"):
        nearest_metric(np.triu(D))
    with pytest.raises(OptionError, match="norm='l3' does not exist"):
        nearest_metric(D, "l3")
    with pytest.raises(OptionError, match="tol is -1"):
        nearest_metric(D, tol=-1)
    with pytest.raises(OptionError, match="max_iter is 0"):
        nearest_metric(D, max_iter=0)
    with pytest.raises(OptionError, match="progress is 3"):
        nearest_metric(D, progress=3)


def test_the_input_is_not_changed(rng):
    D = random_relation(rng, 10)
    before = D.copy()
    nearest_metric(D)
    assert np.array_equal(D, before)
