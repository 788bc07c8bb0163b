"""What is printed where: results, notes, progress, JSON."""

import json
import warnings
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from relrbf.cli import console as module
from relrbf.cli.console import Console, to_json
from relrbf.exceptions import RelationWarning


class NoTimer:
    """Does at once what a timer does after a while."""

    def __init__(self, seconds, function):
        self.start = function

    def cancel(self):
        pass

    join = cancel


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(module, "Timer", NoTimer)


def test_people_read_the_result_and_see_notes_aside(capsys):
    console = Console()
    with console.session():
        console.print("the result")
        console.record(value=1)
        console.note("a header was found", "a header was found")
    printed = capsys.readouterr()
    assert printed.out == "the result\n"
    assert printed.err == "note: a header was found\n"


def test_programs_read_one_json_object(capsys):
    console = Console(as_json=True)
    with console.session():
        console.print("the result")
        console.record(value=np.float64(0.5), missing=np.nan)
        console.note("a header was found")
    expected = {"value": 0.5, "missing": None, "notes": ["a header was found"]}
    assert json.loads(capsys.readouterr().out) == expected


def test_a_failure_prints_no_json(capsys):
    with pytest.raises(ValueError, match="no"), Console(as_json=True).session():
        raise ValueError("no")
    assert capsys.readouterr().out == ""


def test_warnings_of_the_library_are_notes_of_one_line(capsys):
    console = Console()
    with console.session():
        warnings.warn("no vectors\n have these", RelationWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        console.print("done")
    assert capsys.readouterr().err == "note: no vectors have these\n"


def test_warnings_are_as_before_afterwards():
    with Console().session():
        pass
    with pytest.warns(RelationWarning, match="again"):
        warnings.warn("again", RelationWarning, stacklevel=1)


@pytest.mark.usefixtures("impatient")
def test_quiet_prints_neither_notes_nor_progress(capsys):
    console = Console(quiet=True)
    console.note("a header was found")
    with console.progress("waiting"):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("impatient")
def test_long_work_says_what_is_done_where_there_is_no_terminal(capsys):
    with Console().progress("waiting") as show:
        show("half done", 0.5)
    assert capsys.readouterr().err == "waiting ...\n"


@pytest.mark.usefixtures("impatient")
def test_a_terminal_shows_how_much_is_done(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with Console().progress("waiting [a]") as show:
        show("half [a]", 0.5)
    printed = capsys.readouterr().err
    assert "half [a]" in printed
    assert "50%" in printed


def test_short_work_shows_nothing(capsys):
    with Console().progress("waiting"):
        pass
    assert capsys.readouterr().err == ""


class Colour(Enum):
    RED = "advice"


@dataclass
class Found:
    order: np.ndarray
    shares: dict


def test_json_steers_no_terminal():
    names = ["\x1b[2J", "\x7f", "\x9b2J", "\u202e", "Zoë"]
    text = to_json(names)
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert json.loads(text) == names


def test_results_become_what_json_knows():
    found = Found(np.array([2, 0]), {1: np.inf, "a": (np.bool_(True), np.str_("x"))})
    assert json.loads(to_json(found)) == {"order": [2, 0], "shares": {"1": None, "a": [True, "x"]}}
    assert json.loads(to_json([Colour.RED, Path("a/b"), np.int8(3), None])) == [
        "RED",
        "a/b",
        3,
        None,
    ]
