"""The words of ``relrbf predict``."""

from pathlib import Path
from typing import Any

from relrbf.cli.options.shared import add_command, add_labels, add_output, add_reading


def add_predict(commands: Any) -> None:
    """Describe the command."""
    predict = add_command(
        commands,
        "predict",
        "classify new objects, or predict their targets",
        "Apply a model to new objects: a row for each, a column for each training object. Where "
        "the file names its columns they are matched by name, in any order, and only those "
        "that the model needs must be there.",
        "relrbf predict model.relrbf D_new.csv -o predictions.csv --proba",
    )
    predict.add_argument("model", type=Path, metavar="MODEL", help="what relrbf fit wrote")
    predict.add_argument(
        "matrix",
        type=Path,
        metavar="D_NEW",
        help="dissimilarities of new objects to training objects; - is standard input",
    )
    add_output(
        predict,
        "PREDICTIONS",
        "csv or tsv: id,prediction (default: to standard output)",
        required=False,
    )
    predict.add_argument(
        "--proba", action="store_true", help="one more column for the probability of each class"
    )
    predict.add_argument(
        "--new-only", action="store_true", help="leave out objects that the model was trained on"
    )
    add_labels(
        predict,
        "what the objects really are: label, or id,label; the score of new objects is printed",
    )
    add_reading(predict)
