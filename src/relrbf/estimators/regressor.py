"""Regression from dissimilarities."""

from typing import Any

from sklearn.base import RegressorMixin

from relrbf._typing import Array
from relrbf.autotune import FitConfig, TrainingData
from relrbf.estimators.base import RBFNetwork
from relrbf.estimators.docstrings import documented
from relrbf.training import Problem, Result


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

    def _store(
        self, result: Result, problem: Problem, config: FitConfig, data: TrainingData, X: Any
    ) -> None:
        super()._store(result, problem, config, data, X)
        self._is_flat = data.is_flat

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
