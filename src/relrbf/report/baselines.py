"""Baselines on the folds of the network: k-NN, ridge regression on the rows of D, and an SVM.

What has a closed form is tuned by it: k-NN and the ridge by leaving each object out, the kernel of
the SVM by the left-out error of a kernel ridge. Folds are only needed for the SVM's C.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from sklearn.metrics import mean_squared_error, zero_one_loss
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from relrbf._typing import Array, Indices
from relrbf.autotune.leave_one_out import fit_on_all

Split: TypeAlias = tuple[Indices, Indices]
"""Training and test objects."""

N_TUNING_FOLDS = 3
NEIGHBOURS = (1, 3, 5, 9, 15)
FAR = 1e6  # times the largest dissimilarity: where an object is left out
RIDGE_ALPHAS = np.logspace(-3, 5, 9)  # on standardised rows
SVM_GRID = {"C": (1, 10, 100), "gamma": (0.3, 1, 3), "power": (1, 2)}
MAX_KERNEL_OBJECTS = 150  # that choose a kernel: it takes an eigendecomposition for each


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """The training objects of a fold; y are positions of classes, or targets.

    ``groups``, if there are any, say which objects must not help to predict each other.
    """

    D: Array
    y: np.ndarray
    has_classes: bool
    groups: Indices | None = None
    class_weight: dict[int, float] | str | None = None
    seed: int = 0

    def tuning_splits(self) -> list[Split]:
        """Return folds within the training objects; none if there are too few."""
        n_units = len(self.y) if self.groups is None else len(np.unique(self.groups))
        largest = int(np.bincount(self.y).max()) if self.has_classes else len(self.y)
        n_splits = min(N_TUNING_FOLDS, largest, n_units)
        labels = self.y if self.has_classes else None
        splits = make_folds(n_splits, self.seed, len(self.y), labels, self.groups)
        return [] if has_one_class(labels, splits) else splits


def has_one_class(classes: Indices | None, splits: Sequence[Split]) -> bool:
    """Tell whether the training objects of a split are all of one class."""
    return classes is not None and any(len(np.unique(classes[train])) < 2 for train, _ in splits)


def make_folds(
    n_splits: int, seed: Any, n: int, classes: Indices | None, groups: Indices | None
) -> list[Split]:
    """Return folds of n objects, stratified by class, each group in one; none of fewer than two."""
    if n_splits < 2:
        return []
    kinds = (KFold, StratifiedKFold) if groups is None else (GroupKFold, StratifiedGroupKFold)
    folds = kinds[classes is not None](n_splits, shuffle=True, random_state=seed)
    y = np.zeros(n, dtype=int) if classes is None else classes
    with warnings.catch_warnings():  # notes tell of small classes
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [split for split in folds.split(np.zeros(n), y, groups) if len(split[1])]


def predict_neighbours(known: TrainingSet, D_new: Array) -> np.ndarray:
    """Return what k-NN predicts; k and the weights are those of the smallest left-out error."""
    # of equally near objects the first count, and they may be sorted by class
    order = np.random.default_rng(known.seed).permutation(len(known.y))
    # scikit-learn refuses what rounding left below zero
    D, y = np.maximum(known.D[np.ix_(order, order)], 0), known.y[order]
    groups = order if known.groups is None else known.groups[order]
    is_own = groups[:, None] == groups
    left_out = np.where(is_own, FAR * (D.max() or 1), D)
    kind = KNeighborsClassifier if known.has_classes else KNeighborsRegressor
    n_others = max(int((~is_own).sum(axis=1).min()), 1)
    models = [
        kind(k, weights=by, metric="precomputed").fit(D, y)
        for k, by in product(NEIGHBOURS, ("uniform", "distance"))
        if k <= n_others
    ]
    error = zero_one_loss if known.has_classes else mean_squared_error
    errors = [error(y, model.predict(left_out)) for model in models]
    return models[int(np.argmin(errors))].predict(np.maximum(D_new[:, order], 0))


def predict_by_ridge(known: TrainingSet, D_new: Array) -> np.ndarray:
    """Return what a ridge on standardised rows of D predicts; its penalty is by leave-one-out."""
    ridge: Any = RidgeCV(RIDGE_ALPHAS)
    if known.has_classes:
        ridge = RidgeClassifierCV(RIDGE_ALPHAS, class_weight=known.class_weight)
    return make_pipeline(StandardScaler(), ridge).fit(known.D, known.y).predict(D_new)


def predict_by_svm(known: TrainingSet, D_new: Array) -> np.ndarray:
    """Return what an SVM predicts; its kernel is by leave-one-out, its C by 3 folds."""
    median = float(np.median(known.D[np.triu_indices_from(known.D, k=1)])) or 1.0
    D, D_new = known.D / median, D_new / median
    gamma, power = _best_kernel(known, D)
    svm: Any = SVR(kernel="precomputed")
    if known.has_classes:
        svm = SVC(kernel="precomputed", class_weight=known.class_weight)
    if splits := known.tuning_splits():  # else too few objects to tune with
        scoring = "accuracy" if known.has_classes else "neg_mean_squared_error"
        svm = GridSearchCV(svm, {"C": SVM_GRID["C"]}, scoring=scoring, cv=splits)
    if not known.has_classes:
        svm = TransformedTargetRegressor(svm, transformer=StandardScaler())
    return svm.fit(np.exp(-gamma * D**power), known.y).predict(np.exp(-gamma * D_new**power))


def _best_kernel(known: TrainingSet, D: Array) -> tuple[float, float]:
    """Return the gamma and power in which a ridge has the smallest left-out error."""
    some = np.random.default_rng(known.seed).permutation(len(D))[:MAX_KERNEL_OBJECTS]
    T, errors = known.y[some, None], {}
    if known.has_classes:
        T = np.eye(known.y.max() + 1)[known.y[some]]
    for gamma, power in product(SVM_GRID["gamma"], SVM_GRID["power"]):
        K = np.exp(-gamma * D[np.ix_(some, some)] ** power)
        fits = fit_on_all(K, T - T.mean(axis=0), np.ones(len(T)))
        errors[gamma, power] = min(fit.error for fit in fits)
    return min(errors, key=errors.__getitem__)


BASELINES: dict[str, Callable[[TrainingSet, Array], np.ndarray]] = {
    "k-NN": predict_neighbours,
    "ridge on rows": predict_by_ridge,
    "SVM": predict_by_svm,
}
