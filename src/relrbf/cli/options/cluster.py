"""The words of ``relrbf cluster``."""

from typing import Any

from relrbf.cli.options.numbers import count
from relrbf.cli.options.shared import (
    add_command,
    add_exponent,
    add_matrix,
    add_output,
    add_seed,
)


def add_cluster(commands: Any) -> None:
    """Describe the command."""
    cluster = add_command(
        commands,
        "cluster",
        "group the objects of a matrix",
        "Group objects by relational k-means, or with --fuzzy by fuzzy c-means.",
        "relrbf cluster D.csv -o labels.csv -k 3",
    )
    add_matrix(cluster)
    add_output(cluster, "LABELS", "csv or tsv: id,cluster")
    cluster.add_argument(
        "-k", "--clusters", type=count, required=True, metavar="K", help="how many clusters"
    )
    cluster.add_argument(
        "--fuzzy", action="store_true", help="one more column for the membership of each cluster"
    )
    add_exponent(cluster)
    add_seed(cluster)
