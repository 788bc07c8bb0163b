"""``relrbf predict``: classes or targets of new objects."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import LabelOptions, Model, ReadingOptions

if TYPE_CHECKING:
    import numpy as np

    from relrbf.io import LoadedLabels, LoadedMatrix


@command("relrbf predict model.relrbf D_new.csv -o predictions.csv --proba")
def predict(
    console: Console,
    model: Model,
    matrix: Annotated[
        Path,
        Argument(
            metavar="D_NEW",
            help="Dissimilarities of new objects to training objects; - is standard input.",
        ),
    ],
    options: ReadingOptions,
    label_options: LabelOptions,
    output: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            metavar="PREDICTIONS",
            help="csv or tsv: id,prediction. Default: standard output.",
        ),
    ] = None,
    proba: Annotated[
        bool, Option("--proba", help="A further column for the probability of each class.")
    ] = False,
    new_only: Annotated[
        bool, Option("--new-only", help="Leave out objects that the model was trained on.")
    ] = False,
    labels: Annotated[
        Path | None,
        Option(metavar="Y", help="True labels, label or id,label: print the score of new objects."),
    ] = None,
) -> None:
    """Predict the classes or targets of new objects.

    D_NEW has a row for each new object and a column for each training object. If the file names its
    columns, they are matched by name, in any order, and only those that the model needs must be
    there.
    """
    from relrbf import load
    from relrbf.cli.inputs import object_names

    check_output(output, ".csv", ".tsv")
    network = load(model)
    _check_model(network, model, proba)
    loaded = _read_new(matrix, network, options, console)
    names = object_names(loaded.row_ids, loaded.shape[0])
    with console.progress(f"predicting {len(names):,} objects"):
        values = network.predict(loaded.values)
        probabilities = network.predict_proba(loaded.values) if proba else None
    classes = [str(name) for name in network.classes_] if proba else []
    predictions = Predictions(names, values, probabilities, classes)
    new = predictions.without(_training_ids(loaded, network))
    if len(new.names) < len(names):
        n_known = len(names) - len(new.names)
        console.note(f"{n_known:,} of {len(names):,} objects are those of training")
    _write(new if new_only else predictions, output, console)
    if labels is not None:
        _score(new, loaded.row_ids is not None, network, labels, label_options, console)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of objects; probabilities are those of the classes (m × g)."""

    names: list[str]
    values: "np.ndarray"
    probabilities: "np.ndarray | None"
    classes: list[str]

    @property
    def header(self) -> list[str]:
        """Names of the columns; a class that has the name of another column is marked."""
        n_targets = self._columns.shape[1]
        targets = [f"prediction {k}" for k in range(n_targets)] if n_targets > 1 else ["prediction"]
        first = ["id", *targets]
        return first + [f"class {name}" if name in first else name for name in self.classes]

    @property
    def rows(self) -> list[list[Any]]:
        """A row for each object."""
        parts = [self._columns.tolist()]
        if self.probabilities is not None:
            parts.append(self.probabilities.tolist())
        return [[name, *sum(row, [])] for name, *row in zip(self.names, *parts, strict=True)]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The same for JSON, where probabilities are an object of their own."""
        pairs = zip(self.names, self.values.tolist(), strict=True)
        records: list[dict[str, Any]] = [{"id": name, "prediction": v} for name, v in pairs]
        if self.probabilities is not None:
            for record, row in zip(records, self.probabilities.tolist(), strict=True):
                record["probabilities"] = dict(zip(self.classes, row, strict=True))
        return records

    def are_right(self, labels: "LoadedLabels") -> "np.ndarray":
        """Compare with the classes in a file: as numbers, where the model's are numbers."""
        from relrbf.cli.inputs import as_classes

        if self.values.dtype.kind in "iuf" and labels.is_numeric:
            return self.values == labels.numbers
        return self.values.astype(str) == as_classes(labels).astype(str)

    def without(self, ids: Any) -> "Predictions":
        """Return those of objects with other names."""
        left_out = set() if ids is None else {str(name) for name in ids}
        kept = [i for i, name in enumerate(self.names) if name not in left_out]
        probabilities = None if self.probabilities is None else self.probabilities[kept]
        names = [self.names[i] for i in kept]
        return Predictions(names, self.values[kept], probabilities, self.classes)

    @property
    def _columns(self) -> "np.ndarray":
        return self.values if self.values.ndim > 1 else self.values[:, None]


def is_pairwise(model: Any) -> bool:
    """Tell whether a model takes dissimilarities, not features."""
    from sklearn.utils import get_tags

    return bool(get_tags(model).input_tags.pairwise)


def _check_model(network: Any, path: Path, proba: bool) -> None:
    from sklearn.base import is_classifier

    if not hasattr(network, "predict"):
        raise CommandError(f"{path} is a {type(network).__name__}, which predicts nothing.")
    if proba and not is_classifier(network):
        raise CommandError(f"{path} predicts no classes; --proba is for those.")


def _read_new(
    path: Path, network: Any, options: ReadingOptions, console: Console
) -> "LoadedMatrix":
    """Read new objects, with the columns in the order of training.

    Only the columns of the support must be there, unless columns are features.
    """
    from relrbf.cli.inputs import note_assumptions, object_names, read_matrix
    from relrbf.io import match_columns

    ids, support = getattr(network, "feature_names_in_", None), None
    if is_pairwise(network):
        ids, support = network.ids_, network.support_
    names = object_names(ids, network.n_features_in_)
    matched = match_columns(read_matrix(path, options, console, names), ids, support)
    note_assumptions(matched, console)
    return matched


def _training_ids(matrix: "LoadedMatrix", network: Any) -> Any:
    """Return the names of the training objects, if rows have names of the same kind."""
    from relrbf.io.counted import counted_places

    if not is_pairwise(network) or matrix.row_ids is None or network.ids_ is None:
        return None
    is_counted = counted_places(matrix.row_ids) is not None  # 0, 1, 2, ...: rows, not names
    return None if is_counted and matrix.shape[0] != len(network.ids_) else network.ids_


def _write(predictions: Predictions, output: Path | None, console: Console) -> None:
    from relrbf.io import save_rows

    console.record(n_objects=len(predictions.names))
    if output is not None:
        save_rows(output, predictions.header, predictions.rows)
        console.print(f"{output}: {len(predictions.names):,} objects")
        console.record(predictions=output)
        return
    console.record(predictions=predictions.records)
    if not console.as_json:
        save_rows("-", predictions.header, predictions.rows)


def _score(
    new: Predictions,
    has_ids: bool,
    network: Any,
    path: Path,
    options: LabelOptions,
    console: Console,
) -> None:
    """Print the accuracy, or R², on objects that are not those of training."""
    from sklearn.base import is_classifier
    from sklearn.metrics import r2_score

    from relrbf.cli.inputs import as_numbers, labels_in_order, read_labels

    if not new.names:
        console.note("all objects are those of training, on which a score says nothing")
        return
    labels = read_labels(path, options)
    labels = labels_in_order(labels, new.names if has_ids else None, len(new.names), console)
    if is_classifier(network):
        name, score = "accuracy", float(new.are_right(labels).mean())
    else:
        name, score = "r2", float(r2_score(as_numbers(labels), new.values))
    console.record(**{name: score}, n_scored=len(new.names))
    console.message(f"{name.replace('r2', 'R²')} on {len(new.names):,} new objects: {score:.4f}")
