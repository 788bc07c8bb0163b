"""How good a model is on objects it has not seen, in a few lines."""

from argparse import Namespace
from typing import Any

import numpy as np

from relrbf.cli.screen import Screen
from relrbf.relations.base import Relation

FOLDS = 5
MOST_JUDGED = 3000  # objects beyond which only those who ask wait for it


def judge(model: Any, relation: Relation, y: np.ndarray, options: Namespace, screen: Screen) -> Any:
    """Hold every object out once; return the scores, or None where that was not asked for."""
    from relrbf.report.case import case_of_fit
    from relrbf.report.folds import plan_for
    from relrbf.report.held_out import HeldOut, hold_out

    folds = options.folds
    if folds is None:
        folds = FOLDS if relation.n_objects <= MOST_JUDGED else 0
    if not folds:
        screen.note("how good it is on new objects was not measured; --folds 5 does")
        return None
    case = case_of_fit(model, relation, y, None)
    plan = plan_for(case, folds, 1)
    parts = plan.parts(case, options.seed)
    with screen.working("cross-validating") as ticker:
        answers = []
        for answer in hold_out(case, parts, options.seed, options.jobs, rivals=False):
            answers.append(answer)
            ticker.tell("cross-validating", len(answers) / len(parts))
    return plan, HeldOut(case, answers)
