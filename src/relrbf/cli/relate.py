"""Commands that take raw objects: relate, and run, which goes on to a network and a page."""

import shlex
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typer import Argument, Exit, Option

import relrbf
from relrbf.cli import fit as fitting
from relrbf.cli.command import CommandError, as_flag, check_output, command
from relrbf.cli.console import Console, as_typed
from relrbf.cli.inputs import as_targets, match_targets, read_labels, read_relation
from relrbf.cli.options import LabelOptions, MatrixOptions, OptionGroup, Seed, parse_named_value

if TYPE_CHECKING:
    from relrbf.io import LoadedLabels, LoadedObjects
    from relrbf.relations import Relation

MEASURE_PARAMETER = Option(
    [], parser=parse_named_value, metavar="NAME=VALUE", help="Of the measure; may be repeated."
)
TO_HELP = "Other objects, such as those of training: a column for each of them."
OBJECTS_HELP = "csv, tsv or xlsx: a line for each object."
LABEL_HELP = "The column of labels or targets, in OBJECTS or in --labels."
LABELS_HELP = "A file of its own for the labels, as of the nodes of a graph."
MEASURE_HELP = "See relrbf relate --measures. Default: by what the objects are."
GRAPH_CODE = """from relrbf.io import load_labels, load_matrix, match_labels

D = load_matrix({path!r}, graph=True).relation()"""
OBJECT_CODE = """from relrbf import as_relation, relate
from relrbf.io import load_labels, load_objects, match_labels

found = load_objects({arguments})
D = as_relation(relate(found.objects, {measure!r}{params}), ids=found.ids)"""
COLUMN_CODE = """
kept = [i for i, label in enumerate(found.labels) if label]
D, y = D.restrict(kept), found.labels[kept]{values}"""


def _print_measures(is_wanted: bool) -> None:
    if is_wanted:
        for name, text in relrbf.measures.named_measures().items():
            print(f"{name:<24}{text}")
        raise Exit


LIST_MEASURES = Option(
    False, "--measures", callback=_print_measures, is_eager=True, help="List them all."
)


