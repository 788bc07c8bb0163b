"""The words of ``relrbf embed``."""

import argparse
from typing import Any

from relrbf.cli.options.shared import (
    add_command,
    add_exponent,
    add_matrix,
    add_new,
    add_output,
    add_seed,
)

METHODS = ("classical", "proximal", "landmark", "euclidean", "metric-learning")


def add_embed(commands: Any) -> None:
    """Describe the command."""
    embed = add_command(
        commands,
        "embed",
        "turn a matrix into vectors",
        "Find vectors whose distances are near the dissimilarities, for objects of D and, with "
        "--new, for others.",
        "relrbf embed D.csv -o Z.csv --method classical",
        "relrbf embed D.csv -o Z.csv --method landmark --new D_new.csv --new-output Z_new.csv",
    )
    add_matrix(embed)
    add_output(embed, "Z", "coordinates: csv, tsv or npy")
    embed.add_argument(
        "--method", choices=METHODS, default="classical", help="default: %(default)s"
    )
    embed.add_argument(
        "--components",
        type=_components,
        default=2,
        metavar="N",
        help="dimensions, or all (default: %(default)s)",
    )
    add_new(embed, "Z_NEW", "their coordinates")
    add_exponent(embed)
    add_seed(embed)


def _components(text: str) -> int | None:
    """Return a number from 1, or None for all."""
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a whole number from 1 nor 'all'")
    return int(text)
