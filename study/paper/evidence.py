"""What a study found, for the claims to stand on: accuracies in percent."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from relrbf._typing import Array
from study.measure import OK
from study.paper.averages import is_wild, mean_deviation
from study.sets import ORIGINAL
from study.splits import SHARES
from study.table import Row

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
        return int(np.sum(sum(self.wrong(which, part) for part in SHARES) == 0))

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
        """Return the runs whose responses are nonsense somewhere, by what was run."""
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
