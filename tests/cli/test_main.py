"""The command, from the words typed to the files written."""

import builtins
import re
import subprocess
import sys

import pytest

from relrbf.cli.main import main


def test_the_demo_compares_relational_and_vector_networks_and_writes_the_page(tmp_path, capsys):
    assert main(["demo", "--epochs", "30", "--output", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    gap = float(re.search(r"largest difference of a response\s+(\S+)", printed)[1])
    accuracies = re.findall(r"accuracy on held-out objects, \w+\s+(\S+)", printed)
    assert gap < 1e-10
    assert len(accuracies) == 2
    assert "Accuracy on held-out objects is 9" in printed
    assert min(map(float, accuracies)) > 0.9
    assert "100%" in printed  # the progress bars
    assert (tmp_path / "out" / "report.html").stat().st_size > 50_000
    assert (tmp_path / "out" / "demo.png").stat().st_size > 10_000


@pytest.mark.parametrize("words", [["--help"], ["demo", "--help"], ["--version"]])
def test_help_is_given(words, capsys):
    assert main(words) == 0
    assert "relrbf" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [[], ["demmo"], ["demo", "--epochs", "0"], ["demo", "--epochs", "x"]]
)
def test_words_not_understood_exit_with_2(words, capsys):
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "usage: relrbf" in said
    assert len(said.splitlines()) == 2


def test_a_missing_extra_is_named(monkeypatch, capsys, tmp_path):
    real = builtins.__import__

    def without_jinja(name, *args, **kwargs):
        if name.split(".")[0] == "jinja2":
            raise ModuleNotFoundError("No module named 'jinja2'", name="jinja2")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_jinja)
    assert main(["demo", "--epochs", "1", "-o", str(tmp_path)]) == 1
    assert "'jinja2'; try: pip install 'relrbf[cli]'" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["demo", "--epochs", "1", "-o", str(tmp_path / "file")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_command_is_installed():
    done = subprocess.run(
        [sys.executable, "-c", "from relrbf.cli.main import main; main(['--version'])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("relrbf 0.")
