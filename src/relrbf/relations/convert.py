"""The door into this room: what a user calls dissimilarities becomes a Relation, or an error."""

from typing import Any, Literal

import numpy as np
from scipy import sparse

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.dense import DenseRelation
from relrbf.relations.judge import (
    as_matrix,
    check_symmetrize,
    judge_matrix,
    refuse_shape,
    self_similarity,
)
from relrbf.relations.vectors import VectorRelation

EXPONENTS = (2, 1)


def as_relation(
    X: Any,
    metric: Any = "precomputed",
    *,
    exponent: float = 2,
    symmetrize: Literal["mean", "min", "max"] | None = None,
    similarities: Literal["convert", "refuse"] = "convert",
    ids: Any = None,
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Relation:
    """Turn dissimilarities, or objects and a metric, into a relation.

    Parameters
    ----------
    X : array of shape (n, n), condensed vector, memmap, frame, Relation, or (n, d) vectors
        With ``metric="precomputed"`` the dissimilarities: a square array, a vector as
        ``scipy.spatial.distance.pdist`` returns it, or a pandas frame whose index and columns name
        the objects. With any other metric, the feature vectors.
    metric : str or callable, default="precomputed"
        ``"precomputed"``, or any metric of ``sklearn.metrics.pairwise_distances``.
    exponent : {2, 1}, default=2
        2 for distances; 1 for what is already a squared distance (DTW as most libraries return
        it, 1 - cosine, 1 - correlation).
    symmetrize : {"mean", "min", "max"} or None, default=None
        What to do where X[i, j] and X[j, i] differ by more than rounding. None refuses.
    similarities : {"convert", "refuse"}, default="convert"
        What to do with a matrix of similarities s: constant on the diagonal, smaller elsewhere.
        "convert" takes the kernel's distances ``sqrt(2 (s_ii - s_ij))`` and warns.
    ids : sequence of n names or None, default=None
        Names of the objects; a frame brings its own.
    metric_params : dict or None, default=None
        Passed to the metric.
    n_jobs : int or None, default=None
        Processes that compute the metric.

    Returns
    -------
    Relation
        A ``DenseRelation`` on the very array that came in (no copy; float32 stays float32), or a
        ``VectorRelation`` for ``metric="euclidean"``.

    Examples
    --------
    >>> from scipy.spatial.distance import pdist
    >>> from relrbf import as_relation
    >>> as_relation(pdist([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]))
    DenseRelation(3 objects, exponent=2)
    """
    check_exponent(exponent)
    check_symmetrize(symmetrize)
    if similarities not in ("convert", "refuse"):
        raise OptionError(f"similarities is {similarities!r}; it must be 'convert' or 'refuse'.")
    if isinstance(X, Relation):
        return X.with_exponent(exponent)
    if isinstance(X, CrossRelation):
        refuse_shape(X.shape)
    names = _frame_ids(X) if ids is None else np.asarray(ids)
    if isinstance(metric, str) and metric == "precomputed":
        came = _square(_matched(X))
    else:
        vectors = as_matrix(X, ensure_min_samples=2)
        if metric == "euclidean" and not metric_params:
            return VectorRelation(vectors, exponent, _judged_ids(names, len(vectors)))
        came = _computed(vectors, metric, metric_params, n_jobs)
    matrix = judge_matrix(came, symmetrize, similarities)
    own = self_similarity(came) if came[0, 0] > 0 and matrix is not came else None
    return DenseRelation(matrix, exponent, _judged_ids(names, len(matrix)), own)


def check_exponent(exponent: Any) -> None:
    """Refuse an exponent that is not one of the two readings."""
    if isinstance(exponent, bool) or exponent not in EXPONENTS:
        raise OptionError(
            f"exponent is {exponent!r}; it must be 2 (the dissimilarities are distances) or "
            "1 (they are already squared distances)."
        )


def _square(X: Any) -> Array:
    """Return dissimilarities as a square array; a condensed vector is unfolded."""
    if is_flat(X):
        return _unfolded(X)
    matrix = as_matrix(X, ensure_min_samples=2)
    if matrix.shape[0] != matrix.shape[1]:
        refuse_shape(matrix.shape)
    return matrix


def is_flat(X: Any) -> bool:
    """Tell whether X is one-dimensional, as a condensed vector is."""
    return not sparse.issparse(X) and np.asarray(X).ndim == 1


def _unfolded(vector: Any) -> Array:
    from scipy.spatial.distance import squareform

    condensed = as_matrix(np.reshape(vector, (1, -1)))[0]
    n = round((1 + np.sqrt(1 + 8 * len(condensed))) / 2)
    if n * (n - 1) // 2 != len(condensed):
        raise RelationError(
            f"X is a vector of {len(condensed)} entries; a condensed vector holds n (n - 1) / 2, "
            f"for example {n * (n - 1) // 2} for {n} objects."
        )
    return squareform(condensed)


def _computed(
    vectors: Array, metric: Any, params: dict[str, Any] | None, n_jobs: int | None
) -> Array:
    from sklearn.metrics import pairwise_distances

    matrix = pairwise_distances(vectors, metric=metric, n_jobs=n_jobs, **(params or {}))
    return matrix.astype(vectors.dtype, copy=False)


def _frame_ids(X: Any) -> np.ndarray | None:
    """Return the names a frame gives its rows, or else its columns; numbering 0..n-1 is no name."""
    if not (hasattr(X, "index") and hasattr(X, "columns")):
        return None
    for names in (np.asarray(X.index), np.asarray(X.columns)):
        if not np.array_equal(names, np.arange(len(names))):
            return names
    return None


def _matched(X: Any) -> Any:
    """Put a frame's columns in the order of its rows, by name, where both carry names."""
    if not (hasattr(X, "index") and hasattr(X, "columns")):
        return X
    rows, columns = np.asarray(X.index), np.asarray(X.columns)
    unnamed = np.arange(len(rows))
    if np.array_equal(rows, columns) or np.array_equal(rows, unnamed) or len(rows) != len(columns):
        return X
    if set(rows) != set(columns) or len(set(rows)) < len(rows):
        raise RelationError(
            "X names its rows and its columns differently (rows start "
            f"{rows[:3].tolist()}, columns {columns[:3].tolist()}); both must name the same "
            "objects, each once."
        )
    return X[rows]


def _judged_ids(ids: np.ndarray | None, n: int) -> np.ndarray | None:
    if ids is None:
        return None
    if len(ids) != n:
        raise RelationError(f"ids has {len(ids)} names for {n} objects; give one name per object.")
    names, counts = np.unique(ids.astype(str), return_counts=True)
    if len(names) < n:
        raise RelationError(f"ids must differ; {str(names[np.argmax(counts)])!r} appears twice or more.")
    return ids
