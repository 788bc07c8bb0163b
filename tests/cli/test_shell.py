"""What a shell sees of the command: its start, its words, its completion, its end."""

import os
import subprocess
import sys

import pytest

from relrbf.cli.main import main, make_parser

COMMANDS = [
    "inspect",
    "relate",
    "fit",
    "predict",
    "show",
    "vat",
    "embed",
    "repair",
    "cluster",
    "demo",
    "completion",
]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_help_loads_no_mathematics():
    code = (
        "import sys\nfrom relrbf.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    assert run(code).stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    example = printed[printed.index("\nexample") + 1 :].splitlines()[1].strip()
    assert f"relrbf {command}" in example
    assert "--json" in printed
    assert "--debug" in printed


def test_every_command_is_listed(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert all(command in printed for command in COMMANDS)


def test_every_example_is_understood(capsys):
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            main([command, "--help"])
        printed = capsys.readouterr().out
        for line in printed[printed.index("\nexample") + 1 :].splitlines()[1:]:
            words = line.split("#")[0].strip().removeprefix('eval "$(').removesuffix(')"')
            words = words.split(">")[0].split()
            make_parser().parse_args(words[1:])


def completed(line):
    """Return what bash offers after a line."""
    command = f'{sys.executable} -c "from relrbf.cli.main import run; run()"'
    script = f"""
        eval "$({command} completion bash)"
        COMP_WORDS=({line} ''); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        complete=$(complete -p relrbf | sed 's/.*-F //; s/ .*//')
        $complete relrbf
        echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_options_and_choices():
    assert set(COMMANDS) <= set(completed("relrbf"))
    assert "classical" in completed("relrbf embed --method")


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_there_is_a_script_for_each_shell(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "relrbf" in capsys.readouterr().out


def test_a_reader_who_has_had_enough_is_no_error(tmp_path):
    (tmp_path / "D.csv").write_text("0,1\n1,0\n")
    command = f"{sys.executable} -c 'from relrbf.cli.main import run; run()' relate --measures"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | head -1"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_an_error_of_our_own_is_told_as_such(monkeypatch, capsys):
    def broken(options, screen):
        raise RuntimeError("oh")

    monkeypatch.setattr("relrbf.cli.completion.run", broken)
    assert main(["completion", "bash"]) == 1
    assert "RuntimeError: oh (an error of relrbf's own; --debug" in capsys.readouterr().err


def test_memory_that_does_not_suffice_is_said(monkeypatch, capsys):
    def hungry(options, screen):
        raise MemoryError("Unable to allocate 1 TiB")

    monkeypatch.setattr("relrbf.cli.completion.run", hungry)
    assert main(["completion", "bash"]) == 1
    assert "not enough memory. Unable to allocate" in capsys.readouterr().err


def test_a_terminal_without_our_letters_is_no_error():
    code = "import sys; sys.argv = ['relrbf', 'embed', '--help']\nprint('')\n"
    code += "from relrbf.cli import main\nmain.main = lambda: print('R²') or 0\nmain.run()"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert done.returncode == 0
    assert done.stdout.split() == [b"R?"]


def test_stopped_before_it_begins_it_says_so(monkeypatch, capsys):
    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr("relrbf.cli.main.make_parser", stopped)
    assert main(["--help"]) == 130
    assert capsys.readouterr().err == "relrbf: stopped\n"
