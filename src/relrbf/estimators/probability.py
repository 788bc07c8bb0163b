"""Probabilities from responses: a softmax whose one scale is fitted by maximum likelihood."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from relrbf._typing import Array

LOG_SCALES = (-3.0, 6.0)


def fit_scale(responses: Array, Y: Array, weights: Array) -> float:
    """Return the scale that makes the training targets Y (n × g) most likely."""
    used = weights > 0
    counts = weights[used, None] * Y[used]

    def loss(log_scale: float) -> float:
        return -float(np.sum(counts * log_softmax(np.exp(log_scale) * responses[used], axis=1)))

    return float(np.exp(minimize_scalar(loss, bounds=LOG_SCALES, method="bounded").x))


def as_probabilities(responses: Array, scale: float) -> Array:
    """Return class probabilities (m × g): not negative, rows sum to one."""
    return softmax(scale * responses, axis=1)
