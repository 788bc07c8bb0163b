"""The words of ``relrbf inspect``."""

from pathlib import Path
from typing import Any

from relrbf.cli.options.numbers import count
from relrbf.cli.options.shared import add_command, add_labels, add_reading, add_seed


def add_inspect(commands: Any) -> None:
    """Describe the command."""
    inspect = add_command(
        commands,
        "inspect",
        "say what a matrix is like, and whether it is fit for use",
        "Say what a matrix of dissimilarities is like: symmetric? a metric? how far from distances "
        "between vectors? A matrix that is not fit for use is described, not refused, and "
        "nothing is changed.",
        "relrbf inspect D.csv",
        "relrbf inspect D.csv --labels y.csv --html relation.html",
    )
    inspect.add_argument(
        "matrix",
        type=Path,
        metavar="D",
        help="dissimilarities: csv, tsv, npy, npz, zarr, mtx, PHYLIP or lsmat; - is standard input",
    )
    add_labels(inspect, "classes, to be compared with the dissimilarities: label, or id,label")
    inspect.add_argument("--html", type=Path, metavar="PAGE", help="write a page with pictures")
    inspect.add_argument(
        "--max-exact",
        type=count,
        default=3000,
        metavar="N",
        help="objects up to which every triangle is looked at (default: %(default)s)",
    )
    add_seed(inspect)
    add_reading(inspect)
