"""The report on a fitted network."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

from relrbf._options import check_number
from relrbf.inspection import RelationInspection, inspect_relation
from relrbf.report.about_model import again_section, choices_section, training_section
from relrbf.report.about_relation import relation_section, tendency_section
from relrbf.report.accuracy import accuracy_section, rivals_section
from relrbf.report.case import Case, Progress, case_of_fit
from relrbf.report.folds import Part, Plan, parts_without_twins, plan_for
from relrbf.report.held_out import HeldOut, hold_out
from relrbf.report.mistakes import mistakes_section
from relrbf.report.page import Section, prepare, write_page
from relrbf.report.places import embed, places_section
from relrbf.report.prototypes import prototypes_section
from relrbf.report.residuals import residuals_section
from relrbf.report.rivals import MOST_TUNED
from relrbf.report.steps import Steps
from relrbf.report.summary import FitSummary, sentences, summarise_fit
from relrbf.report.words import count

OTHER_STEPS = 3  # beside the parts held out: inspection, pictures, page
MANY_TWINS = 0.02  # of the objects: fewer flatter nothing


def write_fit_report(
    path: Any,
    model: Any,
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
) -> FitSummary:
    """Write all about a fitted network on one HTML page: what it is worth, and what it learnt.

    The page needs no other file and no network. What it says about accuracy, calibration and
    mistakes is about objects held out: the network is trained again on parts of the objects, and
    k-NN and a support vector machine, tuned, on the same parts.

    Parameters
    ----------
    path : str or Path
        Where to write; what was there is replaced when the page is whole.
    model : RBFNetworkClassifier or RBFNetworkRegressor
        Fitted on D and y.
    D : array, memmap, frame or Relation of shape (n, n)
        The dissimilarities it was trained on.
    y : array of shape (n,)
        The labels or targets it was trained on.
    ids : sequence of n names or None, default=None
        Names of the objects; None: those that D brings along, or positions.
    command : str, default=""
        The line of a shell that does it again, to be shown.
    loading : str, default=""
        The lines of Python that make D and y, to be shown before those that use them.
    name : str, default=""
        What the data are called, for the title.
    n_splits : int, default=5
        Parts of the cross-validation; fewer where a class is too small for it.
    n_repeats : int or None, default=None
        How often objects are dealt anew; None: twice, and once for more than 1,000 objects.
    random_state : int, default=0
        Decides who is held out with whom.
    n_jobs : int or None, default=None
        Processes that train on several parts at once.
    progress : callable or None, default=None
        Called with what is being done, how many steps are done, and how many there are.
    more : sequence of Section, default=()
        Sections of one's own, after the summary.

    Returns
    -------
    FitSummary
        The numbers of the page's first section, and its sentences; ``as_dict()`` is for JSON.

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
    >>> summary = write_fit_report(page, model, D, y[::3], n_splits=3, n_repeats=1)
    >>> summary.score.mean > 0.8
    True
    """
    how = {"n_splits": n_splits, "n_repeats": n_repeats, "random_state": random_state}
    _check(**how)
    case = case_of_fit(model, D, y, ids)
    path = Path(path)
    prepare(path)
    plan = plan_for(case, n_splits, n_repeats)
    parts = plan.parts(case, random_state)
    apart = _parts_apart(case, plan, random_state)
    steps = Steps(progress, len(parts) + len(apart) + OTHER_STEPS)
    found = _inspect(case, steps)
    steps.begin("training with parts held out")
    held = _held(case, parts, random_state, n_jobs, steps, rivals=case.n_objects <= MOST_TUNED)
    if apart:
        steps.begin("training with copies kept together")
    without_twins = _held(case, apart, random_state, n_jobs, steps) if apart else None
    summary = summarise_fit(held, plan, without_twins)
    summary = replace(summary, sentences=tuple(sentences(summary, held, plan, found)))
    steps.begin("drawing")
    sections = [
        Section("In short", points=[*summary.sentences[1:], _about(case)]),
        *more,
        *_sections(case, held, plan, found, summary),
        again_section(case, command, how, loading),
    ]
    steps.done()
    steps.begin("writing the page")
    write_page(path, _title(case, name), summary.sentences[0], sections)
    steps.done()
    return summary


def _check(n_splits: Any, n_repeats: Any, random_state: Any) -> None:
    check_number("n_splits", n_splits, Integral, 2)
    if n_repeats is not None:
        check_number("n_repeats", n_repeats, Integral, 1)
    check_number("random_state", random_state, Integral, 0)


def _parts_apart(case: Case, plan: Plan, seed: int) -> list[Part]:
    if case.n_twins < MANY_TWINS * case.n_objects:
        return []
    return parts_without_twins(case, plan.n_splits, seed)


def _inspect(case: Case, steps: Steps) -> RelationInspection:
    labels = case.labels if case.has_classes else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = inspect_relation(case.relation, labels, progress=steps.within())
    steps.done()
    return replace(found, ids=case.names)


def _held(
    case: Case,
    parts: Sequence[Part],
    seed: int,
    n_jobs: int | None,
    steps: Steps,
    *,
    rivals: bool = False,
) -> HeldOut:
    answers = []
    for answer in hold_out(case, parts, seed, n_jobs, rivals=rivals):
        answers.append(answer)
        steps.done()
    return HeldOut(case, answers)


def _sections(
    case: Case, held: HeldOut, plan: Plan, found: RelationInspection, summary: FitSummary
) -> list[Section]:
    points, shown = embed(case, case.model.exponent_)
    wrong = mistakes_section if case.has_classes else residuals_section
    return [
        relation_section(case, found),
        tendency_section(case),
        places_section(case, held, points, shown),
        prototypes_section(case),
        training_section(case),
        accuracy_section(held, plan, summary),
        wrong(case, held),
        rivals_section(held, summary),
        choices_section(case),
    ]


def _title(case: Case, name: str) -> str:
    kind = "classes" if case.has_classes else "numbers"
    return (
        f"{name}: {kind} from dissimilarities" if name else f"{kind.title()} from dissimilarities"
    )


def _about(case: Case) -> str:
    what = f" of {len(case.classes)} classes" if case.has_classes else ""
    return (
        f"It is a network of {count(len(case.model.prototypes_), 'prototype')}, trained on the "
        f"dissimilarities between {case.n_objects:,} objects{what}."
    )
