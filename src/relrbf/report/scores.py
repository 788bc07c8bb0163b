"""How good answers are, and by how much one model is better than another."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from relrbf._typing import Array
from relrbf.report.held_out import NETWORK, HeldOut

LEVEL = 1e-9  # a difference below it is rounding
SURE = 0.95  # of differences that chance makes, the share that is not called a difference


@dataclass(frozen=True)
class Score:
    """Mean and standard deviation over the parts held out."""

    mean: float
    spread: float

    @classmethod
    def of(cls, values: Array, sizes: Array | None = None) -> "Score":
        """Sum up one value per part; with sizes, the mean is that of all answers."""
        mean = float(np.average(values, weights=sizes))
        return cls(mean, float(np.std(values, ddof=1)) if len(values) > 1 else 0.0)


@dataclass(frozen=True)
class Lead(Score):
    """By how much the network is ahead of a rival, part by part; ``chance`` explains so much."""

    chance: float

    @property
    def verdict(self) -> str:
        """What to make of it, in words."""
        if abs(self.mean) < LEVEL:
            return "level"
        side = "ahead" if self.mean > 0 else "behind"
        return side if abs(self.mean) > self.chance else f"{side}, which may be chance"


def goodness(held: HeldOut, model: str) -> Array:
    """Return the accuracy, or R², of a model on each part.

    R² is measured by the variance of all targets, not of a part's own: a part may hold one object,
    or copies of it alone. Parts weighed by their size, it is then R² of all answers.
    """
    if held.case.has_classes:
        return np.array([np.mean(truth == said) for truth, said in held.of_each(model)])
    if not held.case.varies:  # nothing to explain
        return np.zeros(len(held.answers))
    return 1 - root_mean_squares(held, model) ** 2 / np.var(held.case.y)


def score_of(held: HeldOut, model: str) -> Score:
    """Sum up how good a model is: the mean is that of all answers."""
    return Score.of(goodness(held, model), _sizes(held))


def _sizes(held: HeldOut) -> Array:
    return np.array([len(part.test) for part in held.answers], dtype=float)


def root_mean_squares(held: HeldOut, model: str) -> Array:
    """Return the root mean squared error of a model on each part."""
    return np.array([np.sqrt(np.mean((truth - said) ** 2)) for truth, said in held.of_each(model)])


def lead_over(held: HeldOut, rival: str) -> Lead:
    """Compare the network with a rival on the same parts.

    Parts share training objects, so that their differences vary less than those of new data;
    Nadeau and Bengio's (2003) correction allows for it.
    """
    ahead = goodness(held, NETWORK) - goodness(held, rival)
    ahead[np.abs(ahead) < LEVEL] = 0.0
    score, k = Score.of(ahead, _sizes(held)), len(ahead)
    if k < 2:
        return Lead(score.mean, score.spread, np.inf)
    overlap = np.mean([len(part.test) / part.n_train for part in held.answers])
    error = score.spread * np.sqrt(1 / k + overlap)
    return Lead(score.mean, score.spread, float(stats.t.ppf((1 + SURE) / 2, k - 1) * error))
