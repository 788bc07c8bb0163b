"""Predictions as a table for people, and as facts for programs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf.cli.targets import as_classes
from relrbf.io import LoadedLabels


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of objects; probabilities are those of its classes (m × g)."""

    names: list[str]
    values: np.ndarray
    probabilities: np.ndarray | None
    classes: list[str]

    @property
    def header(self) -> list[str]:
        """Names of the columns; a class that bears the name of another column is told apart."""
        n_targets = self._columns.shape[1]
        targets = [f"prediction {k}" for k in range(n_targets)] if n_targets > 1 else ["prediction"]
        plain = ["id", *targets]
        return plain + [f"class {name}" if name in plain else name for name in self.classes]

    @property
    def rows(self) -> list[list[Any]]:
        """A row for each object."""
        columns = self._columns.tolist()
        rows = [[name, *values] for name, values in zip(self.names, columns, strict=True)]
        if self.probabilities is None:
            return rows
        return [row + more for row, more in zip(rows, self.probabilities.tolist(), strict=True)]

    @property
    def facts(self) -> list[dict[str, Any]]:
        """The same for JSON, where probabilities have a place of their own."""
        facts = [
            {"id": name, "prediction": value}
            for name, value in zip(self.names, self.values.tolist(), strict=True)
        ]
        if self.probabilities is not None:
            for fact, shares in zip(facts, self.probabilities.tolist(), strict=True):
                fact["probabilities"] = dict(zip(self.classes, shares, strict=True))
        return facts

    def are_right(self, labels: LoadedLabels) -> np.ndarray:
        """Tell which are the classes in a file: as numbers, where the model's are numbers."""
        if self.values.dtype.kind in "iuf" and labels.is_numeric:
            return self.values == labels.numbers
        return np.array([str(value) for value in self.values], dtype=object) == as_classes(labels)

    def without(self, known: Any) -> "Predictions":
        """Return those of objects whose names are not known."""
        known = set() if known is None else {str(name) for name in known}
        kept = [place for place, name in enumerate(self.names) if name not in known]
        return Predictions(
            [self.names[place] for place in kept],
            self.values[kept],
            None if self.probabilities is None else self.probabilities[kept],
            self.classes,
        )

    @property
    def _columns(self) -> np.ndarray:
        return self.values if self.values.ndim > 1 else self.values[:, None]
