"""The same objects as four kinds of input, and models of them fitted to slices cut by hand."""

from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation
from relrbf.relations import Relation

RNG = np.random.default_rng(20261116)
N = 45
LABELS = np.tile([0, 1, 2], N // 3)
VECTORS = RNG.standard_normal((N, 4)) + 1.5 * np.eye(4)[LABELS]
VALUES = VECTORS[:, 0] + 0.1 * RNG.standard_normal(N)
OTHER_LABELS = (VECTORS[:, 1] > 0).astype(int)
D = cdist(VECTORS, VECTORS)
K = np.exp(-(D**2) / 4)
FOLDS = list(StratifiedKFold(3, shuffle=True, random_state=0).split(D, LABELS))
INNER = StratifiedKFold(3)


@dataclass(frozen=True, eq=False)
class Kind:
    """Two classifiers and two regressors that take a matrix, and one of their options."""

    name: str
    matrix: np.ndarray
    classifiers: tuple[Any, Any]
    regressors: tuple[Any, Any]
    grid: dict[str, list[Any]]
    response: str = "predict_proba"
    relation: Relation | None = None

    def estimators(self, is_regression: bool = False) -> list[Any]:
        """Return what a user passes to a tool."""
        chosen = self.regressors if is_regression else self.classifiers
        extra = {} if self.relation is None else {"metric": self.relation}
        return [clone(estimator).set_params(**extra) for estimator in chosen]

    def X(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Return what a user passes as X."""
        return self.matrix[np.ix_(rows, cols)] if self.relation is None else rows[:, None]

    def width(self, train: np.ndarray) -> int:
        return len(train) if self.relation is None else 1


# a penalty is given: half the time of a fit goes into choosing one, which no tool sees
NETWORKS = (
    (
        RBFNetworkClassifier(4, alpha=0.1, random_state=0, max_iter=10),
        RBFNetworkClassifier(6, alpha=0.1, random_state=1, max_iter=10),
    ),
    (
        RBFNetworkRegressor(4, alpha=0.1, random_state=0, max_iter=10),
        RBFNetworkRegressor(6, alpha=0.1, random_state=1, max_iter=10),
    ),
    {"n_prototypes": [1, 8]},
)
KINDS = [
    Kind(
        "SVC",
        K,
        tuple(SVC(kernel="precomputed", C=C, tol=1e-12) for C in (1, 0.1)),
        tuple(SVR(kernel="precomputed", C=C, tol=1e-12) for C in (1, 0.1)),
        {"C": [0.1, 10]},
        "decision_function",
    ),
    Kind(
        "KNeighborsClassifier",
        D,
        tuple(KNeighborsClassifier(n, metric="precomputed") for n in (5, 3)),
        tuple(KNeighborsRegressor(n, metric="precomputed") for n in (5, 3)),
        {"n_neighbors": [1, 7]},
    ),
    Kind("RBFNetworkClassifier", D, *NETWORKS),
    Kind("metric=relation", D, *NETWORKS, relation=as_relation(D)),
]


FITTED: dict[str, Any] = {}


def fit_once(model: Any, *data: Any, **weights: Any) -> Any:
    """Return a clone fitted to data, the same where model and data are: tools share many slices."""
    key = joblib.hash((model, data, weights))
    if key not in FITTED:
        FITTED[key] = clone(model).fit(*data, **weights)
    return FITTED[key]


@dataclass(frozen=True)
class Hand:
    """Fits a model to slices of the matrix: rows and columns of the training objects."""

    kind: Kind
    model: Any

    def fit(self, train: Any, y: Any, weights: Any = None, **params: Any) -> "Fitted":
        known = self.model.get_params()
        model = clone(self.model).set_params(**{k: v for k, v in params.items() if k in known})
        extra = {} if weights is None else {"sample_weight": weights}
        among_them = self.kind.matrix[np.ix_(train, train)]
        return Fitted(self, train, fit_once(model, among_them, y, **extra))


@dataclass(frozen=True)
class Fitted:
    hand: Hand
    train: np.ndarray
    model: Any

    def ask(self, method: str, test: np.ndarray) -> np.ndarray:
        return getattr(self.model, method)(self.hand.kind.matrix[np.ix_(test, self.train)])

    def predict(self, test: np.ndarray) -> np.ndarray:
        return self.ask("predict", test)

    def respond(self, test: np.ndarray) -> np.ndarray:
        return self.ask(self.hand.kind.response, test)


def hands(kind: Kind, is_regression: bool) -> list[Hand]:
    chosen = kind.regressors if is_regression else kind.classifiers
    return [Hand(kind, model) for model in chosen]
