"""Baselines on dissimilarities, tuned by grid search within the training objects."""

import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from relrbf._typing import Array, Indices

N_TUNING_FOLDS = 3
NEIGHBOURS, NEIGHBOUR_WEIGHTS = (1, 3, 5, 9, 15), ("uniform", "distance")
SVM_GRID = {"C": (1, 10, 100), "gamma": (0.3, 1, 3), "power": (1, 2)}
MAX_TUNED_OBJECTS = 2500  # beyond this tuning takes too long


class DissimilarityKernel(BaseEstimator):
    """Base of estimators with the kernel exp(-gamma (D / median)^power)."""

    gamma: float
    power: float

    def fit_kernel(self, D: Array) -> Array:
        """Return the kernel of the training objects (n × n); its unit is their median."""
        self.median_ = float(np.median(D[np.triu_indices_from(D, k=1)])) or 1.0
        return self.kernel(D)

    def kernel(self, D: Array) -> Array:
        """Return the kernel of dissimilarities to the training objects."""
        return np.exp(-self.gamma * (D / self.median_) ** self.power)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # GridSearchCV takes rows and columns
        return tags


class KernelSVM(DissimilarityKernel):
    """A support vector machine, for classes (SVC) or targets (SVR, which are standardized)."""

    def __init__(self, machine: Any, C: float = 1.0, gamma: float = 1.0, power: float = 1) -> None:
        self.machine = machine
        self.C = C
        self.gamma = gamma
        self.power = power

    def fit(self, D: Array, y: np.ndarray) -> Self:
        """Fit to dissimilarities (n × n)."""
        machine = clone(self.machine).set_params(C=self.C)
        if isinstance(machine, SVR):
            machine = TransformedTargetRegressor(machine, transformer=StandardScaler())
        self.machine_ = machine.fit(self.fit_kernel(D), y)
        return self

    def predict(self, D: Array) -> np.ndarray:
        """Return classes or targets for dissimilarities to the training objects (m × n)."""
        return np.asarray(self.machine_.predict(self.kernel(D)))


def predict_baselines(
    D: Array,
    y: np.ndarray,
    D_new: Array,
    *,
    has_classes: bool,
    seed: int = 0,
    class_weight: dict[int, float] | str | None = None,
) -> dict[str, np.ndarray]:
    """Return predictions of each tuned baseline; y are positions of classes, or targets."""
    neighbours: Any = KNeighborsRegressor(1, metric="precomputed")
    machine: Any = SVR(kernel="precomputed")
    scoring = "neg_mean_squared_error"
    if has_classes:
        neighbours = KNeighborsClassifier(1, metric="precomputed")
        machine = SVC(kernel="precomputed", class_weight=class_weight)
        scoring = "accuracy"
    models = {"k-NN": neighbours, "SVM": KernelSVM(machine)}
    if splits := list(_splits(y, has_classes, seed)):  # otherwise too few objects to tune with
        k = [k for k in NEIGHBOURS if k <= min(len(train) for train, _ in splits)]
        grids = {"k-NN": {"n_neighbors": k, "weights": NEIGHBOUR_WEIGHTS}, "SVM": SVM_GRID}
        models = {
            name: GridSearchCV(model, grids[name], scoring=scoring, cv=splits)
            for name, model in models.items()
        }
    return {name: model.fit(D, y).predict(D_new) for name, model in models.items()}


def _splits(y: np.ndarray, has_classes: bool, seed: int) -> Iterator[tuple[Indices, Indices]]:
    kind = StratifiedKFold if has_classes else KFold
    largest = int(np.bincount(y).max()) if has_classes else len(y)
    if largest < 2:
        return
    folds = kind(min(N_TUNING_FOLDS, largest), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for train, test in folds.split(y, y):
            if not has_classes or len(np.unique(y[train])) > 1:
                yield train, test
