"""Judging probabilities of classes, and what they state."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError

ROUNDING = 1e-3  # by which rows may miss a sum of one: files hold few digits


def check_probabilities(
    y_true: Any, probabilities: Any, classes: Any, positive: Any
) -> tuple[np.ndarray, Array, np.ndarray]:
    """Return labels (m), probabilities (m × g) and classes (g) that fit each other."""
    labels = np.asarray(y_true)
    classes = np.unique(labels) if classes is None else np.asarray(classes)
    p = np.asarray(probabilities, dtype=float)
    if p.ndim == 1 and len(classes) == 2:
        p = np.column_stack([1 - p, p])
    if labels.ndim != 1 or not labels.size or p.shape != (len(labels), len(classes)):
        raise OptionError(
            f"probabilities has shape {np.shape(probabilities)} for {labels.size} objects and "
            f"{len(classes)} classes; give one row per object of y_true and one column per class."
        )
    _check_range(p)
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise OptionError(f"y_true holds {unknown.tolist()}, which classes does not name.")
    if positive is not None and positive not in classes.tolist():
        raise OptionError(f"positive is {positive!r}, which is none of {classes.tolist()}.")
    return labels, p, classes


def _check_range(p: Array) -> None:
    missing = np.isnan(p).any(axis=1)
    if missing.any():
        raise OptionError(
            f"probabilities holds NaN for {missing.sum()} of {len(p)} objects, first for object "
            f"{missing.argmax()}; leave those objects out, or find out why there are none."
        )
    if p.min() < 0 or p.max() > 1:
        raise OptionError(
            f"probabilities goes from {p.min():.3g} to {p.max():.3g}; it must lie between 0 and 1. "
            "Pass predict_proba, not decision_function."
        )
    sums = p.sum(axis=1)
    if np.abs(sums - 1).max() > ROUNDING:
        raise OptionError(
            f"probabilities has rows that sum to {sums.min():.3g} to {sums.max():.3g}; each must "
            "sum to 1."
        )


def confidence(
    labels: np.ndarray, p: Array, classes: np.ndarray, positive: Any
) -> tuple[Array, np.ndarray]:
    """Return what is stated of each object, and whether it came true."""
    if positive is not None:
        k = classes.tolist().index(positive)
        return p[:, k], labels == classes[k]
    winners = p.argmax(axis=1)
    return p.max(axis=1), classes[winners] == labels
