"""The words of ``relrbf show``."""

from pathlib import Path
from typing import Any

from relrbf.cli.options.shared import add_command


def add_show(commands: Any) -> None:
    """Describe the command."""
    show = add_command(
        commands,
        "show",
        "say what a model is, and what it needs to predict",
        "Say what a model in a file is: its classes, what its prototypes stand for, and to which "
        "objects it needs the dissimilarities of new ones.",
        "relrbf show model.relrbf",
        "relrbf show model.relrbf --needed needed.csv",
    )
    show.add_argument("model", type=Path, metavar="MODEL", help="what relrbf fit wrote")
    show.add_argument(
        "--needed", type=Path, metavar="FILE", help="write the objects that predictions need"
    )
