"""Commands that take a matrix alone: inspect, vat, embed, repair and cluster."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import BadParameter, Option

import relrbf
from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console, as_typed
from relrbf.cli.inputs import object_names, read_classes, read_relation, read_rows, read_square
from relrbf.cli.options import (
    Exponent,
    LabelOptions,
    Matrix,
    MatrixOptions,
    ReadingOptions,
    Seed,
    as_exponent,
)

EMBEDDINGS = {
    "classical": "ClassicalMDS",
    "proximal": "ProximalMDS",
    "landmark": "LandmarkMDS",
    "euclidean": "NearestEuclideanMDS",
    "metric-learning": "MetricLearningMDS",
}
EmbeddingName = Literal["classical", "proximal", "landmark", "euclidean", "metric-learning"]
NEW_HELP = "Dissimilarities of new objects to those of D."
NewObjects = Annotated[Path | None, Option(metavar="D_NEW", help=NEW_HELP)]
NewOutput = Annotated[Path | None, Option(metavar="FILE", help="The result for new objects.")]
RepairName = Literal["metric", "euclidean", "clip", "flip", "shift"]


@command("relrbf inspect D.csv", "relrbf inspect D.csv --labels y.csv --html relation.html")
def inspect(
    console: Console,
    options: ReadingOptions,
    label_options: LabelOptions,
    matrix: Matrix,
    labels: Path | None = Option(None, metavar="Y", help="Classes, to compare with D."),
    html: Path | None = Option(None, metavar="PAGE", help="Write a page with pictures."),
    max_exact: int = Option(3000, min=1, metavar="N", help="Check all triangles up to N objects."),
    seed: Seed = 0,
) -> None:
    """Describe a matrix, whether it is a metric, and how far from distances between vectors.

    A matrix that other commands refuse is described too, and nothing is changed.
    """
    from relrbf.inspection.inspect import unvalidated_relation

    check_output(html, ".html", ".htm")
    loaded = read_square(matrix, options, console)
    relation = unvalidated_relation(loaded.values, loaded.ids)
    y = read_classes(labels, label_options, loaded.ids, relation.n_objects, console)
    with console.progress("inspecting") as show:
        report = relrbf.inspect_relation(
            relation, y, max_exact=max_exact, random_state=seed, progress=show
        )
    text = as_typed(str(report)).replace("--symmetrize mean", "relrbf fit --symmetrize mean")
    console.print(f"{loaded.path}\n{text}", matrix=loaded.path, **_facts(report))
    if html is not None:
        texts = {"command": shlex.join(["relrbf", *sys.argv[1:]]), "name": str(matrix)}
        with console.progress("writing the page") as show:
            write = relrbf.report.write_inspection_report
            write(html, relation, y, found=report, progress=show, **texts)
        console.print(f"{html}: the page", page=html)


def _facts(report: Any) -> dict[str, Any]:
    facts = {name: value for name, value in vars(report).items() if name != "ids"}
    for name in ("worst_pair", "worst_triple"):
        positions = facts[name]
        facts[f"{name}_ids"] = positions and [report.name_of(i) for i in positions]
    for name in ("is_relation", "is_metric", "additive_constant"):
        facts[name] = getattr(report, name)
    return facts | {"text": str(report)}


@command("relrbf vat D.csv -o vat.png --improved --labels y.csv")
def vat(
    console: Console,
    options: MatrixOptions,
    label_options: LabelOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="IMAGE", help="png, svg or pdf."),
    improved: bool = Option(False, "--improved", help="iVAT, for long or curved clusters."),
    labels: Path | None = Option(None, metavar="Y", help="Classes, drawn beside the image."),
    order: Path | None = Option(None, metavar="FILE", help="Write the order of the objects."),
    sample: int | None = Option(None, min=1, metavar="N", help="Draw a sample of the objects."),
    seed: Seed = 0,
) -> None:
    """Draw a matrix so that clusters are dark blocks on the diagonal."""
    from matplotlib.figure import Figure

    from relrbf._utils import replacing

    check_output(output, ".png", ".svg", ".pdf")
    check_output(order, ".csv", ".tsv")
    relation = read_relation(matrix, options, console)
    n = relation.n_objects
    y = read_classes(labels, label_options, relation.ids, n, console)
    with console.progress("ordering"):
        assess = relrbf.tendency.ivat if improved else relrbf.tendency.vat
        image = assess(relation, n_sample=sample, random_state=seed)
    figure = Figure(figsize=(6.4, 5.6), layout="compressed")
    relrbf.plotting.plot_tendency(image, y, figure.subplots())
    with replacing(output) as file:
        figure.savefig(file, format=output.suffix.lower()[1:], dpi=200)
    names = object_names(relation.ids, n)
    ordered = [names[position] for position in image.order]
    console.print(f"{output}: {len(ordered):,} objects, dark where they are similar")
    console.record(picture=output, n_objects=n, order=ordered)
    if order is not None:
        relrbf.io.save_rows(order, ["id"], [[name] for name in ordered])
        console.print(f"{order}: their order")


def parse_components(text: str) -> int | None:
    """Return a number from 1, or None for all."""
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise BadParameter(f"{text!r} is neither a whole number from 1 nor 'all'")
    return int(text)


@command(
    "relrbf embed D.csv -o Z.csv --method classical",
    "relrbf embed D.csv -o Z.csv --method landmark --new D_new.csv --new-output Z_new.csv",
)
def embed(
    console: Console,
    options: MatrixOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="Z", help="csv, tsv or npy."),
    method: EmbeddingName = Option("classical", help="Kind of multidimensional scaling."),
    components: Any = Option("2", parser=parse_components, metavar="N", help="How many, or all."),
    new: NewObjects = None,
    new_output: NewOutput = None,
    exponent: Exponent = "auto",
    seed: Seed = 0,
) -> None:
    """Find vectors whose distances are near the dissimilarities.

    With --new, also for objects that are not in D.
    """
    relation, rows = _read_both(matrix, output, new, new_output, options, console)
    mds = getattr(relrbf.embeddings, EMBEDDINGS[method])(components, exponent=as_exponent(exponent))
    if method == "landmark":
        mds.set_params(random_state=seed)
    with console.progress("embedding"):
        Z = mds.fit_transform(relation)
    console.note_exponent(matrix, mds.exponent_)
    names = [f"z{k}" for k in range(1, Z.shape[1] + 1)]
    relrbf.io.save_matrix(output, Z, relation.ids, names)
    n, c = Z.shape
    console.print(f"{output}: {n} objects, {c} coordinates", coordinates=output, n_objects=n)
    console.record(n_components=c, exponent=mds.exponent_, eigenvalues=mds.eigenvalues_)
    if rows is not None:
        _save_new(mds.transform, names, rows, new_output, console)


@command(
    "relrbf repair D.csv -o fixed.csv --norm l2", "relrbf repair D.csv -o fixed.csv --to euclidean"
)
def repair(
    console: Console,
    options: MatrixOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="FIXED", help="csv, tsv or npy."),
    norm: Literal["l2", "l1"] = Option("l2", help="Minimise squared, or absolute changes."),
    to: RepairName = Option("metric", help="The last three change the negative spectrum only."),
    exponent: Exponent = "auto",
    new: NewObjects = None,
    new_output: NewOutput = None,
) -> None:
    """Change a matrix as little as possible into a metric or into distances between vectors."""
    relation, rows = _read_both(matrix, output, new, new_output, options, console)
    methods = relrbf.repair
    if to != "metric":
        relation = _with_exponent(relation, as_exponent(exponent))
        console.note_exponent(matrix, relation.exponent)
    with console.progress("repairing") as show:

        def count(step: int, gap: float) -> None:
            show(f"repairing, step {step}, {gap:.1e} to go")

        if to in ("metric", "euclidean"):
            result = getattr(methods, f"nearest_{to}")(relation, norm, progress=count)
        else:
            result = getattr(methods, f"spectrum_{to}")(relation)
    with console.progress(f"writing {output}"):
        relrbf.io.save_matrix(output, result.matrix, relation.ids, relation.ids)
    n = relation.n_objects
    console.print(f"{output}: {result.n_changed:,} of {n * (n - 1) // 2:,} pairs changed")
    status = result.status.value.replace("nearest_euclidean finds", "--to euclidean finds")
    console.print(f"  in all by {result.distance:.6g}\n  {status}")
    console.record(matrix=output, n_objects=n, n_changed=result.n_changed)
    console.record(distance=result.distance, status=result.status, gap=result.gap)
    if rows is not None:
        _save_new(result.extend, relation.ids, rows, new_output, console)


def _with_exponent(relation: Any, exponent: int | str) -> Any:
    """Return a relation under the exponent that was given, or that a fit would choose."""
    import numpy as np

    from relrbf.relations.properties import report_on

    if isinstance(exponent, str):
        n = relation.n_objects
        exponent = report_on(relation, np.full(n, 1 / n))[0].suggested_exponent
    return relation.with_exponent(exponent)


def _read_both(matrix: Path, output: Path, new: Any, new_output: Any, *how: Any) -> tuple[Any, Any]:
    """Read a relation and new objects, if any; refuse now what could not be written later."""
    if (new is None) != (new_output is None):
        raise CommandError("--new and --new-output go together: what is read, what is written.")
    for path in (output, new_output):
        check_output(path, ".csv", ".tsv", ".npy")
    relation, rows = read_relation(matrix, *how), None
    if new is not None:
        rows = read_rows(new, relation.ids, relation.n_objects, None, *how)
    for path, found in ((output, relation.ids), (new_output, rows and rows.row_ids)):
        if path is not None and path.suffix == ".npy":
            relrbf.relations.on_disk.check_names_beside(path, found)
    return relation, rows


def _save_new(
    convert: Callable[[Any], Any], names: Any, rows: Any, output: Path | None, console: Console
) -> None:
    """Convert the dissimilarities of new objects, and write the result with names of columns."""
    with rows.naming_errors():
        converted = convert(rows.values)
    relrbf.io.save_matrix(output, converted, rows.row_ids, names)
    console.print(f"{output}: {rows.shape[0]:,} new objects")


@command("relrbf cluster D.csv -o labels.csv -k 3")
def cluster(
    console: Console,
    options: MatrixOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="LABELS", help="csv or tsv: id,cluster."),
    clusters: int = Option(..., "-k", "--clusters", min=1, metavar="K", help="How many."),
    fuzzy: bool = Option(False, "--fuzzy", help="Fuzzy c-means: columns for the memberships."),
    exponent: Exponent = "auto",
    seed: Seed = 0,
) -> None:
    """Group the objects of a matrix by relational k-means or fuzzy c-means."""
    check_output(output, ".csv", ".tsv")
    relation = read_relation(matrix, options, console)
    methods = relrbf.clustering
    kind = methods.RelationalFuzzyCMeans if fuzzy else methods.RelationalKMeans
    model = kind(clusters, exponent=as_exponent(exponent), random_state=seed)
    with console.progress("clustering"):
        model.fit(relation)
    console.note_exponent(matrix, model.exponent_)
    header, columns = ["id", "cluster"], [model.labels_.tolist()]
    if fuzzy:
        header += [f"membership {k}" for k in range(clusters)]
        columns += model.memberships_.T.tolist()
    n, sizes = relation.n_objects, [columns[0].count(k) for k in range(clusters)]
    names = object_names(relation.ids, n)
    relrbf.io.save_rows(output, header, zip(names, *columns, strict=True))
    console.print(f"{output}: {n:,} objects in {clusters} clusters")
    for k, size in enumerate(sizes):
        console.print(f"  {k}: {size:,} objects")
    console.record(labels=output, n_objects=n, sizes=sizes, inertia=model.inertia_)
    console.record(exponent=model.exponent_, n_iter=model.n_iter_)
