"""Tables and summaries."""

import numpy as np
import pytest

from study import load_results, load_table, save_table, summarise
from study.results import complete


def row(model="graph", **more):
    base = {"data": "d", "variant": "original", "model": model, "repetition": 0, "seed": 1}
    return complete({**base, "status": "ok", "error": "", "warnings": "", "version": "0", **more})


ROWS = [
    row(accuracy_test=0.5, deviation_mean_test=0.1, deviation_std_test=1.0, duality_gap=1e-15,
        n_prototypes=10, n_iter=7, seconds=0.25, confusion_test=[[1, 2], [3, 4]], histogram=[1, 0]),
    row(accuracy_test=0.75, deviation_mean_test=-0.3, deviation_std_test=2.0, duality_gap=1e-12,
        n_prototypes=13, seconds=0.75),
    complete({**row(), "status": "failed", "error": 'ValueError: "no", it said,\nand stopped'}),
    row("svc", accuracy_test=1.0),
]  # fmt: skip


def test_a_table_is_read_back_as_it_was(tmp_path):
    save_table(ROWS, tmp_path / "t.csv")
    assert load_table(tmp_path / "t.csv") == ROWS


def test_pandas_reads_the_table(tmp_path):
    pandas = pytest.importorskip("pandas")
    save_table(ROWS, tmp_path / "t.csv")
    frame = pandas.read_csv(tmp_path / "t.csv")
    assert frame.groupby("model").accuracy_test.mean().to_dict() == {"graph": 0.625, "svc": 1.0}


def test_a_summary_has_mean_and_standard_deviation_per_part():
    summary = summarise(ROWS)
    assert [(s["model"], s["part"]) for s in summary] == [
        (model, part) for model in ("graph", "svc") for part in ("train", "test", "validation")
    ]
    test = summary[1]
    assert (test["data"], test["variant"]) == ("d", "original")
    assert (test["n"], test["n_failed"]) == (2, 1)
    assert test["accuracy"] == 0.625
    assert test["accuracy_std"] == pytest.approx(np.std([0.5, 0.75], ddof=1))
    assert test["deviation_mean"] == pytest.approx(-0.1)
    assert test["deviation_std"] == 1.5
    assert test["duality_gap"] == 1e-12
    assert (test["n_prototypes"], test["seconds"]) == (11.5, 0.5)


def test_what_was_not_measured_is_none():
    summary = summarise(ROWS)
    assert summary[0]["accuracy"] is None
    assert summary[4]["accuracy"] == 1.0
    assert summary[4]["accuracy_std"] is None
    assert summary[4]["duality_gap"] is None


def test_a_kind_that_always_fails_is_counted():
    failed = summarise([ROWS[2]])[0]
    assert (failed["n"], failed["n_failed"], failed["accuracy"]) == (0, 1, None)


def test_where_nothing_was_run_there_are_no_results(tmp_path):
    assert load_results(tmp_path) == []
