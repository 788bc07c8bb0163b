"""Runs: the same whatever the order, the processes and the interruptions."""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from study import (
    DataSet,
    Design,
    Progress,
    load_results,
    load_table,
    print_progress,
    run,
)
from study.results import RESUME_LOG
from study.runner import _clock
from tests.study import made
from tests.study.made import BROKEN, INDEFINITE, VECTORS
from tests.waiting import PATIENCE, wait_until

DESIGN = Design([VECTORS, replace(INDEFINITE, variants=("original", "landmark"))],
                ["graph", "knn", "default"], repetitions=2)  # fmt: skip
ROOT = Path(__file__).parents[2]


def without_seconds(rows):
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def in_one_order(rows):
    names = "data", "variant", "model", "repetition"
    return sorted(without_seconds(rows), key=lambda row: [str(row[name]) for name in names])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, run(DESIGN, folder)


def test_rows_come_in_the_order_of_the_design(whole):
    _, rows = whole
    assert len(rows) == 2 * ((2 + 15 + 1) + 2 * (1 + 15 + 1))
    assert [row["model"] for row in rows[:3]] == ["graph", "vector", "knn-1"]
    assert {row["status"] for row in rows} == {"ok"}


def test_processes_do_not_matter(whole, tmp_path):
    rows = run(DESIGN, tmp_path, n_jobs=2)
    assert without_seconds(rows) == without_seconds(whole[1])


def test_the_order_does_not_matter(whole, tmp_path):
    turned = replace(DESIGN, data=DESIGN.data[::-1], models=DESIGN.models[::-1])
    rows = {
        (r["data"], r["variant"], r["model"], r["repetition"]): r for r in run(turned, tmp_path)
    }
    for row in whole[1]:
        other = rows[row["data"], row["variant"], row["model"], row["repetition"]]
        assert without_seconds([row]) == without_seconds([other])


def test_what_is_kept_is_what_is_returned(whole):
    folder, rows = whole
    assert load_results(folder) == rows
    assert load_table(folder / "results.csv") == rows


def keys_run(design, folder, **options):
    seen = []
    run(design, folder, progress=lambda p: seen.append(p.cell), **options)
    return seen


def test_what_is_done_is_not_done_again(whole):
    assert keys_run(DESIGN, whole[0]) == []


def test_a_larger_design_adds_its_cells(whole, tmp_path):
    (tmp_path / RESUME_LOG).write_bytes((whole[0] / RESUME_LOG).read_bytes())
    added = keys_run(replace(DESIGN, models=["knn"], repetitions=3), tmp_path)
    assert added == [
        "vectors/original/knn/2",
        "indefinite/original/knn/2",
        "indefinite/landmark/knn/2",
    ]


def test_cells_whose_settings_changed_are_run_again(whole, tmp_path):
    (tmp_path / RESUME_LOG).write_bytes((whole[0] / RESUME_LOG).read_bytes())
    changed = replace(DESIGN, data=[replace(VECTORS, max_iter=50)], models=["graph"])
    assert len(keys_run(changed, tmp_path)) == 2
    graphs = [r for r in load_results(tmp_path) if r["data"] == "vectors" and r["model"] == "graph"]
    assert [row["n_iter"] <= 50 for row in graphs] == [True, True]


@pytest.mark.parametrize("cut", [1, 40, 2000])
def test_a_file_cut_in_a_line_goes_on(whole, tmp_path, cut):
    (tmp_path / RESUME_LOG).write_bytes((whole[0] / RESUME_LOG).read_bytes()[:-cut])
    n_left = len(load_results(tmp_path))
    assert n_left < len(whole[1])
    assert without_seconds(run(DESIGN, tmp_path)) == without_seconds(whole[1])
    lines = (tmp_path / RESUME_LOG).read_bytes().splitlines()
    assert len([json.loads(line) for line in lines]) == len(list(DESIGN.cells()))


def test_lines_of_something_else_are_no_results(whole, tmp_path):
    garbage = b'[1]\n{"key": 1}\n\x00\x00\n'
    (tmp_path / RESUME_LOG).write_bytes(garbage + (whole[0] / RESUME_LOG).read_bytes())
    assert keys_run(DESIGN, tmp_path) == []


SCRIPT = """
from study import DataSet, Design, run
from tests.study import made
data = DataSet("vectors", made.vectors, 4, 8, max_iter=60)
run(Design([data], ["graph", "knn"], repetitions=400), {folder!r}, n_jobs={n_jobs})
"""


