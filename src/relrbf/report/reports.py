"""The pages on a relation and on a fitted network."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.base import check_classes
from relrbf.exceptions import OptionError
from relrbf.inspection import RelationInspection, inspect_relation
from relrbf.inspection.inspect import unvalidated_relation
from relrbf.report import sections
from relrbf.report.data import RelationData, object_names
from relrbf.report.evaluation import EvaluationResult
from relrbf.report.objects import errors_table, map_section, mistakes_table, prototypes_table
from relrbf.report.page import ReportProgress, Section, prepare, prose, render, write_page
from relrbf.report.relation import (
    ClusterFinding,
    find_clusters,
    relation_section,
    tendency_section,
    vectors_text,
)

LINKED_TITLE = "Map, mistakes and prototypes"


def write_fit_report(
    path: Any,
    evaluation: EvaluationResult,
    *,
    command: str = "",
    loading: str = "",
    predicting: str = "model.predict(D_new)",
    name: str = "",
    progress: ReportProgress | None = None,
    more: Sequence[Section] = (),
) -> None:
    """Describe a fitted network and its evaluation on one self-contained HTML page.

    Parameters
    ----------
    path : str or Path
        Where to write; an existing file is replaced once the page is complete.
    evaluation : EvaluationResult
        What ``evaluate`` returned for the network.
    command, loading : str, default=""
        The shell command that writes this page, and Python lines that define D and y, to be shown.
    predicting : str, default="model.predict(D_new)"
        Lines that predict new objects, to be shown.
    name : str, default=""
        The name of the data, for the title.
    progress : callable or None, default=None
        Called with the current step, the number of steps done, and their total.
    more : sequence of Section, default=()
        Further sections, shown after the summary.
    """
    data = evaluation.data
    prepare(path := Path(path))
    notify = progress or (lambda *step: None)
    labels = data.classes[data.y] if data.has_classes else None
    with warnings.catch_warnings():  # fit warned already
        warnings.simplefilter("ignore")
        found = inspect_relation(data.relation, labels, progress=lambda step, _: notify(step, 0, 5))
    notify("drawing the map", 1, 5)
    clusters = find_clusters(data)
    view = linked_section(evaluation)
    notify("drawing the relation", 2, 5)
    details = [relation_section(data, replace(found, ids=data.names))]
    details.append(tendency_section(data, clusters))
    notify("drawing the predictions", 3, 5)
    content = [
        sections.baselines_section(evaluation),
        _summary(evaluation, clusters, vectors_text(found, data), predicting),
        *more,
        view,
        sections.performance_section(evaluation),
        *details,
        sections.training_section(data),
        sections.parameters_section(data.model),
        sections.methods_section(evaluation),
        sections.reproduction_section(data.model, command, loading, evaluation.cross_validation),
    ]
    notify("writing the page", 4, 5)
    kind = "Classification" if data.has_classes else "Regression"
    title = f"{kind} from dissimilarities"
    title = f"{name}: {title.lower()}" if name else title
    lead, cards = sections.lead_text(evaluation), sections.cards(found, clusters, evaluation)
    write_page(path, title, lead, content, cards)
    notify("writing the page", 5, 5)


def _summary(
    evaluation: EvaluationResult, clusters: ClusterFinding, vectors: str, predicting: str
) -> Section:
    """Return what the numbers say, and what to do next."""
    shown = ("result", "baselines", "mistakes", "errors")  # in the lead, the plot and the lists
    found = [text for kind, text in evaluation.findings.items() if kind not in shown]
    points = [*sections.expectation(evaluation), *found, clusters.sentence, vectors]
    points.append(sections.size_text(evaluation))
    steps = sections.next_steps(evaluation)
    return Section("Conclusions", points=points, steps=steps, code=predicting)


def linked_section(evaluation: EvaluationResult) -> Section:
    """Return the map with the tables of mistakes and prototypes beside it."""
    data, held, q = evaluation.data, evaluation.held_out, evaluation.half_width
    drawn = map_section(data, data.model.exponent_, held, q)
    tables = [prototypes_table(data)]
    text = prose("linked", data=data, held=held, n_wrong=len(evaluation.wrong))
    if data.has_classes and len(evaluation.wrong):
        tables.insert(0, mistakes_table(held))
    elif not data.has_classes and not data.is_constant:
        tables.insert(0, errors_table(held, q or np.inf))
    return Section(LINKED_TITLE, text, tables=tables, drawings=drawn.drawings, is_linked=True)


def write_inspection_report(
    path: Any,
    D: Any,
    y: Any = None,
    *,
    ids: Any = None,
    command: str = "",
    name: str = "",
    found: RelationInspection | None = None,
    progress: ReportProgress | None = None,
) -> RelationInspection:
    """Describe a relation on one self-contained HTML page.

    A matrix that cannot be used as it is is described too: the page says what is wrong.

    Parameters
    ----------
    path : str or Path
        Where to write; an existing file is replaced once the page is complete.
    D : array, memmap, frame or Relation of shape (n, n)
        Dissimilarities.
    y : sequence of n labels or None, default=None
        Classes, to be compared with the dissimilarities.
    ids : sequence of n names or None, default=None
        Names of the objects; None: those of D, or positions.
    command, name : str, default=""
        The shell command that writes this page, to be shown, and a name of the data for the title.
    found : RelationInspection or None, default=None
        What ``inspect_relation(D, y)`` returned; None: D is inspected here.
    progress : callable or None, default=None
        Called with the current step, the number of steps done, and their total.

    Returns
    -------
    RelationInspection
        What was found, with the names of the objects.
    """
    notify = progress or (lambda *step: None)
    relation = unvalidated_relation(D)
    names = object_names(relation, ids)
    prepare(path := Path(path))
    if found is None:
        found = inspect_relation(relation, y, progress=lambda step, _: notify(step, 0, 3))
    if found.n_objects != relation.n_objects:
        raise OptionError(
            f"found is about {found.n_objects} objects and D about {relation.n_objects}; pass what "
            "inspect_relation(D, y) returned, or nothing."
        )
    found = replace(found, ids=names)
    notify("drawing", 1, 3)
    content, clusters = [relation_section(None, found)], None
    if found.is_relation:
        empty = np.empty(0)
        classes, labels = (empty, empty) if y is None else check_classes(y, relation)
        data = RelationData(relation, names, labels, classes)
        content = [
            map_section(data, found.suggested_exponent or 2),
            tendency_section(data, clusters := find_clusters(data)),
            relation_section(data, found),
        ]
    advice = render("next_steps.txt", found=found).strip().splitlines()
    points, _, commands = zip(*(line.partition(" $ ") for line in advice), strict=True)
    code = "\n".join([f"$ {command}\n", *commands] if command else commands).rstrip()
    content.append(Section("Next steps", points=points, facts=sections.versions(), code=code))
    notify("writing the page", 2, 3)
    title = f"{name}: the relation" if name else "The relation"
    lead = prose("relation_lead", found=found)
    write_page(path, title, lead, content, sections.cards(found, clusters))
    notify("writing the page", 3, 3)
    return found
