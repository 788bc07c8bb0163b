"""Probabilities from responses: a softmax of fitted scale, mixed with doubt.

``p = (1 - doubt) softmax(scale * responses) + doubt / g``: however clear the responses, labels are
wrong now and then. Both numbers are the most likely ones for responses in which the objects' own
labels had no part, where there are any (the full network's to objects left out): so the
probabilities are calibrated.
"""

import numpy as np
from scipy.special import softmax

from relrbf._typing import Array

SCALES = np.logspace(-1, 2.5, 18)
FINER = np.logspace(-0.15, 0.15, 9)  # around the best of them
TINY = 1e-300
EQUAL = 1e-7  # relative
DOUBTS = np.array([0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45])


def fit_map(responses: Array, Y: Array, weights: Array, n_labels: float) -> tuple[float, float]:
    """Return the scale and the doubt under which targets Y (n × g) are most likely.

    Objects that are all on the right side would ask for certainty, which n of them do not prove:
    each label is trusted as Platt (1999) does, (n_k + 1) / (n_k + 2) where n_k share it.
    """
    used, g = weights > 0, Y.shape[1]
    mistrust = 1 / (n_labels / g + 2)
    trusted = (1 - mistrust) * Y[used] + mistrust * (1 - Y[used]) / max(g - 1, 1)
    counts, left = weights[used, None] * trusted, responses[used].astype(np.float64)
    finer = FINER * SCALES[_best(left, counts, SCALES)[0]]
    best, doubt = _best(left, counts, finer)
    return float(finer[best]), float(DOUBTS[doubt])


def _best(responses: Array, counts: Array, scales: Array) -> tuple[int, int]:
    """Return the positions of the most likely scale and doubt."""
    sure = softmax(scales[:, None, None] * responses, axis=2)
    flat = 1 / counts.shape[1]
    mixed = ((1 - doubt) * sure + doubt * flat for doubt in DOUBTS)
    likelihood = [np.einsum("ik,sik->s", counts, np.log(np.maximum(p, TINY))) for p in mixed]
    flat_likelihood = np.ravel(likelihood)
    # of equally likely ones the first: rounding must not choose between them
    near = flat_likelihood >= flat_likelihood.max() - EQUAL * abs(flat_likelihood.max())
    doubt, scale = np.unravel_index(int(np.argmax(near)), (len(DOUBTS), len(scales)))
    return int(scale), int(doubt)


def as_probabilities(responses: Array, scale: float, doubt: float) -> Array:
    """Return class probabilities (m × g): not negative, rows sum to one."""
    sure = softmax(scale * responses, axis=1)
    return (1 - doubt) * sure + doubt / responses.shape[1]
