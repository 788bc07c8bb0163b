"""The ``relrbf`` command: parse, call, print."""

import argparse
import os
import sys
import traceback
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn

from relrbf import __version__
from relrbf.cli.errors import STOPPED, exit_code, in_words
from relrbf.cli.options import COMMANDS
from relrbf.cli.options.shared import add_talk
from relrbf.cli.parser import Parser
from relrbf.cli.places import check_places
from relrbf.cli.screen import Screen


def make_parser() -> argparse.ArgumentParser:
    """Describe the command and its subcommands."""
    parser = Parser(
        prog="relrbf",
        description="Learn from dissimilarities: radial-basis-function networks on a distance "
        "matrix.",
        epilog="relrbf COMMAND --help says more, with an example.\n\n"
        "first steps:\n"
        "  relrbf inspect D.csv --labels y.csv               # is the matrix fit for use?\n"
        "  relrbf fit D.csv y.csv -o model.relrbf --report report.html\n"
        "  relrbf predict model.relrbf D_new.csv -o predictions.csv",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"relrbf {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    for command in commands.choices.values():
        add_talk(command)
    return parser


def run() -> NoReturn:
    """Run the command and end the process.

    Threads that are still within a library's compiled code when Python takes itself down are
    ended by force, of which some libraries die with a crash: who was stopped leaves at once.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # where letters such as ² cannot be printed
    code = main()
    if code == STOPPED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return 0, 1 for what failed, 2 for words not understood, 130 if stopped."""
    try:
        options = make_parser().parse_args(arguments)
        return _run(options)
    except KeyboardInterrupt:
        print("relrbf: stopped", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:  # whoever reads has read enough, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(options: argparse.Namespace) -> int:
    try:
        check_places(options)
        with Screen(as_json=options.json, quiet=options.quiet) as screen:
            import_module(f"relrbf.cli.{options.command}").run(options, screen)
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        if options.debug:
            traceback.print_exc()
        print(f"relrbf: {in_words(error, options)}", file=sys.stderr)
        return exit_code(error)
    return 0
