"""What else one would train on a relation, each tuned within the training part alone."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR

from relrbf._typing import Array

NEIGHBOURS, MACHINE = "k-NN", "SVM"
FOLDS = 3
NEIGHBOUR_NUMBERS = (1, 3, 5, 9, 15)
MACHINE_GRID = {"C": [1, 10, 100], "gamma": [0.3, 1, 3], "power": [1, 2]}
MOST_TUNED = 5000  # objects beyond which tuning them takes longer than a reader waits
GRIDS = (
    f"k-NN: k in {', '.join(map(str, NEIGHBOUR_NUMBERS))}, votes equal or by 1 / distance. SVM: "
    "kernel exp(-gamma (D / median)^power), C in 1, 10, 100, gamma in 0.3, 1, 3, power in 1, 2. "
    f"The best by {FOLDS}-fold cross-validation within each training part."
)


class Machine(BaseEstimator):
    """A support vector machine with the kernel exp(-gamma (D / median)^power)."""

    def __init__(self, C: float = 1.0, gamma: float = 1.0, power: float = 2.0) -> None:
        self.C = C
        self.gamma = gamma
        self.power = power

    def fit(self, D: Array, y: np.ndarray) -> Self:
        """Train on dissimilarities."""
        between = D[D > 0]
        self.median_ = float(np.median(between)) if len(between) else 1.0
        self._learn(self._kernel(D), y)
        return self

    def _learn(self, K: Array, y: np.ndarray) -> None:
        raise NotImplementedError

    def _kernel(self, D: Array) -> Array:
        return np.exp(-self.gamma * (D / self.median_) ** self.power)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


class ClassMachine(ClassifierMixin, Machine):
    """The machine for classes."""

    def _learn(self, K: Array, y: np.ndarray) -> None:
        self.classes_ = np.unique(y)
        self.machine_ = SVC(C=self.C, kernel="precomputed").fit(K, y)

    def predict(self, D: Array) -> np.ndarray:
        """Return the class of each row of dissimilarities to the training objects."""
        return np.asarray(self.machine_.predict(self._kernel(D)))


class TargetMachine(RegressorMixin, Machine):
    """The machine for numbers, which it learns in units of their spread."""

    def _learn(self, K: Array, y: np.ndarray) -> None:
        self.mean_, self.unit_ = float(y.mean()), float(y.std()) or 1.0
        machine = SVR(C=self.C, kernel="precomputed")
        self.machine_ = machine.fit(K, (y - self.mean_) / self.unit_)

    def predict(self, D: Array) -> np.ndarray:
        """Return the number of each row of dissimilarities to the training objects."""
        return np.asarray(self.machine_.predict(self._kernel(D)) * self.unit_ + self.mean_)


def baseline(y: np.ndarray, n_new: int, has_classes: bool) -> np.ndarray:
    """Return what is right most often without looking: the largest class, or the mean."""
    dummy = DummyClassifier(strategy="most_frequent") if has_classes else DummyRegressor()
    return np.asarray(dummy.fit(np.zeros((len(y), 1)), y).predict(np.zeros((n_new, 1))))


def rival_answers(
    D: Array, y: np.ndarray, D_new: Array, *, has_classes: bool, seed: int
) -> dict[str, np.ndarray]:
    """Return what each tuned rival says of new objects."""
    kind = StratifiedKFold if has_classes else KFold
    smallest = int(np.bincount(y).max()) if has_classes else len(y)
    folds = kind(max(2, min(FOLDS, smallest)), shuffle=True, random_state=seed)
    most = len(y) - -(-len(y) // 2)
    numbers = [k for k in NEIGHBOUR_NUMBERS if k <= max(1, most)]
    voting = KNeighborsClassifier if has_classes else KNeighborsRegressor
    grids = {
        NEIGHBOURS: (
            voting(metric="precomputed"),
            {"n_neighbors": numbers, "weights": ["uniform", "distance"]},
        ),
        MACHINE: (ClassMachine() if has_classes else TargetMachine(), MACHINE_GRID),
    }
    with warnings.catch_warnings():
        # small classes: a candidate that cannot be trained on some part is out of the race
        warnings.simplefilter("ignore")
        return {
            name: np.asarray(GridSearchCV(model, grid, cv=folds).fit(D, y).predict(D_new))
            for name, (model, grid) in grids.items()
        }
