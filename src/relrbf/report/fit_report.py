"""The report on a fitted network."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from relrbf.inspection import RelationInspection, inspect_relation
from relrbf.inspection.text import percent
from relrbf.report.data import FittedData, Network, validate_fit
from relrbf.report.evaluation import Evaluation, EvaluationPlan, check_folds
from relrbf.report.map import map_section
from relrbf.report.mistakes import errors_section, misclassified_section
from relrbf.report.model_section import (
    parameters_section,
    prototypes_section,
    reproduction_section,
    training_section,
)
from relrbf.report.page import Progress, Section, Steps, count, prepare, write_page
from relrbf.report.performance_section import baselines_section, performance_section
from relrbf.report.relation_section import relation_section, tendency_section

N_OTHER_STEPS = 3  # inspecting, drawing, writing


def write_fit_report(
    path: Any,
    model: Network,
    D: Any,
    y: Any,
    *,
    ids: Any = None,
    command: str = "",
    loading: str = "",
    name: str = "",
    n_splits: int = 5,
    n_repeats: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    more: Sequence[Section] = (),
) -> Evaluation:
    """Evaluate a fitted network and describe it on one self-contained HTML page.

    Accuracy, calibration and mistakes are those of held-out objects: networks with the same
    parameters, and tuned k-NN and support vector machines, are trained in cross-validation.

    Parameters
    ----------
    path : str or Path
        Where to write; an existing file is replaced once the page is complete.
    model : RBFNetworkClassifier or RBFNetworkRegressor
        Fitted on D and y.
    D : array, memmap, frame or Relation of shape (n, n)
        The dissimilarities it was trained on.
    y : array of shape (n,)
        The labels or targets it was trained on.
    ids : sequence of n names or None, default=None
        Names of the objects; None: those of D, or positions.
    command : str, default=""
        The shell command that writes this page, to be shown.
    loading : str, default=""
        Python lines that define D and y, to be shown.
    name : str, default=""
        The name of the data, for the title.
    n_splits : int, default=5
        Folds of the cross-validation; fewer if a class is too small.
    n_repeats : int or None, default=None
        Repetitions with other folds; None: 2, or 1 for more than 1,000 objects.
    random_state : int, default=0
        Seeds the folds.
    n_jobs : int or None, default=None
        Processes that train on several folds at once.
    progress : callable or None, default=None
        Called with the current step, the number of steps done, and their total.
    more : sequence of Section, default=()
        Further sections, shown after the summary.

    Returns
    -------
    Evaluation
        The numbers and sentences of the page's summary.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_iris
    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.report import write_fit_report
    >>> X, y = load_iris(return_X_y=True)
    >>> D = squareform(pdist(X[::3]))
    >>> model = RBFNetworkClassifier(random_state=0).fit(D, y[::3])
    >>> page = Path(mkdtemp()) / "report.html"
    >>> evaluation = write_fit_report(page, model, D, y[::3], n_splits=3, n_repeats=1)
    >>> evaluation.score.mean > 0.8
    True
    """
    options = {"n_splits": n_splits, "n_repeats": n_repeats, "random_state": random_state}
    check_folds(**options)
    data = validate_fit(model, D, y, ids)
    path = Path(path)
    prepare(path)
    plan = EvaluationPlan.make(data, n_splits, n_repeats, random_state)
    steps = Steps(progress, plan.n_fits + N_OTHER_STEPS)
    inspection = _inspect(data, steps)
    steps.advance()
    evaluation = plan.run(steps, n_jobs, baselines=True)
    steps.begin("drawing")
    lead, *points = evaluation.sentences
    sections = [
        Section("Summary", points=[*points, _vectors(inspection, data), _size(data)]),
        *more,
        *_sections(data, inspection, evaluation),
        reproduction_section(model, command, loading, options),
    ]
    steps.advance()
    steps.begin("writing the page")
    kind = "classification" if data.has_classes else "regression"
    title = f"{name}: {kind} from dissimilarities" if name else f"{kind} from dissimilarities"
    write_page(path, title[0].upper() + title[1:], lead, sections)
    steps.advance()
    return evaluation


def _inspect(data: FittedData, steps: Steps) -> RelationInspection:
    labels = data.classes[data.y] if data.has_classes else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = inspect_relation(data.relation, labels, progress=lambda step, _: steps.begin(step))
    return replace(found, ids=data.names)


def _sections(
    data: FittedData, inspection: RelationInspection, evaluation: Evaluation
) -> list[Section]:
    held = evaluation.held_out
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
    meaning = f"With exponent {exponent} ({'distances' if exponent == 2 else 'squared distances'})"
    if found.has_vector_dual[exponent]:
        return (
            f"{meaning}, vectors with these dissimilarities exist: the network has an exact vector "
            "equivalent."
        )
    negative = found.negative_eigenfraction[exponent]
    if negative is None:
        return f"The dissimilarities are used with exponent {exponent}."
    return (
        f"{meaning}, no vectors have these dissimilarities: {percent(negative)} of the spectrum is "
        "negative. The network needs none, but has no vector equivalent."
    )


def _size(data: FittedData) -> str:
    classes = f" of {len(data.classes)} classes" if data.has_classes else ""
    return (
        f"The network has {count(len(data.model.prototypes_), 'prototype')} and was trained on "
        f"{data.n_objects:,} objects{classes}."
    )
