"""Judging new objects, and what a network says of them."""

from numbers import Integral
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.convert import is_precomputed
from relrbf.relations.dense import DenseRelation
from relrbf.relations.judge import ROWS_ONLY, as_matrix, refuse_negative, refuse_nonfinite
from relrbf.relations.opening import is_filed, opened


def check_same_ids(X: Any, ids: np.ndarray | None) -> None:
    """Refuse columns that name other objects than the model needs, or in another order."""
    names = _column_names(X)
    if names is None:
        return
    numbers = np.arange(len(names))
    if ids is None:  # trained without names: numbers out of order are a mistake all the same
        ids = numbers if set(names) == set(numbers.tolist()) else names
    unnamed = np.array_equal(names, numbers) and not all(isinstance(name, Integral) for name in ids)
    if unnamed or np.array_equal(names, ids):
        return
    missing = [name for name in ids if name not in set(names)]
    problem = f"lacks {missing[0]!r}" if missing else "names them in another order"
    raise RelationError(
        f"X must have a column for each object the model needs, in its order, and {problem}. Pass "
        "X[ids] with the ids of training (of the support after compact())."
    )


def _column_names(X: Any) -> np.ndarray | None:
    if isinstance(X, CrossRelation):
        return X.column_ids
    if isinstance(X, Relation):
        return X.ids
    return np.asarray(X.columns, dtype=object) if hasattr(X, "columns") else None


def check_queries(X: Any, estimator: Any) -> Array | CrossRelation:
    """Return new objects' dissimilarities to the training objects (m × n), judged."""
    n, name = estimator.n_features_in_, type(estimator).__name__
    queries = _as_queries(X, estimator)
    if queries.shape[1] != n:
        advice = (
            "with metric='precomputed' X needs one column for each of the objects that a "
            "prediction uses: all the training objects, or the support after compact(). "
            + ROWS_ONLY
            if is_precomputed(estimator.metric) and estimator.space != "vector"
            else "one column per feature of the training vectors."
        )
        raise RelationError(
            f"X has {queries.shape[1]} features, but {name} is expecting {n} features as input: "
            + advice
        )
    return queries


def _as_queries(X: Any, estimator: Any) -> Array | CrossRelation:
    """Return new objects as they are read: from a file, or from a relation, when asked."""
    if isinstance(X, CrossRelation):
        return X
    if not is_precomputed(estimator.metric) or estimator.space == "vector":
        return as_matrix(X.block() if isinstance(X, Relation) else X)
    if is_filed(X):
        X = opened(X)
    if isinstance(X, Relation) and type(X) is not DenseRelation:
        return CrossRelation(X, *map(np.arange, X.shape))
    return as_matrix(X.block() if isinstance(X, Relation) else X)


def check_not_negative(dissimilarities: Array, name: str = "X") -> Array:
    """Return dissimilarities of new objects, none of them negative."""
    if dissimilarities.size:
        lowest, largest = float(dissimilarities.min()), float(dissimilarities.max())
        if not (np.isfinite(lowest) and np.isfinite(largest)):
            refuse_nonfinite(dissimilarities, name)
        refuse_negative(dissimilarities, lowest, largest, name)
    return dissimilarities


def check_responses(responses: Array) -> Array:
    """Return responses that are finite, or say which object is too far away for one."""
    finite = np.isfinite(responses).all(axis=1)
    if not finite.all():
        raise RelationError(
            f"object {int(np.argmin(finite))} of X is so far from the training objects that the "
            "network's response overflows. Check its dissimilarities, or use a kernel that fades, "
            "such as 'gaussian'."
        )
    return responses
