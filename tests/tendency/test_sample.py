"""A sample shows all parts of a relation, and reads little of it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.exceptions import RelationError
from relrbf.relations import DenseRelation
from relrbf.relations.properties import farthest_first
from relrbf.tendency import N_DISTINGUISHED, _proportional_sizes, ivat, vat


class Counting(DenseRelation):
    """A relation that counts the entries asked of it, and of those made from it."""

    def __init__(self, matrix):
        super().__init__(matrix)
        self.read = []

    def block(self, rows=slice(None), cols=slice(None)):
        found = super().block(rows, cols)
        self.read.append(found.size)
        return found


@pytest.fixture
def many(rng):
    """Four groups of very different sizes: D, y."""
    y = np.repeat([0, 1, 2, 3], [300, 150, 45, 5])
    X = rng.standard_normal((500, 2)) + 40 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[y]
    return cdist(X, X), y


@pytest.mark.parametrize("assess", [vat, ivat])
@pytest.mark.parametrize("n_sample", [2, 7, 60, 499])
def test_so_many_different_objects_are_shown(assess, n_sample, many):
    result = assess(many[0], n_sample=n_sample, random_state=0)
    assert len(set(result.order.tolist())) == n_sample
    assert result.image.shape == (n_sample, n_sample)


@pytest.mark.parametrize("assess", [vat, ivat])
def test_the_sample_is_assessed_as_a_relation_of_its_own(assess, many):
    D, _ = many
    result = assess(D, n_sample=80, random_state=0)
    objects = np.sort(result.order)
    alone = assess(D[np.ix_(objects, objects)])
    assert_array_equal(result.order, objects[alone.order])
    assert_array_equal(result.image, alone.image)
    assert_array_equal(result.edges, alone.edges)


def test_only_some_rows_and_the_samples_own_entries_are_read(many):
    relation = Counting(many[0])
    ivat(relation, n_sample=70, random_state=0)
    assert sum(relation.read) == N_DISTINGUISHED * 500 + 70**2


def test_groups_are_shown_in_proportion_and_none_is_missed(many):
    D, y = many
    shown = np.bincount(y[vat(D, n_sample=250, random_state=0).order])
    assert shown.sum() == 250
    assert np.abs(shown - [150, 75, 22.5, 2.5]).max() < 20
    assert shown.min() >= 2


def test_the_clusters_of_a_sample_are_those_of_all(many):
    D, y = many
    for seed in range(5):
        result = ivat(D, n_sample=100, random_state=seed)
        clusters = np.cumsum(result.edges > 15)[result.nearest]
        assert_array_equal(clusters[:, None] == clusters, y[:, None] == y)


def test_a_shown_object_stands_for_itself_and_is_near_to_those_it_stands_for(many):
    D, _ = many
    result = vat(D, n_sample=100, random_state=0)
    assert_array_equal(result.nearest[result.order], np.arange(100))
    to_own = D[np.arange(500), result.order[result.nearest]]
    chosen, _ = farthest_first(DenseRelation(D), N_DISTINGUISHED, _first_of(0))
    assert set(chosen) <= set(result.order)
    assert (to_own <= D[:, chosen].min(axis=1)).all()


def _first_of(seed):
    """Return the object of 500 that sampling with this seed begins with."""
    rng = np.random.default_rng(np.random.RandomState(seed).randint(2**31))
    return int(rng.integers(500))


def test_distinguished_objects_are_farthest_from_those_before(many):
    D, _ = many
    chosen, groups = farthest_first(DenseRelation(D), 12, 3)
    for k in range(1, 12):
        to_those_before = D[:, chosen[:k]].min(axis=1)
        assert to_those_before[chosen[k]] == to_those_before.max()
    assert_array_equal(groups, D[:, chosen].argmin(axis=1))


def test_equal_objects_are_distinguished_once():
    X = np.repeat([[0.0], [1.0], [5.0]], [10, 20, 30], axis=0)
    chosen, groups = farthest_first(DenseRelation(cdist(X, X)), 40, 3)
    assert len(set(X[chosen, 0])) == len(chosen) == 3
    assert_array_equal(chosen[groups[chosen]], chosen)
    result = ivat(cdist(X, X), n_sample=12, random_state=0)
    assert_array_equal(X[result.order[result.nearest]], X)
    assert_array_equal(np.unique(X[result.order], return_counts=True)[1], [2, 4, 6])


def test_a_rounding_error_below_zero_takes_no_object_from_its_own_group():
    D = 1 - np.eye(5)
    D[np.tril_indices(5, -1)] = -1e-16
    chosen, groups = farthest_first(DenseRelation(D), 5, 3)
    assert_array_equal(chosen[groups[chosen]], chosen)


def test_a_rounding_error_on_the_diagonal_distinguishes_no_object_twice():
    D = np.kron(1 - np.eye(3), np.ones((4, 4))) + 1e-12 * np.eye(12)
    chosen, _ = farthest_first(DenseRelation(D), 12, 3)
    assert len(set(chosen)) == len(chosen)


def test_a_missing_entry_that_was_read_is_refused_though_it_would_not_be_shown(many):
    D, _ = many
    shown = vat(D, n_sample=60, random_state=0).order
    later = farthest_first(DenseRelation(D), 6, _first_of(0))[0][-1]
    left_out = np.setdiff1d(np.arange(500), shown)[0]
    D[later, left_out] = D[left_out, later] = np.nan
    with pytest.raises(RelationError, match="NaN or infinite"):
        vat(DenseRelation(D), n_sample=60, random_state=0)


@pytest.mark.parametrize("seed", range(50))
def test_shares_are_proportional_whole_and_never_more_than_there_are(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 60, int(rng.integers(1, 20)))
    if counts.sum() == len(counts):
        counts[0] += 1
    n_sample = int(rng.integers(len(counts), counts.sum()))
    given = _proportional_sizes(counts, n_sample)
    exact = 1 + (counts - 1) * (n_sample - len(counts)) / (counts.sum() - len(counts))
    assert given.sum() == n_sample
    assert ((given >= 1) & (given <= counts)).all()
    assert np.abs(given - exact).max() < 1


def test_the_seed_decides_what_is_drawn(many):
    orders = [vat(many[0], n_sample=30, random_state=seed).order for seed in (1, 1, 2)]
    assert_array_equal(orders[0], orders[1])
    assert set(orders[0]) != set(orders[2])


@pytest.mark.parametrize("n_sample", [500, 10_000])
def test_a_sample_as_large_as_the_relation_is_all_of_it(n_sample, many):
    result = vat(many[0], n_sample=n_sample)
    assert_array_equal(result.order, vat(many[0]).order)


def test_a_sample_of_all_of_a_few_objects_is_no_draw():
    assert_array_equal(vat(1 - np.eye(4), n_sample=4).order, np.arange(4))
