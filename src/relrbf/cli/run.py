"""``relrbf run``: from raw objects to a network and a page in one go."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typer import Argument, Option

import relrbf
from relrbf.cli import fit as fitting
from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console, as_typed
from relrbf.cli.inputs import as_targets, match_targets, read_labels, read_relation
from relrbf.cli.options import LabelOptions, MatrixOptions, Seed
from relrbf.cli.relate import MEASURE_PARAMETER, OBJECTS_HELP, TableOptions, check_measure

if TYPE_CHECKING:
    from relrbf.io import LoadedLabels, LoadedObjects
    from relrbf.relations import Relation

LABEL_HELP = "The column of labels or targets, in OBJECTS or in --labels."
LABELS_HELP = "A file of its own for the labels, as of the nodes of a graph."
MEASURE_HELP = "See relrbf relate --measures. Default: by what the objects are."
GRAPH_CODE = """from relrbf.io import load_labels, load_matrix, match_labels

D = load_matrix({path!r}, graph=True).relation()"""
OBJECT_CODE = """from relrbf import as_relation, relate
from relrbf.io import load_labels, load_objects, match_labels

found = load_objects({arguments})
D = as_relation(relate(found.objects, {measure!r}{params}), ids=found.ids)"""
LABELS_CODE = """
labels = load_labels({arguments}){drop}
labels = match_labels(labels, D.ids, n_objects=len(D), allow_extra=True)
y = labels.{values}"""
COLUMN_CODE = """
kept = [i for i, label in enumerate(found.labels) if label]
D, y = D.restrict(kept), found.labels[kept]{values}"""


@command(
    "relrbf run words.csv --label language --report report.html",
    "relrbf run edges.txt --graph --labels nodes.csv --report report.html",
)
def run(
    console: Console,
    options: TableOptions,
    objects: Path = Argument(metavar="OBJECTS", help=OBJECTS_HELP),
    label: str | None = Option(None, metavar="COLUMN", help=LABEL_HELP),
    labels: Path | None = Option(None, metavar="Y", help=LABELS_HELP),
    measure: str | None = Option(None, metavar="NAME", help=MEASURE_HELP),
    param: list[Any] = MEASURE_PARAMETER,
    graph: bool = Option(False, "--graph", help="OBJECTS lists the edges of a graph: i j weight."),
    output: Path | None = Option(None, "-o", "--output", metavar="MODEL", help="Keep the model."),
    report: Path | None = Option(None, metavar="PAGE", help="Write a page with pictures."),
    task: Literal["auto", "classify", "regress"] = Option("auto", help=fitting.TASK_HELP),
    unlabelled: Literal["refuse", "drop"] = Option("refuse", help="Objects without a label."),
    folds: int = Option(fitting.DEFAULT_FOLDS, min=2, metavar="N", help="Of cross-validation."),
    seed: Seed = 0,
    jobs: int | None = Option(None, min=1, metavar="N", help="Default: one for each core."),
) -> None:
    """Compare objects, inspect the dissimilarities, train a network, and say how well it predicts.

    The same as relate, inspect and fit, one after another. Strings are compared by their edits,
    numbers by Euclidean distance of standardized columns, zeros and ones by Jaccard's; --measure
    says otherwise.
    """
    check_output(output)
    check_output(report, ".html", ".htm")
    drop = unlabelled == "drop"
    if graph == (labels is None) or (label is None and labels is None):
        raise CommandError(
            "say where the labels are: --label COLUMN, in OBJECTS; or --labels FILE, of the nodes "
            "of a graph."
        )
    column = _defaults(LabelOptions, column=label)
    if labels is not None:
        loaded = read_labels(labels, column, drop=drop)
        relation = read_relation(objects, _defaults(MatrixOptions, graph=True), console)
        relation, loaded = match_targets(relation, loaded, console, drop=drop)
        code = GRAPH_CODE.format(path=str(objects))
    else:
        relation, loaded, code = _from_table(
            objects, label, measure, dict(param), options, drop, jobs, console
        )
    with console.progress("inspecting") as show:
        found = relrbf.inspect_relation(relation, random_state=seed, progress=show)
    for conclusion in found.conclusions:
        console.print(f"  {as_typed(conclusion)}")
    y = as_targets(loaded, task, console)
    is_number = y.dtype.kind == "f"
    if labels is not None:
        given = column.load_keywords() | ({"missing": "drop"} if drop else {})
        code += LABELS_CODE.format(
            arguments=fitting._arguments(labels, **given),
            drop=fitting.DROPPING_CODE if drop else "",
            values="numbers" if is_number else "values.astype(str)",
        )
    else:
        code += COLUMN_CODE.format(values=".astype(float)" if is_number else "")
    _fit(relation, y, output, report, folds, seed, jobs, objects, code, console)


def _fit(
    relation: "Relation",
    y: Any,
    output: Path | None,
    report: Path | None,
    folds: int,
    seed: int,
    jobs: int | None,
    objects: Path,
    code: str,
    console: Console,
) -> None:
    """Train, evaluate, and write what was asked for."""
    n_jobs = jobs or (1 if relation.n_objects < fitting.MAX_SERIAL_OBJECTS else -1)
    model = fitting._make_model(y, False, random_state=seed, n_jobs=n_jobs)
    with console.progress(f"training on {relation.n_objects:,} objects"):
        model.fit(relation, y)
    if output is not None:
        relrbf.save(model, output)
        fitting._print_model(model, y, objects, output, console)
    if report is None:
        fitting._print_evaluation(model, relation, y, folds, console)
        console.note("--report report.html writes a page with pictures")
        return
    evaluation = fitting._evaluate(model, relation, y, folds, console)
    fitting._write_report(report, evaluation, console, name=str(objects), loading=code)


def _from_table(
    path: Path,
    label: str | None,
    measure: str | None,
    params: dict[str, Any],
    options: TableOptions,
    drop: bool,
    jobs: int | None,
    console: Console,
) -> "tuple[Relation, LoadedLabels, str]":
    """Return dissimilarities of the objects in a table, their labels, and code for the first."""
    import numpy as np

    from relrbf.io.labels import labels_of

    loaded, measure = _load(path, label, measure, options, console)
    with console.progress(f"comparing {len(loaded.objects):,} objects"):
        D = relrbf.relate(loaded.objects, measure, measure_params=params, n_jobs=jobs or 1)
    relation, values = relrbf.as_relation(D, ids=loaded.ids), loaded.labels
    assert values is not None
    given = options.load_keywords() | {"label": label}
    given |= {"standardize": True} if loaded.scale is not None else {}
    code = OBJECT_CODE.format(
        arguments=f"{str(path)!r}, {loaded.kind!r}, {fitting._arguments(**given)}",
        measure=measure,
        params=f", measure_params={params!r}" if params else "",
    )
    kept = [at for at, value in enumerate(values) if value]
    if drop and len(kept) < len(values):
        console.note(f"{len(values) - len(kept):,} objects have no label and are left out")
        relation, values = relation.restrict(np.array(kept)), values[kept]
    return relation, labels_of(values, relation.ids, path), code


def _load(
    path: Path, label: str | None, measure: str | None, options: TableOptions, console: Console
) -> "tuple[LoadedObjects, str]":
    """Return the objects of a table, and the measure that was asked for or that suits them."""
    import numpy as np

    from relrbf.relations.named import NAMED

    if measure is not None:
        check_measure(measure)
    kind = None if measure is None else NAMED[measure].library.kind
    given = options.load_keywords()
    loaded = relrbf.io.load_objects(path, kind, label=label, **given)
    if measure is None and loaded.kind == "strings":
        measure = "levenshtein"
    elif measure is None and np.isin(loaded.objects, (0, 1)).all():
        measure = "jaccard"
    elif measure is None:
        measure = "euclidean"
        loaded = relrbf.io.load_objects(path, kind, label=label, **given | {"standardize": True})
    console.note(f"{path}: {'; '.join(loaded.notes)}")
    console.print(f"{path}: {len(loaded.objects)} {loaded.kind}, {measure}")
    return loaded, measure


def _defaults(group: Any, **given: Any) -> Any:
    """Return a group of options at their defaults, but for those given."""
    defaults: dict[str, Any] = {field.name: field.default for field in fields(group)}
    return group(**{name: option.default for name, option in defaults.items()} | given)
