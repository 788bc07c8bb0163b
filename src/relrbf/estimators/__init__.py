"""The networks as scikit-learn estimators."""

from relrbf.estimators.classifier import RBFNetworkClassifier
from relrbf.estimators.regressor import RBFNetworkRegressor

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor"]
