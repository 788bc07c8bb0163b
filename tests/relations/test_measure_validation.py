"""A measure that misbehaves is reported with the pair, and what was computed is cached."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from relrbf.exceptions import RelationError, RelationWarning
from relrbf.relations import ObjectRelation
from tests.relations.made import MATRIX, POINTS, Counted, N, gap, raising


def test_a_measure_that_raises_is_reported_with_its_pair_and_its_error():
    relation = ObjectRelation([1, 2, 3], raising(3), ids=["a", "b", "c"])
    with pytest.raises(RelationError, match=r"failed with KeyError: 'no such leaf'") as caught:
        relation.block()
    assert "object 0 ('a') and object 2 ('c')" in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_measure_that_stops_an_iteration_is_no_end_of_the_work():
    relation = ObjectRelation([1, 2, 3], lambda a, b: next(iter(())))
    with pytest.raises(RelationError, match="failed with StopIteration"):
        relation.block()


def test_what_was_computed_before_a_failure_is_kept_and_a_second_try_goes_on():
    measure, fails = Counted(), True

    def failing(a, b):
        if fails and measure.evaluated.total() == 20:
            raise OSError("the server is down")
        return measure(a, b)

    relation = ObjectRelation(POINTS, failing, check_symmetry=False)
    with pytest.raises(RelationError, match=r"server is down.*cached"):
        relation.block()
    assert relation.n_evaluations == 20
    fails = False
    assert_array_equal(relation.block(), MATRIX)
    assert set(measure.evaluated.values()) == {1}


def test_an_interrupt_keeps_what_was_computed():
    done = []

    def stop(n_done, total):
        done.append((n_done, total))
        if n_done > 10:
            raise KeyboardInterrupt

    relation = ObjectRelation(POINTS, gap, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        relation.block()
    assert relation.n_evaluations == done[-1][0] > 10
    rest = N * (N - 1) // 2 - relation.n_evaluations
    with pytest.raises(KeyboardInterrupt):
        relation.block()
    assert done[-1][1] == rest


def test_progress_counts_to_the_pairs_to_do():
    done = []
    relation = ObjectRelation(POINTS, gap, progress=lambda *now: done.append(now))
    relation.block(np.array([0, 1]))
    total = 2 * (N - 1) - 1
    assert done[-1] == (total, total)
    assert [n for n, _ in done] == sorted(n for n, _ in done)
    relation.block(np.array([0, 1]))
    assert done[-1] == (total, total)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "returned nan"),
        (np.inf, "returned inf"),
        (-1, "returned -1"),
        ("3.5", r"returned '3.5' \(str\)"),
        (np.str_("3.5"), r"returned .*3\.5"),
        (None, r"returned None \(NoneType\)"),
        (np.array([1.0, 2.0]), r"returned an array of shape \(2,\)"),
        (np.array([1.0]), r"returned an array of shape \(1,\)"),
        ([1.0], r"returned \[1.0\] \(list\)"),
        (1 + 2j, r"returned \(1\+2j\) \(complex\)"),
        (1e200, r"returned 1e\+200, whose square is out of range"),
        (np.timedelta64(3, "s"), "returned .*timedelta64"),
        (10**400, r"returned 1000.*\(int\)"),
    ],
)
@pytest.mark.parametrize("every", [False, True])
def test_what_is_no_dissimilarity_is_refused_with_its_pair(value, message, every):
    relation = ObjectRelation([0, 1, 2, 3], lambda a, b: value if every or (a, b) == (1, 2) else 1)
    with pytest.raises(RelationError, match=message) as caught:
        relation.block()
    pair = "object 0 and object 1" if every else "object 1 and object 2"
    assert pair in str(caught.value)


@pytest.mark.parametrize(
    "value", [2, 2.0, np.float32(2), np.int8(2), np.array(2.0), Fraction(4, 2), 2**70 // 2**69]
)
def test_any_number_is_a_dissimilarity(value):
    relation = ObjectRelation([0, 1, 2], lambda a, b: 0 if a == b else value)
    assert_array_equal(relation.block(np.array([0])), [[0, 2, 2]])


def test_numbers_too_large_for_64_bits_or_of_several_kinds_are_numbers():
    values = {(0, 1): 2**70, (0, 2): True, (1, 2): Fraction(1, 2)}
    relation = ObjectRelation([0, 1, 2], lambda a, b: values.get((min(a, b), max(a, b)), 0))
    assert_array_equal(relation.block(np.array([1])), [[2.0**70, 0, 0.5]])


def test_a_negative_rounding_error_is_left_as_it_is():
    relation = ObjectRelation(
        [0, 1, 2], lambda a, b: -1e-17 if {a, b} == {0, 1} else 1.0 * (a != b)
    )
    assert relation.block()[0, 1] == -1e-17


def test_a_measure_that_is_not_symmetric_is_refused_every_time():
    def one_way(a, b):
        return gap(a, b) * (1 + 0.1 * (a > b))

    relation = ObjectRelation(POINTS, one_way)
    for _ in range(2):
        with pytest.raises(RelationError, match=r"not symmetric: from object \d+ to object \d+ it"):
            relation.block()
    unchecked = ObjectRelation(
        POINTS, relation._evaluator.pool.measure.function, check_symmetry=False
    )
    assert_array_equal(unchecked.block(), unchecked.block().T)


def test_a_difference_of_rounding_is_no_asymmetry():
    relation = ObjectRelation(POINTS, lambda a, b: gap(a, b) * (1 + 1e-7 * (a > b)))
    assert_array_equal(relation.block(), relation.block().T)


@pytest.mark.parametrize("ends", [False, True])
def test_symmetry_is_checked_before_an_interrupt_can_hide_it(ends):
    def stop(done, total):
        if done > 16 and (done == total or not ends):
            raise KeyboardInterrupt

    relation = ObjectRelation(POINTS, lambda a, b: gap(a, b) * (1 + (a > b)), progress=stop)
    with pytest.raises(RelationError, match="not symmetric"):
        relation.block()


def test_the_pair_that_differs_most_is_named():
    measure = {("a", "b"): 1, ("b", "a"): 2, ("b", "c"): 1, ("c", "b"): 7}
    relation = ObjectRelation(["a", "b", "c"], lambda a, b: measure.get((a, b), 1.0 * (a != b)))
    with pytest.raises(RelationError, match=r"object 1 to object 2 it gives 1, and back 7.*'mean'"):
        relation.block()


@pytest.mark.parametrize("pairwise", [False, True])
@pytest.mark.parametrize(("policy", "value"), [("mean", 1.5), ("min", 1), ("max", 2)])
def test_symmetrize_evaluates_both_directions_and_warns_once(policy, value, pairwise):
    def one_way(a, b):
        return 0 if a == b else 1 + (a > b)

    def one_way_lists(some, others):
        return [[one_way(a, b) for b in others] for a in some]

    how = {"symmetrize": policy, "pairwise": pairwise}
    relation = ObjectRelation([1, 2, 3], one_way_lists if pairwise else one_way, **how)
    with pytest.warns(RelationWarning, match=r"differ in 2 of the first 2 pairs, by at most 1\."):
        relation.block(np.array([0]))
    assert_array_equal(relation.block(), value * (1 - np.eye(3)))


def test_an_asymmetry_that_comes_later_is_found_too(monkeypatch):
    monkeypatch.setattr("relrbf.relations.cached_evaluation.CHECKED_ONE_IN", 2)
    relation = ObjectRelation(range(40), lambda a, b: abs(a - b) + (max(a, b) > 10 and a > b))
    relation.block(slice(0, 8), slice(0, 8))
    with pytest.raises(RelationError, match="not symmetric"):
        relation.block()


def test_an_object_that_differs_from_itself_is_refused():
    relation = ObjectRelation(["a", "b"], lambda a, b: 1.0, ids=["x", "y"])
    with pytest.raises(RelationError, match=r"gives 1 for object 0 \('x'\) and itself.*1 - s"):
        relation.block()


def test_a_failure_while_the_measure_is_checked_names_the_pair():
    relation = ObjectRelation([1, 2], lambda a, b: gap(a, b) if a < b else None)
    with pytest.raises(RelationError, match=r"returned None.*object 0 and object 0.*symmetric"):
        relation.block()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: np.zeros((len(a), len(b) + 1)), r"shape \(1, 3\), not \(1, 2\)"),
        (lambda a, b: 3.0, r"shape \(\), not"),
        (lambda a, b: np.full((len(a), len(b)), "x"), r"returned .*x"),
        (lambda a, b: np.full((len(a), len(b)), np.nan), "nan.*object 0 and object 1"),
        (lambda a, b: np.full((len(a), len(b)), -1.0), "-1 for object 0 and object 1"),
        (lambda a, b: 1 / 0, r"ZeroDivisionError.*on object 0 and object 1 to object 2\)"),
    ],
)
def test_a_pairwise_function_that_misbehaves_is_reported(function, message):
    with pytest.raises(RelationError, match=message):
        ObjectRelation([1, 2, 3], function, pairwise=True).block(np.array([0]))


def test_a_new_object_is_called_new():
    new = ObjectRelation([1, 2], raising(3), ids=["a", "b"]).to(pd.Series([4, 3], index=["x", "y"]))
    with pytest.raises(RelationError, match=r"object 0 \('a'\) and new object 1 \('y'\)"):
        new.block()
