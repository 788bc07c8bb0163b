"""The report on a fitted network."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from relrbf.inspection import RelationInspection, inspect_relation
from relrbf.inspection.text import percent
from relrbf.report.data import FittedData
from relrbf.report.evaluation import EvaluationResult
from relrbf.report.inspection_report import relation_section, tendency_section
from relrbf.report.map import map_section
from relrbf.report.model_section import (
    parameters_section,
    prototypes_section,
    reproduction_section,
    training_section,
)
from relrbf.report.page import ReportProgress, Section, count, prepare, prose, write_page
from relrbf.report.performance import (
    baselines_section,
    errors_section,
    misclassified_section,
    performance_section,
)


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
    command : str, default=""
        The shell command that writes this page, to be shown.
    loading : str, default=""
        Python lines that define D and y, to be shown.
    name : str, default=""
        The name of the data, for the title.
    progress : callable or None, default=None
        Called with the current step, the number of steps done, and their total.
    more : sequence of Section, default=()
        Further sections, shown after the summary.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_iris
    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.report import evaluate, write_fit_report
    >>> X, y = load_iris(return_X_y=True)
    >>> D = squareform(pdist(X[::3]))
    >>> model = RBFNetworkClassifier(random_state=0).fit(D, y[::3])
    >>> page = Path(mkdtemp()) / "report.html"
    >>> write_fit_report(page, evaluate(model, D, y[::3], n_splits=3, n_repeats=1))
    >>> page.exists()
    True
    """
    path, data = Path(path), evaluation.data
    prepare(path)
    notify = progress or (lambda *step: None)
    inspection = _inspect(data, lambda step, _: notify(step, 0, 3))
    notify("drawing", 1, 3)
    lead, *points = evaluation.sentences
    sections = [
        Section("Summary", points=[*points, _vectors(inspection, data), _size(data)]),
        *more,
        *_sections(inspection, evaluation),
        reproduction_section(data.model, command, loading, evaluation.cross_validation),
    ]
    notify("writing the page", 2, 3)
    kind = "Classification" if data.has_classes else "Regression"
    title = f"{kind} from dissimilarities"
    write_page(path, f"{name}: {title.lower()}" if name else title, lead, sections)
    notify("writing the page", 3, 3)


def _inspect(data: FittedData, progress: Callable[[str, float], Any]) -> RelationInspection:
    labels = data.classes[data.y] if data.has_classes else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = inspect_relation(data.relation, labels, progress=progress)
    return replace(found, ids=data.names)


def _sections(inspection: RelationInspection, evaluation: EvaluationResult) -> list[Section]:
    held, data = evaluation.held_out, evaluation.data
    wrong = misclassified_section(held) if data.has_classes else errors_section(held)
    return [
        relation_section(data, inspection),
        tendency_section(data),
        map_section(data, data.model.exponent_, held),
        prototypes_section(data),
        training_section(data),
        performance_section(evaluation),
        wrong,
        baselines_section(evaluation),
        parameters_section(data.model),
    ]


def _vectors(found: RelationInspection, data: FittedData) -> str:
    """Return whether the network has a vector equivalent."""
    exponent = int(data.model.exponent_)
    negative = found.negative_eigenfraction[exponent]
    return prose(
        "vector_equivalent",
        exponent=exponent,
        has_vectors=found.has_vector_dual[exponent],
        negative=percent(negative) if negative else "",
    )


def _size(data: FittedData) -> str:
    classes = f" of {len(data.classes)} classes" if data.has_classes else ""
    return (
        f"The network has {count(len(data.model.prototypes_), 'prototype')} and was trained on "
        f"{data.n_objects:,} objects{classes}."
    )
