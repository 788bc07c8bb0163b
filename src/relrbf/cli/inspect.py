"""``relrbf inspect``: what a matrix is like."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import LabelOptions, Matrix, ReadingOptions, Seed

if TYPE_CHECKING:
    from relrbf.inspection import RelationInspection


@command("relrbf inspect D.csv", "relrbf inspect D.csv --labels y.csv --html relation.html")
def inspect(
    console: Console,
    matrix: Matrix,
    options: ReadingOptions,
    label_options: LabelOptions,
    labels: Annotated[
        Path | None,
        Option(
            metavar="Y", help="Classes, to compare with the dissimilarities: label or id,label."
        ),
    ] = None,
    html: Annotated[Path | None, Option(metavar="PAGE", help="Write a page with pictures.")] = None,
    max_exact: Annotated[
        int, Option(min=1, metavar="N", help="Objects up to which all triangles are checked.")
    ] = 3000,
    seed: Seed = 0,
) -> None:
    """Describe a matrix: is it symmetric, a metric, how far from distances between vectors?

    A matrix that other commands refuse is described too, and nothing is changed.
    """
    from relrbf import inspect_relation
    from relrbf.cli.inputs import read_classes, read_square
    from relrbf.inspection.inspect import as_given

    check_output(html, ".html", ".htm")
    loaded = read_square(matrix, options, console)
    relation = as_given(loaded.values, loaded.ids)
    y = read_classes(labels, label_options, loaded.ids, relation.n_objects, console)
    with console.progress("inspecting") as show:
        report = inspect_relation(
            relation, y, max_exact=max_exact, random_state=seed, progress=show
        )
    console.print(f"{loaded.path}\n{report}")
    console.record(matrix=loaded.path, **_facts(report))
    if html is not None:
        _write_page(html, matrix, relation, y, report, console)


def _facts(report: "RelationInspection") -> dict[str, Any]:
    facts = {name: value for name, value in vars(report).items() if name != "ids"}
    for name in ("worst_pair", "worst_triple"):
        positions = facts[name]
        named = None if positions is None else [report.name_of(i) for i in positions]
        facts[f"{name}_ids"] = named
    for name in ("is_relation", "is_metric", "additive_constant"):
        facts[name] = getattr(report, name)
    return facts | {"text": str(report)}


def _write_page(
    html: Path, matrix: Path, relation: Any, y: Any, report: "RelationInspection", console: Console
) -> None:
    from relrbf.report import write_inspection_report

    with console.progress("writing the page") as show:
        write_inspection_report(
            html,
            relation,
            y,
            command=shlex.join(["relrbf", *sys.argv[1:]]),
            name=str(matrix),
            found=report,
            progress=lambda text, done, total: show(text, done / max(total, 1)),
        )
    console.print(f"{html}: the page")
    console.record(page=html)
