"""Means, differences and counts are those of the rows."""

import numpy as np
import pytest

from study.evidence import Evidence
from tests.study.invented import row, rows

HG = ("HG-194", "original", "graph")


def test_a_mean_has_its_spread_and_its_standard_error():
    found = Evidence(rows("HG-194/original/graph", 0.9, 1.0, 0.8)).accuracy(HG)
    assert found.value == pytest.approx(90)
    assert found.spread == pytest.approx(10)
    assert found.error == pytest.approx(10 / np.sqrt(3))
    assert found.with_spread() == "90.0 ± 10.0"
    assert found.with_error(2) == "90.00 ± 5.77"


def test_one_repetition_has_no_error():
    found = Evidence(rows("HG-194/original/graph", 0.9)).accuracy(HG)
    assert np.isnan(found.error)
    assert found.with_spread() == found.with_error() == "90.0"


def test_failed_rows_are_left_out():
    failed = row("HG-194/original/graph", 1, 0.1, status="failed")
    evidence = Evidence([*rows("HG-194/original/graph", 0.9), failed])
    assert evidence.accuracy(HG).value == pytest.approx(90)
    assert not Evidence([failed]).has(HG)


def test_a_drop_is_among_repetitions_that_both_have():
    evidence = Evidence(
        [*rows("d/original/graph", 1.0, 0.9, 0.2), *rows("d/original/svc", 0.9, 0.7)]
    )
    drop = evidence.drop(("d", "original", "graph"), ("d", "original", "svc"))
    assert drop.value == pytest.approx(15)
    assert drop.n == 2


def test_knn_is_the_best_number_of_neighbours():
    evidence = Evidence(
        [
            *rows("d/original/knn-1", 0.8, 0.9),
            *rows("d/original/knn-2", 0.9, 0.9),
            *rows("d/original/knn-3", 0.9, 0.896),
            *rows("d/classical/knn-9", 1.0, 1.0),
        ]
    )
    assert evidence.best_neighbours("d", "original") == [2, 3]
    assert evidence.accuracy(("d", "original", "knn")).value == pytest.approx(90)
    assert evidence.best_model("d")[0] == "knn-2"
    assert not evidence.has(("other", "original", "knn"))


def test_a_run_without_error_has_none_in_any_part():
    evidence = Evidence(rows("d/original/graph", 1.0, (1.0, 1.0, 0.99), (0.97, 1.0, 1.0)))
    assert evidence.without_error(("d", "original", "graph")) == 1
    assert evidence.wrong(("d", "original", "graph"), "train").tolist() == [0, 0, 3]


def test_deviations_of_all_parts_count():
    one = row("d/original/graph", 0, 1.0, deviation_mean_train=0.3)
    mean, spread = Evidence([one]).deviation(("d", "original", "graph"))
    assert mean == pytest.approx(0.1)
    assert spread == pytest.approx(np.sqrt(0.1**2 + np.var([0.3, 0, 0])))
