"""What the demo advises can be typed."""

from pathlib import Path

import pytest

from relrbf.cli import demo
from relrbf.cli.main import main


@pytest.mark.parametrize(
    ("found", "typed"), [("/usr/bin/relrbf", "relrbf"), (None, ".venv/bin/relrbf")]
)
def test_commands_are_named_as_they_are_found(found, typed, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "which", lambda _: found)
    monkeypatch.setattr("sys.argv", [str(tmp_path / ".venv" / "bin" / "relrbf")])
    lines = demo.next_commands(Path("out")).splitlines()[1:]
    assert all(line.startswith(f"  {typed} ") for line in lines)


@pytest.mark.parametrize("name", ["D.csv", "D_new.csv", "y.csv"])
def test_files_of_the_same_name_are_not_written_over(name, tmp_path, capsys):
    (tmp_path / name).write_text("id,label\nann,a\n")
    assert main(["demo", "-o", str(tmp_path)]) == 1
    assert f"{name} would be written over" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "id,label\nann,a\n"


def test_files_of_the_demo_may_be_written_over(tmp_path):
    for _ in range(2):
        demo.load_demo_data(tmp_path)
