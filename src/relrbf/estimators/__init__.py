"""The scikit-learn door."""

from relrbf.estimators.classifier import RBFNetworkClassifier
from relrbf.estimators.fuzzy import RelationalFuzzyCMeans
from relrbf.estimators.kmeans import RelationalKMeans
from relrbf.estimators.regressor import RBFNetworkRegressor

__all__ = [
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "RelationalFuzzyCMeans",
    "RelationalKMeans",
]
