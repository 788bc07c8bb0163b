"""``relrbf inspect``: what a matrix is like."""

import shlex
import sys
from pathlib import Path
from typing import Any

from typer import Option

<<<<<<< HEAD
import relrbf
from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import read_classes, read_square
from relrbf.cli.options import MATRIX, SEED, LabelOptions, ReadingOptions


@command("relrbf inspect D.csv", "relrbf inspect D.csv --labels y.csv --html relation.html")
def inspect(
    console: Console,
    options: ReadingOptions,
    label_options: LabelOptions,
    matrix: Path = MATRIX,
    labels: Path | None = Option(None, metavar="Y", help="Classes, to compare with D."),
    html: Path | None = Option(None, metavar="PAGE", help="Write a page with pictures."),
    max_exact: int = Option(3000, min=1, metavar="N", help="Check all triangles up to N objects."),
    seed: int = SEED,
=======
from relrbf import inspect_relation
from relrbf.cli.places import check_output
from relrbf.cli.reading import read_classes, read_square
from relrbf.cli.screen import Screen
from relrbf.cli.words import command_words
from relrbf.inspection import RelationInspection
from relrbf.inspection.inspect import unvalidated_relation


def run(options: Namespace, screen: Screen) -> None:
    """Look at the matrix, print what was found, write the page if one is asked for."""
    check_output(options.html, ".html", ".htm")
    matrix = read_square(options.matrix, options, screen)
    relation = unvalidated_relation(matrix.values, matrix.ids)
    y = read_classes(options, matrix.ids, relation.n_objects, screen)
    with screen.working("inspecting") as ticker:
        report = inspect_relation(
            relation,
            y,
            max_exact=options.max_exact,
            random_state=options.seed,
            progress=ticker.tell,
        )
    screen.say(f"{matrix.path}\n{command_words(str(report))}")
    screen.tell(matrix=matrix.path, **_facts(report))
    if options.html is not None:
        _write_page(relation, y, report, options, screen)


def _facts(report: RelationInspection) -> dict[str, Any]:
    facts = {name: value for name, value in vars(report).items() if name != "ids"}
    for name in ("worst_pair", "worst_triple"):
        places = facts[name]
        named = None if places is None else [report.name_of(place) for place in places]
        facts[f"{name}_ids"] = named
    for name in ("is_relation", "is_metric", "additive_constant"):
        facts[name] = getattr(report, name)
    return facts | {"text": command_words(str(report))}


def _write_page(
    relation: Any,
    y: np.ndarray | None,
    found: RelationInspection,
    options: Namespace,
    screen: Screen,
>>>>>>> main
) -> None:
    """Describe a matrix, whether it is a metric, and how far from distances between vectors.

    A matrix that other commands refuse is described too, and nothing is changed.
    """
    from relrbf.inspection.inspect import as_given

    check_output(html, ".html", ".htm")
    loaded = read_square(matrix, options, console)
    relation = as_given(loaded.values, loaded.ids)
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
            progress=lambda text, done, total: show(text, done / max(total, 1)),
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
