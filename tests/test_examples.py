"""Every example runs, draws and prints what it promises.

Examples whose objects come with packages that the tests do not install are skipped here; the
site's gallery runs all of them.
"""

import ast
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
SKIPPED = "needs {0}, which the extra 'bench' installs; `make docs` runs it"
MOST_LINES = 130

PROMISES = {
    "genes": ([], "by lot, at random"),
    "graph": (["networkx"], "paths around hubs"),
    "molecules": (["datamol", "rdkit"], "relrbf  R² 0.7"),
    "new_objects": ([], "the same bits: True"),
    "regression": ([], "relrbf  R² 0.4"),
    "sequences": (["aeon", "torch"], "RelationalTDNN accuracy 0.9"),
    "series": (["aeon"], "relrbf  accuracy 0.9"),
    "vector_equivalent": ([], "rational-quadratic"),
    "words": (["rapidfuzz", "spellchecker"], "relrbf  accuracy 0.7"),
}


@pytest.fixture
def shown(monkeypatch):
    """Return the list of figures that were shown, each with the number of its axes."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figures = []

    def show():
        figures.extend(len(pyplot.figure(number).axes) for number in pyplot.get_fignums())
        pyplot.close("all")

    monkeypatch.setattr(pyplot, "show", show)
    yield figures
    pyplot.close("all")


@pytest.mark.parametrize("name", PROMISES)
def test_an_example_runs_and_draws(name, shown, capsys):
    packages, promise = PROMISES[name]
    for package in packages:
        pytest.importorskip(package, reason=SKIPPED.format(package))
    runpy.run_path(str(FOLDER / f"{name}.py"))
    assert promise in capsys.readouterr().out
    assert shown
    assert all(shown)


def test_genes_without_the_data_say_so_and_go_on(shown, capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("RELRBF_DATA", raising=False)
    monkeypatch.setenv("RELRBF_CACHE", str(tmp_path))
    runpy.run_path(str(FOLDER / "genes.py"))
    told = capsys.readouterr().out
    assert "HG-194 is not there" in told
    assert "by lot, by gene" in told


def test_every_example_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", PROMISES)
def test_an_example_is_a_short_page_with_a_title(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    title, underline, _, problem, *_ = ast.get_docstring(ast.parse(text)).splitlines()
    assert underline == "=" * len(title)
    assert problem.startswith("You have")
    assert "\n# %%\n# " in text
    assert len(text.splitlines()) <= MOST_LINES
