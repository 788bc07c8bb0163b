"""What a user calls dissimilarities becomes a Relation, or an error."""

from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy import sparse

from relrbf._options import check_choice
from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.dense import DenseRelation
from relrbf.relations.metrics import metric_dissimilarities
from relrbf.relations.on_disk import open_relation, validate_file
from relrbf.relations.properties import EXPONENTS
from relrbf.relations.validation import (
    as_matrix,
    check_range,
    check_symmetrize,
    is_on_disk,
    is_precomputed,
    refuse_shape,
    validate_matrix,
)
from relrbf.relations.vectors import VectorRelation


def as_relation(
    X: Any,
    metric: Any = "precomputed",
    *,
    exponent: float | None = None,
    symmetrize: Literal["mean", "min", "max"] | None = None,
    similarities: Literal["convert", "refuse"] = "convert",
    ids: Any = None,
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Relation:
    """Turn dissimilarities, or objects and a metric, into a relation.

    Parameters
    ----------
    X : array of shape (n, n), condensed vector, frame, file, Relation, or (n, d) vectors
        With ``metric="precomputed"`` the dissimilarities: a square array, a vector as
        ``scipy.spatial.distance.pdist`` returns it, or a pandas frame whose index and columns name
        the objects; or, where they lie in a file that is read block by block, a ``numpy.memmap``,
        a zarr array, or the path of a ``.npy`` or ``.zarr``. With any other metric, the feature
        vectors.
    metric : str or callable, default="precomputed"
        ``"precomputed"``, or any metric of ``sklearn.metrics.pairwise_distances``.
    exponent : {2, 1} or None, default=None
        2 for distances; 1 for what is already a squared distance (DTW as most libraries return
        it, 1 - cosine, 1 - correlation). None means 2, and for a Relation: its own.
    symmetrize : {"mean", "min", "max"} or None, default=None
        What to do where X[i, j] and X[j, i] differ by more than rounding. None refuses.
    similarities : {"convert", "refuse"}, default="convert"
        What to do with a matrix of similarities s: constant on the diagonal, smaller elsewhere.
        "convert" takes the kernel's distances ``sqrt(2 (s_ii - s_ij))`` and warns. What a metric
        computes is never converted.
    ids : sequence of n names or None, default=None
        Names of the objects; a frame brings its own, and so does the path of a matrix that has
        ``D.ids.txt`` beside it.
    metric_params : dict or None, default=None
        Passed to the metric.
    n_jobs : int or None, default=None
        Processes that compute the metric.

    Returns
    -------
    Relation
        A ``DenseRelation`` on the very array that came in (no copy; float32 stays float32), one
        that reads a file on demand, or a ``VectorRelation`` for ``metric="euclidean"``.

    Examples
    --------
    >>> from scipy.spatial.distance import pdist
    >>> from relrbf import as_relation
    >>> as_relation(pdist([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]))
    DenseRelation(3 objects, exponent=2)
    """
    check_symmetrize(symmetrize)
    check_choice("similarities", similarities, ("convert", "refuse"))
    if exponent is not None:
        check_exponent(exponent)
    if isinstance(X, Relation):
        if ids is not None or symmetrize is not None or not is_precomputed(metric):
            raise OptionError(
                "X is a relation already, symmetric and with its own ids; leave ids, metric and "
                "symmetrize out, or pass what it was made from."
            )
        return X if exponent is None else X.with_exponent(exponent)
    given = None if ids is None else np.asarray(ids, dtype=object)
    relation: Relation
    if is_precomputed(metric):
        relation = _from_matrix(X, given, symmetrize, similarities)
    else:
        vectors = as_matrix(X, min_rows=2)
        names = validated_ids(row_ids(X) if given is None else given, len(vectors))
        if is_euclidean(metric, metric_params):
            relation = VectorRelation(vectors, 2, names)
        else:
            computed = metric_dissimilarities(vectors, None, metric, metric_params, n_jobs)
            relation = DenseRelation(validate_matrix(computed, symmetrize, "refuse")[0], 2, names)
    if exponent is not None:
        return relation.with_exponent(exponent)
    # Euclidean distances between vectors are known to be distances
    relation.exponent_given = isinstance(relation, VectorRelation)
    return relation


def relation_of(D: Any, exponent: float | None = None) -> Relation:
    """Return the relation that a function's argument D is; errors call it by that name."""
    if exponent is not None:
        check_exponent(exponent)
    relation = D if isinstance(D, Relation) else _from_matrix(D, None, None, "convert", "D")
    return relation if exponent is None else relation.with_exponent(exponent)


def _from_matrix(
    X: Any, ids: np.ndarray | None, symmetrize: str | None, similarities: str, name: str = "X"
) -> Relation:
    """Validate dissimilarities and hold them, with the names of the objects."""
    if isinstance(X, CrossRelation):
        refuse_shape(X.shape, name)
    if is_on_disk(X):
        given = open_relation(X, ids, name)
        given.ids = validated_ids(given.ids, len(given))
        return validate_file(given, symmetrize, similarities, name)
    matrix, names = unvalidated_matrix(X, ids, name)
    if matrix.shape[0] != matrix.shape[1]:
        check_range(matrix, float(matrix.min()), float(matrix.max()), name)
        refuse_shape(matrix.shape, name)
    matrix, own = validate_matrix(matrix, symmetrize, similarities, name)
    return DenseRelation(matrix, 2, names, own)


def is_euclidean(metric: Any, params: dict[str, Any] | None) -> bool:
    """Tell whether the metric is the Euclidean one, without options."""
    return isinstance(metric, str) and metric in ("euclidean", "l2") and not params


def check_exponent(exponent: Any) -> None:
    """Refuse an exponent other than 2 and 1."""
    if exponent is True or not isinstance(exponent, Real) or exponent not in EXPONENTS:
        raise OptionError(
            f"exponent is {exponent!r}; it must be 2 (the dissimilarities are distances) or "
            "1 (they are already squared distances).",
            "exponent",
        )


def unvalidated_matrix(
    X: Any, ids: np.ndarray | None, name: str = "X", *, finite: bool = True
) -> tuple[Array, np.ndarray | None]:
    """Return dissimilarities as a matrix, and the objects' names; entries are not validated.

    A condensed vector is unfolded (of finite numbers, unless that is left to the caller), and a
    frame's columns are put in the order of its rows.
    """
    if is_flat(X):
        matrix = _unfolded(X, name, finite)
    else:
        matrix = as_matrix(align_columns(X, name), name, min_rows=2, finite=False)
    if ids is None:
        rows, columns = frame_names(X)
        ids = columns if rows is None else rows
    return matrix, validated_ids(ids, len(matrix))


def is_flat(X: Any) -> bool:
    """Tell whether X is one-dimensional, as a condensed vector is."""
    if sparse.issparse(X):
        return False
    return (X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim) == 1  # zarr's is not read


def _unfolded(vector: Any, name: str, finite: bool) -> Array:
    from scipy.spatial.distance import squareform

    condensed = as_matrix(np.reshape(vector, (1, -1)), name, finite=finite)[0]
    n = round((1 + np.sqrt(1 + 8 * len(condensed))) / 2)
    if n * (n - 1) // 2 != len(condensed):
        raise RelationError(
            f"{name} is a vector of {len(condensed)} entries; a condensed vector holds "
            f"n (n - 1) / 2, for example {n * (n - 1) // 2} for {n} objects."
        )
    return squareform(condensed)


def row_ids(X: Any) -> np.ndarray | None:
    """Return the names a frame of feature vectors gives its rows, if they are names."""
    rows = frame_names(X)[0]
    return rows if rows is not None and len(set(rows)) == len(rows) else None


def frame_names(X: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the names of a frame's rows and of its columns; numbers 0..n-1 are no names."""
    if not (hasattr(X, "index") and hasattr(X, "columns")):
        return None, None
    rows, columns = np.asarray(X.index, dtype=object), np.asarray(X.columns, dtype=object)
    return (
        None if np.array_equal(rows, np.arange(len(rows))) else rows,
        None if np.array_equal(columns, np.arange(len(columns))) else columns,
    )


def align_columns(X: Any, name: str = "X") -> Any:
    """Put a frame's columns in the order of its rows, by name, where both carry names."""
    given = [*X.columns] if hasattr(X, "columns") else []
    if len(set(given)) < len(given):
        repeated = next(column for column in given if given.count(column) > 1)
        raise RelationError(f"{name} has several columns named {repeated!r}; each object has one.")
    rows, columns = frame_names(X)
    if rows is None or columns is None or len(rows) != len(columns) or (rows == columns).all():
        return X
    if set(rows) != set(columns) or len(set(rows)) < len(rows):
        raise RelationError(
            f"{name} names its rows and its columns differently (rows start "
            f"{rows[:3].tolist()}, columns {columns[:3].tolist()}); both must name the same "
            "objects, each once."
        )
    return X[rows]


def validated_ids(ids: np.ndarray | None, n: int) -> np.ndarray | None:
    """Return names, one for each object and no two the same, or None."""
    if ids is None:
        return None
    if ids.shape != (n,):
        raise RelationError(
            f"ids has shape {ids.shape} for {n} objects; give a flat list of one name per object."
        )
    names, counts = np.unique([str(name) for name in ids], return_counts=True)
    if len(names) < n:
        repeated = str(names[np.argmax(counts)])
        raise RelationError(f"ids must differ; {repeated!r} appears twice or more.")
    return ids
