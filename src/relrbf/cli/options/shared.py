"""Words that several commands share."""

import argparse
from pathlib import Path
from typing import Any

from relrbf.cli.options.numbers import named_value, number


def add_command(
    commands: Any, name: str, summary: str, description: str, *examples: str
) -> argparse.ArgumentParser:
    """Describe a command: what it does in a line and in more, and how it is typed."""
    several = "examples" if len(examples) > 1 else "example"
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog="\n  ".join([f"{several}:", *examples]),
        formatter_class=_Format,
    )
    return parser


def add_talk(parser: argparse.ArgumentParser) -> None:
    """Describe what is printed, the same for all."""
    talk = parser.add_argument_group("what is printed")
    talk.add_argument("--json", action="store_true", help="the result as JSON, and nothing else")
    talk.add_argument("--quiet", action="store_true", help="no notes and no progress")
    talk.add_argument("--debug", action="store_true", help="show where in the code an error arose")


def add_matrix(parser: argparse.ArgumentParser) -> None:
    """Describe the matrix, and how its file is read."""
    parser.add_argument(
        "matrix",
        type=Path,
        metavar="D",
        help="dissimilarities: csv, tsv, npy, npz, zarr, mtx, PHYLIP or lsmat; - is standard input",
    )
    add_reading(parser)
    judging = parser.add_argument_group("what to do where D is no dissimilarity matrix")
    judging.add_argument(
        "--symmetrize",
        choices=("mean", "min", "max"),
        help="what to take where D[i, j] and D[j, i] differ (default: refuse)",
    )
    judging.add_argument(
        "--similarities",
        choices=("convert", "refuse"),
        default="refuse",
        help="take the kernel's distances where D holds similarities (default: %(default)s)",
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Describe how a file of numbers is read, where it does not tell by itself."""
    reading = parser.add_argument_group("how the file is read, where it is read wrongly")
    reading.add_argument("--delimiter", metavar="C", help="what stands between two numbers")
    reading.add_argument("--decimal", choices=(".", ","), help="what stands before decimals")
    reading.add_argument("--encoding", metavar="NAME", help="of the text, such as cp1252")
    reading.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether the first line names the columns",
    )
    reading.add_argument(
        "--ids",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether the first column names the objects",
    )
    reading.add_argument(
        "--triangle",
        choices=("auto", "lower", "upper", "full"),
        default="auto",
        help="the half to be mirrored; full: none (default: the only one that is stated)",
    )
    reading.add_argument("--key", metavar="NAME", help="which array of an .npz file")
    reading.add_argument(
        "--graph", action="store_true", help="the file is a list of edges: i j weight"
    )
    reading.add_argument(
        "--graph-option",
        type=named_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of a graph, for example disconnected=far; may be given more than once",
    )


def add_labels(parser: argparse.ArgumentParser, text: str) -> None:
    """Describe labels that may be given."""
    parser.add_argument("--labels", type=Path, metavar="Y", help=text)
    add_label_reading(parser)


def add_label_reading(parser: argparse.ArgumentParser) -> None:
    """Describe how a file of labels is read, where it does not tell by itself."""
    reading = parser.add_argument_group("how the labels are read, where they are read wrongly")
    reading.add_argument("--column", metavar="NAME", help="the column of Y that holds the labels")
    reading.add_argument("--labels-delimiter", metavar="C", help="what stands between two cells")
    reading.add_argument("--labels-encoding", metavar="NAME", help="of the text, such as cp1252")
    reading.add_argument(
        "--labels-header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether the first line names the columns",
    )


def add_output(
    parser: argparse.ArgumentParser, metavar: str, text: str, *, required: bool = True
) -> None:
    """Describe where the result goes."""
    parser.add_argument("-o", "--output", type=Path, required=required, metavar=metavar, help=text)


def add_exponent(parser: argparse.ArgumentParser) -> None:
    """Describe how dissimilarities are read."""
    parser.add_argument(
        "--exponent",
        choices=("auto", "1", "2"),
        default="auto",
        help="2: D holds distances; 1: squared ones (default: %(default)s)",
    )


def add_new(parser: argparse.ArgumentParser, metavar: str, text: str) -> None:
    """Describe new objects that are treated as those of D were."""
    parser.add_argument(
        "--new", type=Path, metavar="D_NEW", help="dissimilarities of new objects to those of D"
    )
    parser.add_argument("--new-output", type=Path, metavar=metavar, help=text)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Describe the root of all that is drawn."""
    parser.add_argument(
        "--seed",
        type=number,
        default=0,
        metavar="N",
        help="root of all that is drawn (default: %(default)s)",
    )


class _Format(argparse.RawDescriptionHelpFormatter):
    """Wraps the description, and leaves the examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("example"):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)
