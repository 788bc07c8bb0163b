"""``relrbf fit``: a model from a matrix and labels."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from typer import Argument, BadParameter, Option

import relrbf
from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import as_targets, labels_in_order, match_targets, read_labels, read_relation
from relrbf.cli.options import (
    Exponent,
    LabelOptions,
    Matrix,
    MatrixOptions,
    OptionGroup,
    Seed,
    as_exponent,
)
from relrbf.exceptions import OptionError

MAX_SERIAL_OBJECTS = 500  # below which a fold is trained sooner than a process starts
DEFAULT_FOLDS = 5
MAX_EVALUATED_OBJECTS = 3000  # beyond which cross-validation takes too long to be the default
MATRIX_CODE = """from relrbf.io import load_labels, load_matrix, match_labels

D = load_matrix({matrix}).relation({relation})"""
LABELS_CODE = """
labels = load_labels({labels}){drop}
labels = match_labels(labels, D.ids, n_objects=len(D), allow_extra=True)
y = labels.{values}"""
GROUPS_CODE = """
groups = match_labels(load_labels({groups}), D.ids, n_objects=len(D), allow_extra=True).values"""
DROPPING_CODE = """
if labels.ids is None:
    D = D.restrict(labels.kept)
else:
    D = D.restrict([i for i, name in enumerate(D.ids) if name in set(labels.ids)])"""

SUPPORT_HELP = "Objects that carry it: a number or a fraction."
TASK_HELP = "auto: numbers are targets if some have decimals or more than 20 differ."
FOLDS_HELP = "0 for none. Default: 5, none above 3,000 objects."
GROUPS_HELP = "Objects of one group, such as a patient's, are held out together: id,group."

KernelName = Literal[
    "gaussian", "multiquadric", "inverse-multiquadric", "rational-quadratic", "polynomial"
]


def parse_support(text: str) -> int | float:
    """Return a number of objects, or a fraction of them."""
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise BadParameter(f"{text!r} is neither a number of objects nor a fraction") from None


@dataclass(frozen=True)
class NetworkOptions(OptionGroup):
    """The network, where it is not left to choose for itself."""

    n_prototypes: int | None = Option(None, "--prototypes", min=1, metavar="N", help="How many.")
    kernel: KernelName = Option("gaussian", help="Radial basis function.")
    positive: bool = Option(False, "--positive", help="Give every prototype one class.")
    alpha: float | None = Option(None, min=0, metavar="A", help="Ridge on the output weights.")
    n_support: Any = Option(None, "--support", parser=parse_support, metavar="N", help=SUPPORT_HELP)


@command(
    "relrbf fit D.csv y.csv -o model.relrbf",
    "relrbf fit D.csv y.csv -o model.relrbf --report report.html",
)
def fit(
    console: Console,
    network: NetworkOptions,
    options: MatrixOptions,
    label_options: LabelOptions,
    matrix: Matrix,
    labels: Path = Argument(metavar="Y", help="One column, or id,label; or an npz file with y."),
    output: Path = Option(..., "-o", "--output", metavar="MODEL", help="Such as model.relrbf."),
    report: Path | None = Option(None, metavar="PAGE", help="Write a page with pictures."),
    task: Literal["auto", "classify", "regress"] = Option("auto", help=TASK_HELP),
    unlabelled: Literal["refuse", "drop"] = Option("refuse", help="Objects without a label."),
    balanced: bool = Option(False, "--balanced", help="Give every class the same weight."),
    folds: int | None = Option(None, min=0, metavar="N", help=FOLDS_HELP),
    groups: Path | None = Option(None, metavar="FILE", help=GROUPS_HELP),
    exponent: Exponent = "auto",
    seed: Seed = 0,
    jobs: int | None = Option(None, min=1, metavar="N", help="Default: one for each core."),
) -> None:
    """Train a radial-basis-function network on dissimilarities and labels or targets.

    Nothing needs to be chosen. If both files have ids, labels are matched by name.
    """
    check_output(output)
    check_output(report, ".html", ".htm")
    if folds == 1:
        raise BadParameter("one part leaves nothing to train with; 0 is none", param_hint="--folds")
    for name, path in {"--report": report, "--groups": groups}.items():
        if path is not None and folds == 0:
            raise CommandError(f"{name} is about objects held out; leave --folds 0 out.")
    loaded = read_labels(labels, label_options, drop=unlabelled == "drop")
    relation = read_relation(matrix, options, console)
    relation, loaded = match_targets(relation, loaded, console, drop=unlabelled == "drop")
    y = as_targets(loaded, task, console)
    held_together: Any = None
    if groups is not None:
        named = relrbf.io.load_labels(groups)
        held_together = labels_in_order(named, relation.ids, relation.n_objects, console).values
    model = make_model(
        y, relation, jobs, seed, balanced, **network.given(), exponent=as_exponent(exponent)
    )
    if folds is None:
        is_large = report is None and len(y) > MAX_EVALUATED_OBJECTS
        folds = 0 if is_large else DEFAULT_FOLDS
    code = MATRIX_CODE.format(
        matrix=as_arguments(matrix, **options.load_keywords()),
        relation=as_arguments(**options.relation_keywords()),
    )
    code += labels_code(labels, label_options, unlabelled == "drop", y)
    if groups is not None:
        code += GROUPS_CODE.format(groups=as_arguments(groups))
    train(model, relation, y, matrix, output, report, folds, code, console, groups=held_together)
    console.print(f"\nwhat was chosen\n{model.explain_choices()}")


def as_arguments(*paths: Path, **keywords: Any) -> str:
    """Return the arguments of a call as Python writes them."""
    named = [f"{name}={value!r}" for name, value in keywords.items()]
    return ", ".join([repr(str(path)) for path in paths] + named)


def labels_code(path: Path, options: LabelOptions, drop: bool, y: Any) -> str:
    """Return Python lines that read the labels of D."""
    given = options.load_keywords() | ({"missing": "drop"} if drop else {})
    return LABELS_CODE.format(
        labels=as_arguments(path, **given),
        drop=DROPPING_CODE if drop else "",
        values="numbers" if y.dtype.kind == "f" else "values.astype(str)",
    )


def make_model(
    y: Any, relation: Any, jobs: int | None, seed: int, balanced: bool = False, **parameters: Any
) -> Any:
    """Return a classifier, or a regressor for numbers."""
    parameters["n_jobs"] = jobs or (1 if relation.n_objects < MAX_SERIAL_OBJECTS else -1)
    if y.dtype.kind != "f":
        class_weight = "balanced" if balanced else None
        return relrbf.RBFNetworkClassifier(
            class_weight=class_weight, random_state=seed, **parameters
        )
    if balanced or "positive" in parameters:
        flag = "--balanced" if balanced else "--positive"
        raise CommandError(f"{flag} is about classes; these labels are numbers.")
    return relrbf.RBFNetworkRegressor(random_state=seed, **parameters)


def train(
    model: Any,
    relation: Any,
    y: Any,
    source: Path,
    output: Path | None,
    report: Path | None,
    folds: int,
    code: str,
    console: Console,
    relating: Sequence[str] = (),
    groups: Any = None,
) -> None:
    """Train, evaluate, and write what was asked for; ``relating`` compares new objects with D's."""
    with console.progress(f"training on {relation.n_objects:,} objects"):
        model.fit(relation, y)
    if output is not None:
        with console.progress(f"writing {output}"):
            relrbf.save(model, output)
        _print_model(model, y, source, output, console)
    if report is not None:
        found = _evaluate(model, relation, y, folds, console, groups=groups)
        called, model_file = ["relrbf", *sys.argv[1:]], str(output or "model.relrbf")
        lines = [] if output else [shlex.join([*called, "-o", model_file])]
        proba = ["--proba"] if found.data.has_classes else []
        last = ["relrbf", "predict", model_file, "D_new.csv", "-o", "predictions.csv", *proba]
        lines = [f"$ {line}" for line in (*lines, *relating, shlex.join(last))]
        texts = {"command": shlex.join(called), "loading": code, "predicting": "\n".join(lines)}
        _write_report(report, found, console, name=str(source), **texts)
    elif folds:
        _print_evaluation(model, relation, y, folds, console, groups=groups)
    else:
        console.note("accuracy on new objects was not measured; --folds 5 does that")


