"""What a shell sees of the command: its start, its help, its completion, its end."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial

import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

from relrbf.cli import command
from relrbf.cli import main as module
from relrbf.cli.main import COMMANDS, main

NAMES = [command.__name__ for command in COMMANDS]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


@pytest.mark.parametrize("words", [["--help"], ["fit", "--help"]])
def test_help_loads_no_mathematics(words):
    code = (
        f"import sys\nfrom relrbf.cli.main import main\nmain({words})\n"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    assert run(code).stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_every_command_has_examples_and_the_options_of_all(command, capsys):
    assert main([command.__name__, "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert command.examples
    for example in command.examples:
        assert example.startswith(f"relrbf {command.__name__}")
        assert example in printed
    for option in ("--json", "--quiet", "--debug"):
        assert option in printed


def test_every_command_is_listed(capsys):
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in NAMES)


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_every_example_is_understood(command, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("relrbf.cli.command._run", lambda *_: 0)
    for example in command.examples:
        assert main(example.split()[1:]) == 0


def completed(line):
    """Return what bash offers after a line."""
    words = line.split()
    environment = os.environ | {
        "_RELRBF_COMPLETE": "complete_bash",
        "COMP_WORDS": f"{line} ",
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-c", "from relrbf.cli.main import run; run()"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return done.stdout.split()


def test_bash_completes_commands_and_choices():
    assert set(NAMES) <= set(completed("relrbf"))
    assert "classical" in completed("relrbf embed --method")


def test_the_script_for_the_shell_that_asks_is_shown():
    code = "from relrbf.cli.main import run; run()"
    command = f"{sys.executable} -c '{code}' --show-completion; true"  # bash stays the parent
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "_RELRBF_COMPLETE=complete_bash" in done.stdout


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -c 'from relrbf.cli.main import run; run()' relate --measures"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | head -1"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_pipe_closed_by_the_reader_of_a_result_is_no_error(tmp_path):
    rows = "\n".join(",".join(str(abs(i - j)) for j in range(40)) for i in range(40))
    (tmp_path / "D.csv").write_text(rows)
    command = f"{sys.executable} -c 'from relrbf.cli.main import run; run()' inspect D.csv --quiet"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | true"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0
    assert done.stderr == ""


def run_in_shell(words, redirection, folder):
    command = f"{sys.executable} -c 'from relrbf.cli.main import run; run()' {words} {redirection}"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=folder)


@pytest.mark.parametrize("words", ["--version", "relate --measures", "inspect D.csv", "fit --help"])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_output_that_cannot_be_written_is_said_in_a_line(tmp_path, words):
    (tmp_path / "D.csv").write_text("0,1\n1,0")
    done = run_in_shell(words, "> /dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("relrbf: No space left on device, for what is")
    assert "Traceback" not in done.stderr


def test_standard_streams_that_are_closed_are_empty(tmp_path):
    (tmp_path / "D.csv").write_text("0,1\n1,0")
    for redirection in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = run_in_shell("inspect D.csv --html page.html", redirection, tmp_path)
        assert done.returncode == 0
    done = run_in_shell("inspect -", "<&-", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "relrbf: standard input: the file is empty.\n"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_a_compiled_module_starts_waits_for_its_end(name):
    """Those of others, such as pybind11's, may abort otherwise."""
    code = """
import os, signal, time
from importlib.machinery import ExtensionFileLoader
from relrbf.cli import main as module
class Loader(ExtensionFileLoader):
    def exec_module(self, module):
        os.kill(os.getpid(), signal.NAME)
        print("whole")
def begin(_):
    Loader("made", "made.so").exec_module(None)
    print("imported")
    time.sleep(60)
    print("not reached")
module.typer.main.get_command = begin
module.run()
"""
    code = code.replace("NAME", name)
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # also in a shell's background
    options = {"capture_output": True, "text": True, "preexec_fn": listen}
    done = subprocess.run([sys.executable, "-c", code], check=False, **options)
    assert done.returncode == 128 + getattr(signal, name)
    assert done.stdout == "whole\nimported\n"
    assert done.stderr == "relrbf: stopped\n"


def test_a_signal_that_compiled_code_makes_another_error_of_is_still_a_signal(monkeypatch, capsys):
    def interrupted(*_, **__):
        with suppress(KeyboardInterrupt):
            command.stop(signal.SIGTERM, None)
        raise ImportError("initialization failed")

    monkeypatch.setattr(command, "received", [])
    monkeypatch.setattr(module, "received", command.received)
    monkeypatch.setattr("relrbf.cli.models.check_output", interrupted)
    assert main(["show", "model.relrbf"]) == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "relrbf: stopped\n"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("oh"), "RuntimeError: oh (an error of relrbf's own; --debug"),
        (MemoryError("Unable to allocate 1 TiB"), "not enough memory. Unable to allocate"),
        (TerminatedWorkerError(), "a process of --jobs was killed, often for lack of memory"),
    ],
)
def test_errors_that_are_not_of_the_input_are_told_as_such(error, message, monkeypatch, capsys):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr("relrbf.cli.models.check_output", broken)
    assert main(["show", "model.relrbf"]) == 1
    assert message in capsys.readouterr().err


def test_a_terminal_without_our_letters_is_no_error():
    code = (
        "import sys\nfrom relrbf.cli import main\nmain.main = lambda: print('R²') or 0\nmain.run()"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert done.returncode == 0
    assert done.stdout.split() == [b"R?"]


def test_an_interrupt_before_the_command_begins_is_told(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.typer.main, "get_command", interrupted)
    assert main(["--help"]) == 130
    assert capsys.readouterr().err == "relrbf: stopped\n"
