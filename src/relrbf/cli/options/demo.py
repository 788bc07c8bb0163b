"""The words of ``relrbf demo``."""

from pathlib import Path
from typing import Any

from relrbf.cli.options.numbers import count
from relrbf.cli.options.shared import add_command


def add_demo(commands: Any) -> None:
    """Describe the command."""
    demo = add_command(
        commands,
        "demo",
        "see it work: train on distances, beside a twin that sees vectors, and write the report",
        "Train a relational network on the breast-cancer data as a matrix of distances, and a "
        "vector network on the features; compare them; write a page.",
        "relrbf demo --output relrbf-demo",
    )
    demo.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("relrbf-demo"),
        metavar="FOLDER",
        help="where to write the pages and demo.png (default: %(default)s)",
    )
    demo.add_argument(
        "--epochs",
        type=count,
        default=1000,
        metavar="N",
        help="epochs to train the twins (default: %(default)s)",
    )
