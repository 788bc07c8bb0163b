"""One cell, one row."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from relrbf import __version__
from study import Cell, DataSet, Design, measure
from study.models import MODELS, ModelOutput
from study.results import COLUMNS
from tests.study import made
from tests.study.made import BROKEN, INDEFINITE, VECTORS


def without_seconds(rows):
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


@pytest.mark.parametrize("model", MODELS)
def test_a_cell_run_again_gives_the_same_rows(model):
    cell = Cell(INDEFINITE, "landmark", model, 3)
    assert without_seconds(measure(cell)) == without_seconds(measure(cell))


def test_a_row_says_what_it_is():
    cell = Cell(VECTORS, "original", "graph", 2, root=9)
    for row, model in zip(measure(cell), ["graph", "vector"], strict=True):
        assert list(row) == list(COLUMNS)
        assert (row["data"], row["variant"], row["model"]) == ("vectors", "original", model)
        assert (row["repetition"], row["seed"], row["status"]) == (2, cell.seed, "ok")
        assert (row["version"], row["error"], row["warnings"]) == (__version__, "", "")
        assert row["duality_gap"] <= 1e-6
        assert 4 <= row["n_prototypes"] <= 8
        assert 0 < row["n_iter"] <= 60
        assert row["seconds"] > 0


def test_all_models_see_the_same_split_of_70_15_15():
    design = Design([VECTORS], repetitions=1)
    rows = [row for cell in design.cells() for row in measure(cell)]
    for part, size in (("train", 42), ("test", 9), ("validation", 9)):
        sums = {
            tuple(np.sum(r[f"confusion_{part}"], axis=1)) for r in rows if r[f"confusion_{part}"]
        }
        assert len(sums) == 1
        assert sum(sums.pop()) == size


def test_only_models_that_stop_early_have_a_validation_accuracy():
    rows = [row for cell in Design([VECTORS], repetitions=1).cells() for row in measure(cell)]
    having = {row["model"] for row in rows if row["accuracy_validation"] is not None}
    assert having == {"graph", "vector", "medoid"}


def fake(responses, monkeypatch):
    predictions = responses.argmax(axis=1)
    monkeypatch.setitem(MODELS, "fake", lambda task: [ModelOutput("fake", predictions, responses)])
    (row,) = measure(Cell(VECTORS, "original", "fake", 0))
    return row


def test_the_deviation_is_the_response_less_one_for_the_own_class_and_zero_for_others(monkeypatch):
    row = fake(np.tile([0.75, 0.5], (60, 1)), monkeypatch)
    # half of the objects want (1, 0) and half (0, 1); the parts are nearly, train exactly so
    assert row["deviation_mean_train"] == pytest.approx(0.125)
    wanted = np.array([[-0.25, 0.5], [0.75, -0.5]])
    assert row["deviation_std_train"] == pytest.approx(wanted.std())
    assert sum(row["histogram"]) == 120
    assert np.flatnonzero(row["histogram"]).tolist() == [20, 25, 40, 45]


def test_deviations_off_the_scale_count_at_its_ends(monkeypatch):
    row = fake(np.tile([9.0, -9.0], (60, 1)), monkeypatch)
    assert (row["histogram"][0], row["histogram"][-1]) == (60, 60)


def test_confusion_counts_true_classes_in_rows(monkeypatch):
    row = fake(np.tile([1.0, 0.0], (60, 1)), monkeypatch)
    assert row["confusion_train"] == [[21, 0], [21, 0]]
    assert row["accuracy_train"] == 0.5


def test_a_failure_is_a_row_too():
    (row,) = measure(Cell(BROKEN, "original", "svc", 4))
    assert (row["status"], row["error"]) == ("failed", "OSError: the disk is gone")
    assert (row["data"], row["model"], row["repetition"]) == ("broken", "svc", 4)
    assert row["accuracy_test"] is None


def test_warnings_are_named_once_in_every_row():
    (row,) = measure(Cell(INDEFINITE, "original", "graph", 0))
    assert row["warnings"] == "NotEuclideanWarning"
    for _ in range(2):
        (row,) = measure(Cell(INDEFINITE, "classical", "forest", 0))
        assert row["warnings"] == "NotEuclideanWarning"
    rows = measure(Cell(DataSet("hasty", made.warning), "original", "knn", 0))
    assert {row["warnings"] for row in rows} == {"ResourceWarning"}


def test_a_cell_runs_in_one_thread(monkeypatch):
    seen = []

    def look(task):
        seen.extend(library["num_threads"] for library in threadpool_info())
        return [ModelOutput("look", np.zeros(60, dtype=int))]

    monkeypatch.setitem(MODELS, "look", look)
    measure(Cell(VECTORS, "original", "look", 0))
    assert set(seen) == {1}
