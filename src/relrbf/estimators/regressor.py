"""Regression from dissimilarities."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.callback import with_callbacks

from relrbf._typing import Array
from relrbf.base import all_or_nothing
from relrbf.estimators.base import RBFNetwork
from relrbf.estimators.docstrings import documented
from relrbf.estimators.validation import check_options
from relrbf.targets import check_targets, check_weights

CONSTANT = 1e-13  # relative: an output that varies less does so by rounding


@documented()
class RBFNetworkRegressor(RegressorMixin, RBFNetwork):
    """Radial-basis-function network that predicts numbers from dissimilarities.

    {parameters}

    {attributes}

    Examples
    --------
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_diabetes
    >>> from relrbf import RBFNetworkRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> D = squareform(pdist(X))
    >>> model = RBFNetworkRegressor(random_state=0).fit(D, y)
    >>> model.score(D, y) > 0.4
    True
    """

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array, memmap, frame or Relation of shape (n, n)
            Dissimilarities between the training objects; with another metric, feature vectors.
        y : array of shape (n,) or (n, g)
            Targets.
        sample_weight : array of shape (n,) or None, default=None
            Weights of the objects.

        Returns
        -------
        self
        """
        check_options(self)
        targets = check_targets(y, X, self)
        weights = check_weights(sample_weight, X)
        relation = self._relate(X)
        Y = targets.reshape(len(targets), -1).astype(np.float64)
        self._train(X, relation, Y, weights, has_classes=False)
        self.weights_ = self._network.weights * self._spreads
        self.bias_ = self._network.bias * self._spreads + self._means
        self._is_flat = targets.ndim == 1
        return self

    def _standardised(self, Y: Array, weights: Array) -> Array:
        """Return targets in units of their own spread: then learning is alike at any scale.

        Only objects that train have a say in it.
        """
        shares = weights.astype(np.float64)
        self._means = np.average(Y, axis=0, weights=shares)
        spreads = np.sqrt(np.average(np.square(Y - self._means), axis=0, weights=shares))
        is_constant = spreads <= CONSTANT * np.abs(Y).max(axis=0)
        self._spreads = np.where(is_constant, 1, spreads)
        return np.where(is_constant, 0, Y - self._means) / self._spreads

    def predict(self, X: Any) -> Array:
        """Return the predicted target of each new object.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m,) or (m, g), as y was
        """
        responses = self._respond(X)
        return responses[:, 0] if self._is_flat else responses

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
