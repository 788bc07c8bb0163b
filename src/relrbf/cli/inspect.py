"""``relrbf inspect``: what a matrix is like."""

import shlex
import sys
from pathlib import Path
from typing import Any

from typer import Option

import relrbf
from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import read_classes, read_square
from relrbf.cli.options import LabelOptions, Matrix, ReadingOptions, Seed


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
    console.print(f"{loaded.path}\n{report}")
    console.record(matrix=loaded.path, **_facts(report))
    if html is None:
        return
    with console.progress("writing the page") as show:
        relrbf.report.write_inspection_report(
            html,
            relation,
            y,
            command=shlex.join(["relrbf", *sys.argv[1:]]),
            name=str(matrix),
            found=report,
            progress=show,
        )
    console.print(f"{html}: the page")
    console.record(page=html)


def _facts(report: Any) -> dict[str, Any]:
    facts = {name: value for name, value in vars(report).items() if name != "ids"}
    for name in ("worst_pair", "worst_triple"):
        positions = facts[name]
        named = None if positions is None else [report.name_of(i) for i in positions]
        facts[f"{name}_ids"] = named
    for name in ("is_relation", "is_metric", "additive_constant"):
        facts[name] = getattr(report, name)
    return facts | {"text": str(report)}
