"""What the rows of a study show: averages, facts about relations, and rules to compare claims."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from scipy.stats import fisher_exact

from relrbf.inspection import inspect_relation
from study.data import ORIGINAL, PAPER, PART_SHARES, Array, Related, loaded, relate, split
from study.design import Cell, Design
from study.results import OK, Row

HG, PC, BY_GENES = "HG-194", "PC-102", "-genes"
SCALINGS = {
    "classical": "CMDS",
    "proximal": "PMDS",
    "landmark": "LMDS",
    "nearest-euclidean": "nearest Euclidean",
    "metric-learning": "metric learning",
}
COMPARED = ORIGINAL, "classical", "proximal"  # the rows of figures 3.1 and 3.2


WILD_SPREAD = 1.0  # spread of deviations in a part


def kept(rows: Sequence[Row], data: str, variant: str, model: str) -> list[Row]:
    """Return one model's rows, without those that failed."""
    key = data, variant, model
    return [row for row in rows if _key(row) == key and row["status"] == OK]


def cell_of(row: Row, design: Design) -> Cell:
    """Return the cell of a design that a row is of."""
    return design.cell("/".join([*_key(row), str(row["repetition"])]))


def mean_confusion(rows: Sequence[Row], part: str) -> Array:
    """Return how many objects of a class (rows) were taken for a class (columns), on average."""
    counts: Array = np.mean([row[f"confusion_{part}"] for row in rows], axis=0)
    return counts


def mean_accuracy(rows: Sequence[Row], part: str) -> tuple[float, float | None]:
    """Return mean and standard deviation in per cent; of one repetition, no deviation."""
    percent = [100 * row[f"accuracy_{part}"] for row in rows]
    return float(np.mean(percent)), float(np.std(percent, ddof=1)) if len(rows) > 1 else None


def all_deviations(rows: Sequence[Row]) -> Array:
    """Return the histogram over all repetitions, objects and outputs."""
    counts: Array = np.sum([row["histogram"] for row in rows], axis=0)
    return counts


def mean_deviation(rows: Sequence[Row]) -> tuple[float, float]:
    """Return mean and spread of all deviations, exactly: from their moments, not from bins."""
    parts = [(row, part) for row in rows for part in PART_SHARES]
    sizes = [np.sum(row[f"confusion_{part}"]) for row, part in parts]
    means = np.array([row[f"deviation_mean_{part}"] for row, part in parts])
    spreads = np.array([row[f"deviation_std_{part}"] for row, part in parts])
    mean = np.average(means, weights=sizes)
    square = np.average(means**2 + spreads**2, weights=sizes)
    return float(mean), float(np.sqrt(max(square - mean**2, 0.0)))


def is_wild(row: Row) -> bool:
    """Tell whether responses spread by more than 1 in some part, where 0 and 1 are desired."""
    return any((row[f"deviation_std_{part}"] or 0) > WILD_SPREAD for part in PART_SHARES)


def repetitions(rows: Sequence[Row]) -> str:
    """Return how often each model was run, in words, and how often in vain."""
    runs: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        runs.setdefault(_key(row), []).append(row["status"])
    sizes = sorted({states.count(OK) for states in runs.values()} - {0})
    n_failed = sum(row["status"] != OK for row in rows)
    text = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
    text += " repetition" if sizes == [1] else " repetitions"
    failed = f" ({n_failed} failed {'run' if n_failed == 1 else 'runs'} left out)"
    return text + failed * bool(n_failed)


def _key(row: Row) -> tuple[str, str, str]:
    return row["data"], row["variant"], row["model"]


Which: TypeAlias = tuple[str, str, str]  # data, variant, model
NEIGHBOURS = "knn-"


@dataclass(frozen=True)
class Mean:
    """A mean over repetitions, and how far these are apart."""

    value: float
    spread: float
    n: int

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.spread / self.n**0.5

    def with_spread(self, digits: int = 1) -> str:
        """Return mean ± spread; of one repetition, the mean alone."""
        return f"{self.value:.{digits}f}{_around(self.spread, digits)}"

    def with_error(self, digits: int = 1) -> str:
        """Return mean ± standard error; of one repetition, the mean alone."""
        return f"{self.value:.{digits}f}{_around(self.error, digits)}"


