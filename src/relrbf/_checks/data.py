"""Judging what comes with a fit or a prediction: relations, queries, labels, weights."""

from collections.abc import Iterator
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.computed import frozen_params, measure
from relrbf.relations.convert import (
    as_relation,
    is_euclidean,
    is_flat,
    is_precomputed,
    row_ids,
)
from relrbf.relations.dense import DenseRelation
from relrbf.relations.judge import ROWS_ONLY, as_matrix, refuse_negative, refuse_nonfinite
from relrbf.relations.objects import MetricRelation
from relrbf.relations.opening import is_filed, opened
from relrbf.selection import are_few, size_of_support

TOO_LARGE = 1e15  # a target; its square still has room in float32


def check_relation(X: Any, estimator: Any) -> Relation:
    """Return the relation among the training objects that X and the estimator's metric mean."""
    if isinstance(estimator.metric, Relation):
        positions = check_positions(X, estimator.metric)
        is_whole = np.array_equal(positions, np.arange(estimator.metric.n_objects))
        return estimator.metric if is_whole else estimator.metric.restrict(positions)
    if estimator.space != "vector" and is_precomputed(estimator.metric):
        _refuse_path(X)
        if not isinstance(X, Relation | CrossRelation) and is_flat(X):
            raise RelationError(
                "X is one-dimensional. Reshape your data: an estimator needs one row and one "
                "column per object. A condensed vector goes through relrbf.as_relation."
            )
        return as_relation(X)
    if isinstance(X, Relation):
        raise RelationError(
            f"X is a {type(X).__name__}, which holds dissimilarities; metric={estimator.metric!r} "
            f"with space={estimator.space!r} needs the objects themselves. Use "
            "metric='precomputed' and space='relational'."
        )
    if not isinstance(estimator.metric, str) and not has_features(X):
        return _compared(X, estimator)
    vectors = as_matrix(X, min_rows=2)
    _question_vectors(vectors, estimator)
    if not isinstance(estimator.metric, str):
        return _compared(vectors, estimator, row_ids(X), vectors.dtype)
    metric = "euclidean" if estimator.space == "vector" else estimator.metric
    if _needs_few(estimator, len(vectors)) and not is_euclidean(metric, estimator.metric_params):
        return _measured(vectors, estimator, row_ids(X))
    return as_relation(X, metric, metric_params=estimator.metric_params, n_jobs=estimator.n_jobs)


def _refuse_path(X: Any) -> None:
    if isinstance(X, str | PathLike):
        raise RelationError(
            f"X is {str(X)!r}, a path; an estimator takes the relation that the file holds: "
            "relrbf.as_relation(path)."
        )


def _compared(
    objects: Any, estimator: Any, ids: np.ndarray | None = None, dtype: Any = np.float64
) -> Relation:
    """Return the relation that a callable metric computes between any objects, when asked."""
    params, n_jobs = estimator.metric_params, estimator.n_jobs
    return MetricRelation(
        objects, estimator.metric, measure_params=params, ids=ids, dtype=dtype, n_jobs=n_jobs
    )


def _needs_few(estimator: Any, n_objects: int) -> bool:
    """Tell whether a fit will ask for the dissimilarities to a small support only."""
    n_support = getattr(estimator, "n_support", None)
    return are_few(size_of_support(n_support, n_objects), n_objects)


def _measured(vectors: Array, estimator: Any, ids: np.ndarray | None) -> Relation:
    """Return the relation that a metric of scikit-learn's computes, when asked."""
    metric, n_jobs = estimator.metric, estimator.n_jobs
    params = frozen_params(vectors, metric, estimator.metric_params)
    function = partial(measure, metric=metric, params=params, n_jobs=n_jobs)
    return MetricRelation(
        vectors, function, pairwise=True, check_symmetry=False, ids=ids, dtype=vectors.dtype
    )


def has_features(X: Any) -> bool:
    """Tell whether X holds feature vectors: a table of numbers, and not a list of objects.

    A list of lists of numbers, all of one length, is a table; any other list is one of objects, and
    so is an array of text, or of three dimensions.
    """
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return all(getattr(dtype, "kind", "O") in "biuf" for dtype in X.dtypes)
    if isinstance(X, list):
        kinds = {type(row) for row in X}
        return kinds == {list} and len({len(row) for row in X}) == 1 and _are_numbers(X)
    if sparse.issparse(X):
        return True
    if not hasattr(X, "__array__") or hasattr(X, "iloc"):
        return False
    array = np.asarray(X)
    return array.ndim <= 2 and array.dtype.kind in ("biufcO" if array.ndim == 2 else "biufc")


def _are_numbers(rows: list[list[Any]]) -> bool:
    return all(isinstance(value, Real) for row in rows for value in row)


def _question_vectors(vectors: Array, estimator: Any) -> None:
    """Refuse feature vectors that look in every respect like dissimilarities."""
    n, d = vectors.shape
    if n != d or n < 3 or np.diagonal(vectors).any() or vectors.min() < 0:
        return
    if np.array_equal(vectors, vectors.T):
        raise RelationError(
            f"X is square ({n} × {n}), symmetric, not negative and zero on the diagonal: these are "
            f"dissimilarities, but space={estimator.space!r} and metric={estimator.metric!r} take "
            "feature vectors. Use space='relational' and metric='precomputed'. (To use "
            "rows of dissimilarities as features on purpose, drop one of the columns.)"
        )


