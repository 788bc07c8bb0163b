"""What else one would do with a relation, each tuned on the training part.

Support vectors and neighbours by grid search over folds, ridges by closed-form leave-one-out.
"""

from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import KernelCenterer, StandardScaler
from sklearn.svm import SVC

GAMMAS, POWERS = (0.1, 0.3, 1, 3, 10, 30), (1, 2)
PENALTIES = np.logspace(-6, 3, 19)
COLUMNS = 1000  # of a Nyström ridge
NEIGHBOURS_GRID = {"n_neighbors": [1, 3, 5, 9, 15], "weights": ["uniform", "distance"]}
LOG_SCALES = (-3, 7)  # of responses, where softmax makes probabilities of them


class DissimilarityKernel(TransformerMixin, BaseEstimator):
    """The kernel exp(-gamma (D / median)^power); the median is that of the training objects."""

    def __init__(self, gamma: float = 1.0, power: float = 1) -> None:
        self.gamma = gamma
        self.power = power

    def fit(self, D: np.ndarray, y: Any = None) -> Self:
        """Find the median dissimilarity between training objects (n × n)."""
        self.median_ = float(np.median(D[np.triu_indices_from(D, k=1)])) or 1.0
        return self

    def transform(self, D: np.ndarray) -> np.ndarray:
        """Return the kernel of dissimilarities to the training objects (m × n)."""
        return np.exp(-self.gamma * (D / self.median_) ** self.power)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # GridSearchCV takes rows and columns
        return tags


class KernelSVC(ClassifierMixin, DissimilarityKernel):
    """A support vector machine; ``probability`` adds Platt scaling."""

    def __init__(self, C=1.0, gamma=1.0, power=1, probability=False):
        self.C = C
        self.gamma = gamma
        self.power = power
        self.probability = probability

    def fit(self, D: np.ndarray, y: np.ndarray) -> "KernelSVC":
        options = {"probability": True} if self.probability else {}
        self.svc_ = SVC(C=self.C, kernel="precomputed", random_state=0, **options)
        self.svc_.fit(super().fit(D).transform(D), y)
        self.classes_, self.support_ = self.svc_.classes_, self.svc_.support_
        return self

    def predict(self, D: np.ndarray) -> np.ndarray:
        return self.svc_.predict(self.transform(D))

    def predict_proba(self, D: np.ndarray) -> np.ndarray:
        return self.svc_.predict_proba(self.transform(D))


class Neighbours(KNeighborsClassifier):
    """Nearest neighbours; one more is shared by all classes, else log-loss is infinite."""

    def predict_proba(self, D: np.ndarray) -> np.ndarray:
        shares = self.n_neighbors * super().predict_proba(D) + 1 / len(self.classes_)
        return shares / (self.n_neighbors + 1)


class Rows(TransformerMixin, BaseEstimator):
    """The linear kernel of an object's standardised dissimilarities, 1 on average with itself."""

    def fit(self, D: np.ndarray) -> "Rows":
        self.scaler_ = StandardScaler().fit(D)
        self.rows_ = self.scaler_.transform(D) / np.sqrt(len(D))
        return self

    def transform(self, D: np.ndarray) -> np.ndarray:
        return self.scaler_.transform(D) / np.sqrt(len(self.rows_)) @ self.rows_.T


class Nystroem(DissimilarityKernel):
    """The kernel as 1,000 of its columns approximate it: K_nm K_mm^+ K_mn."""

    def fit(self, D: np.ndarray) -> "Nystroem":
        super().fit(D)
        self.columns_ = np.random.default_rng(0).permutation(len(D))[:COLUMNS]
        K = super().transform(D[:, self.columns_])
        values, vectors = np.linalg.eigh(K[self.columns_])
        kept = values > 1e-10 * values[-1]
        self.axes_ = vectors[:, kept] / np.sqrt(values[kept])
        self.features_ = K @ self.axes_
        return self

    def transform(self, D: np.ndarray) -> np.ndarray:
        return super().transform(D[:, self.columns_]) @ self.axes_ @ self.features_.T


