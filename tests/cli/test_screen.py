"""What is printed where: results, notes, progress, JSON."""

import json
import time
import warnings
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from relrbf.cli import ticker
from relrbf.cli.plain import as_plain
from relrbf.cli.screen import Screen
from relrbf.exceptions import RelationWarning


def test_people_read_the_result_and_see_notes_aside(capsys):
    with Screen() as screen:
        screen.say("the result")
        screen.tell(value=1)
        screen.note("a header was found", "a header was found")
    heard = capsys.readouterr()
    assert heard.out == "the result\n"
    assert heard.err == "note: a header was found\n"


def test_programs_read_one_json_object(capsys):
    with Screen(as_json=True) as screen:
        screen.say("the result")
        screen.tell(value=np.float64(0.5), missing=np.nan)
        screen.note("a header was found")
    heard = capsys.readouterr()
    expected = {"value": 0.5, "missing": None, "notes": ["a header was found"]}
    assert json.loads(heard.out) == expected


def test_what_failed_prints_no_json(capsys):
    with pytest.raises(ValueError, match="no"), Screen(as_json=True):
        raise ValueError("no")
    assert capsys.readouterr().out == ""


def test_warnings_of_the_library_are_notes_of_one_line(capsys):
    with Screen() as screen:
        warnings.warn("no vectors\n have these", RelationWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        screen.say("done")
    assert capsys.readouterr().err == "note: no vectors have these\n"


def test_warnings_are_as_before_afterwards():
    with Screen():
        pass
    with pytest.warns(RelationWarning, match="again"):
        warnings.warn("again", RelationWarning, stacklevel=1)


def test_quiet_says_neither_notes_nor_progress(capsys, monkeypatch):
    monkeypatch.setattr(ticker, "PATIENCE", 0)
    monkeypatch.setattr(ticker, "TICK", 0.01)
    with Screen(quiet=True) as screen:
        screen.note("a header was found")
        with screen.working("waiting"):
            time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_long_work_shows_what_goes_on(capsys, monkeypatch):
    monkeypatch.setattr(ticker, "PATIENCE", 0)
    monkeypatch.setattr(ticker, "TICK", 0.01)
    monkeypatch.setattr(ticker, "LINE_EVERY", 0.02)
    with Screen() as screen, screen.working("waiting") as progress:
        progress.tell("half way", 0.5)
        time.sleep(0.2)
        progress.count(3, 0.001)
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert "half way  50%, 0 s" in lines
    assert any(line.startswith("waiting, step 3, 1.0e-03 to go") for line in lines)


def test_a_terminal_sees_one_line_that_goes_away(capsys, monkeypatch):
    monkeypatch.setattr(ticker, "PATIENCE", 0)
    monkeypatch.setattr(ticker, "TICK", 0.01)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with Screen() as screen, screen.working("waiting"):
        time.sleep(0.1)
    printed = capsys.readouterr().err
    assert "\rwaiting, 0 s" in printed
    assert "\n" not in printed
    assert printed.endswith("\r")


def test_short_work_shows_nothing(capsys):
    with Screen() as screen, screen.working("waiting"):
        pass
    assert capsys.readouterr().err == ""


class Colour(Enum):
    RED = "advice"


@dataclass
class Found:
    order: np.ndarray
    shares: dict


def test_results_become_what_json_knows():
    found = Found(np.array([2, 0]), {1: np.inf, "a": (np.bool_(True), np.str_("x"))})
    assert as_plain(found) == {"order": [2, 0], "shares": {"1": None, "a": [True, "x"]}}
    assert as_plain([Colour.RED, Path("a/b"), np.int8(3), None]) == ["RED", "a/b", 3, None]
