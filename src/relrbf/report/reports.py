"""The pages on a relation and on a fitted network, and the sections that both have."""

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
from relrbf.inspection.text import percent
from relrbf.plotting import plot_spectrum, plot_tendency
from relrbf.report import sections
from relrbf.report.data import FittedData, RelationData, object_names
from relrbf.report.evaluation import EvaluationResult
from relrbf.report.map import map_section
from relrbf.report.page import (
    Picture,
    ReportProgress,
    Section,
    count,
    new_figure,
    prepare,
    prose,
    render,
    write_page,
)
from relrbf.tendency import ivat, vat

MAX_TENDENCY_OBJECTS = 1000  # of more, a sample is shown
MAX_CLASS_LANES = 40


def write_fit_report(
    path: Any,
    evaluation: EvaluationResult,
    *,
    command: str = "",
    loading: str = "",
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
        found = inspect_relation(data.relation, labels, progress=lambda step, _: notify(step, 0, 3))
    notify("drawing", 1, 3)
    model, plan, held = data.model, evaluation.cross_validation, evaluation.held_out
    lead, *points = evaluation.sentences
    classes = f" of {len(data.classes)} classes" if data.has_classes else ""
    size = f"The network has {count(len(model.prototypes_), 'prototype')} and was trained on "
    points += [_vectors(found, data), f"{size}{data.n_objects:,} objects{classes}."]
    list_wrong = sections.list_misclassified if data.has_classes else sections.list_errors
    content = [
        Section("Summary", points=points),
        *more,
        relation_section(data, replace(found, ids=data.names)),
        tendency_section(data),
        map_section(data, model.exponent_, held),
        sections.prototypes_section(data),
        sections.training_section(data),
        sections.performance_section(evaluation),
        list_wrong(held),
        sections.baselines_section(evaluation),
        sections.parameters_section(model),
        sections.reproduction_section(model, command, loading, plan),
    ]
    notify("writing the page", 2, 3)
    kind = "Classification" if data.has_classes else "Regression"
    title = f"{kind} from dissimilarities"
    write_page(path, f"{name}: {title.lower()}" if name else title, lead, content)
    notify("writing the page", 3, 3)


def _vectors(found: RelationInspection, data: FittedData) -> str:
    """Return whether the network has a vector equivalent."""
    e = int(data.model.exponent_)
    negative = found.negative_eigenfraction[e]
    options = {"exponent": e, "has_vectors": found.has_vector_dual[e]}
    return prose("vector_equivalent", negative=percent(negative) if negative else "", **options)


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
    content = [relation_section(None, found)]
    if found.is_relation:
        empty = np.empty(0)
        classes, labels = (empty, empty) if y is None else check_classes(y, relation)
        data = RelationData(relation, names, labels, classes)
        content = [
            relation_section(data, found),
            tendency_section(data),
            map_section(data, found.suggested_exponent or 2),
        ]
    advice = render("next_steps.txt", found=found).strip().splitlines()
    points, _, commands = zip(*(line.partition(" $ ") for line in advice), strict=True)
    code = "\n".join([f"$ {command}\n", *commands] if command else commands).rstrip()
    content.append(Section("Next steps", points=points, facts=sections.versions(), code=code))
    notify("writing the page", 2, 3)
    title = f"{name}: the relation" if name else "The relation"
    write_page(path, title, prose("relation_lead", found=found), content)
    notify("writing the page", 3, 3)
    return found


def relation_section(data: RelationData | None, found: RelationInspection) -> Section:
    """Return the facts and conclusions of an inspection, with the spectrum if there is one."""
    first, *others = found.facts
    lines = [line.partition(": ") for line in others]
    facts = [("objects", first), *((name, text) for name, _, text in lines)]
    pictures = [] if data is None else _spectrum(data, found)
    return Section("The relation", "\n\n".join(found.conclusions), facts=facts, pictures=pictures)


def _spectrum(data: RelationData, found: RelationInspection) -> list[Picture]:
    is_fitted = isinstance(data, FittedData)
    exponent = data.model.exponent_ if isinstance(data, FittedData) else found.suggested_exponent
    if exponent not in (1, 2):
        return []
    figure = new_figure(5.2, 3.1)
    plot_spectrum(data.relation, figure.subplots(), exponent=exponent)
    negative = found.negative_eigenfraction[int(exponent)]
    options = {"is_fitted": is_fitted, "negative": percent(negative) if negative else ""}
    return [Picture(figure, prose("spectrum", exponent=exponent, **options), "spectrum")]


def tendency_section(data: RelationData) -> Section:
    """Return VAT and iVAT, with classes or quintiles of the targets beside them."""
    n_sample = None if data.n_objects <= MAX_TENDENCY_OBJECTS else MAX_TENDENCY_OBJECTS
    groups, names, colours = data.groups
    has_lanes = 0 < len(names) <= MAX_CLASS_LANES and not data.is_constant
    pictures = []
    for name, order in (("VAT", vat), ("iVAT", ivat)):
        figure = new_figure(4.2, 3.8, "compressed")
        result = order(data.relation, n_sample=n_sample, random_state=0)
        labels = groups if has_lanes else None
        ax = plot_tendency(result, labels, figure.subplots(), colours=colours)
        if drawn := ax.get_legend():
            drawn.remove()  # the page has its own
        ax.set_title(name, loc="left", fontsize=10)
        pictures.append(Picture(figure, prose(name.lower()), name.lower()))
    n_shown = n_sample or data.n_objects
    text = prose("tendency", data=data, has_lanes=has_lanes, n_shown=n_shown)
    legend = [(colours[k % len(colours)], name) for k, name in enumerate(names)]
    return Section("Cluster tendency", text, pictures=pictures, legend=legend if has_lanes else [])
