"""The ``relrbf`` command and its subcommands."""

import os
import sys
from io import TextIOWrapper
from typing import Any, NoReturn

import typer

from relrbf import __version__
from relrbf.cli.command import INTERRUPTED
from relrbf.cli.demo import demo
from relrbf.cli.fit import fit
from relrbf.cli.matrices import cluster, embed, inspect, repair, vat
from relrbf.cli.models import predict, show
from relrbf.cli.relate import relate

COMMANDS = (inspect, relate, fit, predict, show, vat, embed, repair, cluster, demo)
FIRST_STEPS = """First steps:

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


def run() -> NoReturn:
    """Run the command and end the process.

    A library's compiled code may crash when Python shuts down under threads that still run it:
    what was interrupted ends at once.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # where symbols such as ² cannot be printed
    code = main()
    if code == INTERRUPTED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return 0, 1 for a failure, 2 for wrong usage, 130 if interrupted."""
    try:
        group: Any = typer.main.get_command(app)
        group.rich_markup_mode = None  # a list of commands needs no panels, which are slow to draw
        return int(group.main(arguments, prog_name="relrbf", standalone_mode=False) or 0)
    except SystemExit:  # by Typer, where the reader of a pipe has read enough, as head does
        return 0
    except (KeyboardInterrupt, typer.Abort):
        print("relrbf: stopped", file=sys.stderr)
        return INTERRUPTED
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        name = context.command_path if context else "relrbf"
        usage = " ".join(context.get_usage().split()[2:]) if context else "COMMAND"
        print(f"{name}: {error.format_message()}", file=sys.stderr)
        print(f"usage: relrbf {usage} ({name} --help says more)", file=sys.stderr)
        return error.exit_code
