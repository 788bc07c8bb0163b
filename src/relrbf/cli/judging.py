"""How good a model is on objects it has not seen, in a few lines."""

from argparse import Namespace
from typing import Any

import numpy as np

from relrbf.cli.screen import Screen
from relrbf.exceptions import OptionError
from relrbf.relations.base import Relation
from relrbf.report.case import Case, case_of_fit
from relrbf.report.folds import Plan, plan_for
from relrbf.report.held_out import BASELINE, HeldOut, hold_out
from relrbf.report.summary import FitSummary, in_words, summarise_fit

FOLDS = 5
MOST_JUDGED = 3000  # objects beyond which only those who ask wait for it


def judge(
    model: Any, relation: Relation, y: np.ndarray, options: Namespace, screen: Screen
) -> None:
    """Hold every object out once; say how well it was predicted."""
    folds = options.folds
    if folds is None:
        folds = FOLDS if relation.n_objects <= MOST_JUDGED else 0
    if not folds:
        screen.note("how good it is on new objects was not measured; --folds 5 does")
        return
    case = case_of_fit(model, relation, y, None)
    try:
        plan = plan_for(case, folds, 1)
    except OptionError as error:  # no reason to call a model that is there a failure
        screen.note(f"how good it is on new objects cannot be measured: {error}")
        return
    summary = summarise_fit(_held(case, plan, options, screen), plan, None)
    screen.note(*plan.notes)
    _say(summary, plan, case, screen)


def _held(case: Case, plan: Plan, options: Namespace, screen: Screen) -> HeldOut:
    parts, answers = plan.parts(case, options.seed), []
    with screen.working("cross-validating") as ticker:
        for answer in hold_out(case, parts, options.seed, options.jobs, rivals=False):
            answers.append(answer)
            ticker.tell("cross-validating", len(answers) / len(parts))
    return HeldOut(case, answers)


def _say(summary: FitSummary, plan: Plan, case: Case, screen: Screen) -> None:
    screen.tell(cross_validation=summary.as_dict())
    if not case.varies:
        screen.note("the target does not vary: there is nothing to predict")
    value = in_words(summary.score, summary.measure)
    screen.say(f"  on objects it has not seen: {summary.measure} {value} ({plan})")
    if case.has_classes:
        least = in_words(summary.of(BASELINE), summary.measure)
        screen.say(f"  always saying the largest class: {summary.measure} {least}")
    if case.n_twins:
        screen.note(
            f"{case.n_twins} of {case.n_objects} objects are copies of others, which flatters "
            "these numbers; --report says by how much"
        )
