"""The scikit-learn door."""

from relrbf.estimators.classifier import RBFNetworkClassifier
from relrbf.estimators.regressor import RBFNetworkRegressor

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor"]
