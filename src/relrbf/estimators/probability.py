"""Probabilities from responses: a softmax whose one scale is fitted by maximum likelihood.

Fitted to responses that the objects' own labels had no part in, where there are any (the full
network's to objects left out), the probabilities are calibrated.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from relrbf._typing import Array

LOG_SCALES = (-3.0, 6.0)


def fit_scale(responses: Array, Y: Array, weights: Array, n_labels: float) -> float:
    """Return the scale that makes the targets Y (n × g) most likely.

    Objects that are all on the right side would ask for certainty, which n of them do not prove:
    each label is trusted as Platt (1999) does, (n_k + 1) / (n_k + 2) where n_k share it.
    """
    used = weights > 0
    doubt = 1 / (n_labels / Y.shape[1] + 2)
    trusted = (1 - doubt) * Y[used] + doubt * (1 - Y[used]) / max(Y.shape[1] - 1, 1)
    counts = weights[used, None] * trusted

    def loss(log_scale: float) -> float:
        return -float(np.sum(counts * log_softmax(np.exp(log_scale) * responses[used], axis=1)))

    return float(np.exp(minimize_scalar(loss, bounds=LOG_SCALES, method="bounded").x))


def as_probabilities(responses: Array, scale: float) -> Array:
    """Return class probabilities (m × g): not negative, rows sum to one."""
    return softmax(scale * responses, axis=1)