def check_positions(X: Any, relation: Relation) -> Indices:
    """Return the positions that X means: one column of them, or of the names of the objects."""
    if isinstance(X, Relation | CrossRelation):
        raise RelationError(
            f"X is a {type(X).__name__}, and metric is a relation as well; X must then be one "
            "column, the positions of the objects. Or pass X alone, with metric='precomputed'."
        )
    column = _column(np.asarray(X))
    is_text = column.dtype.kind in "US" or any(isinstance(value, str) for value in column.flat[:1])
    if is_text:  # even of digits: a name is not a position
        return _places(column[:, 0], relation.ids)
    positions = _column(as_matrix(X))
    n_objects = relation.n_objects
    outside = (positions < 0) | (positions >= n_objects) | (positions != np.round(positions))
    if outside.any():
        raise RelationError(
            f"X holds the position {positions[outside][0]:g}; with metric=relation positions are "
            f"whole numbers from 0 to {n_objects - 1}, which nothing may scale or shift before."
        )
    return positions[:, 0].astype(np.intp)


def _column(X: np.ndarray) -> np.ndarray:
    """Return X, which is one column."""
    if X.ndim != 2:
        raise RelationError(
            f"X has shape {X.shape}; with metric=relation it must be one column. Reshape your data "
            "with X.reshape(-1, 1), or X[:, None]."
        )
    if X.shape[1] != 1:
        raise RelationError(
            f"X has shape {X.shape}; with metric=relation it must be one column, the positions of "
            "the objects in the relation. Dissimilarities belong in the relation; other features "
            "belong to other estimators (see sklearn.compose.ColumnTransformer)."
        )
    return X


def _places(names: np.ndarray, ids: np.ndarray | None) -> Indices:
    """Return where names stand among the names of all objects."""
    if ids is None:
        raise RelationError(
            f"X holds the name {str(names[0])!r}, and metric=relation has no ids; pass positions, "
            "whole numbers from 0, or make the relation with ids: as_relation(D, ids=names)."
        )
    known = {name: i for i, name in enumerate(ids)}
    missing = [name for name in names if name not in known]
    if missing:
        raise RelationError(
            f"X names {str(missing[0])!r}, which is not one of the ids of metric=relation (they "
            f"start {ids[:3].tolist()})."
        )
    return np.array([known[name] for name in names], dtype=np.intp)


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


def check_labels(y: Any, X: Any, estimator: Any) -> tuple[np.ndarray, Indices]:
    """Return the classes, at least two of whatever type, and the class of each object."""
    _check_given(y, estimator)
    classes, indices = check_classes(y, X)
    if len(classes) < 2:
        raise ValueError(
            f"y holds {len(classes)} class ({classes.tolist()}); a classifier needs objects of at "
            "least two classes."
        )
    return classes, indices


def check_classes(y: Any, X: Any) -> tuple[np.ndarray, Indices]:
    """Return the classes, however many, and the class of each object."""
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
    return classes, indices


def check_weighted_classes(weights: Array, labels: Indices, classes: np.ndarray) -> None:
    """Refuse weights that leave fewer than two classes."""
    left = np.unique(labels[weights > 0])
    if len(left) < 2:
        raise ValueError(
            f"sample_weight and class_weight leave {len(left)} class ({classes[left].tolist()}); a "
            "classifier needs objects of at least two classes with a positive weight."
        )


def check_targets(y: Any, X: Any, estimator: Any) -> np.ndarray:
    """Return finite numeric targets of shape (n,) or (n, g)."""
    _check_given(y, estimator)
    targets = check_array(y, ensure_2d=False, dtype="numeric", input_name="y", estimator=estimator)
    largest = np.abs(targets).max()
    if largest > TOO_LARGE:
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


def _check_given(y: Any, estimator: Any) -> None:
    _refuse_mask(y, "y")
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )


def _check_length(y: np.ndarray, X: Any) -> None:
    _refuse_path(X)
    if isinstance(X, Iterator):
        raise RelationError(f"X is a {type(X).__name__}, which can be read once; pass list(X).")
    n_objects = _num_samples(X)
    if len(y) != n_objects:
        raise ValueError(
            f"y has {len(y)} entries for {n_objects} objects in X; give one for each, in the same "
            "order."
        )


def check_weights(sample_weight: Any, X: Any, by_class: Any = None) -> Array:
    """Return one weight per object: finite, also in sum, and not negative."""
    _refuse_mask(sample_weight, "sample_weight")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    _check_sum(weights, "sample_weight")
    if by_class is not None:
        weights = weights * by_class
        _check_sum(weights, "class_weight")
    return weights


def _check_sum(weights: Array, name: str) -> None:
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not 0 < total < np.inf or weights.min() < 0:
        raise ValueError(
            f"{name} makes the weights of the objects sum to {total:g}, the smallest being "
            f"{weights.min():g}; none may be negative, and their sum must be positive and finite."
        )
