"""Regression from dissimilarities."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from relrbf._typing import Array
from relrbf._utils import OUT_OF_RANGE
from relrbf.autotune import FitConfig, TrainingData
from relrbf.base import aligned
from relrbf.estimators.base import RBFNetwork
from relrbf.estimators.docstrings import documented
from relrbf.estimators.uncertainty import fit_residuals, known_objects
from relrbf.exceptions import OptionError
from relrbf.training import Problem, Result

RANGE_MARGIN = 0.1  # of the range of the targets, by which a prediction may leave it


class NumbersMixin(RegressorMixin):
    """What estimators of one or several numbers share."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R²; targets are matched by name where both have names, as in ``fit``."""
        y, sample_weight = aligned(y, X, "y"), aligned(sample_weight, X, "sample_weight")
        return super().score(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


@documented()
class RBFNetworkRegressor(NumbersMixin, RBFNetwork):
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
        self, result: Result, problem: Problem | None, config: FitConfig, data: TrainingData, X: Any
    ) -> None:
        super()._store(result, problem, config, data, X)
        self._is_flat = data.is_flat
        known = known_objects(result.prototypes, self._left_out_distances)
        self._left_out_residuals = fit_residuals(config, data, result, self._network, known)
        seen = data.targets[data.weights > 0].astype(self.bias_.dtype)
        margin = RANGE_MARGIN * np.ptp(seen, axis=0)
        self._range = np.stack([seen.min(axis=0) - margin, seen.max(axis=0) + margin])
        if config.teacher is None:
            largest = np.finfo(seen.dtype).max
            self._range = np.broadcast_to([[-largest], [largest]], self._range.shape).copy()

    def predict(self, X: Any) -> Array:
        """Return the predicted target of each new object.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m,) or (m, g), as y was
            With a teacher (see ``solver``), at most a tenth of the range of y outside it.
        """
        return self._shaped(np.clip(self._respond(X), *self._range))

    @np.errstate(**OUT_OF_RANGE)
    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return intervals that contain the targets of so many new objects like those of training.

        They lie around ``predict``. Their widths come from the residuals of predictions for
        training objects that were left out, in the neighbourhood of the new object more than
        elsewhere; no objects are set aside for that. Where the solver has no teacher (see
        ``solver``), residuals are those of the validation set, or approximate ones. The intervals
        say nothing of objects unlike those of training: see ``novelty``.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.
        coverage : float, default=0.9
            The share of targets that the intervals are to contain, between 0 and 1.

        Returns
        -------
        lower, upper : ndarrays of shape (m,) or (m, g), as y was
            Infinite where there are too few training objects to tell: c / (1 - c) are needed for a
            coverage of c, nine for 0.9.

        Examples
        --------
        >>> import numpy as np
        >>> from relrbf import RBFNetworkRegressor
        >>> x = np.linspace(0, 6, 100)
        >>> y = np.sin(x) + 0.1 * np.random.default_rng(0).standard_normal(100)
        >>> model = RBFNetworkRegressor(random_state=0).fit(abs(x[:, None] - x), y)
        >>> lower, upper = model.predict_interval(abs(np.array([[1.0], [4.0]]) - x))
        >>> (lower < np.sin([1, 4])) & (np.sin([1, 4]) < upper)
        array([ True,  True])
        """
        if not 0 < coverage < 1:
            raise OptionError(
                f"coverage is {coverage!r:.40}; it must lie between 0 and 1.", "coverage"
            )
        parts: list[Array] = []
        residuals = self._left_out_residuals
        responses = np.clip(
            self._respond(X, lambda S: parts.append(residuals.half_widths(S, coverage))),
            *self._range,
        )
        half = np.concatenate(parts)
        return self._shaped(responses - half), self._shaped(responses + half)

    def _shaped(self, outputs: Array) -> Array:
        """Return outputs (m × g) in the shape that y had."""
        return outputs[:, 0] if self._is_flat else outputs
