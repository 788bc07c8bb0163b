"""What the pages show of a terminal is what a terminal shows."""

import doctest
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    return re.findall(r"```console\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


def steps(page):
    """Return each command of a page with what it shows of the output, "" where it shows none."""
    text = "\n".join(blocks(page))
    return re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n?)*)", text, re.MULTILINE)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that the tutorial makes, and relrbf on the path."""
    monkeypatch.setattr(tempfile, "mkdtemp", lambda: str(tmp_path))
    text = (DOCS / "tutorial.md").read_text("utf-8")
    making = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    exec("".join(step.source for step in doctest.DocTestParser().get_examples(making)), {})
    command = tmp_path / "bin" / "relrbf"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nfrom relrbf.cli.main import run\nrun()\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize("page", ["tutorial.md", "command-line.md"])
def test_the_terminal_shows_what_the_page_shows(page, files):
    assert steps(page)
    for command, shown in steps(page):
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=files,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        fails = "\nrelrbf: " in f"\n{shown}"
        assert (run.returncode != 0) == fails, run.stdout
        if shown.strip():
            assert doctest.OutputChecker().check_output(shown, run.stdout, LIKE), run.stdout
    if page == "tutorial.md":
        lines = (files / "predictions.csv").read_text().splitlines()
        assert len(lines) == 1 + 29
        assert lines[1].startswith("wine-5,grower 0,")
        assert (files / "report.html").stat().st_size > 10_000
        assert (files / "vat.png").stat().st_size > 1_000