class Evidence:
    """Rows of a study by data set, variant and model; those that failed are left out.

    The model "knn" stands for the number of neighbours that is best on average, on the test part:
    the paper's "best-performing models".
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: dict[Which, dict[int, Row]] = {}
        for row in rows:
            if row["status"] == OK:
                which = row["data"], row["variant"], row["model"]
                self._rows.setdefault(which, {})[row["repetition"]] = row

    def has(self, *wanted: Which) -> bool:
        """Tell whether all of these were run, at least once."""
        return all(self._found(which) in self._rows for which in wanted)

    def rows(self, which: Which) -> list[Row]:
        """Return the rows of a model, in the order of the repetitions."""
        found = self._rows[self._found(which)]
        return [found[repetition] for repetition in sorted(found)]

    def accuracy(self, which: Which, part: str = "test") -> Mean:
        """Return the mean accuracy on a part."""
        return _mean([100 * row[f"accuracy_{part}"] for row in self.rows(which)])

    def drop(self, better: Which, worse: Which, part: str = "test") -> Mean:
        """Return by how many points one is lower than the other on the same splits."""
        a, b = self._rows[self._found(better)], self._rows[self._found(worse)]
        name = f"accuracy_{part}"
        return _mean([100 * (a[r][name] - b[r][name]) for r in sorted(a.keys() & b.keys())])

    def wrong(self, which: Which, part: str) -> Array:
        """Return how many objects of a part each repetition got wrong."""
        counts = [np.array(row[f"confusion_{part}"]) for row in self.rows(which)]
        return np.array([found.sum() - np.trace(found) for found in counts])

    def without_error(self, which: Which) -> int:
        """Return how many repetitions got everything right, in all parts."""
        return int(np.sum(sum(self.wrong(which, part) for part in PART_SHARES) == 0))

    def deviation(self, which: Which) -> tuple[float, float]:
        """Return mean and spread of the deviations over all objects and runs, wild ones aside."""
        return mean_deviation([row for row in self.rows(which) if not is_wild(row)])

    def best_neighbours(self, data: str, variant: str) -> list[int]:
        """Return the numbers of neighbours within half a point of the best, best first."""
        found = {
            int(model.removeprefix(NEIGHBOURS)): self.accuracy((data, variant, model)).value
            for name, kind, model in self._rows
            if (name, kind) == (data, variant) and model.startswith(NEIGHBOURS)
        }
        best = max(found.values(), default=0.0)
        near = [k for k, value in found.items() if value > best - 0.5]
        return sorted(near, key=lambda k: (-found[k], k))

    def wild(self) -> dict[Which, list[Row]]:
        """Return the runs whose responses are extreme in some part, by what was run."""
        found = {which: [r for r in self.rows(which) if is_wild(r)] for which in self._rows}
        return {which: rows for which, rows in found.items() if rows}

    def best_model(self, data: str) -> tuple[str, float]:
        """Return the model with the best mean test accuracy on the relation as it is."""
        found = {
            which[2]: self.accuracy(which).value
            for which in self._rows
            if which[:2] == (data, ORIGINAL)
        }
        best = max(found, key=lambda model: found[model])
        return best, found[best]

    def _found(self, which: Which) -> Which:
        data, variant, model = which
        if model != "knn":
            return which
        best = self.best_neighbours(data, variant)
        return data, variant, f"{NEIGHBOURS}{best[0]}" if best else model


def _around(amount: float, digits: int) -> str:
    return "" if math.isnan(amount) else f" ± {amount:.{digits}f}"


def _mean(values: Sequence[float]) -> Mean:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return Mean(float(np.mean(values)), spread, len(values))


SPLITS = 100  # from which the share of duplicates is counted


@dataclass(frozen=True)
class Facts:
    """Numbers of a relation, S as the study reads it.

    ``duplicates`` is the share of test objects with a duplicate among those with known labels;
    ``negative`` of the spectrum; ``violated`` of the triangles; ``constant`` what PMDS adds to
    every S of two different objects; ``contrast`` the mean S between classes over that within,
    before and after PMDS; ``changed`` the largest change of S by CMDS, over the largest S.
    """

    n_objects: int
    n_distinct: int
    duplicates: float
    negative: float
    violated: float
    constant: float
    contrast: tuple[float, float]
    changed: float


@lru_cache(maxsize=8)
def facts_of(name: str) -> Facts:
    """Inspect the relation of one of the paper's data sets."""
    data = next(data for data in PAPER if data.name == name)
    objects = loaded(data)
    S = objects.D**objects.exponent
    found = inspect_relation(S, y=objects.y)
    within, between = float(found.mean_within or 0), float(found.mean_between or 0)
    constant = float(found.additive_constant[1] or 0)
    everyone = np.arange(len(S))
    after = relate(data, "classical", everyone, 0)
    return Facts(
        n_objects=len(S),
        n_distinct=len(S) - int(found.n_duplicate_objects or 0),
        duplicates=_duplicate_share(
            objects, [Cell(data, ORIGINAL, "graph", r).split_seed for r in range(SPLITS)]
        ),
        negative=float(found.negative_eigenfraction[1] or 0),
        violated=float(inspect_relation(objects.D).triangle_violation_fraction or 0),
        constant=constant,
        contrast=(between / within, (between + constant) / (within + constant)),
        changed=float(np.abs(after.D**after.exponent - S).max() / S.max()),
    )


