"""Work is cut so that every pair is evaluated once, in tasks of about a second at most."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.exceptions import OptionError, RelationError
from relrbf.relations import ObjectRelation
from relrbf.relations.cached_evaluation import MAX_PAIRS, Batch, WorkerPool, rectangles
from relrbf.relations.measure_evaluation import Measure
from tests.relations.made import distance, raising


@settings(deadline=None)
@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=9)))
def test_rectangles_cover_what_is_to_do_once_and_nothing_else(todo):
    covered = np.zeros(todo.shape, dtype=int)
    for p, q in rectangles(todo):
        covered[np.ix_(p, q)] += 1
    assert (covered == todo).all()


@settings(deadline=None)
@given(st.integers(1, 40))
def test_a_triangle_takes_fewer_rectangles_than_it_has_rows(n):
    assert len(list(rectangles(~np.tri(n, dtype=bool)))) == n - 1


def make_pool(function, n, pairwise=False):
    return WorkerPool(
        Measure(function, {}, pairwise, None, 1e150), list(range(n)), None, "processes"
    )


def sizes(pool, n_rows, n):
    todo = np.ones((n_rows, n), dtype=bool)
    batch = Batch(np.arange(n_rows), np.arange(n), todo, np.empty(todo.shape))
    return [len(task.first) for found in pool.evaluate(batch) for task, _ in found]


def test_tasks_of_a_quick_measure_grow_and_those_of_a_slow_one_shrink(monkeypatch):
    now, clock = iter(np.arange(1e6)), "relrbf.relations.cached_evaluation.perf_counter"
    monkeypatch.setattr(clock, lambda: next(now) * 0.001)
    pool = make_pool(lambda a, b: 1, 500)
    assert sizes(pool, 1, 100) == [1, 2, 4, 8, 16, 32, 37]
    pool.task_size = MAX_PAIRS
    monkeypatch.setattr(clock, lambda: next(now) * 5)
    assert sizes(pool, 500, 100)[:4] == [MAX_PAIRS, MAX_PAIRS // 2, MAX_PAIRS // 4, 2048]


def test_a_pairwise_function_gets_lists_of_bounded_size(monkeypatch):
    monkeypatch.setattr("relrbf.relations.cached_evaluation.MAX_PAIRWISE_BLOCK", 50)
    sizes_seen = []

    def count(some, others):
        sizes_seen.append((len(some), len(others)))
        return np.ones((len(some), len(others)))

    sizes(make_pool(count, 12, pairwise=True), 10, 12)
    assert sizes_seen == [(10, 5), (10, 5), (10, 2)]


@pytest.fixture
def sent(monkeypatch):
    """Have everything sent away, after the first task."""
    monkeypatch.setattr("relrbf.relations.cached_evaluation.SHORT_TASK", -1)


@pytest.mark.parametrize("prefer", ["processes", "threads"])
@pytest.mark.parametrize("pairwise", [False, True])
def test_workers_give_the_same_numbers(sent, rng, prefer, pairwise):
    X = rng.standard_normal((15, 3))
    how = {"n_jobs": 2, "prefer": prefer, "pairwise": pairwise}
    relation = ObjectRelation(X, cdist if pairwise else distance, **how)
    alone = ObjectRelation(X, cdist if pairwise else distance, pairwise=pairwise)
    assert_array_equal(relation.block(), alone.block())
    assert relation.n_evaluations == 15 * 14 // 2


class UnpicklableError(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def test_a_failure_in_a_process_is_reported_as_one_here(sent):
    def measure(a, b):
        if (a, b) == (2, 4):
            raise UnpicklableError(a, b)
        return abs(a - b)

    relation = ObjectRelation(range(6), measure, n_jobs=2)
    with pytest.raises(RelationError, match=r"2 and 4 \(evaluated on object 2 and") as caught:
        relation.block()
    assert "UnpicklableError" in str(caught.value.__cause__)
    assert relation.n_evaluations > 5


def test_the_traceback_of_a_process_comes_along(sent):
    relation = ObjectRelation(range(6), raising(5), n_jobs=2)
    with pytest.raises(RelationError, match="no such leaf") as caught:
        relation.block(np.array([1, 2]))
    assert isinstance(caught.value.__cause__, KeyError)
    assert "In another process" in caught.value.__cause__.__notes__[0]


def test_objects_that_cannot_be_sent_are_reported(sent):
    objects = [(i for i in range(3)) for _ in range(5)]
    relation = ObjectRelation(objects, lambda a, b: 1.0 * (a is not b), n_jobs=2)
    with pytest.raises(OptionError, match=r"cannot be pickled.*prefer='threads'"):
        relation.block()
