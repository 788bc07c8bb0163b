"""One method on one split of one set: its score, log-loss, size and seconds."""

import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score, log_loss, r2_score
from sklearn.model_selection import GridSearchCV

from benchmarks.accuracy.baselines import CLASSIFIERS, REGRESSORS, KernelSVC
from benchmarks.accuracy.split import Set, Split
from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import NotEuclideanWarning

OURS = "ours"


@dataclass(frozen=True)
class Row:
    """What one fit gave; ``size`` counts prototypes or support vectors.

    ``score`` is accuracy or R²; ``balanced`` (accuracy, mean over the classes) and ``log_loss``
    are those of classification, else NaN.
    """

    set: str
    method: str
    split: int
    score: float
    balanced: float
    log_loss: float
    size: float
    seconds: float


def methods(data: Set, only: str) -> list[str]:
    """Return the methods to run, the quick ones first."""
    baselines = [] if only == "ours" else list(REGRESSORS if data.regression else CLASSIFIERS)
    return baselines + ([] if only == "baselines" else [OURS])


def measure(data: Set, method: str, index: int, split: Split) -> Row:
    train, test = split
    D, y = data.D[np.ix_(train, train)], data.y[train]
    start = time.perf_counter()
    model = fit_ours(data, D, y) if method == OURS else tune(data, method, train)
    seconds = time.perf_counter() - start
    D_new, y_new = data.D[np.ix_(test, train)], data.y[test]
    found = model.predict(D_new)
    if data.regression:
        quality = r2_score(y_new, found), np.nan, np.nan
    else:
        balanced = balanced_accuracy_score(y_new, found)
        quality = np.mean(found == y_new), balanced, loss_of(model, D, y, D_new, y_new)
    return Row(data.name, method, index, *map(float, quality), size_of(model), seconds)


def fit_ours(data: Set, D: np.ndarray, y: np.ndarray) -> BaseEstimator:
    estimator = RBFNetworkRegressor if data.regression else RBFNetworkClassifier
    with warnings.catch_warnings():
        # Known of these sets, and the same on every split.
        warnings.simplefilter("ignore", NotEuclideanWarning)
        return estimator(random_state=0).fit(D, y)


def tune(data: Set, method: str, train: np.ndarray) -> BaseEstimator:
    """Return the baseline, tuned on and fitted to the training part; grids use the set's folds."""
    model = clone((REGRESSORS if data.regression else CLASSIFIERS)[method])
    if not isinstance(model, GridSearchCV):
        return model.fit(data.D[np.ix_(train, train)], data.y[train])
    search = model.set_params(cv=data.folds(train))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a grid meets hopeless corners
        return search.fit(data.D[np.ix_(train, train)], data.y[train]).best_estimator_


def loss_of(
    model: BaseEstimator, D: np.ndarray, y: np.ndarray, D_new: np.ndarray, y_new: np.ndarray
) -> float:
    if isinstance(model, KernelSVC):
        model = with_probabilities(model, D, y)
    return float(log_loss(y_new, model.predict_proba(D_new), labels=model.classes_))


def with_probabilities(model: KernelSVC, D: np.ndarray, y: np.ndarray) -> KernelSVC:
    """Fit the tuned machine once more with Platt scaling, which nobody tunes with."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        return clone(model).set_params(probability=True).fit(D, y)


def size_of(model: BaseEstimator) -> float:
    if isinstance(model, KernelSVC):
        return len(model.support_)
    return len(model.prototypes_) if hasattr(model, "prototypes_") else np.nan
