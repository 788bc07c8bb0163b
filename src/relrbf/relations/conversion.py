"""What a user calls dissimilarities becomes a Relation, or an error."""

from functools import partial
from numbers import Real
from os import PathLike
from typing import Any, Literal, Protocol

import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.metrics.pairwise import _VALID_METRICS, PAIRWISE_DISTANCE_FUNCTIONS

from relrbf._options import check_choice, did_you_mean
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.dense import DenseRelation
from relrbf.relations.metrics import complete_params, metric_dissimilarities
from relrbf.relations.named import NAMED, NamedMetric, list_objects, takes_objects
from relrbf.relations.objects import MetricRelation
from relrbf.relations.on_disk import FileRelation, open_relation
from relrbf.relations.properties import is_small_support, support_size
from relrbf.relations.validation import (
    SYMMETRIZERS,
    as_matrix,
    check_exponent,
    check_range,
    check_symmetrize,
    distances_from,
    is_flat,
    is_on_disk,
    is_precomputed,
    refuse_repeated_columns,
    refuse_shape,
    validate_entries,
    validated_ids,
)
from relrbf.relations.vectors import VectorRelation
from relrbf.relations.views import SymmetrizedRelation


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
    exponent : float or None, default=None
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
    if similarities != "convert":
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
    ids = None if ids is None else np.asarray(ids, dtype=object)
    relation: Relation
    if is_precomputed(metric):
        relation = _validated(square_relation(X, ids), symmetrize, similarities)
    else:
        vectors = as_matrix(X, min_rows=2)
        ids = validated_ids(row_ids(X) if ids is None else ids, len(vectors))
        if is_euclidean(metric, metric_params):
            relation = VectorRelation(vectors, 2, ids)
        else:
            computed = metric_dissimilarities(vectors, None, metric, metric_params, n_jobs)
            relation = _validated(DenseRelation(computed, 2, ids), symmetrize, "refuse")
    if exponent is not None:
        return relation.with_exponent(exponent)
    # Euclidean distances between vectors are known to be distances
    relation.exponent_given = isinstance(relation, VectorRelation)
    return relation


def relation_of(D: Any, exponent: float | None = None) -> Relation:
    """Return the relation that a function's argument D is; errors call it by that name."""
    if exponent is not None:
        check_exponent(exponent)
    if not isinstance(D, Relation):
        D = _validated(square_relation(D, None, "D"), None, "convert", "D")
    return D if exponent is None else D.with_exponent(exponent)


def square_relation(
    X: Any, ids: np.ndarray | None = None, name: str = "X", *, finite: bool = True
) -> DenseRelation:
    """Return a square matrix and the objects' names; its entries are not validated.

    A condensed vector is unfolded, and a frame's columns are put in the order of its rows. With
    ``finite``, what is neither square nor finite is refused for its entries.
    """
    if isinstance(X, CrossRelation):
        refuse_shape(X.shape, name)
    if is_on_disk(X):
        return open_relation(X, ids, name)
    is_frame = hasattr(X, "columns")
    if is_flat(X):
        matrix = _unfolded(X, name, finite)
    else:
        aligned = align_columns(X, name) if is_frame else X
        matrix = as_matrix(aligned, name, min_rows=2, finite=False)
    if matrix.shape[0] != matrix.shape[1]:
        if finite:
            check_range(matrix, float(matrix.min()), float(matrix.max()), name)
        refuse_shape(matrix.shape, name)
    if ids is None and is_frame:
        rows, columns = frame_names(X)
        ids = columns if rows is None else rows
    return DenseRelation(matrix, 2, None if ids is None else validated_ids(ids, len(matrix)))


def _validated(
    given: DenseRelation, symmetrize: str | None, similarities: str, name: str = "X"
) -> Relation:
    """Validate entries, and change them by the named policies; those of a file block by block."""
    policy, own = validate_entries(given, symmetrize, similarities, name)
    if isinstance(given, FileRelation):
        given.is_symmetric = policy is None
        is_valid = policy is None and own is None
        return given if is_valid else SymmetrizedRelation(given, policy, own)
    if policy is not None:
        given.matrix = SYMMETRIZERS[policy](given.matrix, given.matrix.T)
    if own is not None:
        given.matrix, given.self_similarity = distances_from(given.matrix, own), own
    return given


def is_euclidean(metric: Any, params: dict[str, Any] | None) -> bool:
    """Tell whether the metric is the Euclidean one, without options."""
    return isinstance(metric, str) and metric in ("euclidean", "l2") and not params