def left_out(K: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for every penalty the responses to left-out objects, and the dual coefficients.

    K is centred, Y (n x g) not: the bias has no penalty. With H = 11'/n + K (K + aI)^-1 the
    response to object i, were it left out, is y_i - (y - Hy)_i / (1 - H_ii); K may be indefinite.
    """
    values, vectors = np.linalg.eigh(K)
    centred = Y - Y.mean(axis=0)
    projected, squares = vectors.T @ centred, vectors**2
    responses, coefficients = [], []
    for penalty in PENALTIES:
        shrunk = values / (values + penalty)
        residuals = centred - vectors @ (shrunk[:, None] * projected)
        responses.append(Y - residuals / (1 - 1 / len(K) - squares @ shrunk)[:, None])
        coefficients.append(residuals / penalty)
    return np.array(responses), np.array(coefficients)


class LeaveOneOutRidge(BaseEstimator):
    """Ridge regression in the kernel and with the penalty of least leave-one-out squared error."""

    def __init__(self, kernels=()):
        self.kernels = kernels

    def fit_responses(self, D: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Keep the best network and return its responses to left-out objects (n x g)."""
        self.mean_, least = Y.mean(axis=0), np.inf
        for kernel in map(clone, self.kernels):
            centre = KernelCenterer()
            responses, coefficients = left_out(centre.fit_transform(kernel.fit(D).transform(D)), Y)
            errors = np.square(responses - Y).mean(axis=(1, 2))
            best = int(np.argmin(errors))
            if errors[best] < least:
                least, found = errors[best], responses[best]
                self.kernel_, self.centre_ = kernel, centre
                self.coefficients_ = coefficients[best]
        return found

    def responses(self, D: np.ndarray) -> np.ndarray:
        K = self.centre_.transform(self.kernel_.transform(D))
        return K @ self.coefficients_ + self.mean_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


class RidgeRegressor(RegressorMixin, LeaveOneOutRidge):
    """One output: the target."""

    def fit(self, D: np.ndarray, y: np.ndarray) -> "RidgeRegressor":
        self.fit_responses(D, y[:, None])
        return self

    def predict(self, D: np.ndarray) -> np.ndarray:
        return self.responses(D)[:, 0]


class RidgeClassifier(ClassifierMixin, LeaveOneOutRidge):
    """One output per class; softmax of the responses, scaled by the left-out ones' log-loss."""

    def fit(self, D: np.ndarray, y: np.ndarray) -> "RidgeClassifier":
        self.classes_ = np.unique(y)
        Y = (y[:, None] == self.classes_).astype(float)
        self.scale_ = best_scale(self.fit_responses(D, Y), Y)
        return self

    def predict(self, D: np.ndarray) -> np.ndarray:
        return self.classes_[np.argmax(self.responses(D), axis=1)]

    def predict_proba(self, D: np.ndarray) -> np.ndarray:
        return softmax(self.scale_ * self.responses(D), axis=1)


def best_scale(responses: np.ndarray, Y: np.ndarray) -> float:
    """Return the factor whose softmax gives the classes Y the least log-loss."""

    def loss(log_scale: float) -> float:
        return -np.mean(np.sum(Y * log_softmax(np.exp(log_scale) * responses, axis=1), axis=1))

    return float(np.exp(minimize_scalar(loss, bounds=LOG_SCALES, method="bounded").x))


KERNELS = [DissimilarityKernel(gamma, power) for power in POWERS for gamma in GAMMAS]
COLUMN_KERNELS = [Nystroem(gamma, power) for power in POWERS for gamma in GAMMAS]

CLASSIFIERS = {
    "SVC": GridSearchCV(KernelSVC(), {"C": [1, 10, 100], "gamma": GAMMAS, "power": POWERS}),
    "k-NN": GridSearchCV(Neighbours(metric="precomputed"), NEIGHBOURS_GRID),
    "kernel ridge": RidgeClassifier(KERNELS),
    "rows": RidgeClassifier([Rows()]),
    "Nyström": RidgeClassifier(COLUMN_KERNELS),
}
REGRESSORS = {
    "k-NN": GridSearchCV(KNeighborsRegressor(metric="precomputed"), NEIGHBOURS_GRID),
    "kernel ridge": RidgeRegressor(KERNELS),
    "rows": RidgeRegressor([Rows()]),
    "Nyström": RidgeRegressor(COLUMN_KERNELS),
}
COMPARED = ("SVC", "k-NN", "kernel ridge", "rows")  # ours is set beside the best of these
