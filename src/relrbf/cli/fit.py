"""``relrbf fit``: a model from a matrix and labels."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, BadParameter, Option

from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import Exponent, LabelOptions, Matrix, MatrixOptions, Seed, as_exponent

if TYPE_CHECKING:
    import numpy as np

    from relrbf.relations.base import Relation

MAX_SERIAL_OBJECTS = 500  # of which a part is trained sooner than a process starts
DEFAULT_FOLDS = 5
MAX_EVALUATED_OBJECTS = 3000  # beyond which cross-validation takes too long to be the default
READING_CODE = """from relrbf.io import load_labels, load_matrix, match_labels

D = load_matrix({matrix}).relation({relation})
labels = load_labels({labels}){drop}
labels = match_labels(labels, D.ids, n_objects=len(D), allow_extra=True)
y = labels.{values}"""
DROPPING_CODE = "\nD = D.restrict([i for i, name in enumerate(D.ids) if name in set(labels.ids)])"

_task = {"rich_help_panel": "What is learned"}
_network = {"rich_help_panel": "The network, where it is not left to choose for itself"}


def parse_support(text: str) -> int | float:
    """Return a number of objects, or a fraction of them."""
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise BadParameter(f"{text!r} is neither a number of objects nor a fraction") from None


@command(
    "relrbf fit D.csv y.csv -o model.relrbf",
    "relrbf fit D.csv y.csv -o model.relrbf --report report.html",
)
def fit(
    console: Console,
    matrix: Matrix,
    labels: Annotated[
        Path,
        Argument(
            metavar="Y", help="One column, or id,label; or the npz file of D where that holds y."
        ),
    ],
    output: Annotated[
        Path, Option("-o", "--output", metavar="MODEL", help="For example model.relrbf.")
    ],
    options: MatrixOptions,
    label_options: LabelOptions,
    report: Annotated[
        Path | None, Option(metavar="PAGE", help="Write a page with pictures.")
    ] = None,
    task: Annotated[
        Literal["auto", "classify", "regress"],
        Option(help="auto: numbers with decimals, or more than 20 of them, are targets.", **_task),
    ] = "auto",
    unlabelled: Annotated[
        Literal["refuse", "drop"],
        Option(help="drop: leave out objects without a label.", **_task),
    ] = "refuse",
    balanced: Annotated[
        bool, Option("--balanced", help="Give every class the same weight.", **_task)
    ] = False,
    folds: Annotated[
        int | None,
        Option(
            min=0,
            metavar="N",
            help="Of the cross-validation, 0 for none. Default: 5, none above 3,000 objects.",
            **_task,
        ),
    ] = None,
    prototypes: Annotated[
        int | None, Option(min=1, metavar="N", help="Number of prototypes.", **_network)
    ] = None,
    kernel: Annotated[
        Literal[
            "gaussian", "multiquadric", "inverse-multiquadric", "rational-quadratic", "polynomial"
        ],
        Option(help="Radial basis function.", **_network),
    ] = "gaussian",
    alpha: Annotated[
        float | None, Option(min=0, metavar="A", help="Ridge on the output weights.", **_network)
    ] = None,
    support: Annotated[
        Any,
        Option(
            parser=parse_support,
            metavar="N",
            help="Objects with coefficients: a number or a fraction.",
            **_network,
        ),
    ] = None,
    exponent: Exponent = "auto",
    seed: Seed = 0,
    jobs: Annotated[
        int | None,
        Option(
            min=1,
            metavar="N",
            help="Processes. Default: one for each core, or for few objects one.",
        ),
    ] = None,
) -> None:
    """Train a radial-basis-function network on dissimilarities and labels or targets.

    Nothing needs to be chosen. If both files have ids, labels are matched by name.
    """
    from relrbf import save
    from relrbf.cli.inputs import as_targets, read_labelled

    check_output(output)
    check_output(report, ".html", ".htm")
    if folds == 1:
        raise BadParameter("one part leaves nothing to train with; 0 is none", param_hint="--folds")
    if report is not None and folds == 0:
        raise CommandError("--report is about objects held out; leave --folds 0 out.")
    relation, given = read_labelled(
        matrix, labels, options, label_options, console, drop=unlabelled == "drop"
    )
    y = as_targets(given, task, console)
    if jobs is None:
        jobs = 1 if relation.n_objects < MAX_SERIAL_OBJECTS else -1
    model = _make_model(
        y,
        balanced,
        exponent=as_exponent(exponent),
        kernel=kernel,
        random_state=seed,
        n_jobs=jobs,
        n_prototypes=prototypes,
        alpha=alpha,
        n_support=support,
    )
    with console.progress(f"training on {relation.n_objects:,} objects"):
        model.fit(relation, y)
    save(model, output)
    _print_model(model, y, matrix, output, console)
    if report is None:
        _evaluate(model, relation, y, folds, console)
    else:
        code = _reading_code(matrix, labels, options, label_options, unlabelled, y)
        _write_report(report, model, relation, y, str(matrix), code, folds, console)
    console.print(f"\nwhat was chosen\n{model.explain_choices()}")


def _make_model(y: "np.ndarray", balanced: bool, **options: Any) -> Any:
    """Return the estimator; an option that is None is left to its default."""
    from relrbf import RBFNetworkClassifier, RBFNetworkRegressor

    given = {name: value for name, value in options.items() if value is not None}
    if y.dtype.kind != "f":
        return RBFNetworkClassifier(class_weight="balanced" if balanced else None, **given)
    if balanced:
        raise CommandError("--balanced is about classes; these labels are numbers.")
    return RBFNetworkRegressor(**given)


def _print_model(model: Any, y: "np.ndarray", matrix: Path, output: Path, console: Console) -> None:
    import numpy as np

    n, c, m, size = len(y), len(model.prototypes_), len(model.support_), output.stat().st_size
    console.print(f"{output}: {c} prototypes on {m:,} of {n:,} objects, {size / 1e3:,.0f} kB")
    console.note_exponent(matrix, model.exponent_)
    console.record(model=output, n_objects=n, n_prototypes=c, n_support=m, bytes=size)
    console.record(exponent=model.exponent_, alpha=model.alpha_, n_iter=model.n_iter_)
    console.record(status=model.status_, choices=model.explain_choices())
    if hasattr(model, "classes_"):
        classes, counts = np.unique(y, return_counts=True)
        sizes = ", ".join(f"{k} ({v})" for k, v in zip(classes, counts, strict=True))
        console.print(f"  classes: {sizes}")
        console.record(classes=classes)


def _evaluate(
    model: Any, relation: "Relation", y: "np.ndarray", folds: int | None, console: Console
) -> None:
    """Cross-validate; print the score on held-out objects."""
    from relrbf.exceptions import OptionError
    from relrbf.report.case import case_of_fit
    from relrbf.report.folds import plan_for
    from relrbf.report.held_out import BASELINE, HeldOut, hold_out
    from relrbf.report.summary import in_words, summarise_fit

    if folds is None:
        folds = DEFAULT_FOLDS if relation.n_objects <= MAX_EVALUATED_OBJECTS else 0
    if not folds:
        console.note("accuracy on new objects was not measured; --folds 5 does that")
        return
    case = case_of_fit(model, relation, y, None)
    try:
        plan = plan_for(case, folds, 1)
    except OptionError as error:  # the model is there all the same
        console.note(f"accuracy on new objects cannot be measured: {error}")
        return
    parts, answers = plan.parts(case, model.random_state), []
    with console.progress("cross-validating") as show:
        for answer in hold_out(case, parts, model.random_state, model.n_jobs, rivals=False):
            answers.append(answer)
            show("cross-validating", len(answers) / len(parts))
    summary = summarise_fit(HeldOut(case, answers), plan, None)
    console.note(*plan.notes)
    console.record(cross_validation=summary.as_dict())
    if not case.varies:
        console.note("the target does not vary: there is nothing to predict")
    value = in_words(summary.score, summary.measure)
    console.print(f"  {summary.measure} on held-out objects: {value} ({plan})")
    if case.has_classes:
        least = in_words(summary.of(BASELINE), summary.measure)
        console.print(f"  always predicting the largest class: {summary.measure} {least}")
    if case.n_twins:
        console.note(
            f"{case.n_twins} of {case.n_objects} objects are duplicates of others, which flatters "
            "these numbers; --report says by how much"
        )


def _write_report(
    page: Path,
    model: Any,
    relation: "Relation",
    y: "np.ndarray",
    name: str,
    code: str,
    folds: int | None,
    console: Console,
) -> None:
    from relrbf.report import write_fit_report

    with console.progress("writing the report") as show:
        summary = write_fit_report(
            page,
            model,
            relation,
            y,
            command=shlex.join(["relrbf", *sys.argv[1:]]),
            loading=code,
            name=name,
            n_splits=folds or DEFAULT_FOLDS,
            random_state=model.random_state,
            n_jobs=model.n_jobs,
            progress=lambda text, done, total: show(text, done / max(total, 1)),
        )
    for sentence in summary.sentences:
        console.print(f"  {sentence.replace('below', 'on the page')}")
    console.print(f"{page}: the report")
    console.record(report=page, cross_validation=summary.as_dict())


def _reading_code(
    matrix: Path,
    labels: Path,
    options: MatrixOptions,
    label_options: LabelOptions,
    unlabelled: str,
    y: "np.ndarray",
) -> str:
    """Return the lines of Python that read the same files, for the page."""

    def call(path: Path | None, keywords: dict[str, Any]) -> str:
        first = [] if path is None else [repr(str(path))]
        return ", ".join([*first, *(f"{name}={value!r}" for name, value in keywords.items())])

    return READING_CODE.format(
        matrix=call(matrix, options.load_keywords()),
        relation=call(None, options.relation_keywords()),
        labels=call(labels, label_options.load_keywords()),
        drop=DROPPING_CODE if unlabelled == "drop" else "",
        values="numbers" if y.dtype.kind == "f" else "values.astype(str)",
    )
