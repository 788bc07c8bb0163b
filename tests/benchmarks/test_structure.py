"""What ``make structure`` counts is what there is."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import structure
from benchmarks.__main__ import BENCHMARKS, main

ONE, OTHER = Path("one.py"), Path("other.py")


def test_a_function_is_as_long_as_its_lines():
    source = (
        "def f():\n    '''Say.'''\n    return 1\n\n\nclass A:\n    def g(self):\n        pass\n"
    )
    assert sorted(structure.function_lengths({ONE: source})) == [2, 3]


def test_classes_of_one_name_in_two_files_are_found():
    sources = {ONE: "class A: pass\nclass B: pass", OTHER: "class B: pass"}
    assert structure.repeated_classes(sources) == {"B": [ONE, OTHER]}


def test_constants_of_one_name_are_found_where_their_values_differ():
    sources = {ONE: "SAME = 1\nFEW = 2\nlow = 1", OTHER: "SAME = 1\nFEW: int = 3\nlow = 2"}
    assert structure.repeated_constants(sources) == {"FEW": [ONE, OTHER]}


def test_visits_are_of_the_package_alone():
    import numpy as np

    from relrbf import as_relation

    D = np.array([[0.0, 1.0], [1.0, 0.0]])
    names = {code.co_name for code in structure.visited(lambda: as_relation(D))}
    assert "as_relation" in names
    assert not {"asarray", "<module>"} & names


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_a_module(name):
    assert find_spec(f"benchmarks.{BENCHMARKS[name]}")


def test_an_unknown_benchmark_is_refused_with_those_there_are(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "nothing"])
    with pytest.raises(SystemExit, match="choose from core, accuracy"):
        main()


def test_benchmarks_are_listed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "list"])
    main()
    assert capsys.readouterr().out.split() == list(BENCHMARKS)
