"""The numbers in the figures are those of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from study import evidence as averages
from study.measure import input_of
from study.models import graph


@pytest.fixture
def graphs(rows):
    return averages.kept(rows, "HG-194", "classical", "graph")


def test_only_rows_of_one_model_are_kept(graphs):
    assert [row["repetition"] for row in graphs] == [0, 1]
    assert {(row["data"], row["variant"], row["model"]) for row in graphs} == {
        ("HG-194", "classical", "graph")
    }


def test_failed_rows_are_left_out(graphs):
    failed = {**graphs[0], "status": "failed", "accuracy_test": None}
    assert averages.kept([failed, graphs[1]], "HG-194", "classical", "graph") == [graphs[1]]


def test_confusion_is_the_mean_over_repetitions():
    rows = [{"confusion_test": [[5, 1], [0, 6]]}, {"confusion_test": [[3, 3], [2, 4]]}]
    assert_array_equal(averages.mean_confusion(rows, "test"), [[4, 2], [1, 5]])


def test_accuracies_are_per_cents_with_the_deviation_of_a_sample():
    mean, spread = averages.mean_accuracy([{"accuracy_test": 0.8}, {"accuracy_test": 1.0}], "test")
    assert mean == pytest.approx(90)
    assert spread == pytest.approx(np.std([80, 100], ddof=1))


def test_one_repetition_has_no_spread():
    assert averages.mean_accuracy([{"accuracy_test": 0.5}], "test") == (50, None)


def test_histogram_counts_add_up(graphs):
    counts = averages.all_deviations(graphs)
    assert counts.sum() == 2 * 60 * 2  # repetitions, objects, outputs
    assert_array_equal(counts, np.add(graphs[0]["histogram"], graphs[1]["histogram"]))


def test_mean_and_spread_are_those_of_every_single_deviation(graphs, design):
    deviations = []
    for row in graphs:
        inputs = input_of(averages.cell_of(row, design))
        deviations.append(graph(inputs)[0].responses - np.eye(2)[inputs.related.y])
    mean, spread = averages.mean_deviation(graphs)
    assert mean == pytest.approx(np.mean(deviations))
    assert spread == pytest.approx(np.std(deviations))


def test_equal_deviations_have_no_spread():
    row = {"confusion_train": [[2]], "confusion_test": [[1]], "confusion_validation": [[1]]}
    for part in ("train", "test", "validation"):
        row |= {f"deviation_mean_{part}": 0.1, f"deviation_std_{part}": 0.0}
    assert averages.mean_deviation([row] * 3) == pytest.approx((0.1, 0), abs=1e-8)


def test_repetitions_are_counted_in_words(rows):
    assert averages.repetitions(rows) == "2 repetitions"
    assert averages.repetitions(rows[1:]) == "1 to 2 repetitions"
    assert averages.repetitions(rows[:1]) == "1 repetition"
    failed = {**rows[0], "status": "failed"}
    assert averages.repetitions([failed, *rows[1:]]) == "1 to 2 repetitions (1 failed run left out)"
    assert averages.repetitions([failed, failed, rows[1]]).endswith("(2 failed runs left out)")


def test_a_row_leads_back_to_its_cell(graphs, design):
    cell = averages.cell_of(graphs[1], design)
    assert (cell.key, cell.seed) == ("HG-194/classical/graph/1", graphs[1]["seed"])
