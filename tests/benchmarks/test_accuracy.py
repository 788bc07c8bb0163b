"""The baselines of the accuracy benchmark play by the rules."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from benchmarks.accuracy.baselines import CentredKernelRidge, KernelSVC, VectorRBF
from benchmarks.accuracy.keep import Keep
from benchmarks.accuracy.mds import ClassicalMDS
from benchmarks.accuracy.measure import OURS, Row, measure
from benchmarks.accuracy.sets import Set, genes, grouped_splits
from benchmarks.accuracy.tables import show


def test_gowers_formula_places_the_training_objects_where_they_are(blobs):
    X, D, _ = blobs
    embedded = ClassicalMDS().fit(D).transform(D)
    assert embedded.shape[1] == X.shape[1]
    gram = embedded @ embedded.T
    np.testing.assert_allclose(gram, (X - X.mean(0)) @ (X - X.mean(0)).T, atol=1e-9)


def test_gowers_formula_places_a_new_object_at_its_distances(blobs):
    _, D, _ = blobs
    mds = ClassicalMDS().fit(D[:40, :40])
    new, old = mds.transform(D[40:, :40]), mds.transform(D[:40, :40])
    distances = np.linalg.norm(new[:, None] - old, axis=2)
    np.testing.assert_allclose(distances, D[40:, :40], atol=1e-9)


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


def test_kernel_ridge_knows_the_mean_of_its_targets(blobs):
    _, D, _ = blobs
    model = CentredKernelRidge(alpha=1e9).fit(D, np.full(60, 7.0))
    np.testing.assert_allclose(model.predict(D), 7.0)


def test_twins_are_no_more_than_one_centre(rng):
    X = np.repeat(rng.standard_normal((8, 3)), 5, axis=0)
    model = VectorRBF(n_centres=20).fit(X, np.arange(40) % 2)
    assert len(model.centres_) == 8


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


@pytest.mark.parametrize("method", ["SVC", "k-NN"])
def test_a_baseline_is_tuned_and_measured(small, method):
    row = measure(small, method, 0, small.splits(1)[0])
    assert row.score > 0.5
    assert 0 < row.log_loss < 30
    assert np.isfinite(row.size) == (method == "SVC")


def test_kept_rows_come_back_as_they_were(tmp_path):
    row = Row("BC-569", "SVC", 3, 0.1 + 0.2, 0.5, 17.0, 1.25)
    Keep(tmp_path / "new").add(row)
    assert Keep(tmp_path / "new").find("BC-569", "SVC", 3) == row
    assert Keep(tmp_path / "new").find("BC-569", "SVC", 4) is None
    assert Keep(None).find("BC-569", "SVC", 3) is None


def test_the_verdict_is_ours_less_the_best_baseline(capsys):
    baselines = [Row("BC-569", m, 0, s, 0.2, 60.0, 2.0) for m, s in (("SVC", 0.9), ("k-NN", 0.95))]
    show([*baselines, Row("BC-569", OURS, 0, 0.97, 0.1, 20.0, 1.0)], 1)
    out = capsys.readouterr().out
    assert "| 97.00 ± 0.00 | +2.00 |" in out
    assert "| BC-569 | 20.0 | 60.0 | 3.00 |" in out
    assert "| BC-569 | 1.000 | 2.000 | 0.50 |" in out