def _unfolded(vector: Any, name: str, finite: bool) -> Array:
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
    refuse_repeated_columns(X, name)
    rows, columns = frame_names(X)
    if rows is None or columns is None or len(rows) != len(columns) or (rows == columns).all():
        return X
    if set(rows) != set(columns) or len(set(rows)) < len(rows):
        raise RelationError(
            f"{name} names its rows and its columns differently (rows start {rows[:3].tolist()}, "
            f"columns {columns[:3].tolist()}); both must name the same objects, each once."
        )
    return X[rows]


METRICS = sorted({*PAIRWISE_DISTANCE_FUNCTIONS, *_VALID_METRICS, "precomputed"} - {"nan_euclidean"})


class MetricOptions(Protocol):
    """The parameters of an estimator that say what X means."""

    space: Any
    metric: Any
    metric_params: Any
    n_jobs: int | None


def check_space_and_metric(options: MetricOptions) -> None:
    """Refuse a metric that does not exist, or that the space does not measure by."""
    metric, params, space = options.metric, options.metric_params, options.space
    is_known = takes_objects(metric) or isinstance(metric, Relation)
    if not is_known and not (isinstance(metric, str) and metric in METRICS):
        near = did_you_mean(metric, {*METRICS, *NAMED})
        raise OptionError(
            f"metric={metric!r:.80} does not exist.{near} It must be a callable, a Relation (of a "
            "matrix D: as_relation(D)), a measure of relrbf.measures.named_measures(), or one of "
            f"{METRICS}.",
            "metric",
        )
    if not isinstance(params, dict | None):
        problem = f"metric_params is {params!r}; it must be None or a dict."
        raise OptionError(problem, "metric_params")
    computes = space != "vector" and not is_precomputed(metric) and not isinstance(metric, Relation)
    if params and not computes:
        raise OptionError(
            f"metric_params is {params!r}, but space={space!r} with metric={metric!r} computes no "
            "metric. Leave it at None.",
            "metric_params",
        )
    if space != "vector":
        return
    if not isinstance(metric, str) or metric not in ("precomputed", "euclidean"):
        raise OptionError(
            "space='vector' measures Euclidean distances between feature vectors, and metric is "
            f"{metric!r}. Use metric='euclidean', or space='relational' for this metric.",
            "metric",
        )
    if getattr(options, "exponent", None) == 1:
        raise OptionError(
            "space='vector' has exponent 2: a point's squared distance is the Euclidean one. Use "
            "exponent='auto', or space='relational' with metric='euclidean' for exponent 1.",
            "exponent",
        )


def check_relation(X: Any, options: MetricOptions) -> Relation:
    """Return the relation among the training objects that X and the metric mean."""
    metric, space = options.metric, options.space
    if isinstance(metric, Relation):
        positions = check_positions(X, metric)
        is_whole = np.array_equal(positions, np.arange(metric.n_objects))
        return metric if is_whole else metric.restrict(positions)
    if space != "vector" and is_precomputed(metric):
        if isinstance(X, str | PathLike):
            refuse_path(X)
        if not isinstance(X, Relation | CrossRelation) and is_flat(X):
            raise RelationError(
                "X is one-dimensional. Reshape your data: an estimator needs one row and one "
                "column per object. A condensed vector goes through relrbf.as_relation."
            )
        return as_relation(X)
    if isinstance(X, Relation):
        needed = "feature vectors" if isinstance(metric, str) else "the objects"
        raise RelationError(
            f"X is a {type(X).__name__}, which holds dissimilarities; metric={metric!r} with "
            f"space={space!r} needs {needed}. Use metric='precomputed' and space='relational'."
        )
    return _compute_relation(X, options)


def _compute_relation(X: Any, options: MetricOptions) -> Relation:
    """Return the relation that a metric computes between objects, or between feature vectors."""
    metric, params, n_jobs = options.metric, options.metric_params, options.n_jobs
    known: dict[str, Any]
    if isinstance(metric, str) and takes_objects(metric):
        known = {"ids": row_ids(X), "n_jobs": n_jobs, "prefer": NAMED[metric].library.backend}
        listed, known["measure_params"] = list_objects(metric, X), params
        return MetricRelation(listed, NamedMetric(metric), pairwise=True, **known)
    if not isinstance(metric, str) and not has_features(X):
        return MetricRelation(X, metric, measure_params=params, n_jobs=n_jobs)
    vectors, ids = as_matrix(X, min_rows=2), row_ids(X)
    _refuse_dissimilarities(vectors, options)
    known = {"ids": ids, "dtype": vectors.dtype}
    if not isinstance(metric, str):
        return MetricRelation(vectors, metric, measure_params=params, n_jobs=n_jobs, **known)
    metric = "euclidean" if options.space == "vector" else metric
    n_support = support_size(getattr(options, "n_support", None), len(vectors))
    if is_small_support(n_support, len(vectors)) and not is_euclidean(metric, params):
        params = complete_params(vectors, metric, params)  # of few rows, computed on demand
        function = partial(metric_dissimilarities, metric=metric, params=params, n_jobs=n_jobs)
        return MetricRelation(vectors, function, pairwise=True, check_symmetry=False, **known)
    return as_relation(X, metric, metric_params=params, n_jobs=n_jobs)


