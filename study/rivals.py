"""What else one would train: neighbours, a support vector machine, a random forest."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from relrbf._typing import Array

MOST_NEIGHBOURS = 15
FOLDS = 3
GRID = {"C": [1, 10, 100], "gamma": [0.1, 0.3, 1, 3, 10]}
TREES = 100


class GaussianMachine(ClassifierMixin, BaseEstimator):
    """A support vector machine with the kernel exp(-gamma S / median of S)."""

    def __init__(self, C: float = 1.0, gamma: float = 1.0) -> None:
        self.C = C
        self.gamma = gamma

    def fit(self, S: Array, y: np.ndarray) -> Self:
        """Train on squared dissimilarities."""
        # among distinct objects, of which copies say nothing
        between = S[np.triu_indices_from(S, k=1)]
        self.scale_ = float(np.median(between[between > 0])) if between.any() else 1.0
        self.machine_ = SVC(C=self.C, kernel="precomputed").fit(self._kernel(S), y)
        self.classes_ = self.machine_.classes_
        return self

    def predict(self, S: Array) -> np.ndarray:
        """Return the class of each row of squared dissimilarities to the training objects."""
        predictions: np.ndarray = self.machine_.predict(self._kernel(S))
        return predictions

    def _kernel(self, S: Array) -> Array:
        return np.exp(-self.gamma * S / self.scale_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def neighbours(D: Array, y: np.ndarray, D_new: Array) -> dict[int, np.ndarray]:
    """Return predictions by 1 to 15 neighbours, weighted by 1 / D; copies outvote all others."""
    votes = KNeighborsClassifier(metric="precomputed", weights="distance").fit(D, y)
    numbers = range(1, MOST_NEIGHBOURS + 1)
    return {k: votes.set_params(n_neighbors=k).predict(D_new) for k in numbers}


def tuned_machine(S: Array, y: np.ndarray, groups: np.ndarray | None, seed: int) -> GridSearchCV:
    """Choose C and gamma by cross-validation, with whole groups held out where there are some."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = kind(FOLDS, shuffle=True, random_state=seed).split(S, y, groups)
    return GridSearchCV(GaussianMachine(), GRID, cv=list(folds)).fit(S, y)


def forest(X: Array, y: np.ndarray, seed: int) -> RandomForestClassifier:
    """Train a random forest."""
    return RandomForestClassifier(TREES, random_state=seed).fit(X, y)
