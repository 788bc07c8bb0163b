"""Commands that take a model: predict and show."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Argument, Option

import relrbf
from relrbf.cli import inputs
from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import is_pairwise, labels_in_order, object_names, read_labels, read_rows
from relrbf.cli.options import LabelOptions, Model, ReadingOptions
from relrbf.exceptions import MismatchWarning

if TYPE_CHECKING:
    import numpy as np

    from relrbf.io import LoadedLabels, LoadedMatrix

N_NEEDED_SHOWN = 5
N_NEAREST_SHOWN = 3
N_BEYOND_SHOWN = 5
INTERVAL_HELP = "Columns for intervals that hold the target with this probability, such as 0.9."
D_NEW_HELP = "Dissimilarities of new objects to training objects; - is standard input."
PREDICTIONS = Option(
    None, "-o", "--output", metavar="FILE", help="csv or tsv. Default: standard output."
)


@command("relrbf predict model.relrbf D_new.csv -o predictions.csv --proba")
def predict(
    console: Console,
    options: ReadingOptions,
    label_options: LabelOptions,
    model: Model,
    matrix: Path = Argument(metavar="D_NEW", help=D_NEW_HELP),
    output: Path | None = PREDICTIONS,
    proba: bool = Option(False, "--proba", help="Columns for the probabilities of the classes."),
    interval: float | None = Option(None, metavar="P", help=INTERVAL_HELP),
    anyway: bool = Option(False, "--anyway", help="Even if D_NEW as a whole is unlike training."),
    new_only: bool = Option(False, "--new-only", help="Leave out the training objects."),
    labels: Path | None = Option(None, metavar="Y", help="True labels: print the score."),
) -> None:
    """Predict the classes or targets of new objects.

    D_NEW has a row for each new object and a column for each training object. If the file names its
    columns, they are matched by name, in any order, and only those that the model needs must be
    there. Predictions are id,prediction,novelty. Novelty is the share of training objects that lie
    as far out: where it is small, the object is unlike anything seen in training.
    """
    import numpy as np

    check_output(output, ".csv", ".tsv")
    network = relrbf.load(model)
    has_classes = hasattr(network, "classes_")
    if not hasattr(network, "predict"):
        raise CommandError(f"{model} is a {type(network).__name__}, which predicts nothing.")
    if proba and not has_classes:
        raise CommandError(f"{model} predicts no classes; --proba is for those.")
    if interval is not None and not hasattr(network, "predict_interval"):
        raise CommandError(f"{model} predicts no numbers; --interval is for those.")
    ids, support = getattr(network, "feature_names_in_", None), None  # every feature is needed
    if is_pairwise(network):
        ids, support = network.ids_, network.support_
    loaded = read_rows(matrix, ids, network.n_features_in_, support, options, console)
    names = np.array(object_names(loaded.row_ids, loaded.shape[0]), dtype=object)
    with console.progress(f"predicting {len(names):,} objects"), loaded.naming_errors():
        values = _predict(network, loaded, anyway)
        probabilities = network.predict_proba(loaded.values) if proba else np.empty((len(names), 0))
        more = _more_columns(network, loaded.values, interval)
    is_new = ~np.isin(names, _training_ids(loaded, network))
    if not is_new.all():
        console.note(f"{(~is_new).sum():,} of {len(names):,} objects are those of training")
    if "novelty" in more:
        _note_beyond(names, more["novelty"], network, console)
    kept = is_new if new_only else slice(None)
    columns = {"id": names, "prediction": values, **more}
    columns = {name: column[kept] for name, column in columns.items()}
    classes = [str(name) for name in network.classes_] if proba else []
    _write(output, columns, classes, probabilities[kept], console)
    if labels is not None:
        known_names = names[is_new] if loaded.row_ids is not None else None
        truth = read_labels(labels, label_options)
        _score(values[is_new], truth, known_names, has_classes, console)


def _predict(network: Any, matrix: "LoadedMatrix", anyway: bool) -> "np.ndarray":
    """Return predictions; refuse objects that are, as a whole, unlike those of training."""
    try:
        with warnings.catch_warnings():
            if not anyway:
                warnings.simplefilter("error", MismatchWarning)
            return network.predict(matrix.values)
    except MismatchWarning as warning:
        problem = str(warning).partition(". Predictions")[0].replace(" of X", "")
        raise CommandError(
            f"{matrix.path}: {problem}. Nothing was predicted; --anyway does it all the same."
        ) from None


def _more_columns(network: Any, values: Any, interval: float | None) -> "dict[str, np.ndarray]":
    """Return what is written beside predictions, by the name of the column."""
    more: dict[str, Any] = {}
    if interval is not None:
        lower, upper = network.predict_interval(values, coverage=interval)
        more |= {"lower": lower, "upper": upper}
    if hasattr(network, "novelty"):
        more["novelty"] = network.novelty(values)
    return more


def _note_beyond(names: Any, p_values: "np.ndarray", network: Any, console: Console) -> None:
    """Say which objects lie farther out than any training object that was compared."""
    beyond = names[p_values <= network._left_out_distances.lowest_p_value].tolist()
    console.record(beyond=beyond)
    if beyond:
        some = ", ".join(map(str, beyond[:N_BEYOND_SHOWN]))
        some += ", ..." if len(beyond) > N_BEYOND_SHOWN else ""
        console.note(
            f"{len(beyond):,} of {len(names):,} objects lie farther out than any training object, "
            f"and their predictions are guesses: {some}"
        )


def _training_ids(matrix: "LoadedMatrix", network: Any) -> list[str]:
    """Return the names of the training objects, if rows have names of the same kind."""
    from relrbf.io.layout import counted_positions

    if not is_pairwise(network) or matrix.row_ids is None or network.ids_ is None:
        return []
    is_counted = counted_positions(matrix.row_ids) is not None  # 0, 1, 2, ...: rows, not names
    if is_counted and matrix.shape[0] != len(network.ids_):
        return []
    return [str(name) for name in network.ids_]


def _write(
    output: Path | None,
    columns: "dict[str, np.ndarray]",
    classes: list[str],
    probabilities: "np.ndarray",
    console: Console,
) -> None:
    """Write columns and the probabilities of classes to a file, or print them."""
    console.record(n_objects=len(probabilities), predictions=output)
    if output is None and console.as_json:
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        records: list[dict[str, Any]] = [dict(zip(columns, row, strict=True)) for row in rows]
        for record, row in zip(records, probabilities.tolist(), strict=True):
            if classes:
                record["probabilities"] = dict(zip(classes, row, strict=True))
        console.record(predictions=records)
        return
    flat: dict[str, Any] = {}
    for name, column in columns.items():  # of several outputs, one for each
        many = {f"{name} {k}": each for k, each in enumerate(column.T)}
        flat |= many if column.ndim > 1 else {name: column}
    header = [*flat, *(f"class {name}" if name in columns else name for name in classes)]
    table = zip(*(each.tolist() for each in (*flat.values(), *probabilities.T)), strict=True)
    relrbf.io.save_rows(output or "-", header, table)
    if output is not None:
        console.print(f"{output}: {len(probabilities):,} objects")


def _score(
    values: "np.ndarray", labels: "LoadedLabels", names: Any, has_classes: bool, console: Console
) -> None:
    """Print the accuracy, or R², on objects that are not those of training."""
    from sklearn.metrics import r2_score

    if not len(values):
        console.note("all objects are those of training, on which a score says nothing")
        return
    labels = labels_in_order(labels, names, len(values), console)
    if not has_classes:
        name, score = "r2", r2_score(inputs.as_numbers(labels), values)
    elif values.dtype.kind in "iuf" and labels.is_numeric:
        name, score = "accuracy", (values == labels.numbers).mean()
    else:
        name, score = "accuracy", (values.astype(str) == inputs.as_classes(labels)).mean()
    console.record(**{name: score}, n_scored=len(values))
    console.message(f"{name.replace('r2', 'R²')} on {len(values):,} new objects: {score:.4f}")


@command("relrbf show model.relrbf", "relrbf show model.relrbf --needed needed.csv")
def show(
    console: Console,
    model: Model,
    needed: Path | None = Option(None, metavar="FILE", help="Write what a prediction needs."),
) -> None:
    """Describe a model: its classes, its prototypes, and what a prediction needs."""
    check_output(needed, ".csv", ".tsv")
    network = relrbf.load(model)
    kind = type(network).__name__
    if not isinstance(network, relrbf.RBFNetworkClassifier | relrbf.RBFNetworkRegressor):
        raise CommandError(f"{model} is a {kind}; only networks are shown.")
    if is_pairwise(network):
        names, what = network.ids_, "dissimilarities to"
        columns = [str(at if names is None else names[at]) for at in network.support_]
    else:
        features, what = getattr(network, "feature_names_in_", None), "the features"
        columns = object_names(features, network.n_features_in_)
    nearest = [list(map(str, near)) for near in network.prototypes_.nearest(N_NEAREST_SHOWN)]
    console.print(f"{model}: {kind}, {len(nearest)} prototypes")
    classes = getattr(network, "classes_", None)
    if classes is not None:
        console.print(f"  classes: {', '.join(map(str, classes))}")
    console.note_exponent(model, network.exponent_)
    some = ", ".join([*columns[:N_NEEDED_SHOWN], *["..."] * (len(columns) > N_NEEDED_SHOWN)])
    console.print(f"  a prediction needs {what} {some} ({len(columns):,})")
    console.print("\nprototypes, and the objects nearest to them")
    for number, near in enumerate(nearest, start=1):
        console.print(f"{number:4}  {', '.join(near)}")
    choices = network.explain_choices()
    console.print(f"\nwhat was chosen\n{choices}")
    console.record(model=model, kind=kind, n_prototypes=len(nearest), classes=classes)
    console.record(exponent=network.exponent_, needed=columns, choices=choices, nearest=nearest)
    if needed is not None:
        relrbf.io.save_rows(needed, ["id"], [[name] for name in columns])
        console.print(f"\n{needed}: {len(columns):,} objects")
