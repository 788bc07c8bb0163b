"""Which objects are held out, how often, and what had to be changed about it."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import (
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
)

from relrbf._typing import Indices
from relrbf.exceptions import OptionError
from relrbf.report.case import Case

ONE_REPEAT = 1000  # objects beyond which every object is held out once only
LEAST = 4  # objects with a number: two parts of two
FEW_SPLITS, FEWER = 10_000, 3  # objects beyond which there are so few parts


@dataclass(frozen=True)
class Part:
    """Objects to train with, and those held out."""

    train: Indices
    test: Indices


@dataclass(frozen=True)
class Plan:
    """How objects are held out; notes say what differs from what was asked for."""

    n_splits: int
    n_repeats: int
    notes: tuple[str, ...] = ()

    def parts(self, case: Case, seed: int) -> list[Part]:
        """Deal the objects, classes alike in all parts."""
        how = {"n_splits": self.n_splits, "n_repeats": self.n_repeats, "random_state": seed}
        kind = RepeatedStratifiedKFold if case.has_classes else RepeatedKFold
        return list(_dealt(kind(**how), case, None))

    def __str__(self) -> str:
        times = {1: "once", 2: "twice"}.get(self.n_repeats, f"{self.n_repeats} times")
        return f"{self.n_splits}-fold cross-validation, {times}"


def plan_for(case: Case, n_splits: int, n_repeats: int | None) -> Plan:
    """Return how to hold objects out, given how many there are of each class."""
    n, notes = case.n_objects, []
    if n_repeats is None:
        n_repeats = 2 if n <= ONE_REPEAT else 1
        if n > ONE_REPEAT:
            notes.append(f"With more than {ONE_REPEAT:,} objects each is held out once only.")
        if n > FEW_SPLITS and n_splits > FEWER:
            n_splits = FEWER
            notes.append(f"With more than {FEW_SPLITS:,} objects there are {FEWER} parts only.")
    if not case.has_classes:
        if n < LEAST:
            raise OptionError(
                f"y holds {n} targets; to hold objects out takes {LEAST}. Add more objects."
            )
        return Plan(min(n_splits, n // 2), n_repeats, tuple(notes))
    return _plan_for_classes(np.bincount(case.y), n_splits, n_repeats, notes)


def _plan_for_classes(counts: Indices, n_splits: int, n_repeats: int, notes: list[str]) -> Plan:
    if np.count_nonzero(counts > 1) < 2:
        raise OptionError(
            "y has fewer than two classes of two or more objects; nothing can be held out. Label "
            "more objects."
        )
    if alone := int(np.count_nonzero(counts == 1)):
        notes.append(
            f"{_classes(alone)} of a single object: held out, it cannot be known, and counts as "
            "wrong."
        )
    smallest = int(counts[counts > 1].min())
    if smallest < n_splits:
        notes.append(
            f"{smallest} parts instead of {n_splits}: the smallest class has {smallest} objects."
        )
    return Plan(min(n_splits, smallest), n_repeats, tuple(notes))


def parts_without_twins(case: Case, n_splits: int, seed: int) -> list[Part]:
    """Deal the objects once, with equal ones on the same side; nothing where that cannot be."""
    groups = case.twins
    if case.has_classes:
        # copies may differ in class: each counts for its own
        least = min(len(np.unique(groups[case.y == k])) for k in range(len(case.classes)))
        if least < 2:
            return []
        n_splits = min(n_splits, least)
    n_splits = min(n_splits, len(np.unique(groups)))
    # of numbers, all are of one class
    kind = StratifiedGroupKFold(n_splits, shuffle=True, random_state=seed)
    parts = list(_dealt(kind, case, groups))
    if case.has_classes and any(len(np.unique(case.y[p.train])) < 2 for p in parts):
        return []
    return parts


def _dealt(kind: Any, case: Case, groups: Indices | None) -> Iterator[Part]:
    y = case.y if case.has_classes else np.zeros(case.n_objects, dtype=int)
    with warnings.catch_warnings():
        # classes smaller than the number of parts: said in the notes
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for train, test in kind.split(np.zeros(case.n_objects), y, groups):
            if len(test):
                yield Part(train, test)


def _classes(count: int) -> str:
    return "One class is" if count == 1 else f"{count} classes are"
