"""The words of ``relrbf reproduce``; nothing is loaded before the command runs."""

import argparse
from pathlib import Path
from typing import Any

from relrbf.cli.options.numbers import count
from relrbf.cli.options.shared import add_command, add_seed

SETS = ("BC-569", "USC-435", "HD-303", "HG-194", "PC-102", "all")  # known without loading any


def add_reproduce(commands: Any) -> None:
    """Describe the command."""
    reproduce = add_command(
        commands,
        "reproduce",
        "run the paper's study and compare every claim with what comes out",
        "Run the paper's experiments, draw its figures, and write a page with the "
        "paper's numbers beside ours. Stopped, the same command goes on where it was.",
        "relrbf reproduce HG-194 PC-102 --repetitions 10 -o relrbf-study",
    )
    reproduce.add_argument(
        "sets",
        nargs="*",
        type=_set_name,
        default=["all"],
        metavar="SET",
        help=f"{', '.join(SETS)} (default: all)",
    )
    _add_sizes(reproduce)
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


def _add_sizes(reproduce: argparse.ArgumentParser) -> None:
    reproduce.add_argument(
        "--repetitions",
        type=count,
        default=100,
        metavar="N",
        help="splits of each set (default: %(default)s, about an hour on two cores)",
    )
    reproduce.add_argument(
        "--jobs",
        type=count,
        default=-1,
        metavar="N",
        help="processes (default: one for each core)",
    )
    add_seed(reproduce)


def _set_name(text: str) -> str:
    for name in SETS:
        if text.lower() == name.lower():
            return name
    raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(SETS)}")
