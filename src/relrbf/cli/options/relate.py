"""The words of ``relrbf relate``; nothing is loaded before the command runs."""

import argparse
from pathlib import Path
from typing import Any

from relrbf.cli.options.numbers import count, named_value
from relrbf.cli.options.shared import add_command


def add_relate(commands: Any) -> None:
    """Describe the command."""
    relate = add_command(
        commands,
        "relate",
        "compute the dissimilarities of all pairs of objects, to a file",
        "Compute the dissimilarities of all pairs of objects in a table with a header. "
        "Numbers are vectors, or series (a row may end early); one column of text is strings. A "
        "column called id or name, or else the first one of text beside others, names the objects. "
        "Stopped, the same command goes on where it was.",
        "relrbf relate words.csv --measure levenshtein -o D.npy",
    )
    relate.add_argument("objects", type=Path, metavar="OBJECTS", help="csv or tsv, with a header")
    relate.add_argument("--measure", required=True, metavar="NAME", help="see --measures")
    relate.add_argument("--measures", action=_ListMeasures, help="list all measures and exit")
    relate.add_argument(
        "-o", "--output", type=Path, required=True, metavar="D", help="D.npy or D.zarr"
    )
    relate.add_argument(
        "--jobs", type=count, default=-1, metavar="N", help="default: one for each core"
    )
    relate.add_argument(
        "--param",
        type=named_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="passed to the measure, for example window=0.1; may be given more than once",
    )
    _add_details(relate)


def _add_details(relate: argparse.ArgumentParser) -> None:
    relate.add_argument("--delimiter", metavar="C", help="default: found from the header")
    relate.add_argument("--ids", metavar="COLUMN", help="the column that names the objects")
    relate.add_argument("--dtype", choices=("float64", "float32"), help="default: float64")
    relate.add_argument("--block", type=count, metavar="N", help="objects on a side of a block")
    relate.add_argument(
        "--restart", action="store_true", help="begin anew, and replace what is there"
    )


class _ListMeasures(argparse.Action):
    """Print the names of all measures, as --version prints the version."""

    def __init__(self, option_strings: list[str], dest: str, **kwargs: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **kwargs)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from relrbf.cli.relate import print_measures

        print_measures()
        parser.exit()