@dataclass(frozen=True)
class TableOptions(OptionGroup):
    """Which columns of the table are used."""

    columns: str | None = Option(None, metavar="A,B,...", help="Take these, and no others.")
    drop: str | None = Option(None, metavar="A,B,...", help="Leave these out.")
    ids: str | None = Option(None, metavar="COLUMN", help="The column that names the objects.")
    header: bool | None = Option(None, help="Whether the first line names the columns.")
    delimiter: str | None = Option(None, metavar="C", help="Default: found from the first line.")
    standardize: bool = Option(False, "--standardize", help="Let all columns vary alike.")

    def load_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``load_objects`` that were given."""
        keywords = self.given()
        for name in ("columns", "drop"):
            if name in keywords:
                keywords[name] = [each.strip() for each in keywords[name].split(",")]
        return keywords


@command(
    "relrbf relate words.csv --measure levenshtein -o D.npy",
    "relrbf relate new.csv --to words.csv --measure levenshtein -o D_new.csv",
)
def relate(
    console: Console,
    options: TableOptions,
    objects: Path = Argument(metavar="OBJECTS", help=OBJECTS_HELP),
    measure: str = Option(..., metavar="NAME", help="See --measures."),
    output: Path = Option(..., "-o", "--output", metavar="D", help="D.npy or D.zarr."),
    to: Path | None = Option(None, metavar="OBJECTS", help=TO_HELP),
    measures: bool = LIST_MEASURES,
    jobs: int | None = Option(None, min=1, metavar="N", help="Default: one for each core."),
    param: list[Any] = MEASURE_PARAMETER,
    dtype: Literal["float64", "float32"] | None = Option(None, help="Default: float64."),
    block: int | None = Option(None, min=1, metavar="N", help="Objects on a side of a block."),
    restart: bool = Option(False, "--restart", help="Begin anew; replace the file that exists."),
) -> None:
    """Compute the dissimilarities of all pairs of objects in a table, or of new ones to others.

    Numbers are vectors, or series (a row may end early); one column of text is strings. A column
    called id or name, or else the first one of text beside others, names the objects; columns that
    look like labels are left out. If it is interrupted, the same command continues.
    """
    from relrbf.relations.on_disk import ids_path

    check_measure(measure)
    params = dict(param)
    if to is not None:
        _relate_to(console, objects, to, measure, output, options, params, jobs)
        return
    loaded, _ = read_objects(objects, measure, options, console)
    names = loaded.ids
    began = time.perf_counter()
    given: Any = {"ids": names, "dtype": dtype, "block": block, "measure_params": params}
    with console.progress("comparing") as show:
        given["progress"] = lambda state: show(f"comparing, {state}")
        relation = relrbf.relate(
            loaded.objects, measure, output, n_jobs=jobs or -1, resume=not restart, **given
        )
    n, seconds = relation.n_objects, time.perf_counter() - began
    console.print(f"{output}: {n} × {n}, {relation.dtype}, in {seconds:.1f} s")
    console.record(matrix=output, n_objects=n, dtype=str(relation.dtype), seconds=seconds)
    if names is not None:
        console.print(f"{ids_path(output)}: their names", ids=ids_path(output))


def check_measure(measure: str) -> None:
    """Refuse a measure that does not exist, and name one that is called nearly so."""
    from relrbf._options import did_you_mean
    from relrbf.relations.named import NAMED

    if measure not in NAMED:
        near = did_you_mean(measure, NAMED)
        problem = f"--measure {measure} does not exist.{near} relrbf relate --measures lists all."
        raise CommandError(problem)


def read_objects(
    path: Path, measure: str | None, options: TableOptions, console: Console, **more: Any
) -> "tuple[LoadedObjects, str]":
    """Read what a measure compares, and say what was taken from which columns.

    Without a measure, return the one that suits the objects.
    """
    keywords, kind = options.load_keywords() | more, None
    with console.progress(f"reading {path}"):
        import numpy as np

        if measure is not None:
            from relrbf.relations.named import NAMED

            kind = NAMED[measure].library.kind
        loaded = relrbf.io.load_objects(path, kind, **keywords)
    if measure is None:
        is_binary = loaded.kind != "strings" and np.isin(loaded.objects, (0, 1)).all()
        measure = "levenshtein" if loaded.kind == "strings" else "euclidean"
        measure = "jaccard" if is_binary else measure
        if measure == "euclidean":
            loaded = relrbf.io.load_objects(path, kind, **keywords | {"standardize": True})
    console.note(f"{path}: {'; '.join(loaded.notes)}")
    console.print(f"{path}: {len(loaded.objects)} {loaded.kind}, {measure}")
    console.record(columns=loaded.columns)
    return loaded, measure


def _relate_to(
    console: Console,
    new: Path,
    training: Path,
    measure: str,
    output: Path,
    options: TableOptions,
    params: dict[str, Any],
    jobs: int | None,
) -> None:
    """Write the dissimilarities of new objects (rows) to others (columns), named on both sides."""
    check_output(output, ".csv", ".tsv", ".npy")
    known, _ = read_objects(training, measure, options, console)
    rows, _ = read_objects(new, measure, options, console, like=known)
    if output.suffix == ".npy":
        relrbf.relations.on_disk.check_names_beside(output, rows.ids, known.ids)
    with console.progress("comparing"):
        D_new = relrbf.relate(
            rows.objects, measure, to=known.objects, measure_params=params, n_jobs=jobs or 1
        )
    relrbf.io.save_matrix(output, D_new, rows.ids, known.ids)
    m, n = D_new.shape
    console.print(f"{output}: {m} × {n}, new objects to those of {training}")
    console.record(matrix=output, n_new=m, n_objects=n)


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
        code, relating = GRAPH_CODE.format(path=str(objects)), list[str]()
    else:
        relation, loaded, code, relating = _from_table(
            objects, label, measure, dict(param), options, drop, jobs, console
        )
    with console.progress("inspecting") as show:
        found = relrbf.inspect_relation(relation, random_state=seed, progress=show)
    for conclusion in found.conclusions:
        console.print(f"  {as_typed(conclusion)}")
    y = as_targets(loaded, task, console)
    if labels is not None:
        code += fitting.labels_code(labels, column, drop, y)
    else:
        code += COLUMN_CODE.format(values=".astype(float)" if y.dtype.kind == "f" else "")
    model = fitting.make_model(y, relation, jobs, seed)
    fitting.train(model, relation, y, objects, output, report, folds, code, console, relating)
    if report is None:
        console.note("--report report.html writes a page with pictures")


def _from_table(
    path: Path,
    label: str | None,
    measure: str | None,
    params: dict[str, Any],
    options: TableOptions,
    drop: bool,
    jobs: int | None,
    console: Console,
) -> "tuple[Relation, LoadedLabels, str, list[str]]":
    """Return dissimilarities, labels, lines of Python for the former, and commands for new ones."""
    if measure is not None:
        check_measure(measure)
    loaded, measure = read_objects(path, measure, options, console, label=label)
    import numpy as np  # and what is slow to import, after progress is shown

    from relrbf.io.labels import labels_of

    with console.progress(f"comparing {len(loaded.objects):,} objects"):
        D = relrbf.relate(loaded.objects, measure, measure_params=params, n_jobs=jobs or 1)
    relation, values = relrbf.as_relation(D, ids=loaded.ids), loaded.labels
    assert values is not None
    given = options.load_keywords() | {"label": label}
    given |= {"standardize": True} if loaded.scale is not None else {}
    code = OBJECT_CODE.format(
        arguments=f"{str(path)!r}, {loaded.kind!r}, {fitting.as_arguments(**given)}",
        measure=measure,
        params=f", measure_params={params!r}" if params else "",
    )
    kept = [at for at, value in enumerate(values) if value]
    if drop and len(kept) < len(values):
        console.note(f"{len(values) - len(kept):,} objects have no label and are left out")
        relation, values = relation.restrict(np.array(kept)), values[kept]
    words = ["relate", "new.csv", "--to", str(path), "--measure", measure]
    for name, value in options.given().items():
        words += shlex.split(as_flag(name, value)) if name != "drop" else []
    words += ["--standardize"] if loaded.scale is not None and not options.standardize else []
    words += [f"--param={name}={value}" for name, value in params.items()]
    words += ["--drop", ",".join([*given.get("drop", ()), str(label)]), "-o", "D_new.csv"]
    return relation, labels_of(values, relation.ids, path), code, [shlex.join(["relrbf", *words])]


def _defaults(group: Any, **given: Any) -> Any:
    """Return a group of options at their defaults, but for those given."""
    defaults: dict[str, Any] = {field.name: field.default for field in fields(group)}
    return group(**{name: option.default for name, option in defaults.items()} | given)
