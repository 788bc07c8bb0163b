"""Doubting a measure: some pairs are asked the other way round, some objects about themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np

from relrbf._typing import Indices
from relrbf.relations.crew import Answered, Crew
from relrbf.relations.examine import WRAPPED, Examiner, rounding_share

FIRST, ONE_IN = 16, 10_000  # pairs that are asked both ways: some at once, then one in so many
N_SELF = 4  # objects of them that are asked about themselves
REMEDIES = {
    "measure": "Say what is meant with symmetrize='mean', 'min' or 'max', which asks about every "
    f"pair both ways; or wrap it, for example {WRAPPED}.",
    "metric": f"Wrap it, for example {WRAPPED.replace('measure', 'metric')}.",
}


class SymmetryCheck:
    """Refuses a measure that is not symmetric, or not zero between an object and itself.

    Only half of the pairs are ever computed, so that nobody would notice otherwise.

    Parameters
    ----------
    crew : Crew
        Asks the measure.
    name : callable
        Names the object at a position.
    dtype : dtype
        Precision of the answers.
    """

    def __init__(self, crew: Crew, name: Callable[[int], str], dtype: np.dtype[Any]) -> None:
        self.crew = crew
        self.examiner = Examiner(name, REMEDIES[crew.measure.word], crew.measure.word)
        self.share = rounding_share(dtype)
        self.n_checked = 0
        self.n_seen = 0

    def __call__(self, answered: Answered, largest: float) -> None:
        """Check some of the pairs that were answered."""
        ends = np.cumsum([answers.values.size for _, answers in answered])
        self.n_seen += int(ends[-1])
        n_checked = min(FIRST + self.n_seen // ONE_IN - self.n_checked, int(ends[-1]))
        if n_checked <= 0 or largest == 0:
            return
        drawn = np.random.default_rng(self.n_checked).choice(ends[-1], n_checked, replace=False)
        pairs = [_pair(answered, ends, k) for k in drawn.tolist()]
        objects = sorted({first for first, _, _ in pairs})[:N_SELF]
        self.examiner.check_self(self.crew.compare, objects, self.share * largest)
        if self.crew.measure.symmetrize is None:
            self.examiner.check_back(self.crew.compare, pairs, self.share * largest)
        self.n_checked += n_checked


def _pair(answered: Answered, ends: Indices, k: int) -> tuple[int, int, float]:
    """Return the k-th pair of all that were answered: its two objects and the answer."""
    t = int(np.searchsorted(ends, k, side="right"))
    task, answers = answered[t]
    where = np.unravel_index(k - int(ends[t]) + answers.values.size, answers.values.shape)
    value = float(answers.values[where])
    return int(task.first[where[0]]), int(task.second[where[-1]]), value
