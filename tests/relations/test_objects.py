"""Any objects and a measure: computed when needed, cached, never twice, and right."""

import pickle
import tracemalloc
from collections import Counter
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_score

from relrbf import RBFNetworkClassifier, inspect_relation
from relrbf.exceptions import OptionError, RelationError
from relrbf.model_selection import train_test_split
from relrbf.relations import CrossRelation, DenseRelation, ObjectRelation
from relrbf.tendency import vat
from tests.contracts.relation_contract import RelationContract
from tests.relations.made import MATRIX, POINTS, ROW_BYTES, Counted, N, distance, gap


class TestObjectRelation(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return ObjectRelation(X, distance, exponent=exponent, ids=ids, dtype=X.dtype)


class TestPairwise(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return ObjectRelation(X, cdist, pairwise=True, exponent=exponent, ids=ids, dtype=X.dtype)


class TestShortMemory(RelationContract):
    def make(self, X, exponent=2, ids=None):
        how = {"exponent": exponent, "ids": ids, "dtype": X.dtype, "memory": 3 * 8 * len(X)}
        return ObjectRelation(X, distance, **how)


class TestNoMemory(RelationContract):
    def make(self, X, exponent=2, ids=None):
        how = {"exponent": exponent, "ids": ids, "dtype": X.dtype, "memory": 0}
        return ObjectRelation(X, cdist, pairwise=True, **how)


indices = st.one_of(
    st.just(slice(None)),
    st.builds(lambda start, n: slice(start, start + n), st.integers(0, N - 1), st.integers(1, N)),
    st.lists(st.integers(0, N - 1), min_size=1, max_size=6).map(np.array),
)
requests = st.lists(st.tuples(indices, indices), min_size=1, max_size=6)
few_examples = settings(max_examples=50, deadline=None)


def pairs_of(rows, cols):
    numbers = np.arange(N)
    return {(min(i, j), max(i, j)) for i in numbers[rows] for j in numbers[cols] if i != j}


@few_examples
@given(requests)
def test_any_blocks_are_right_and_no_pair_is_evaluated_twice(requested):
    measure = Counted()
    relation = ObjectRelation(POINTS, measure, check_symmetry=False)
    seen = set()
    for rows, cols in requested:
        assert_array_equal(relation.block(rows, cols), MATRIX[rows][:, cols])
        seen |= pairs_of(rows, cols)
        assert relation.n_evaluations == len(seen)
    assert len(measure.evaluated) == len(seen)
    assert set(measure.evaluated.values()) == ({1} if seen else set())


@few_examples
@given(requests, st.integers(0, N - 1))
def test_whatever_is_dropped_blocks_are_right_and_memory_is_bounded(requested, n_rows):
    relation = ObjectRelation(POINTS, gap, memory=n_rows * ROW_BYTES)
    for rows, cols in requested:
        assert_array_equal(relation.block(rows, cols), MATRIX[rows][:, cols])
        assert relation.memory_used <= n_rows * ROW_BYTES


@few_examples
@given(requests)
def test_a_pairwise_function_is_evaluated_on_each_pair_once(requested):
    evaluated = Counter()

    def gaps(some, others):
        evaluated.update((min(a, b), max(a, b)) for a in some for b in others)
        return [[gap(a, b) for b in others] for a in some]

    relation = ObjectRelation(POINTS, gaps, pairwise=True, check_symmetry=False)
    seen = set()
    for rows, cols in requested:
        assert_array_equal(relation.block(rows, cols), MATRIX[rows][:, cols])
        seen |= pairs_of(rows, cols)
    assert relation.n_evaluations == len(seen) == len(evaluated) == sum(evaluated.values())


def test_nothing_is_computed_before_it_is_requested_and_nothing_else():
    relation = ObjectRelation(POINTS, gap)
    assert relation.n_evaluations == 0
    support = np.array([3, 7])
    relation.block(slice(None), support)
    assert relation.n_evaluations == 2 * (N - 1) - 1
    relation.block(support)
    relation.block(np.array([1, 2]), support)
    assert relation.n_evaluations == 2 * (N - 1) - 1


def test_blocks_over_all_rows_keep_the_columns_cached():
    relation = ObjectRelation(POINTS, gap, memory=2 * ROW_BYTES)
    for _ in range(2):
        for start in range(0, N, 2):
            relation.block(slice(start, start + 2), np.array([3, 7, 7]))
    assert relation.n_evaluations == 2 * (N - 1) - 1
    assert relation.memory_used == 2 * ROW_BYTES


def test_the_rows_used_last_are_the_ones_that_stay_cached():
    relation = ObjectRelation(POINTS, gap, memory=2 * ROW_BYTES)
    for row in (0, 1, 0, 2):
        relation.block(np.array([row]))
    before = relation.n_evaluations
    relation.block(np.array([0, 2]))
    assert relation.n_evaluations == before
    relation.block(np.array([1]))
    assert relation.n_evaluations == before + N - 3


@pytest.mark.parametrize("memory", [2**20, 2 * ROW_BYTES, 0])
def test_a_product_computes_each_pair_once_whatever_the_memory(rng, memory):
    relation = ObjectRelation(POINTS, gap, memory=memory)
    A = rng.standard_normal((2, N))
    assert_allclose(relation.product(A), A @ MATRIX**2, rtol=1e-12)
    assert relation.n_evaluations == N * (N - 1) // 2
    if memory == 2**20:
        assert_array_equal(relation.product(A), DenseRelation(MATRIX).product(A))
        assert relation.n_evaluations == N * (N - 1) // 2


def test_a_product_takes_little_more_memory_than_is_allowed(rng):
    X = rng.standard_normal((2000, 2))
    relation = ObjectRelation(X, cdist, pairwise=True, memory=2e6)
    tracemalloc.start()
    relation.product(rng.standard_normal((2, 2000)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.4 * 8 * 2000**2
    assert relation.n_evaluations == 2000 * 1999 // 2


def test_a_product_with_few_columns_computes_only_those(rng):
    relation = ObjectRelation(POINTS, gap)
    A = np.zeros((2, N))
    assert_array_equal(relation.product(A), A)
    A[:, [2, 5]] = rng.standard_normal((2, 2))
    assert_allclose(relation.product(A), A @ MATRIX**2, rtol=1e-12)
    assert relation.n_evaluations == 2 * (N - 1) - 1


def test_parts_share_what_was_computed():
    relation = ObjectRelation(POINTS, gap)
    part = relation.restrict(np.array([5, 1, 5, 8]))
    assert_array_equal(part.block(), MATRIX[[5, 1, 5, 8]][:, [5, 1, 5, 8]])
    assert part.objects == [POINTS[i] for i in (5, 1, 5, 8)]
    relation.with_exponent(1).block(np.array([5]), np.array([1, 8]))
    assert relation.n_evaluations == part.n_evaluations == 3


def test_float32_caches_twice_as_many_rows():
    relation = ObjectRelation(POINTS, gap, dtype=np.float32, memory=2 * ROW_BYTES)
    relation.block(np.arange(4))
    assert relation.memory_used == 2 * ROW_BYTES
    before = relation.n_evaluations
    assert_array_equal(relation.block(np.arange(4)), MATRIX[:4].astype(np.float32))
    assert relation.n_evaluations == before


# objects of every kind


def edits(a, b):
    return sum(x != y for x, y in zip(a, b, strict=False)) + abs(len(a) - len(b))


@pytest.mark.parametrize(
    "objects",
    [
        ["ant", "bee", "beetle"],
        ("ant", "bee", "beetle"),
        np.array(["ant", "bee", "beetle"]),
        [[1, 2, 3], [4, 5, 5], [4, 5, 5, 6, 7, 5]],
        [np.array([1, 2, 3]), np.array([4, 5, 5]), np.array([4, 5, 5, 6, 7, 5])],
    ],
    ids=["list", "tuple", "array", "lists", "arrays"],
)
def test_objects_may_be_anything(objects):
    expected = [[0, 3, 6], [3, 0, 3], [6, 3, 0]]
    assert_array_equal(ObjectRelation(objects, edits).block(), expected)


def test_a_series_names_its_objects():
    words = pd.Series(["ant", "bee", "beetle"], index=["a", "b", "c"])
    relation = ObjectRelation(words, edits)
    assert relation.ids.tolist() == ["a", "b", "c"]
    new = relation.to(pd.Series(["wasp"], index=["w"]))
    assert new.column_ids.tolist() == ["a", "b", "c"]
    assert new.relation.ids.tolist() == ["a", "b", "c", "w"]
    assert ObjectRelation(words.reset_index(drop=True), edits).ids is None


@pytest.mark.parametrize("pairwise", [False, True])
def test_the_rows_of_a_frame_are_objects(pairwise):
    frame = pd.DataFrame({"x": [0.0, 3.0, 6.0], "y": [0.0, 4.0, 8.0]}, index=list("abc"))
    relation = ObjectRelation(frame, cdist if pairwise else distance, pairwise=pairwise)
    assert relation.ids.tolist() == ["a", "b", "c"]
    assert_array_equal(relation.block(), [[0, 5, 10], [5, 0, 5], [10, 5, 0]])
    assert_array_equal(relation.to(frame[:1]).block(), [[0, 5, 10]])


def test_measure_params_reach_the_measure():
    relation = ObjectRelation([1, 2, 4], lambda a, b, p: abs(a - b) ** p, measure_params={"p": 2})
    assert_array_equal(relation.block(np.array([0])), [[0, 1, 9]])


@pytest.mark.parametrize(
    "objects", ["ant", {"a": 1, "b": 2}, {1, 2}, iter([1, 2]), 3, np.array(1.0), None]
)
def test_what_is_no_sequence_is_refused(objects):
    with pytest.raises(
        RelationError, match=r"objects is a .*; it must be a sequence.*[Pp]ass (list|\[objects\])"
    ):
        ObjectRelation(objects, gap)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"measure": "euclidean"}, r"measure is 'euclidean'.*as_relation"),
        ({"exponent": -3}, "exponent is -3"),
        ({"symmetrize": "median"}, "symmetrize is 'median'"),
        ({"dtype": int}, "dtype is <class 'int'>"),
        ({"dtype": "much"}, "dtype is 'much'"),
        ({"memory": -1}, "memory is -1"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"prefer": "oxen"}, "prefer='oxen'"),
        ({"progress": 3}, "progress is 3"),
    ],
)
def test_options_that_do_not_exist_are_refused(how, message):
    with pytest.raises(OptionError, match=message):
        ObjectRelation(**{"objects": [1, 2], "measure": gap, **how})


