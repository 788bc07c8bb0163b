"""VAT and iVAT against brute force, scipy and what they are said to be."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import cdist, squareform

from relrbf.exceptions import OptionError, RelationError, RelationWarning
from relrbf.relations import DenseRelation, VectorRelation, as_relation
from relrbf.tendency import ivat, vat
from tests.tendency.reference import efficient_ivat, minimax_by_relaxation, prim_by_search


def symmetric(entries):
    """Return a relation with the given entries above its diagonal."""
    return squareform(np.asarray(entries, dtype=float), checks=False)


def check_against_brute_force(D):
    plain, improved = vat(D), ivat(D)
    order, edges = prim_by_search(D)
    for result in (plain, improved):
        assert_array_equal(result.order, order)
        assert_array_equal(result.edges, edges)
        assert_array_equal(result.order[result.nearest], np.arange(len(D)))
    assert_array_equal(plain.image, D[np.ix_(order, order)])
    assert_array_equal(improved.image, minimax_by_relaxation(D)[np.ix_(order, order)])
    assert_array_equal(improved.image, efficient_ivat(plain.image))


def test_random_relations_give_what_brute_force_gives(rng):
    for _ in range(200):
        n = int(rng.integers(2, 20))
        check_against_brute_force(symmetric(rng.random(n * (n - 1) // 2)))


@pytest.mark.parametrize("n_values", [2, 3, 4, 5])
def test_relations_full_of_ties_give_what_brute_force_gives(rng, n_values):
    for _ in range(50):
        n = int(rng.integers(2, 16))
        check_against_brute_force(symmetric(rng.integers(0, n_values, n * (n - 1) // 2)))


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(2, 9))
def test_no_relation_is_found_that_brute_force_shows_otherwise(data, n):
    entry = st.one_of(st.integers(0, 3), st.floats(1e-3, 1e3))
    size = n * (n - 1) // 2
    check_against_brute_force(symmetric(data.draw(st.lists(entry, min_size=size, max_size=size))))


@pytest.mark.parametrize("n", [2, 3, 7])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_objects_that_are_all_alike_stay_in_their_order(n, value):
    D = value * (1 - np.eye(n))
    check_against_brute_force(D)
    assert_array_equal(vat(D).order, np.arange(n))


def test_duplicates_give_what_brute_force_gives(rng):
    X = rng.random((8, 2))[rng.integers(0, 8, 20)]
    check_against_brute_force(cdist(X, X))


def test_a_rounding_error_below_zero_is_left_as_it_is():
    D = symmetric([3.0, 0.0, 2.0, 2.0, -1e-16, 1.0])
    order, edges = prim_by_search(D)
    assert min(edges) == -1e-16
    result = ivat(D)
    assert_array_equal(result.order, order)
    assert_array_equal(result.edges, edges)
    assert_array_equal(result.image, efficient_ivat(D[np.ix_(order, order)]))


def test_a_single_object_is_shown():
    result = ivat(DenseRelation(np.zeros((1, 1))))
    assert_array_equal(result.order, [0])
    assert_array_equal(result.image, [[0]])


def test_minimax_distances_are_the_cophenetic_ones_of_single_linkage(blobs):
    _, D, _ = blobs
    result = ivat(D)
    heights = squareform(cophenet(linkage(squareform(D), "single")))
    assert_array_equal(result.image, heights[np.ix_(result.order, result.order)])
    assert_array_equal(np.diagonal(result.image, 1), result.edges[1:])


def test_long_edges_begin_the_clusters_of_single_linkage(blobs):
    _, D, _ = blobs
    result = vat(D)
    height = float(np.quantile(result.edges, 0.8))
    clusters = np.cumsum(result.edges > height)[result.nearest]
    expected = fcluster(linkage(squareform(D), "single"), height, "distance")
    assert_array_equal(clusters[:, None] == clusters, expected[:, None] == expected)


def test_blobs_far_apart_are_three_blocks(rng):
    y = rng.permutation(np.repeat([0, 1, 2], 15))
    X = rng.standard_normal((45, 2)) + 30 * np.eye(3)[y][:, :2]
    result = ivat(cdist(X, X))
    assert (np.diff(y[result.order]) != 0).sum() == 2
    assert (result.edges > 10).sum() == 2


@pytest.mark.parametrize("assess", [vat, ivat])
def test_float32_stays_float32(assess, blobs):
    D = blobs[1].astype(np.float32)
    result = assess(D)
    assert result.image.dtype == result.edges.dtype == np.float32
    assert_array_equal(result.order, prim_by_search(D)[0])


@pytest.mark.parametrize("assess", [vat, ivat])
def test_every_way_to_pass_a_relation_gives_the_same(assess, blobs, tmp_path):
    X, D, _ = blobs
    expected = assess(D)
    stored = np.memmap(tmp_path / "D.dat", dtype=float, mode="w+", shape=D.shape)
    stored[:] = D
    for given_as in (stored, squareform(D), as_relation(D), np.asfortranarray(D)):
        result = assess(given_as)
        assert_array_equal(result.order, expected.order)
        assert_array_equal(result.image, expected.image)
    computed = assess(VectorRelation(X))
    assert_array_equal(computed.order, expected.order)
    np.testing.assert_allclose(computed.image, expected.image, atol=1e-12)


@pytest.mark.parametrize("n_sample", [None, 20])
def test_names_follow_the_order(n_sample, blobs):
    names = np.array([f"object-{i}" for i in range(60)], dtype=object)
    frame = pd.DataFrame(blobs[1], index=names, columns=names)
    result = vat(frame, n_sample=n_sample, random_state=0)
    assert_array_equal(result.ids, names[result.order])
    assert vat(blobs[1], n_sample=n_sample, random_state=0).ids is None


def test_the_input_is_left_as_it_was(blobs):
    D = blobs[1].copy()
    vat(D).image[:] = -1
    ivat(D).image[:] = -1
    assert_array_equal(D, blobs[1])


@pytest.mark.parametrize("first", [100, 650])
def test_the_first_row_of_the_largest_entry_is_found_in_whatever_block_it_is(first, rng):
    D = symmetric(rng.random(700 * 699 // 2))
    D[first, 690] = D[690, first] = 2
    assert len(list(as_relation(D).row_blocks())) > 1
    result = vat(D)
    assert result.order[0] == first
    assert_array_equal(result.image, D[np.ix_(result.order, result.order)])


def with_entry(value):
    D = 1 - np.eye(4)
    D[2, 1] = D[1, 2] = value
    return D


@pytest.mark.parametrize("assess", [vat, ivat])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_none_is_refused_and_never_shown(assess, value):
    with pytest.raises(RelationError, match=r"first at \(1, 2\)"):
        assess(with_entry(value))
    with pytest.raises(RelationError, match="NaN or infinite"):
        assess(DenseRelation(with_entry(value)))
    with pytest.raises(RelationError, match="NaN or infinite"):
        assess(DenseRelation(with_entry(value)), n_sample=3, random_state=0)


@pytest.mark.parametrize("assess", [vat, ivat])
def test_what_is_no_relation_is_refused(assess):
    with pytest.raises(RelationError, match="not symmetric"):
        assess([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(RelationError, match="Negative"):
        assess(with_entry(-1.0))
    with pytest.raises(RelationError, match="one row and one"):
        assess(np.ones((3, 2)))
    with pytest.warns(RelationWarning, match="similarities"):
        assess([[1.0, 0.2], [0.2, 1.0]])


@pytest.mark.parametrize("assess", [vat, ivat])
@pytest.mark.parametrize("n_sample", [1, 0, -3, 2.5, "all", True, np.nan])
def test_a_sample_of_nonsense_size_is_refused(assess, n_sample):
    with pytest.raises(OptionError, match=r"n_sample is .*an integer, at least 2"):
        assess(1 - np.eye(4), n_sample=n_sample)


def test_a_seed_of_nonsense_is_refused_even_where_nothing_is_drawn():
    with pytest.raises(ValueError, match="cannot be used to seed"):
        vat(1 - np.eye(4), random_state="seven")
