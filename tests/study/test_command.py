"""The study by one command: a short form of all of it."""

import csv
import re
import sys
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO

import pytest

from study import PAPER, load_results
from study import __main__ as command
from study.__main__ import SETS, chosen, main
from study.data import loaded

FEW_EPOCHS = 200
FIGURES = ("2-1", "2-2", "2-3", "3-1", "3-1-by-genes", "3-2", "a-1")


def printed_by(*words):
    """Return what a command prints, after a good end."""
    captured = StringIO()
    with redirect_stdout(captured):
        assert main(words) == 0
    return captured.getvalue()


def printed_of_short_training(*words):
    """Return what a command prints whose networks are trained for a few epochs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            command,
            "chosen",
            lambda names: tuple(replace(data, max_iter=FEW_EPOCHS) for data in chosen(names)),
        )
        return printed_by(*words)


@pytest.fixture(scope="module")
def study(shared_data, tmp_path_factory):
    """All sets, once: the short form of the study; tests of single sets train to the end."""
    folder = tmp_path_factory.mktemp("study")
    words = ["all", "--repetitions", "1", "--jobs", "2", "-o", str(folder)]
    return folder, printed_of_short_training(*words)


def test_progress_and_every_claim_are_printed(study):
    _, printed = study
    assert "126 of 126 cells" in printed
    assert re.search(r"BC-569, accuracy .*: (reproduced|in part|not reproduced)", printed)
    assert len(re.findall(r"^  paper  ", printed, re.MULTILINE)) == 49
    assert re.search(r"\d+ reproduced, \d+ in part, \d+ not reproduced, \d+ cannot be", printed)


def test_the_page_has_all_claims_and_figures(study):
    folder, _ = study
    page = (folder / "study.html").read_text()
    assert page.count("data:image/png") == len(FIGURES)
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    text = (folder / "study.md").read_text()
    outcomes = re.findall(r"\| (reproduced|in part|not reproduced|cannot be tested) \|", text)
    assert len(outcomes) == 49
    for name in FIGURES:
        assert f"(figure-{name}.png)" in text
        assert (folder / f"figure-{name}.png").stat().st_size > 10_000
        assert (folder / f"figure-{name}.pdf").stat().st_size > 10_000


def test_results_are_kept_as_tables(study):
    folder, _ = study
    with open(folder / "summary.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    models = {row["model"] for row in rows}
    assert {"graph", "vector", "medoid", "default", "knn-15", "svc", "forest"} <= models
    assert {row["data"] for row in rows} == {data.name for data in PAPER}
    assert max(float(row["duality_gap"] or 0) for row in rows) <= 1e-6


def test_one_repetition_of_the_quick_models_runs_everywhere(study):
    rows = load_results(study[0])
    assert {row["status"] for row in rows} == {"ok"}
    quick = [row for row in rows if re.match("default|knn|svc", row["model"])]
    assert {row["data"] for row in quick} == {data.name for data in PAPER}
    assert min(row["accuracy_test"] for row in quick) > 0.5


def test_what_is_done_is_not_done_again(study):
    folder, _ = study
    before = (folder / "rows.jsonl").read_bytes()
    words = ["HD-303", "--repetitions", "1", "-o", str(folder)]
    printed = printed_of_short_training(*words)
    assert "cells" not in printed
    assert "HD-303, accuracy" in printed
    assert (folder / "rows.jsonl").read_bytes() == before


def test_bc569_needs_no_files(tmp_path, monkeypatch):
    monkeypatch.delenv("RELRBF_DATA", raising=False)
    monkeypatch.setenv("RELRBF_CACHE", str(tmp_path / "empty"))
    printed = printed_by("bc-569", "--repetitions", "1", "--jobs", "1", "-o", str(tmp_path / "out"))
    assert "BC-569, graph and vector networks respond alike: reproduced" in printed
    assert (
        "python -m study BC-569 --repetitions 1 --seed 0"
        in (tmp_path / "out" / "study.md").read_text()
    )


def test_missing_extras_are_reported_before_the_study_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert main(["BC-569", "-o", str(tmp_path / "out")]) == 1
    assert "jinja2" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_failed_cells_are_run_again_when_asked(tmp_path, monkeypatch):
    captured = []

    def run(*_, retry_failed, **__):
        captured.append(retry_failed)
        raise OSError("enough")

    monkeypatch.setattr("study.__main__.run", run)
    main(["BC-569", "-o", str(tmp_path)])
    main(["BC-569", "--retry-failed", "-o", str(tmp_path)])
    assert captured == [False, True]


def test_failures_are_reported(tmp_path, monkeypatch, capsys):
    from tests.study.made import BROKEN, VECTORS, vectors

    monkeypatch.setattr(command, "chosen", lambda names: (VECTORS, BROKEN))
    monkeypatch.setattr(command, "loaded", lambda data: vectors())
    (tmp_path / "figure-9-9.png").touch()  # of a study of other sets
    assert main(["--repetitions", "1", "-o", str(tmp_path)]) == 1
    assert not (tmp_path / "figure-9-9.png").exists()
    assert "some cells failed" in capsys.readouterr().err
    assert "the disk is gone" in (tmp_path / "study.md").read_text()


def test_missing_files_are_named_before_anything_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("RELRBF_DATA", raising=False)
    monkeypatch.setenv("RELRBF_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr("pooch.retrieve", _offline)
    monkeypatch.setattr("study.__main__.loaded", loaded.__wrapped__)  # forgets what it read
    words = ["HG-194", "--repetitions", "1", "-o", str(tmp_path / "out")]
    assert main(words) == 1
    assert "HG-194 is not there" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def _offline(*_, **__):
    raise OSError("no network")


def test_an_interruption_says_how_to_resume(tmp_path, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("study.__main__.run", stop)
    assert main(["BC-569", "-o", str(tmp_path)]) == 130
    assert "the same command resumes" in capsys.readouterr().err


def test_a_killed_worker_is_reported_in_one_line(tmp_path, monkeypatch, capsys):
    def die(*_, **__):
        raise BrokenProcessPool("a long story\nof many lines")

    monkeypatch.setattr("study.__main__.run", die)
    assert main(["BC-569", "-o", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "a worker process was killed" in captured.err
    assert "the same command resumes" in captured.err


@pytest.mark.parametrize(
    "words",
    [
        ["XY-12"],
        ["--repetitions", "0"],
        ["--jobs", "-3"],
        ["--seed", "x"],
        ["--repetitions", "1.5"],
    ],
)
def test_invalid_arguments_exit_with_2(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert "usage: python -m study" in capsys.readouterr().err


def test_names_are_those_of_the_sets():
    assert chosen(["all"]) == PAPER
    assert [data.name for data in chosen(["HG-194"])] == ["HG-194", "HG-194-genes"]
    assert [data.name for data in chosen(["PC-102", "BC-569"])] == ["BC-569", "PC-102"]
    assert set(SETS) - {"all"} == {data.name for data in PAPER} - {"HG-194-genes"}
    assert command.make_parser().parse_args([]).sets == ["all"]