@pytest.mark.parametrize(
    ("objects", "ids", "message"),
    [
        ([1], None, "objects has 1 entries; at least two"),
        ([1, 2], ["a"], r"ids has shape \(1,\) for 2 objects"),
        ([1, 2], ["a", "a"], "'a' appears twice"),
    ],
)
def test_too_few_objects_or_ids_are_refused(objects, ids, message):
    with pytest.raises(RelationError, match=message):
        ObjectRelation(objects, gap, ids=ids)


# new objects


def test_new_objects_are_compared_with_the_columns_requested_only():
    relation = ObjectRelation(POINTS, gap)
    new = relation.to([0.5, 2.5, 4.5])
    assert isinstance(new, CrossRelation)
    assert new.shape == (3, N)
    assert new.relation.n_evaluations == 0
    expected = [[gap(a, b) for b in POINTS] for a in (0.5, 2.5, 4.5)]
    assert_array_equal(new.block(slice(None), np.array([4, 1])), np.array(expected)[:, [4, 1]])
    assert new.relation.n_evaluations == 6
    assert_array_equal(np.asarray(new), expected)
    assert_array_equal(np.asarray(new[[2]]), expected[2:])
    assert new.relation.n_evaluations == 3 * N
    assert relation.n_evaluations == 0


def test_new_objects_of_a_part_are_compared_with_the_part(rng):
    X = rng.standard_normal((9, 2))
    for objects, how in ((X, {"pairwise": True}), (list(X), {})):
        relation = ObjectRelation(objects, cdist if how else distance, **how)
        new = relation.restrict(np.array([4, 2])).to(objects[:3])
        assert_allclose(new.block(), cdist(X[:3], X[[4, 2]]), atol=1e-12)