def _refuse_dissimilarities(vectors: Array, options: MetricOptions) -> None:
    """Refuse feature vectors that look in every respect like dissimilarities."""
    n, d = vectors.shape
    if n != d or n < 3 or np.diagonal(vectors).any() or vectors.min() < 0:
        return
    if np.array_equal(vectors, vectors.T):
        raise RelationError(
            f"X is square ({n} × {n}), symmetric, not negative and zero on the diagonal: these are "
            f"dissimilarities, but space={options.space!r} and metric={options.metric!r} take "
            "feature vectors. Use space='relational' and metric='precomputed'. (To use "
            "rows of dissimilarities as features on purpose, drop one of the columns.)"
        )


def refuse_path(X: Any) -> None:
    """Refuse a path where the relation itself is meant."""
    if isinstance(X, str | PathLike):
        raise RelationError(
            f"X is {str(X)!r}, a path; an estimator takes the relation that the file holds: "
            "relrbf.as_relation(path)."
        )


def has_features(X: Any) -> bool:
    """Tell whether X holds feature vectors: a table of numbers, and not a list of objects.

    A list of lists of numbers, all of one length, is a table; any other list is one of objects, and
    so is an array of text, or of three dimensions.
    """
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return all(getattr(dtype, "kind", "O") in "biuf" for dtype in X.dtypes)
    if isinstance(X, list):
        is_table = {type(row) for row in X} == {list} and len({len(row) for row in X}) == 1
        return is_table and all(isinstance(value, Real) for row in X for value in row)
    if sparse.issparse(X):
        return True
    if not hasattr(X, "__array__") or hasattr(X, "iloc"):
        return False
    array = np.asarray(X)
    return array.ndim <= 2 and array.dtype.kind in ("biufcO" if array.ndim == 2 else "biufc")


def check_positions(X: Any, relation: Relation) -> Indices:
    """Return the positions that X means: one column of them, or of the names of the objects."""
    if isinstance(X, Relation | CrossRelation):
        raise RelationError(
            f"X is a {type(X).__name__}, and metric is a relation as well; X must then be one "
            "column, the positions of the objects. Or pass X alone, with metric='precomputed'."
        )
    column = np.asarray(X)
    if column.ndim != 2 or column.shape[1] != 1:
        advice = "Reshape your data with X.reshape(-1, 1), or X[:, None]."
        if column.ndim == 2:
            advice = (
                "Dissimilarities belong in the relation; other features belong to other estimators "
                "(see sklearn.compose.ColumnTransformer)."
            )
        raise RelationError(
            f"X has shape {column.shape}; with metric=relation it must be one column, the "
            f"positions of the objects in the relation. {advice}"
        )
    if column.dtype.kind in "US" or any(isinstance(value, str) for value in column.flat[:1]):
        return _find_names(column[:, 0], relation.ids)  # even of digits: a name is not a position
    positions, n = as_matrix(X)[:, 0], relation.n_objects
    outside = (positions < 0) | (positions >= n) | (positions != np.round(positions))
    if outside.any():
        raise RelationError(
            f"X holds the position {positions[outside][0]:g}; with metric=relation positions are "
            f"whole numbers from 0 to {n - 1}, which nothing may scale or shift before."
        )
    return positions.astype(np.intp)


def _find_names(names: np.ndarray, ids: np.ndarray | None) -> Indices:
    """Return the positions of names among the names of all objects."""
    if ids is None:
        raise RelationError(
            f"X holds the name {str(names[0])!r}, and metric=relation has no ids; pass positions, "
            "whole numbers from 0, or make the relation with ids: as_relation(D, ids=names)."
        )
    known = {str(name): i for i, name in enumerate(ids)} | {name: i for i, name in enumerate(ids)}
    missing = [name for name in names if name not in known]
    if missing:
        raise RelationError(
            f"X names {str(missing[0])!r}, which is not one of the ids of metric=relation (they "
            f"start {ids[:3].tolist()})."
        )
    return np.array([known[name] for name in names], dtype=np.intp)