def _print_model(model: Any, y: Any, matrix: Path, output: Path, console: Console) -> None:
    n, c, m, size = len(y), len(model.prototypes_), len(model.support_), output.stat().st_size
    console.print(f"{output}: {c} prototypes on {m:,} of {n:,} objects, {size / 1e3:,.0f} kB")
    console.note_exponent(matrix, model.exponent_)
    console.record(model=output, n_objects=n, n_prototypes=c, n_support=m, bytes=size)
    console.record(exponent=model.exponent_, alpha=model.alpha_, n_iter=model.n_iter_)
    console.record(status=model.status_, choices=model.explain_choices())
    if hasattr(model, "classes_"):
        sizes = ", ".join(f"{name} ({(y == name).sum()})" for name in model.classes_)
        console.print(f"  classes: {sizes}", classes=model.classes_)


def _evaluate(
    model: Any, relation: Any, y: Any, folds: int, console: Console, **options: Any
) -> Any:
    options |= {"n_splits": folds, "random_state": model.random_state, "n_jobs": model.n_jobs}
    with console.progress("cross-validating") as show:
        found = relrbf.report.evaluate(model, relation, y, progress=show, **options)
    console.note(*found.cross_validation.notes)
    console.record(cross_validation=found.as_dict())
    return found


def _print_evaluation(
    model: Any, relation: Any, y: Any, folds: int, console: Console, **options: Any
) -> None:
    """Cross-validate once, without baselines; print the score on held-out objects."""
    options |= {"n_repeats": 1, "baselines": False}
    try:
        found = _evaluate(model, relation, y, folds, console, **options)
    except OptionError as error:  # the model is there all the same
        console.note(f"accuracy on new objects cannot be measured: {error}")
        return
    for sentence in found.sentences:
        if "below" not in sentence:  # on a page
            console.print(f"  {sentence}")
    if found.data.has_classes:
        least = found.scores["baseline"].text(found.measure)
        console.print(f"  Always predicting the largest class: {found.measure} {least}.")


def _write_report(page: Path, found: Any, console: Console, **texts: str) -> None:
    with console.progress("writing the report") as show:
        relrbf.report.write_fit_report(page, found, progress=show, **texts)
    for sentence in found.sentences:
        console.print(f"  {sentence.replace('below', 'on the page')}")
    console.print(f"{page}: the report", report=page)
