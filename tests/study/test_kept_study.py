"""The page of the study that is kept in docs says what its summary says."""

import csv
import re
from pathlib import Path

import pytest

from study import PAPER, Design

KEPT = Path(__file__).parents[2] / "docs" / "study"
MODELS = {"graph": 1, "medoid": 2, "default": 3, "svc": 5, "forest": 6}  # columns of the page


@pytest.fixture(scope="module")
def page():
    return (KEPT / "study.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def summary():
    with open(KEPT / "summary.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_it_is_of_a_hundred_repetitions_without_failure(page, summary):
    assert "100 repetitions, seed 0" in page
    assert {row["n"] for row in summary} == {"100"}
    assert {row["n_failed"] for row in summary} == {"0"}
    assert len({row["data"] for row in summary}) == len(PAPER)
    assert {row["variant"] for row in summary} == {v for data in PAPER for v in data.variants}
    assert "python -m study all --repetitions 100 --seed 0" in page
    assert Design().repetitions == 100


def test_every_accuracy_of_the_page_is_in_the_summary(page, summary):
    compared = 0
    for row in summary:
        if row["part"] == "test" and row["model"] in MODELS:
            [line] = re.findall(rf"^\| {row['data']}, {row['variant']} \|.*$", page, re.MULTILINE)
            shown = line.split(" | ")[MODELS[row["model"]]]
            mean, spread = (float(row[name]) for name in ("accuracy", "accuracy_std"))
            told = [float(number) for number in re.findall(r"[\d.]+", shown)]
            assert told == pytest.approx([100 * mean, 100 * spread], abs=0.051)
            compared += 1
    assert compared == (3 + 3 * 6) * len(MODELS)


def test_both_networks_respond_alike_in_all_of_it(summary):
    gaps = [float(row["duality_gap"]) for row in summary if row["duality_gap"]]
    assert len(gaps) == 3 * 2 * 3  # sets, models, parts
    assert max(gaps) <= 1e-6


def test_what_failed_says_why_with_a_number(page):
    lines = [
        line
        for line in page.splitlines()
        if re.search(r"\| (in part|not reproduced|cannot be tested) \|", line)
    ]
    assert lines
    for line in lines:
        assert re.search(r"\d", line.rstrip(" |").rsplit("|", 1)[1])


def test_every_picture_is_there_and_small(page):
    names = re.findall(r"\((figure-[\w-]+\.png)\)", page)
    assert len(names) == 7
    for name in names:
        assert 10_000 < (KEPT / name).stat().st_size < 500_000
