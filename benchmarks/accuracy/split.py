"""A relation with its labels or targets, its splits into training and test, and its folds."""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import (
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

TEST, FOLDS = 0.3, 3
MANY_OBJECTS, SPLITS_OF_MANY = 2000, 3

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Set:
    """A relation, its labels or targets, and which objects must stay together."""

    name: str
    D: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None = None
    regression: bool = False

    def splits(self, n: int) -> list[Split]:
        """Return n splits, three at most of many objects; fewer splits are the first of more."""
        n = min(n, SPLITS_OF_MANY) if len(self.y) > MANY_OBJECTS else n
        if self.groups is not None:
            return grouped_splits(self.y, self.groups, n)
        maker = ShuffleSplit if self.regression else StratifiedShuffleSplit
        return list(maker(n, test_size=TEST, random_state=0).split(self.D, self.y))

    def folds(self, train: np.ndarray) -> list[Split]:
        """Return the folds that tune a baseline, as positions within the training objects."""
        options = {"n_splits": FOLDS, "shuffle": True, "random_state": 0}
        if self.groups is not None:
            folds = StratifiedGroupKFold(**options)
            return list(folds.split(train, self.y[train], self.groups[train]))
        folds = KFold(**options) if self.regression else StratifiedKFold(**options)
        return list(folds.split(train, self.y[train]))


def grouped_splits(y: np.ndarray, groups: np.ndarray, n: int) -> list[Split]:
    """Hold out whole groups; keep only splits with every class on both sides."""
    kept: list[Split] = []
    draws = GroupShuffleSplit(50 * max(n, 20), test_size=TEST, random_state=0)
    for train, test in draws.split(y, y, groups):
        if len(kept) == n:
            break
        if len(np.unique(y[train])) == len(np.unique(y[test])) == len(np.unique(y)):
            kept.append((train, test))
    return kept
