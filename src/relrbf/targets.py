"""Validation of what comes with the objects: labels, targets, weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.inputs import refuse_path

NO_TARGET = "requires y to be passed, but the target y is None."
MAX_TARGET = 1e15  # a target; its square still has room in float32


def check_classes(y: Any, X: Any, estimator: Any = None) -> tuple[np.ndarray, Indices]:
    """Return the classes and the class of each object; an estimator needs at least two."""
    if estimator is not None and y is None:
        raise ValueError(f"{type(estimator).__name__} {NO_TARGET}")
    _refuse_mask(y, "y")
    try:
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        classes, indices = np.unique(labels, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in np.ravel(y)})
        raise ValueError(
            f"y holds labels that cannot be ordered ({', '.join(kinds)}); use labels of one type."
        ) from error
    _check_length(labels, X)
    if estimator is not None and len(classes) < 2:
        raise ValueError(
            f"y holds {len(classes)} class ({classes.tolist()}); a classifier needs objects of at "
            "least two classes."
        )
    return classes, indices


def check_targets(y: Any, X: Any, estimator: Any) -> np.ndarray:
    """Return finite numeric targets of shape (n,) or (n, g)."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} {NO_TARGET}")
    _refuse_mask(y, "y")
    targets = check_array(y, ensure_2d=False, dtype="numeric", input_name="y", estimator=estimator)
    largest = np.abs(targets).max()
    if largest > MAX_TARGET:
        raise ValueError(
            f"y reaches {largest:.3g}, whose square is out of range. Rescale y, for example by its "
            "largest entry."
        )
    if targets.ndim > 2:
        raise ValueError(f"y has shape {targets.shape}; it must be (n,) or (n, number of outputs).")
    _check_length(targets, X)
    return targets


def _refuse_mask(values: Any, name: str) -> None:
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{name} is a masked array; every entry must be known.")


def _check_length(y: np.ndarray, X: Any) -> None:
    refuse_path(X)
    if isinstance(X, Iterator):
        raise RelationError(f"X is a {type(X).__name__}, which can be read once; pass list(X).")
    n_objects = _num_samples(X)
    if len(y) != n_objects:
        raise ValueError(
            f"y has {len(y)} entries for {n_objects} objects in X; give one for each, in the same "
            "order."
        )


def check_weights(
    sample_weight: Any, X: Any, by_class: Any = 1.0, labels: np.ndarray | None = None
) -> Array:
    """Return one weight per object: finite, also in sum, and not negative.

    Weights of classes multiply them, and must leave objects of two classes.
    """
    _refuse_mask(sample_weight, "sample_weight")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    name = "sample_weight"
    for factor in (1.0, by_class):
        with np.errstate(over="ignore"):
            weights = weights * factor
            total = weights.sum()
        if not 0 < total < np.inf or weights.min() < 0:
            raise ValueError(
                f"{name} makes the weights of the objects sum to {total:g}, the smallest being "
                f"{weights.min():g}; none may be negative, and their sum must be positive and "
                "finite."
            )
        name = "class_weight"
    left = None if labels is None else np.unique(labels[weights > 0])
    if left is not None and len(left) < 2:
        raise ValueError(
            f"sample_weight and class_weight leave {len(left)} class ({left.tolist()}); a "
            "classifier needs objects of at least two classes with a positive weight."
        )
    return weights
