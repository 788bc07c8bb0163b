"""The rules of comparison, at their edges."""

import pytest

from study.evidence import Mean, Outcome, all_or_some, compare_count, compare_drop


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (10, Outcome.REPRODUCED),
        (14, Outcome.REPRODUCED),
        (8, Outcome.REPRODUCED),  # two standard errors below
        (7.9, Outcome.PARTLY),
        (16.1, Outcome.PARTLY),
        (5, Outcome.PARTLY),
        (4.9, Outcome.FAILED),  # less than half of the smallest
        (0, Outcome.FAILED),
        (-12, Outcome.FAILED),
    ],
)
def test_a_drop_is_judged_by_two_standard_errors(value, outcome):
    assert compare_drop(Mean(value, 10, 100), 10, 14) is outcome


def test_noise_does_not_make_a_drop():
    assert compare_drop(Mean(0.0, 300, 100), 10, 14) is Outcome.FAILED
    assert compare_drop(Mean(6.0, 40, 100), 20, 24) is Outcome.FAILED


def test_few_repetitions_tell_nothing():
    assert compare_drop(Mean(12, 1, 9), 10, 14) is Outcome.OPEN
    assert compare_drop(Mean(12, 1, 10), 10, 14) is Outcome.REPRODUCED
    assert compare_count(1, 9, 5) is Outcome.OPEN


def test_counts_are_judged_by_chance():
    assert compare_count(1, 100, 5) is Outcome.REPRODUCED
    assert compare_count(12, 100, 5) is Outcome.REPRODUCED
    assert compare_count(20, 100, 5) is Outcome.FAILED
    assert compare_count(0, 100, 33) is Outcome.FAILED


def test_some_parts_are_a_part():
    assert all_or_some(True, True) is Outcome.REPRODUCED
    assert all_or_some(True, False) is Outcome.PARTLY
    assert all_or_some(False) is Outcome.FAILED
