"""``relrbf inspect``: what a matrix is like."""

import shlex
import sys
from argparse import Namespace
from typing import Any

import numpy as np

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
) -> None:
    from relrbf.report import write_inspection_report

    with screen.working("writing the page") as ticker:
        write_inspection_report(
            options.html,
            relation,
            y,
            command=shlex.join(["relrbf", *sys.argv[1:]]),
            name=str(options.matrix),
            found=found,
            progress=lambda doing, done, total: ticker.tell(doing, done / max(total, 1)),
        )
    screen.say(f"{options.html}: the page")
    screen.tell(page=options.html)
