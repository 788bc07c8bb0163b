"""What else one would do with a relation, each tuned by grid search on the training part."""

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from benchmarks.accuracy.mds import ClassicalMDS
from relrbf.report.held_out import DissimilarityKernel


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


class CentredKernelRidge(RegressorMixin, DissimilarityKernel):
    """Kernel ridge regression of the targets less their mean, as it has no bias of its own."""

    def __init__(self, alpha=1.0, gamma=1.0, power=1):
        self.alpha = alpha
        self.gamma = gamma
        self.power = power

    def fit(self, D: np.ndarray, y: np.ndarray) -> "CentredKernelRidge":
        self.mean_ = y.mean()
        self.ridge_ = KernelRidge(alpha=self.alpha, kernel="precomputed")
        self.ridge_.fit(super().fit(D).transform(D), y - self.mean_)
        return self

    def predict(self, D: np.ndarray) -> np.ndarray:
        return self.ridge_.predict(self.transform(D)) + self.mean_


class VectorRBF(ClassifierMixin, BaseEstimator):
    """Gaussian activations about k-means centres, one width for all, logistic output."""

    def __init__(self, n_centres=20, width=1.0, C=1.0):
        self.n_centres = n_centres
        self.width = width
        self.C = C

    def fit(self, X: np.ndarray, y: np.ndarray) -> "VectorRBF":
        self.width_ = self.width * np.median(pdist(X))
        # With duplicates there are fewer positions than objects; k-means takes no more centres.
        places = len(np.unique(X.round(9), axis=0))
        means = KMeans(min(self.n_centres, places), random_state=0).fit(X)
        self.centres_ = means.cluster_centers_
        self.output_ = LogisticRegression(C=self.C, max_iter=5000).fit(self._activations(X), y)
        self.classes_ = self.output_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.output_.predict(self._activations(X))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.output_.predict_proba(self._activations(X))

    def _activations(self, X: np.ndarray) -> np.ndarray:
        return np.exp(-cdist(X, self.centres_, "sqeuclidean") / (2 * self.width_**2))


KERNEL_GRID = {"gamma": [0.3, 1, 3], "power": [1, 2]}
NEIGHBOURS_GRID = {"n_neighbors": [1, 3, 5, 9], "weights": ["uniform", "distance"]}

CLASSIFIERS = {
    "SVC": (KernelSVC(), {"C": [1, 10, 100], **KERNEL_GRID}),
    "k-NN": (KNeighborsClassifier(metric="precomputed"), NEIGHBOURS_GRID),
    "MDS + RBF": (
        make_pipeline(ClassicalMDS(), VectorRBF()),
        {
            "vectorrbf__n_centres": [10, 20, 40],
            "vectorrbf__width": [0.5, 1, 2],
            "vectorrbf__C": [1, 100],
        },
    ),
    "MDS + forest": (
        make_pipeline(ClassicalMDS(), RandomForestClassifier(300, random_state=0)),
        {"randomforestclassifier__max_features": ["sqrt", 0.3]},
    ),
}
REGRESSORS = {
    "kernel ridge": (CentredKernelRidge(), {"alpha": [1e-3, 1e-2, 0.1, 1], **KERNEL_GRID}),
    "k-NN": (KNeighborsRegressor(metric="precomputed"), NEIGHBOURS_GRID),
}
