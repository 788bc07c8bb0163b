"""The accuracy benchmark: its baselines play by the rules, its tables count what they say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import KernelCenterer, StandardScaler

from benchmarks.accuracy.baselines import (
    COLUMN_KERNELS,
    KERNELS,
    PENALTIES,
    DissimilarityKernel,
    KernelSVC,
    Neighbours,
    RidgeClassifier,
    RidgeRegressor,
    Rows,
    best_scale,
    left_out,
)
from benchmarks.accuracy.keep import Keep
from benchmarks.accuracy.measure import OURS, Row, measure
from benchmarks.accuracy.noise import astray
from benchmarks.accuracy.sets import GROUPS, SETS, genes
from benchmarks.accuracy.split import Set, grouped_splits
from benchmarks.accuracy.tables import show

NEEDS_EXTRA = ("strings", "string-shares", "series")


class Recording(KernelSVC):
    """Remembers the shapes that a search hands to fit and predict."""

    seen: list[tuple[int, ...]] = []  # noqa: RUF012 - shared by clones on purpose

    def fit(self, D, y):
        self.seen.append(D.shape)
        return super().fit(D, y)

    def predict(self, D):
        self.seen.append(D.shape)
        return super().predict(D)


def test_a_search_cuts_the_kernel_machines_relation_on_both_axes(blobs):
    _, D, y = blobs
    Recording.seen.clear()
    GridSearchCV(Recording(), {"C": [1]}, cv=3).fit(D, y)
    assert set(Recording.seen) == {(40, 40), (20, 40), (60, 60)}


def ridge_with_bias(K, Y, penalty, K_new):
    """Solve for dual coefficients and a bias without penalty: [K + aI, 1; 1', 0]."""
    n = len(K)
    system = np.ones((n + 1, n + 1))
    system[:n, :n], system[n, n] = K + penalty * np.eye(n), 0
    solution = np.linalg.solve(system, np.vstack([Y, np.zeros(Y.shape[1])]))
    return K_new @ solution[:n] + solution[n]


@pytest.mark.parametrize("power", [1, 4])  # with 4 the kernel is indefinite
def test_left_out_responses_are_those_of_fits_without_the_object(blobs, rng, power):
    _, D, _ = blobs
    K, Y = DissimilarityKernel(1, power).fit(D).transform(D), rng.standard_normal((60, 2))
    assert (np.linalg.eigvalsh(K)[0] < -0.01) == (power == 4)
    responses, _ = left_out(KernelCenterer().fit_transform(K), Y)
    for penalty, found in zip(PENALTIES[9::3], responses[9::3], strict=True):
        for i in (0, 17, 59):
            rest = np.arange(60) != i
            expected = ridge_with_bias(K[np.ix_(rest, rest)], Y[rest], penalty, K[i, rest])
            assert_allclose(found[i], expected, atol=1e-8)


def test_a_ridge_answers_new_objects_with_the_chosen_kernel_and_penalty(blobs, rng):
    _, D, _ = blobs
    y = rng.standard_normal(40)
    kernel = DissimilarityKernel(3, 2).fit(D[:40, :40])
    K = kernel.transform(D[:, :40])
    errors = [
        np.square(r[:, 0] - y).mean()
        for r in left_out(KernelCenterer().fit_transform(K[:40]), y[:, None])[0]
    ]
    expected = ridge_with_bias(K[:40], y[:, None], PENALTIES[np.argmin(errors)], K[40:])
    model = RidgeRegressor([DissimilarityKernel(3, 2)]).fit(D[:40, :40], y)
    assert_allclose(model.predict(D[40:, :40]), expected[:, 0], atol=1e-8)


def test_of_several_kernels_the_one_of_least_left_out_error_is_kept(rng):
    x = rng.uniform(0, 10, (80, 1))
    model = RidgeRegressor(KERNELS).fit(cdist(x, x), np.sin(3 * x[:, 0]))
    assert model.kernel_.gamma >= 10


def test_a_ridge_on_the_rows_is_scikit_learns(blobs, rng):
    _, D, _ = blobs
    y = rng.standard_normal(40) + D[:40, 0]
    scaler = StandardScaler().fit(D[:40, :40])
    theirs = RidgeCV(40 * PENALTIES).fit(scaler.transform(D[:40, :40]), y)
    ours = RidgeRegressor([Rows()]).fit(D[:40, :40], y)
    expected = theirs.predict(scaler.transform(D[40:, :40]))
    assert_allclose(ours.predict(D[40:, :40]), expected, atol=1e-6)


def test_all_columns_of_a_definite_kernel_are_the_kernel(blobs):
    _, D, y = blobs
    exact, columns = (
        RidgeClassifier(kernels[:6]).fit(D[:40, :40], y[:40])
        for kernels in (KERNELS, COLUMN_KERNELS)
    )
    assert_allclose(columns.predict_proba(D[40:, :40]), exact.predict_proba(D[40:, :40]), atol=1e-5)


def test_the_scale_of_responses_is_that_of_least_log_loss():
    responses = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    Y = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert best_scale(responses, Y) == pytest.approx(np.log(3), rel=1e-4)  # odds of 3 to 1


def test_one_more_neighbour_is_shared_by_all_classes():
    D = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
    model = Neighbours(1, metric="precomputed").fit(D, np.arange(3))
    assert_allclose(model.predict_proba(D[:1]), [[2 / 3, 1 / 6, 1 / 6]])


def test_fewer_grouped_splits_are_the_first_of_more():
    y, groups = np.repeat([0, 1], 20), np.repeat(np.arange(10), 4)
    for one, other in zip(
        grouped_splits(y, groups, 2), grouped_splits(y, groups, 20), strict=False
    ):
        np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.usefixtures("shared_data")
def test_no_split_and_no_fold_of_hg_194_parts_a_gene_or_twins():
    data = genes()
    gene, duplicates = data.groups, (data.D[:, None] == data.D).all(axis=2)
    assert len(data.splits(20)) == 20
    for train, test in data.splits(20):
        assert not set(gene[train]) & set(gene[test])
        assert not duplicates[np.ix_(train, test)].any()
        assert set(data.y[train]) == set(data.y[test]) == {0, 1, 2}
        for known, held in data.folds(train):
            assert not set(gene[train[known]]) & set(gene[train[held]])


@pytest.fixture
def small(blobs):
    return Set("small", *blobs[1:])


@pytest.mark.parametrize("method", ["SVC", "k-NN", "kernel ridge", "rows", "Nyström"])
def test_a_baseline_is_tuned_and_measured(small, method):
    row = measure(small, method, 0, small.splits(1)[0])
    assert row.score > 0.5
    assert row.balanced == pytest.approx(row.score, abs=0.1)
    assert 0 < row.log_loss < np.log(3)
    assert np.isfinite(row.size) == (method == "SVC")


def test_a_regression_has_no_log_loss(blobs):
    X, D, _ = blobs
    data = Set("line", D, X[:, 0], regression=True)
    row = measure(data, "kernel ridge", 0, data.splits(1)[0])
    assert row.score > 0.9
    assert np.isnan([row.balanced, row.log_loss, row.size]).all()


def test_many_objects_have_three_splits():
    few, many = (Set("", np.zeros((n, 0)), np.arange(n) % 2) for n in (2000, 2002))
    assert len(few.splits(10)) == 10
    assert len(many.splits(10)) == 3
    assert len(many.splits(2)) == 2


def test_no_set_is_in_both_groups():
    assert len(SETS) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize("name", [n for n in GROUPS["development"] if n not in NEEDS_EXTRA])
def test_a_development_relation_is_symmetric_and_always_the_same(name):
    data, again = SETS[name](), SETS[name]()
    assert data.name == name
    assert 80 <= len(data.y) <= 600
    assert np.isfinite(data.D).all()
    assert (data.D >= 0).all()
    assert (np.diag(data.D) == 0).all()
    np.testing.assert_array_equal(data.D, data.D.T)
    np.testing.assert_array_equal(data.D, again.D)
    np.testing.assert_array_equal(data.y, again.y)
    assert (data.y.dtype.kind == "f") == data.regression


def test_kept_rows_come_back_as_they_were(tmp_path):
    row = Row("BC-569", "SVC", 3, 0.1 + 0.2, 0.25, 0.5, 17.0, 1.25)
    Keep(tmp_path / "new").add(row)
    assert Keep(tmp_path / "new").find("BC-569", "SVC", 3) == row
    assert Keep(tmp_path / "new").find("BC-569", "SVC", 4) is None
    assert Keep(None).find("BC-569", "SVC", 3) is None


def rows_of(name, method, scores, losses=(0.2, 0.2), size=60.0, seconds=2.0):
    """One row per score; balanced accuracy is ten points lower."""
    return [
        Row(name, method, i, score, score - 0.1, loss, size, seconds)
        for i, (score, loss) in enumerate(zip(scores, losses, strict=True))
    ]


def test_ours_is_paired_with_the_baseline_that_is_best_on_average(capsys):
    show(
        [
            *rows_of("BC-569", "SVC", (0.9, 0.94)),
            *rows_of("BC-569", "k-NN", (0.96, 0.86)),
            *rows_of("BC-569", "Nyström", (0.99, 0.99)),  # is none of the four
            *rows_of("BC-569", OURS, (0.95, 0.97), (0.1, 0.1), 20.0, 1.0),
        ]
    )
    out = capsys.readouterr().out
    assert "| 96.00 ± 1.00 | SVC | +4.00 ± 1.00 |" in out  # of 5 and 3 points
    assert "| 86.00 ± 1.00 | SVC | +4.00 ± 1.00 |" in out
    assert "| 0.100 ± 0.000 | SVC | -0.100 ± 0.000 |" in out
    assert "| BC-569 | 20.0 | 60.0 | 0.33 |" in out
    assert "| BC-569 | 1.000 | 2.000 | 0.50 |" in out


def test_the_counts_are_those_of_level_sets_the_worst_and_log_loss(capsys):
    rows = []
    for name, ours, loss in (("a", 0.8985, 0.1), ("b", 0.95, 0.3), ("c", 0.88, 0.2)):
        rows += rows_of(name, "rows", (0.9, 0.9))
        rows += rows_of(name, OURS, (ours, ours), (loss, loss))
    nan = (np.nan,) * 3
    rows += [Row("d", m, 0, s, *nan, 1.0) for m, s in (("k-NN", 0.5), (OURS, 0.495))]
    show(rows)
    out = capsys.readouterr().out
    assert "(-0.2 points) or ahead | 2 of 4 (50%) |" in out
    assert "| farthest behind, points | -2.00 (c) |" in out
    assert "| log-loss at most the best baseline's | 2 of 3 (67%) |" in out
    assert "| d | 50.00 ± 0.00 | 49.50 ± 0.00 | k-NN | -0.50 |" in out


def test_baselines_alone_have_tables_and_no_counts(capsys):
    show(rows_of("a", "rows", (0.9, 0.9)))
    out = capsys.readouterr().out
    assert "| a | 90.00 ± 0.00 | rows |  |" in out
    assert "farthest" not in out


def test_the_mean_never_leaves_the_range_of_noise():
    pooled, averaged, excess = astray(0, "mean")
    assert -0.2 < pooled < 0
    assert averaged < 0
    assert excess == 0
