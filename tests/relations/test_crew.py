"""Work is cut so that every pair is asked about once, in tasks of about a second at most."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from relrbf.relations.asking import Measure
from relrbf.relations.crew import MOST_PAIRS, Batch, Crew, rectangles


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=9)))
def test_rectangles_cover_what_is_to_do_once_and_nothing_else(todo):
    covered = np.zeros(todo.shape, dtype=int)
    for p, q in rectangles(todo):
        covered[np.ix_(p, q)] += 1
    assert (covered == todo).all()


@given(st.integers(1, 40))
def test_a_triangle_takes_fewer_rectangles_than_it_has_rows(n):
    assert len(list(rectangles(~np.tri(n, dtype=bool)))) == n - 1


def make_crew(function, n, pairwise=False):
    return Crew(Measure(function, {}, pairwise, None, 1e150), list(range(n)), None, "processes")


def sizes(crew, n_lines, n):
    todo = np.ones((n_lines, n), dtype=bool)
    batch = Batch(np.arange(n_lines), np.arange(n), todo, np.empty(todo.shape))
    return [len(task.first) for answered in crew.ask(batch) for task, _ in answered]


def test_tasks_of_a_quick_measure_grow_and_those_of_a_slow_one_shrink(monkeypatch):
    now = iter(np.arange(1e6))
    monkeypatch.setattr("relrbf.relations.crew.perf_counter", lambda: next(now) * 0.001)
    crew = make_crew(lambda a, b: 1, 500)
    assert sizes(crew, 1, 100) == [1, 2, 4, 8, 16, 32, 37]
    crew._size = MOST_PAIRS
    monkeypatch.setattr("relrbf.relations.crew.perf_counter", lambda: next(now) * 5)
    assert sizes(crew, 500, 100)[:4] == [MOST_PAIRS, MOST_PAIRS // 2, MOST_PAIRS // 4, 2048]


def test_a_pairwise_function_gets_lists_of_bounded_size(monkeypatch):
    monkeypatch.setattr("relrbf.relations.crew.MOST_IN_BLOCK", 50)
    asked = []

    def count(some, others):
        asked.append((len(some), len(others)))
        return np.ones((len(some), len(others)))

    sizes(make_crew(count, 12, pairwise=True), 10, 12)
    assert asked == [(10, 5), (10, 5), (10, 2)]
