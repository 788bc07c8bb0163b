"""What the demo advises can be typed."""

from pathlib import Path

import pytest

from relrbf.cli import demo


@pytest.mark.parametrize(
    ("found", "typed"), [("/usr/bin/relrbf", "relrbf"), (None, ".venv/bin/relrbf")]
)
def test_commands_are_named_as_they_are_found(found, typed, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "which", lambda _: found)
    monkeypatch.setattr("sys.argv", [str(tmp_path / ".venv" / "bin" / "relrbf")])
    lines = demo.next_commands(Path("out")).splitlines()[1:]
    assert all(line.startswith(f"  {typed} ") for line in lines)
