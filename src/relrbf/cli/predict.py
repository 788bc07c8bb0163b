"""``relrbf predict``: what new objects are."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from sklearn.base import is_classifier
from sklearn.metrics import r2_score
from sklearn.utils import get_tags

from relrbf import load
from relrbf.cli.errors import CommandError
from relrbf.cli.places import check_output
from relrbf.cli.predictions import Predictions
from relrbf.cli.reading import in_order, names_of, note, read_labels, read_matrix
from relrbf.cli.screen import Screen
from relrbf.cli.targets import as_numbers
from relrbf.io import LoadedMatrix, match_columns, save_rows
from relrbf.io.cells import counted_positions


def run(options: Namespace, screen: Screen) -> None:
    """Apply the model, write a prediction for each object."""
    check_output(options.output, ".csv", ".tsv")
    model = load(options.model)
    _check_model(model, options)
    matrix = read_new(options.matrix, model, options, screen)
    names = names_of(matrix.row_ids, matrix.shape[0])
    with screen.working(f"predicting {len(names):,} objects"):
        values = model.predict(matrix.values)
        probabilities = model.predict_proba(matrix.values) if options.proba else None
    classes = [str(name) for name in model.classes_] if options.proba else []
    predictions = Predictions(names, values, probabilities, classes)
    new = predictions.without(_known(matrix, model))
    if len(new.names) < len(names):
        n_known = len(names) - len(new.names)
        screen.note(f"{n_known:,} of {len(names):,} objects are those of training")
    _write(new if options.new_only else predictions, options, screen)
    if options.labels is not None:
        _score(new, matrix.row_ids is not None, is_classifier(model), options, screen)


def _check_model(model: Any, options: Namespace) -> None:
    if not hasattr(model, "predict"):
        kind = type(model).__name__
        raise CommandError(f"{options.model} is a {kind}, which predicts nothing.")
    if options.proba and not is_classifier(model):
        raise CommandError(f"{options.model} predicts no classes; --proba is for those.")


def read_new(path: Path, model: Any, options: Namespace, screen: Screen) -> LoadedMatrix:
    """Read new objects, with the columns in the order in which the model was trained.

    Only the columns of the support must be there, unless columns are features.
    """
    ids = model.ids_ if is_pairwise(model) else getattr(model, "feature_names_in_", None)
    matrix = read_matrix(path, options, screen, names_of(ids, model.n_features_in_))
    matched = match_columns(matrix, ids, model.support_ if is_pairwise(model) else None)
    note(matched, screen)
    return matched


def _known(matrix: LoadedMatrix, model: Any) -> Any:
    """Return the names by which training objects are known among others."""
    if not is_pairwise(model) or matrix.row_ids is None or model.ids_ is None:
        return None
    is_counted = counted_positions(matrix.row_ids) is not None  # 0, 1, 2, ...: rows, not names
    return None if is_counted and matrix.shape[0] != len(model.ids_) else model.ids_


def _write(predictions: Predictions, options: Namespace, screen: Screen) -> None:
    screen.tell(n_objects=len(predictions.names))
    if options.output is None:
        screen.tell(predictions=predictions.facts)
        if not screen.as_json:
            save_rows("-", predictions.header, predictions.rows)
        return
    save_rows(options.output, predictions.header, predictions.rows)
    screen.say(f"{options.output}: {len(predictions.names):,} objects")
    screen.tell(predictions=options.output)


def _score(
    new: Predictions, has_ids: bool, has_classes: bool, options: Namespace, screen: Screen
) -> None:
    """Say how many predictions of new objects are right, or how near they are."""
    if not new.names:
        screen.note("all objects are those of training, of which no score says anything")
        return
    labels = read_labels(options.labels, options)
    labels = in_order(labels, new.names if has_ids else None, len(new.names), screen)
    if has_classes:
        name, score = "accuracy", float(new.are_right(labels).mean())
    else:
        name, score = "r2", float(r2_score(as_numbers(labels), new.values))
    screen.tell(**{name: score}, n_scored=len(new.names))
    screen.aside(f"{name.replace('r2', 'R²')} on {len(new.names):,} new objects: {score:.4f}")


def is_pairwise(model: Any) -> bool:
    """Tell whether a model takes dissimilarities, not features."""
    return bool(get_tags(model).input_tags.pairwise)
