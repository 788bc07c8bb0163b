"""The ``relrbf`` command and its subcommands."""

import os
import re
import signal
import sys
from io import TextIOWrapper
from typing import Any, NoReturn

import typer

from relrbf import __version__
from relrbf.cli.command import FAILED, SIGNALLED, error_message, received, stop
from relrbf.cli.demo import demo
from relrbf.cli.fit import fit
from relrbf.cli.matrices import cluster, embed, inspect, repair, vat
from relrbf.cli.models import predict, show
from relrbf.cli.relate import relate
from relrbf.cli.relate import run as run_all

COMMANDS = (run_all, inspect, relate, fit, predict, show, vat, embed, repair, cluster, demo)
FIRST_STEPS = """First steps:

relrbf run words.csv --label language --report report.html

relrbf inspect D.csv --labels y.csv

relrbf fit D.csv y.csv -o model.relrbf --report report.html

relrbf predict model.relrbf D_new.csv -o predictions.csv"""

app = typer.Typer(epilog=FIRST_STEPS, pretty_exceptions_enable=False)
for function in COMMANDS:
    app.command(epilog="\n\n".join(["Examples:", *function.examples]))(function)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"relrbf {__version__}")
        raise typer.Exit


SHOW_VERSION = typer.Option(
    False, "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
)


@app.callback()
def describe(version: bool = SHOW_VERSION) -> None:
    """Learn from dissimilarities: radial-basis-function networks on a distance matrix."""


def _near_command(error: Exception) -> str:
    """Return the command that is called nearly as one that does not exist."""
    from relrbf._options import did_you_mean

    found = re.match(r"No such command ['\"]?([\w-]+)", str(getattr(error, "message", "")))
    return did_you_mean(found[1], [each.__name__ for each in COMMANDS]) if found else ""


def run() -> NoReturn:
    """Run the command and end the process, by SIGTERM as by Ctrl-C.

    A library's compiled code may crash when Python shuts down under threads that still run it, and
    Python would say in its own words that the last of the output cannot be written: such a process
    ends at once.
    """
    # joblib would tell of what it cleans up behind a process that was killed
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and & have it
            signal.signal(number, stop)
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed: as if it were empty
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        elif isinstance(stream, TextIOWrapper) and stream.writable():
            stream.reconfigure(errors="replace")  # where symbols such as ² cannot be printed
    code = main()
    try:
        sys.stdout.flush()
    except OSError as error:
        if code == 0:
            print(f"relrbf: {error_message(error)}", file=sys.stderr)
        os._exit(code or FAILED)
    if code > SIGNALLED:
        os._exit(code)
    sys.exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return 0, 1 for a failure, 2 for wrong usage, 130 if interrupted."""
    try:
        group: Any = typer.main.get_command(app)
        group.rich_markup_mode = None  # a list of commands needs no panels, which are slow to draw
        code = int(group.main(arguments, prog_name="relrbf", standalone_mode=False) or 0)
        if code < SIGNALLED:  # else Typer has caught a KeyboardInterrupt
            return code
    except SystemExit:  # by Typer, where the reader of a pipe has read enough, as head does
        return 0
    except OSError as error:  # by what prints before a command begins
        print(f"relrbf: {error_message(error)}", file=sys.stderr)
        return FAILED
    except (KeyboardInterrupt, typer.Abort):
        pass
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        name = context.command_path if context else "relrbf"
        usage = " ".join(context.get_usage().split()[2:]) if context else "COMMAND"
        print(f"{name}: {error.format_message()}{_near_command(error)}", file=sys.stderr)
        print(f"usage: relrbf {usage} ({name} --help says more)", file=sys.stderr)
        return error.exit_code
    print("relrbf: stopped", file=sys.stderr)
    return SIGNALLED + (received or [signal.SIGINT])[0]
