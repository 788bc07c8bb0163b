"""Losses of responses beside their targets: squared error, or softmax with cross-entropy."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import log_softmax

from relrbf._typing import Array


class Loss(ABC):
    """A weighted mean over objects, and its gradient by the responses.

    No object's loss may be curved more than the squared error: ``relrbf.network.curvature`` relies
    on it. (The softmax's Hessian never exceeds 1/2; Böhning 1992.)
    """

    @abstractmethod
    def value(self, responses: Array, targets: Array, weights: Array) -> float:
        """Return the loss of responses (n × g) under object weights that sum to one."""

    @abstractmethod
    def gradient(self, responses: Array, targets: Array, weights: Array) -> Array:
        """Return the derivative by the responses (n × g)."""


class SquaredError(Loss):
    """``1/2 sum_i w_i |y_i - yhat_i|²``: the paper's objective, with a linear output."""

    def value(self, responses: Array, targets: Array, weights: Array) -> float:
        """Return half the mean squared error."""
        squares = np.square(targets - responses).sum(axis=1)
        if not np.isfinite(squares).all():  # an object of weight zero does not count
            squares = np.where(weights > 0, squares, 0)
        return float(weights @ squares) / 2

    def gradient(self, responses: Array, targets: Array, weights: Array) -> Array:
        """Return minus the weighted residuals."""
        return weights[:, None] * (responses - targets)


class CrossEntropy(Loss):
    """``-sum_i w_i sum_k y_ik log p_ik`` with p the softmax of the responses."""

    def value(self, responses: Array, targets: Array, weights: Array) -> float:
        """Return the mean negative log-likelihood."""
        return -float(weights @ (targets * log_softmax(responses, axis=1)).sum(axis=1))

    def gradient(self, responses: Array, targets: Array, weights: Array) -> Array:
        """Return the probabilities minus the targets, weighted."""
        probabilities = np.exp(log_softmax(responses, axis=1))
        shares = targets.sum(axis=1)[:, None]  # one, but for rounding
        return weights[:, None] * (shares * probabilities - targets)


LOSSES: dict[str, type[Loss]] = {"squared-error": SquaredError, "cross-entropy": CrossEntropy}