def test_no_new_objects_are_refused():
    with pytest.raises(RelationError, match="others is empty"):
        ObjectRelation(POINTS, gap).to([])
    with pytest.raises(RelationError, match="others is a str"):
        ObjectRelation(["a", "b"], edits).to("wasp")


def test_several_threads_may_request_blocks_at_once():
    measure = Counted()
    relation = ObjectRelation(POINTS, measure, check_symmetry=False)
    threads = [Thread(target=relation.block, args=(np.array([i]),)) for i in range(N)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(measure.evaluated.values()) == {1}
    assert_array_equal(relation.block(), MATRIX)


def test_a_pickled_relation_remembers():
    relation = ObjectRelation(POINTS, gap)
    relation.block()
    again = pickle.loads(pickle.dumps(relation))
    assert_array_equal(again.block(), MATRIX)
    assert again.n_evaluations == relation.n_evaluations


# with the estimators


def lengths(rng):
    """Series of unequal length in two classes."""
    y = np.repeat(["slow", "fast"], 12)
    return [np.sin(np.arange(rng.integers(12, 20)) / (4 if k == "slow" else 2)) for k in y], y


def dtw(a, b):
    costs = np.full(len(b) + 1, np.inf)
    costs[0] = 0
    for x in a:
        last, costs[0] = costs[0], np.inf
        for j, y in enumerate(b, start=1):
            last, costs[j] = costs[j], (x - y) ** 2 + min(last, costs[j], costs[j - 1])
    return costs[-1]


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
def test_a_network_is_the_one_of_the_matrix(rng):
    series, y = lengths(rng)
    relation = ObjectRelation(series, dtw, exponent=1)
    D = np.array([[dtw(a, b) if a is not b else 0 for b in series] for a in series])
    dense = DenseRelation(D, exponent=1)
    model = RBFNetworkClassifier(random_state=0, n_support=10).fit(relation, y)
    reference = RBFNetworkClassifier(random_state=0, n_support=10).fit(dense, y)
    assert_array_equal(relation.block(), D)
    assert_array_equal(model.support_, reference.support_)
    assert_allclose(model.prototypes_.coefficients, reference.prototypes_.coefficients, atol=1e-8)
    others, _ = lengths(rng)
    new = relation.to(others)
    D_new = np.array([[dtw(b, a) for b in series] for a in others])
    assert_allclose(model.predict_proba(new), reference.predict_proba(D_new), atol=1e-8)
    assert new.relation.n_evaluations == len(others) * len(model.support_)
    small = model.compact()
    new = relation.restrict(model.support_).to(others)
    assert_allclose(small.predict_proba(new), reference.predict_proba(D_new), atol=1e-8)


def test_inspection_and_tendency_take_it_like_a_matrix():
    relation = ObjectRelation(POINTS, gap)
    assert str(inspect_relation(relation)) == str(inspect_relation(DenseRelation(MATRIX)))
    assert_array_equal(vat(relation).image, vat(MATRIX).image)
    assert relation.n_evaluations == N * (N - 1) // 2


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
def test_splits_and_cross_validation_compute_no_pair_twice(rng):
    series, y = lengths(rng)
    relation = ObjectRelation(series, dtw, exponent=1)
    D_train, D_test, y_train, y_test = train_test_split(relation, y, random_state=0, stratify=y)
    model = RBFNetworkClassifier(random_state=0).fit(D_train, y_train)
    assert model.score(D_test, y_test) == 1
    positions = np.arange(24)[:, None]
    model = RBFNetworkClassifier(metric=relation, random_state=0)
    assert cross_val_score(model, positions, y, cv=3).mean() > 0.9
    assert relation.n_evaluations <= 24 * 23 // 2
