"""The words of ``relrbf repair``."""

from typing import Any

from relrbf.cli.options.shared import add_command, add_matrix, add_new, add_output

KINDS = ("metric", "euclidean", "clip", "flip", "shift")


def add_repair(commands: Any) -> None:
    """Describe the command."""
    repair = add_command(
        commands,
        "repair",
        "mend a matrix: the nearest metric, or the nearest distances between vectors",
        "Change dissimilarities as little as it takes for every triangle inequality to hold, or "
        "for vectors with these distances to exist.",
        "relrbf repair D.csv -o fixed.csv --norm l2",
        "relrbf repair D.csv -o fixed.csv --to euclidean",
    )
    add_matrix(repair)
    add_output(repair, "FIXED", "csv, tsv or npy")
    repair.add_argument(
        "--norm",
        choices=("l2", "l1"),
        default="l2",
        help="what is kept small: squares of changes, or changes (default: %(default)s)",
    )
    repair.add_argument(
        "--to",
        choices=KINDS,
        default="metric",
        help="metric, euclidean, or the spectrum's negative part clipped, flipped, shifted away "
        "(default: %(default)s)",
    )
    repair.add_argument(
        "--exponent",
        choices=("1", "2"),
        default="2",
        help="2: D holds distances; 1: squared ones; a metric is one either way "
        "(default: %(default)s)",
    )
    add_new(repair, "FIXED_NEW", "what becomes of them")
