"""The rules of comparison, at their edges."""

import pytest

from study.paper.claim import Verdict, judge_all, judge_count, judge_drop
from study.paper.evidence import Mean


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (10, Verdict.REPRODUCED),
        (14, Verdict.REPRODUCED),
        (8, Verdict.REPRODUCED),  # two standard errors below
        (7.9, Verdict.PARTLY),
        (16.1, Verdict.PARTLY),
        (5, Verdict.PARTLY),
        (4.9, Verdict.FAILED),  # less than half of the smallest
        (0, Verdict.FAILED),
        (-12, Verdict.FAILED),
    ],
)
def test_a_drop_is_judged_by_two_standard_errors(value, verdict):
    assert judge_drop(Mean(value, 10, 100), 10, 14) is verdict


def test_noise_does_not_make_a_drop():
    assert judge_drop(Mean(0.0, 300, 100), 10, 14) is Verdict.FAILED
    assert judge_drop(Mean(6.0, 40, 100), 20, 24) is Verdict.FAILED


def test_few_repetitions_tell_nothing():
    assert judge_drop(Mean(12, 1, 9), 10, 14) is Verdict.OPEN
    assert judge_drop(Mean(12, 1, 10), 10, 14) is Verdict.REPRODUCED
    assert judge_count(1, 9, 5) is Verdict.OPEN


def test_counts_are_judged_by_chance():
    assert judge_count(1, 100, 5) is Verdict.REPRODUCED
    assert judge_count(12, 100, 5) is Verdict.REPRODUCED
    assert judge_count(20, 100, 5) is Verdict.FAILED
    assert judge_count(0, 100, 33) is Verdict.FAILED


def test_some_parts_are_a_part():
    assert judge_all(True, True) is Verdict.REPRODUCED
    assert judge_all(True, False) is Verdict.PARTLY
    assert judge_all(False) is Verdict.FAILED
