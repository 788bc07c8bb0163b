"""The ``relrbf`` command: parse, call, print."""

import argparse
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from relrbf import __version__
from relrbf.cli.relate_options import add_relate

SETS = ("BC-569", "USC-435", "HD-303", "HG-194", "PC-102", "all")  # known without loading any


def make_parser() -> argparse.ArgumentParser:
    """Describe the command and its subcommands."""
    parser = argparse.ArgumentParser(
        prog="relrbf",
        description="Radial-basis-function networks trained on dissimilarities.",
    )
    parser.add_argument("--version", action="version", version=f"relrbf {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_demo(commands)
    _add_reproduce(commands)
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
        type=_count,
        default=1000,
        metavar="N",
        help="epochs to train (default: %(default)s)",
    )
    demo.set_defaults(run=_demo)


def _add_reproduce(commands: Any) -> None:
    reproduce = commands.add_parser(
        "reproduce",
        help="run the paper's study and compare every claim with what comes out",
        description="Run the paper's experiments, draw its figures, and write a page with the "
        "paper's numbers beside ours. Stopped, the same command goes on where it was.",
        epilog="example: relrbf reproduce HG-194 PC-102 --repetitions 10 -o relrbf-study",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reproduce.add_argument(
        "sets",
        nargs="*",
        type=_set_name,
        default=["all"],
        metavar="SET",
        help=f"{', '.join(SETS)} (default: all)",
    )
    reproduce.add_argument(
        "--repetitions",
        type=_count,
        default=100,
        metavar="N",
        help="splits of each set (default: %(default)s, about an hour on two cores)",
    )
    reproduce.add_argument(
        "--jobs",
        type=_count,
        default=-1,
        metavar="N",
        help="processes (default: one for each core)",
    )
    reproduce.add_argument(
        "--seed",
        type=_seed,
        default=0,
        metavar="N",
        help="root of all seeds (default: %(default)s)",
    )
    reproduce.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("relrbf-study"),
        metavar="FOLDER",
        help="where results, figures and study.html are kept (default: %(default)s)",
    )
    reproduce.add_argument(
        "--retry-failed", action="store_true", help="run cells that failed once more"
    )
    reproduce.set_defaults(run=_reproduce)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit code is 0, 1 for what failed or 2 for words not understood."""
    options = make_parser().parse_args(arguments)
    try:
        return 0 if options.run(options) else 1
    except KeyboardInterrupt:
        print("\nrelrbf: stopped", file=sys.stderr)
        return 130
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


def _reproduce(options: argparse.Namespace) -> bool:
    from relrbf.cli.reproduce import run_reproduce

    try:
        return run_reproduce(
            options.sets,
            options.repetitions,
            options.jobs,
            options.seed,
            options.output,
            options.retry_failed,
        )
    except (KeyboardInterrupt, BrokenProcessPool) as stop:
        print(f"\nWhat is done is kept in {options.output}; the same command goes on from there.")
        if isinstance(stop, BrokenProcessPool):
            reason = "a process was ended from outside, perhaps for want of memory"
            raise OSError(reason) from stop
        raise


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return int(text)


def _set_name(text: str) -> str:
    for name in SETS:
        if text.lower() == name.lower():
            return name
    raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(SETS)}")