@pytest.mark.parametrize(("n_jobs", "how"), [(1, signal.SIGKILL), (2, signal.SIGINT)])
def test_a_run_that_was_killed_goes_on(tmp_path, n_jobs, how):
    script = SCRIPT.format(folder=str(tmp_path), n_jobs=n_jobs)
    # in the background of a shell, Ctrl-C is ignored, and this is inherited
    options = {"preexec_fn": partial(signal.signal, signal.SIGINT, signal.SIG_DFL), "cwd": ROOT}
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, **options)
    file = tmp_path / RESUME_LOG
    wait_until(lambda: file.exists() and b"\n" in file.read_bytes(), process)
    process.send_signal(how)
    process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    done = {(row["model"], row["repetition"]) for row in load_results(tmp_path)}
    assert done
    design = Design([VECTORS], ["graph", "knn"], repetitions=2)
    rest = set(keys_run(design, tmp_path))
    assert rest == {cell.key for cell in design.cells()} - {
        f"vectors/original/{model}/{n}" for model, n in done
    } - {f"vectors/original/knn/{n}" for model, n in done if model == "knn-1"}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_stops_the_run_and_keeps_what_is_done(tmp_path, n_jobs):
    def interrupt(progress):
        if progress.n_done == 3:
            raise KeyboardInterrupt

    design = replace(DESIGN, models=["knn"])
    with pytest.raises(KeyboardInterrupt):
        run(design, tmp_path, n_jobs=n_jobs, progress=interrupt)
    assert len(load_results(tmp_path)) == 3 * 15
    assert len(keys_run(design, tmp_path)) == 3


def test_failures_are_rows_and_nothing_stops(tmp_path):
    reports = []
    rows = run(Design([BROKEN, VECTORS], ["knn"], repetitions=1), tmp_path, progress=reports.append)
    assert [row["status"] for row in rows] == ["failed"] + ["ok"] * 15
    assert reports[-1].n_failed == 1
    assert "1 failed" in str(reports[-1])


def test_failures_are_tried_again_on_request(tmp_path, monkeypatch):
    flag = tmp_path / "well"
    monkeypatch.setenv("RELRBF_TEST_FLAG", str(flag))
    design = Design([DataSet("fragile", made.fragile)], ["knn"], repetitions=1)
    assert run(design, tmp_path)[0]["status"] == "failed"
    flag.touch()
    assert keys_run(design, tmp_path) == []
    assert keys_run(design, tmp_path, retry_failed=True) == ["fragile/original/knn/0"]
    assert {row["status"] for row in load_results(tmp_path)} == {"ok"}


def test_progress_counts_and_expects_of_a_kind_what_it_took_before(tmp_path):
    reports = []
    design = Design([VECTORS], ["knn", "default"], repetitions=3)
    run(design, tmp_path, progress=reports.append)
    assert [report.n_done for report in reports] == list(range(1, 7))
    assert {report.n_cells for report in reports} == {6}
    assert reports[-1].remaining == 0
    took = {row["model"]: 0.0 for row in load_results(tmp_path)}
    first = [row for row in load_results(tmp_path) if row["repetition"] == 0]
    for row in first:
        took[row["model"]] += row["seconds"]
    # after the first repetition each kind has been met once, and two of each remain
    assert reports[1].remaining == pytest.approx(2 * sum(took.values()))


def test_progress_after_a_restart_counts_what_was_done(tmp_path):
    design = Design([VECTORS], ["knn"], repetitions=3)
    run(replace(design, repetitions=2), tmp_path)
    reports = []
    run(design, tmp_path, progress=reports.append)
    assert [report.n_done for report in reports] == [3]


def test_progress_is_printed_now_and_then_and_at_the_end(capsys):
    show = print_progress(10)
    for n, seconds in ((1, 0.5), (2, 3), (3, 11), (4, 12)):
        show(Progress(n, 4, 0, seconds, 4000 - n, "a/b/c/0"))
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "1 of 4 cells, 0:00:00 so far, 1:06:39 to go (a/b/c/0)"
    assert [line[0] for line in shown] == ["1", "3", "4"]


def test_clocks_have_hours_minutes_and_seconds():
    assert [_clock(s) for s in (0.4, 59.6, 3599, 36000)] == [
        "0:00:00",
        "0:01:00",
        "0:59:59",
        "10:00:00",
    ]
