"""``relrbf predict``: what new objects are."""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import r2_score

from relrbf import load
from relrbf.cli.errors import CommandError
from relrbf.cli.places import check_output
from relrbf.cli.reading import names_of, note, read_labels, read_matrix
from relrbf.cli.screen import Screen
from relrbf.cli.targets import as_classes, as_numbers
from relrbf.files import match_columns, save_rows


def run(options: Namespace, screen: Screen) -> None:
    """Apply the model, write a prediction for each object."""
    check_output(options.output, ".csv", ".tsv")
    model = load(options.model)
    if options.proba and not is_classifier(model):
        raise CommandError(f"{options.model} predicts numbers; --proba is for classes.")
    matrix = read_matrix(options.matrix, options, screen)
    names = names_of(matrix.row_ids, matrix.shape[0])
    ids = getattr(model, "feature_names_in_", None)
    matrix = match_columns(matrix, ids, model.support_)
    note(matrix, screen)
    with screen.working(f"predicting {len(names):,} objects"):
        predicted = model.predict(matrix.values)
        probabilities = model.predict_proba(matrix.values) if options.proba else None
    _write(_table(names, predicted, probabilities, model), options, screen)
    if options.labels is not None:
        truth = read_labels(options.labels, matrix.row_ids, len(names), screen)
        _score(predicted, truth, is_classifier(model), screen)


def _table(
    names: Sequence[str], predicted: np.ndarray, probabilities: np.ndarray | None, model: Any
) -> tuple[list[str], list[list[Any]]]:
    """Return the header and a row for each object."""
    header = ["id", "prediction"]
    rows = [[name, value] for name, value in zip(names, predicted.tolist(), strict=True)]
    if probabilities is not None:
        header += [str(name) for name in model.classes_]
        rows = [row + more for row, more in zip(rows, probabilities.tolist(), strict=True)]
    return header, rows


def _write(table: tuple[list[str], list[list[Any]]], options: Namespace, screen: Screen) -> None:
    header, rows = table
    screen.tell(n_objects=len(rows))
    if options.output is None:
        screen.tell(predictions=[_fact(header, row) for row in rows])
        if not screen.as_json:
            save_rows("-", header, rows)
        return
    save_rows(options.output, header, rows)
    screen.say(f"{options.output}: {len(rows):,} objects")
    screen.tell(predictions=options.output)


def _fact(header: list[str], row: list[Any]) -> dict[str, Any]:
    """Return a row as JSON; classes have a place of their own, whatever they are called."""
    fact = dict(zip(header[:2], row[:2], strict=True))
    shares = dict(zip(header[2:], row[2:], strict=True))
    return fact | {"probabilities": shares} if shares else fact


def _score(predicted: np.ndarray, truth: np.ndarray, has_classes: bool, screen: Screen) -> None:
    """Say how many predictions are right, or how near they are."""
    if has_classes:
        name, score = "accuracy", float(np.mean(predicted == as_classes(truth)))
    else:
        name, score = "r2", float(r2_score(as_numbers(truth), predicted))
    screen.tell(**{name: score})
    screen.aside(f"{name.replace('r2', 'R²')} on {len(truth):,} objects: {score:.4f}")
