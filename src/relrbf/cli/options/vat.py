"""The words of ``relrbf vat``."""

from pathlib import Path
from typing import Any

from relrbf.cli.options.numbers import count
from relrbf.cli.options.shared import add_command, add_labels, add_matrix, add_output, add_seed


def add_vat(commands: Any) -> None:
    """Describe the command."""
    vat = add_command(
        commands,
        "vat",
        "draw a matrix so that clusters show",
        "Draw the dissimilarities in an order in which clusters are dark blocks on the diagonal.",
        "relrbf vat D.csv -o vat.png --improved --labels y.csv",
    )
    add_matrix(vat)
    add_output(vat, "PICTURE", "png, svg or pdf")
    vat.add_argument(
        "--improved", action="store_true", help="iVAT: minimax paths, for long or bent clusters"
    )
    add_labels(vat, "classes, drawn beside the image: label, or id,label")
    vat.add_argument("--order", type=Path, metavar="FILE", help="write the order of the objects")
    vat.add_argument("--sample", type=count, metavar="N", help="draw this many objects only")
    add_seed(vat)
