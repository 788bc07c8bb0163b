"""The ``relrbf`` command: parse, call, print."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from relrbf import __version__
from relrbf.cli.numbers import count
from relrbf.cli.relate_options import add_relate
from relrbf.cli.reproduce_options import add_reproduce

STOPPED = 130  # the exit code of what a user interrupts


def make_parser() -> argparse.ArgumentParser:
    """Describe the command and its subcommands."""
    parser = argparse.ArgumentParser(
        prog="relrbf",
        description="Radial-basis-function networks trained on dissimilarities.",
    )
    parser.add_argument("--version", action="version", version=f"relrbf {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_demo(commands)
    add_reproduce(commands)
    add_relate(commands)
    return parser


def _add_demo(commands: Any) -> None:
    demo = commands.add_parser(
        "demo",
        help="train a network on dissimilarities and its vector twin, and compare them",
        description="Train a relational network on the breast-cancer data as a matrix of "
        "distances, and a vector network on the features; compare them; write a page.",
        epilog="example: relrbf demo --epochs 1000 --output relrbf-demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    demo.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("relrbf-demo"),
        metavar="FOLDER",
        help="where to write report.html and demo.png (default: %(default)s)",
    )
    demo.add_argument(
        "--epochs",
        type=count,
        default=1000,
        metavar="N",
        help="epochs to train (default: %(default)s)",
    )
    demo.set_defaults(run=_demo)


def run() -> NoReturn:
    """Run the command and end the process.

    Threads that are still within a library's compiled code when Python takes itself down are
    ended by force, of which some libraries die with a crash: who was stopped leaves at once.
    """
    code = main()
    if code == STOPPED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit code is 0, 1 for what failed or 2 for words not understood."""
    options = make_parser().parse_args(arguments)
    try:
        return 0 if options.run(options) else 1
    except KeyboardInterrupt:
        print("\nrelrbf: stopped", file=sys.stderr)
        return STOPPED
    except ImportError as error:
        print(f"relrbf: {error}; try: pip install 'relrbf[cli]'", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"relrbf: {error}", file=sys.stderr)
        return 1


def _demo(options: argparse.Namespace) -> bool:
    from relrbf.cli.demo import run_demo

    run_demo(options.output, options.epochs)
    return True
