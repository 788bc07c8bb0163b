"""Judging the training objects: what X and the metric of an estimator mean."""

from functools import partial
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from relrbf._checks.positions import check_positions
from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.computed import frozen_params, measure
from relrbf.relations.convert import as_relation, is_euclidean, is_flat, is_precomputed, row_ids
from relrbf.relations.judge import as_matrix
from relrbf.relations.objects import MetricRelation
from relrbf.selection import are_few, size_of_support


def check_relation(X: Any, estimator: Any) -> Relation:
    """Return the relation among the training objects that X and the estimator's metric mean."""
    if isinstance(estimator.metric, Relation):
        positions = check_positions(X, estimator.metric)
        is_whole = np.array_equal(positions, np.arange(estimator.metric.n_objects))
        return estimator.metric if is_whole else estimator.metric.restrict(positions)
    if estimator.space != "vector" and is_precomputed(estimator.metric):
        refuse_path(X)
        if not isinstance(X, Relation | CrossRelation) and is_flat(X):
            raise RelationError(
                "X is one-dimensional. Reshape your data: an estimator needs one row and one "
                "column per object. A condensed vector goes through relrbf.as_relation."
            )
        return as_relation(X)
    if isinstance(X, Relation):
        needed = "feature vectors" if isinstance(estimator.metric, str) else "the objects"
        raise RelationError(
            f"X is a {type(X).__name__}, which holds dissimilarities; metric={estimator.metric!r} "
            f"with space={estimator.space!r} needs {needed}. Use metric='precomputed' and "
            "space='relational'."
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


def refuse_path(X: Any) -> None:
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
