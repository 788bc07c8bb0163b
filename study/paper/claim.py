"""A claim of the paper, what we found, and the rules by which the two are compared."""

from dataclasses import dataclass
from enum import Enum

from scipy.stats import fisher_exact

from study.paper.evidence import Mean

NEAR = 1.5  # points below the paper's accuracy that still count as reproduced
NEAR_DEVIATION = 0.05
CHANCE = 0.05
ERRORS = 2  # standard errors either way
ENOUGH = 10  # repetitions, for a verdict on a difference or on a number of runs


class Verdict(Enum):
    """How a claim fared; the values are what readers see."""

    REPRODUCED = "reproduced"
    PARTLY = "in part"
    FAILED = "not reproduced"
    OPEN = "cannot be tested"


@dataclass(frozen=True)
class Claim:
    """One row of the table; ``by_genes`` is ours with whole genes held out, for HG-194."""

    data: str
    topic: str
    paper: str
    ours: str
    verdict: Verdict
    reason: str = ""
    by_genes: str = ""


RULES = (
    "Accuracies are in percent, differences in points of test accuracy on the same splits. After "
    "an accuracy, ± is the spread over the repetitions; after a difference, its standard error. "
    f"An accuracy is reproduced where ours is at least the paper's minus {NEAR} points, in part "
    "where that holds for some of the three parts. A difference is reproduced where ours, plus "
    f"or minus {ERRORS} standard errors, meets the paper's range (one point either way where the "
    f"paper gives one number), in part where it has the same sign by more than {ERRORS} standard "
    "errors; and is at least half the paper's smallest, for either. A deviation is reproduced "
    f"where its mean is within {NEAR_DEVIATION} of the paper's and its spread at most "
    f"{NEAR_DEVIATION} wider, in part where one of the two holds. A number of runs is reproduced "
    f"where chance explains the difference (Fisher's exact test, p at least {CHANCE}). Fewer "
    f"than {ENOUGH} repetitions tell nothing of differences and numbers of runs."
)


def judge_drop(found: Mean, low: float, high: float) -> Verdict:
    """Compare a drop with the paper's range."""
    if found.n < ENOUGH:
        return Verdict.OPEN
    room = ERRORS * found.error
    if found.value < low / 2:
        return Verdict.FAILED
    if low - room <= found.value <= high + room:
        return Verdict.REPRODUCED
    return Verdict.PARTLY if found.value > room else Verdict.FAILED


def judge_count(found: int, n: int, paper: int, n_paper: int = 100) -> Verdict:
    """Compare how many of so many runs with the paper's."""
    if n < ENOUGH:
        return Verdict.OPEN
    chance = fisher_exact([[found, n - found], [paper, n_paper - paper]]).pvalue
    return Verdict.REPRODUCED if chance >= CHANCE else Verdict.FAILED


def judge_all(*held: bool) -> Verdict:
    """Reproduced where all hold, in part where some do."""
    if all(held):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if any(held) else Verdict.FAILED