def _duplicate_share(objects: Related, seeds: list[int]) -> float:
    """Return the mean share of test objects at no distance from a known one."""
    parts = [split(objects.y, objects.groups, seed) for seed in seeds]
    has_duplicate = [(objects.D[np.ix_(p.test, p.known)] == 0).any(axis=1) for p in parts]
    return float(np.concatenate(has_duplicate).mean())


ACCURACY_MARGIN = 1.5  # points below the paper's accuracy that still count as reproduced
DEVIATION_MARGIN = 0.05
SIGNIFICANCE = 0.05
STANDARD_ERRORS = 2  # standard errors either way
MIN_REPETITIONS = 10  # repetitions, for a outcome on a difference or on a number of runs


class Outcome(Enum):
    """The outcome of a claim; the values are what readers see."""

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
    outcome: Outcome
    reason: str = ""
    by_genes: str = ""


RULES = (
    "Accuracies are in percent, differences in points of test accuracy on the same splits. After "
    "an accuracy, ± is the spread over the repetitions; after a difference, its standard error. "
    f"An accuracy is reproduced where ours is at least the paper's minus {ACCURACY_MARGIN} points, "
    "in part where that holds for some of the three parts. A difference is reproduced where ours, "
    f"plus or minus {STANDARD_ERRORS} standard errors, meets the paper's range (one point either "
    "way where the paper gives one number), in part where it has the same sign by more than "
    f"{STANDARD_ERRORS} standard errors; and is at least half the paper's smallest, for either. A "
    f"deviation is reproduced where its mean is within {DEVIATION_MARGIN} of the paper's and its "
    f"spread at most {DEVIATION_MARGIN} wider, in part where one of the two holds. A number of "
    "runs is reproduced where chance explains the difference (Fisher's exact test, p at least "
    f"{SIGNIFICANCE}). Fewer than {MIN_REPETITIONS} repetitions tell nothing of differences and "
    "numbers of runs."
)


def compare_drop(found: Mean, low: float, high: float) -> Outcome:
    """Compare a drop with the paper's range."""
    if found.n < MIN_REPETITIONS:
        return Outcome.OPEN
    margin = STANDARD_ERRORS * found.error
    if found.value < low / 2:
        return Outcome.FAILED
    if low - margin <= found.value <= high + margin:
        return Outcome.REPRODUCED
    return Outcome.PARTLY if found.value > margin else Outcome.FAILED


def compare_count(found: int, n: int, paper: int, n_paper: int = 100) -> Outcome:
    """Compare how many of so many runs with the paper's."""
    if n < MIN_REPETITIONS:
        return Outcome.OPEN
    chance = fisher_exact([[found, n - found], [paper, n_paper - paper]]).pvalue
    return Outcome.REPRODUCED if chance >= SIGNIFICANCE else Outcome.FAILED


def all_or_some(*held: bool) -> Outcome:
    """Reproduced where all hold, in part where some do."""
    if all(held):
        return Outcome.REPRODUCED
    return Outcome.PARTLY if any(held) else Outcome.FAILED
