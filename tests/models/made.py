"""Models of all kinds, small enough to be fitted in a moment."""

import numpy as np
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import (
    ClassicalMDS,
    DissimilarityRows,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.network import GeneralizedGaussian, Polynomial, RationalQuadratic
from relrbf.torch import DeepRBFClassifier, DeepRBFRegressor
from relrbf.training import LBFGS, GradientDescent

RNG = np.random.default_rng(0)
X, X_NEW = np.split(RNG.standard_normal((80, 3)) + RNG.integers(0, 2, (80, 1)), [60])
D, D_NEW = cdist(X, X), cdist(X_NEW, X)
Y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [0, 1])]
T = X @ [1.0, -2.0, 0.5]
SIMILAR, SIMILAR_NEW = np.exp(-D), np.exp(-D_NEW)

COEFFICIENTS = RNG.random((4, 60))
COEFFICIENTS /= COEFFICIENTS.sum(axis=1, keepdims=True)


def classifier(**options):
    return RBFNetworkClassifier(**{"random_state": 0, "max_iter": 10, "tol": 0, **options})


def regressor(**options):
    return RBFNetworkRegressor(**{"random_state": 0, "max_iter": 10, "tol": 0, **options})


DECADES = np.arange(60) // 2 % 5
FAR = 1e2 * RNG.standard_normal((5, 3))[DECADES] + 10.0 ** DECADES[:, None] * X
FAR[::2, 0] += 5 * 10.0 ** DECADES[::2]
D_FAR = cdist(FAR, FAR)  # over decades: locally scaled

DEEP = {"hidden_layer_sizes": (4,), "early_stopping": False, "max_iter": 2, "random_state": 0}

# name: model, what it is fitted on, targets, new objects
MADE = {
    "classifier": (classifier(), D, Y, D_NEW),
    "float32": (classifier(), D.astype(np.float32), Y, D_NEW.astype(np.float32)),
    "two classes": (classifier(), D, Y == "low", D_NEW),
    "deep": (DeepRBFClassifier(**DEEP), D, Y, D_NEW),
    "deep alone": (DeepRBFRegressor(start="k-means", **DEEP), D, X[:, 0], D_NEW),
    "few support": (classifier(n_support=10, n_prototypes=5), D, Y, D_NEW),
    "medoids": (classifier(space="medoid"), D, Y, D_NEW),
    "points": (classifier(space="vector"), X, Y, X_NEW),
    "points over decades": (classifier(space="vector"), FAR, DECADES % 2, FAR[:9] + 1),
    "a power": (classifier(n_prototypes=4, kernel=GeneralizedGaussian(0.25)), D, Y, D_NEW),
    "euclidean": (classifier(metric="euclidean"), X, Y, X_NEW),
    "few vectors": (classifier(metric="cityblock", n_support=10, n_prototypes=5), X, Y, X_NEW),
    "mahalanobis": (classifier(metric="mahalanobis"), X, Y, X_NEW),
    "minkowski": (
        classifier(metric="minkowski", metric_params={"p": 1.5, "w": np.array([1.0, 2.0, 1.0])}),
        *(X.astype(np.float32), Y, X_NEW.astype(np.float32)),
    ),
    "published": (
        classifier(solver=GradientDescent(update="published"), kernel="multiquadric"),
        D,
        Y,
        D_NEW,
    ),
    "growing": (classifier(n_prototypes=3, max_prototypes=5, max_iter=60), D, Y, D_NEW),
    "cross-entropy": (classifier(loss="cross-entropy", kernel=RationalQuadratic(2.0)), D, Y, D_NEW),
    "weighted": (
        classifier(class_weight={"low": 2, "middle": 1.5, "high": 1}, solver=LBFGS(None)),
        *(D, Y, D_NEW),
    ),
    "coefficients": (
        classifier(init=COEFFICIENTS, random_state=np.random.RandomState(3)),
        D,
        Y,
        D_NEW,
    ),
    "validation set": (classifier(solver=GradientDescent(validation=[0, 7, 30])), D, Y, D_NEW),
    "regressor": (regressor(), D, T, D_NEW),
    "regressor on points": (regressor(space="vector", kernel=Polynomial(1.0)), X, T, X_NEW),
    "outputs": (regressor(solver="gradient-descent"), D, np.c_[T, T**2], D_NEW),
    "one output": (regressor(exponent=1), D, T[:, None], D_NEW),
    "whole teacher": (classifier(n_prototypes="all"), D, Y, D_NEW),
    "whole teacher on points": (regressor(n_prototypes="all", space="vector"), X, T, X_NEW),
    "locally scaled": (classifier(), D_FAR, np.arange(60) % 2, D_FAR[:20]),
    "student": (classifier(solver=LBFGS(teacher_tolerance=0.9)), D, Y, D_NEW),
    "student of numbers": (regressor(solver=LBFGS(teacher_tolerance=0.9)), D, T, D_NEW),
    "constant": (regressor(), D, RNG.standard_normal(60), D_NEW),
    "k-means": (RelationalKMeans(3, random_state=0), D, None, D_NEW),
    "k-means on vectors": (RelationalKMeans(3, metric="cosine", random_state=0), X, None, X_NEW),
    "fuzzy": (RelationalFuzzyCMeans(3, random_state=0), D, None, D_NEW),
    "classical": (ClassicalMDS(2), D, None, D_NEW),
    "classical, auto": (ClassicalMDS(2, exponent="auto"), D, None, D_NEW),
    "landmarks": (LandmarkMDS(2, n_landmarks=10, random_state=0), D, None, D_NEW),
    "proximal": (ProximalMDS(3), D, None, D_NEW),
    "nearest": (NearestEuclideanMDS(2), D.astype(np.float32), None, D_NEW.astype(np.float32)),
    "metric learning": (MetricLearningMDS(2, max_iter=500), D, None, D_NEW),
    "rows": (DissimilarityRows(), D, None, D_NEW),
}

_FITTED = {}


def fitted(name):
    """Return a fitted model and new objects; fitted once."""
    if name not in _FITTED:
        model, objects, targets, new = MADE[name]
        _FITTED[name] = model.fit(objects, targets), new
    return _FITTED[name]


def answers(model, new):
    """Return all that a model says of new objects."""
    methods = (
        *("novelty", "predict_interval"),
        *("predict", "predict_proba", "decision_function", "transform"),
        *("predict_memberships", "distances_sq"),
    )
    found = [name for name in methods if hasattr(model, name)]
    return {name: np.asarray(getattr(model, name)(new)) for name in found}
