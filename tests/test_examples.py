"""Every example runs and prints what it promises."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(
    ("name", "promise"),
    [("twins", "rational-quadratic"), ("regression", "R² in five folds: 0.4")],
)
def test_an_example_runs(name, promise, capsys):
    runpy.run_path(str(FOLDER / f"{name}.py"))
    assert promise in capsys.readouterr().out


def test_every_example_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == {"twins", "regression"}
