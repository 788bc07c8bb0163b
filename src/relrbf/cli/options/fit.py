"""The words of ``relrbf fit``."""

import argparse
from pathlib import Path
from typing import Any

from relrbf.cli.options.numbers import amount, count, folds
from relrbf.cli.options.shared import (
    add_command,
    add_exponent,
    add_label_reading,
    add_matrix,
    add_output,
    add_seed,
)

KERNELS = ("gaussian", "multiquadric", "inverse-multiquadric", "rational-quadratic", "polynomial")


def add_fit(commands: Any) -> None:
    """Describe the command."""
    fit = add_command(
        commands,
        "fit",
        "train a network on a matrix and labels or targets",
        "Train a radial-basis-function network on dissimilarities and labels, or numbers to be "
        "predicted. Nothing needs to be chosen. Where both files carry ids, labels are matched by "
        "name.",
        "relrbf fit D.csv y.csv -o model.relrbf",
        "relrbf fit D.csv y.csv -o model.relrbf --report report.html",
    )
    add_matrix(fit)
    fit.add_argument(
        "labels",
        type=Path,
        metavar="Y",
        help="one column, or id,label; or the .npz of D where that holds y",
    )
    add_label_reading(fit)
    add_output(fit, "MODEL", "the model, for example model.relrbf")
    fit.add_argument("--report", type=Path, metavar="PAGE", help="write a page with pictures")
    _add_task(fit)
    _add_network(fit)


def _add_task(fit: argparse.ArgumentParser) -> None:
    task = fit.add_argument_group("what is learned")
    task.add_argument(
        "--task",
        choices=("auto", "classify", "regress"),
        default="auto",
        help="auto: numbers are targets where some have decimals or more than 20 differ",
    )
    task.add_argument(
        "--unlabelled",
        choices=("refuse", "drop"),
        default="refuse",
        help="drop: objects without a label take no part (default: %(default)s)",
    )
    task.add_argument(
        "--balanced", action="store_true", help="count each class the same, however small"
    )
    task.add_argument(
        "--folds",
        type=folds,
        metavar="N",
        help="parts of the cross-validation, 0 for none (default: 5, none above 3,000 objects)",
    )


def _add_network(fit: argparse.ArgumentParser) -> None:
    network = fit.add_argument_group("the network, where it is not left to choose for itself")
    network.add_argument("--prototypes", type=count, metavar="N", help="how many")
    network.add_argument("--kernel", choices=KERNELS, default="gaussian")
    network.add_argument("--alpha", type=amount, metavar="A", help="ridge on the output weights")
    network.add_argument(
        "--support", type=amount, metavar="N", help="objects that carry it: a number or a fraction"
    )
    add_exponent(fit)
    add_seed(fit)
    fit.add_argument(
        "--jobs",
        type=count,
        metavar="N",
        help="processes (default: one for each core, one for fewer than 500 objects)",
    )
