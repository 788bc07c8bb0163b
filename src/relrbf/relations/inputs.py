"""What a user passes as X: training objects as a relation, new objects by their dissimilarities."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import _VALID_METRICS, PAIRWISE_DISTANCE_FUNCTIONS

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import EVERY, CrossRelation, Relation, to_power
from relrbf.relations.conversion import as_relation, is_euclidean, is_flat, row_ids
from relrbf.relations.dense import DenseRelation
from relrbf.relations.metrics import complete_params, metric_dissimilarities
from relrbf.relations.objects import MetricRelation, ObjectRelation
from relrbf.relations.on_disk import open_matrix
from relrbf.relations.properties import is_small_support, support_size
from relrbf.relations.validation import (
    ROWS_ONLY,
    as_matrix,
    distances_from,
    is_on_disk,
    is_precomputed,
    refuse_negative,
    refuse_nonfinite,
)

METRICS = sorted({*PAIRWISE_DISTANCE_FUNCTIONS, *_VALID_METRICS, "precomputed"} - {"nan_euclidean"})
PART_BYTES = 2**25  # of new objects' dissimilarities that are held at a time
COSTLY_PART_BYTES = 2**29  # where each part searches a graph from the whole support


class MetricOptions(Protocol):
    """The parameters of an estimator that say what X means."""

    space: Any
    metric: Any
    metric_params: Any
    n_jobs: int | None


class FittedOptions(MetricOptions, Protocol):
    """The same of a fitted estimator, which knows how many columns X has."""

    n_features_in_: int


def check_space_and_metric(options: MetricOptions) -> None:
    """Refuse a metric that does not exist, or that the space does not measure by."""
    metric, params, space = options.metric, options.metric_params, options.space
    is_known = callable(metric) or isinstance(metric, Relation)
    if not is_known and not (isinstance(metric, str) and metric in METRICS):
        raise OptionError(
            f"metric={metric!r:.80} does not exist; it must be a callable, a Relation (of a matrix "
            f"D: as_relation(D)), or one of {METRICS}.",
            "metric",
        )
    if not isinstance(params, dict | None):
        raise OptionError(
            f"metric_params is {params!r}; it must be None or a dict.", "metric_params"
        )
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
    if not isinstance(metric, str) and not has_features(X):
        return MetricRelation(X, metric, measure_params=params, n_jobs=n_jobs)
    vectors, ids = as_matrix(X, min_rows=2), row_ids(X)
    _refuse_dissimilarities(vectors, options)
    if not isinstance(metric, str):
        return MetricRelation(
            vectors, metric, measure_params=params, ids=ids, dtype=vectors.dtype, n_jobs=n_jobs
        )
    metric = "euclidean" if options.space == "vector" else metric
    n_support = support_size(getattr(options, "n_support", None), len(vectors))
    if is_small_support(n_support, len(vectors)) and not is_euclidean(metric, params):
        params = complete_params(vectors, metric, params)  # of few rows, computed on demand
        function = partial(metric_dissimilarities, metric=metric, params=params, n_jobs=n_jobs)
        return MetricRelation(
            vectors, function, pairwise=True, check_symmetry=False, ids=ids, dtype=vectors.dtype
        )
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
    column = _check_column(np.asarray(X))
    if column.dtype.kind in "US" or any(isinstance(value, str) for value in column.flat[:1]):
        return _find_names(column[:, 0], relation.ids)  # even of digits: a name is not a position
    positions = _check_column(as_matrix(X))[:, 0]
    n = relation.n_objects
    outside = (positions < 0) | (positions >= n) | (positions != np.round(positions))
    if outside.any():
        raise RelationError(
            f"X holds the position {positions[outside][0]:g}; with metric=relation positions are "
            f"whole numbers from 0 to {n - 1}, which nothing may scale or shift before."
        )
    return positions.astype(np.intp)


def _check_column(X: np.ndarray) -> np.ndarray:
    if X.ndim == 2 and X.shape[1] == 1:
        return X
    advice = (
        "Dissimilarities belong in the relation; other features belong to other estimators (see "
        "sklearn.compose.ColumnTransformer)."
        if X.ndim == 2
        else "Reshape your data with X.reshape(-1, 1), or X[:, None]."
    )
    raise RelationError(
        f"X has shape {X.shape}; with metric=relation it must be one column, the positions of the "
        f"objects in the relation. {advice}"
    )


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


@dataclass(frozen=True)
class Queries:
    """New objects: their squared dissimilarities to the support, read a part at a time."""

    n_queries: int
    width: int  # objects in the support; in vector space, features
    read: Callable[..., Array]  # of a slice of the new objects (k × width)
    part_bytes: int | None = None  # None is PART_BYTES

    def row_blocks(self) -> Iterator[slice]:
        """Cut the new objects so that a part takes a few megabytes."""
        size = max(1, (self.part_bytes or PART_BYTES) // (8 * max(self.width, 1)))
        for start in range(0, self.n_queries, size):
            yield slice(start, min(start + size, self.n_queries))

    def __len__(self) -> int:
        return self.n_queries


class QuerySource(ABC):
    """Turns what a user passes to ``predict`` into what the prototypes measure."""

    @abstractmethod
    def query(self, X: Any, model: FittedOptions) -> Queries:
        """Validate new objects; return what reads their squared dissimilarities to the support."""

    def compact(self) -> "QuerySource":
        """Return the source of an estimator that knows the support only."""
        return self


@dataclass(frozen=True)
class ColumnSource(QuerySource):
    """X is a matrix of dissimilarities; the support is some of its columns."""

    support: Indices
    n_columns: int
    exponent: float
    ids: np.ndarray | None
    self_similarity: float | None  # where X holds similarities, as it did in training

    def query(self, X: Any, model: FittedOptions) -> Queries:
        """Read the support's columns, and no others."""
        queries = check_queries(X, model)
        check_same_ids(X, self.ids)
        own = None if isinstance(X, Relation | CrossRelation) else self.self_similarity

        def read(rows: slice = EVERY) -> Array:
            block = self._cut(queries, rows)
            if own is not None:
                block = distances_from(block, own)
            return to_power(check_not_negative(block), self.exponent)

        return Queries(len(queries), len(self.support), read)

    def _cut(self, queries: Any, rows: slice) -> Array:
        if isinstance(queries, CrossRelation):
            return queries.block(rows, self.support)
        is_all = len(self.support) == self.n_columns
        return queries[rows] if is_all else queries[rows, self.support]

    def compact(self) -> "ColumnSource":
        """Take the support's columns as all there are."""
        size = len(self.support)
        ids = None if self.ids is None else self.ids[self.support]
        return replace(self, support=np.arange(size), n_columns=size, ids=ids)


@dataclass(frozen=True)
class MetricSource(QuerySource):
    """X holds feature vectors; they are measured against the support's by a metric."""

    objects: Array
    exponent: float
    metric: Any
    metric_params: dict[str, Any] | None
    n_jobs: int | None

    def query(self, X: Any, model: FittedOptions) -> Queries:
        """Measure new objects against the support."""
        vectors = np.asarray(check_queries(X, model))

        def read(rows: slice = EVERY) -> Array:
            params = self.metric_params
            found = metric_dissimilarities(
                vectors[rows], self.objects, self.metric, params, self.n_jobs
            )
            found = as_matrix(found, "what metric computes")
            return to_power(check_not_negative(found), self.exponent)

        return Queries(len(vectors), len(self.objects), read)


@dataclass(frozen=True)
class ObjectSource(QuerySource):
    """X holds objects of any kind; a measure compares them with the support's."""

    relation: ObjectRelation
    exponent: float

    def query(self, X: Any, model: FittedOptions) -> Queries:
        """Compare new objects with the support."""
        if isinstance(X, Relation | CrossRelation):
            raise RelationError(
                f"X is a {type(X).__name__}, which holds dissimilarities; this model was trained "
                "on objects and a metric. Pass the new objects themselves."
            )
        if hasattr(model, "n_features_in_"):
            X = np.asarray(check_queries(X, model))
        elif has_features(X):
            raise RelationError(
                "X is a table of numbers, and this model was trained on other objects, such as "
                f"{self.relation.objects[0]!r:.40}. Pass a list of new objects of that kind."
            )
        cross = self.relation.to(X)

        def read(rows: slice = EVERY) -> Array:
            return to_power(cross.block(rows), self.exponent)

        return Queries(len(cross), len(self.relation), read)


@dataclass(frozen=True)
class PositionSource(QuerySource):
    """X holds positions of objects in a relation that was given as the metric."""

    relation: Relation
    objects: Indices
    exponent: float

    def query(self, X: Any, model: FittedOptions) -> Queries:
        """Look the dissimilarities up in the relation."""
        positions = check_positions(X, self.relation)

        def read(rows: slice = EVERY) -> Array:
            return to_power(self.relation.block(positions[rows], self.objects), self.exponent)

        part_bytes = COSTLY_PART_BYTES if self.relation.is_costly else None
        return Queries(len(positions), len(self.objects), read, part_bytes)


@dataclass(frozen=True)
class VectorSource(QuerySource):
    """X holds feature vectors, and so are the prototypes: there is nothing to look up."""

    def query(self, X: Any, model: FittedOptions) -> Queries:
        """Return the vectors themselves (m × d)."""
        vectors = np.asarray(check_queries(X, model))
        return Queries(len(vectors), vectors.shape[1], lambda rows=EVERY: vectors[rows])


def make_source(
    X: Any, relation: Relation, options: MetricOptions, support: Indices, exponent: float
) -> QuerySource:
    """Return the source that fits a metric and a space."""
    metric = options.metric
    if options.space == "vector":
        return VectorSource()
    if isinstance(metric, Relation):
        return PositionSource(metric, check_positions(X, metric)[support], exponent)
    if is_precomputed(metric):
        own = getattr(relation, "self_similarity", None)
        return ColumnSource(support, relation.n_objects, exponent, relation.ids, own)
    if isinstance(relation, ObjectRelation) and callable(metric):
        return ObjectSource(relation.alone(support), exponent)
    vectors = as_matrix(X)
    params = complete_params(vectors, metric, options.metric_params)
    return MetricSource(vectors[support], exponent, metric, params, options.n_jobs)


def check_queries(X: Any, model: FittedOptions) -> Array | CrossRelation:
    """Return new objects' dissimilarities to the training objects (m × n), or their features."""
    n, takes_columns = (
        model.n_features_in_,
        model.space != "vector" and is_precomputed(model.metric),
    )
    if takes_columns and is_on_disk(X):
        X = open_matrix(X)
    queries: Array | CrossRelation
    if isinstance(X, CrossRelation):
        queries = X
    elif takes_columns and isinstance(X, Relation) and type(X) is not DenseRelation:
        queries = CrossRelation(X, *map(np.arange, X.shape))  # read on demand
    else:
        queries = as_matrix(X.block() if isinstance(X, Relation) else X)
    if queries.shape[1] != n:
        advice = "one column per feature of the training vectors."
        if takes_columns:
            advice = (
                "with metric='precomputed' X needs one column for each of the objects that a "
                "prediction uses: all the training objects, or the support after compact(). "
                + ROWS_ONLY
            )
        raise RelationError(
            f"X has {queries.shape[1]} features, but {type(model).__name__} is expecting {n} "
            f"features as input: {advice}"
        )
    return queries


def check_not_negative(dissimilarities: Array, name: str = "X") -> Array:
    """Return dissimilarities of new objects, none of them negative."""
    if dissimilarities.size:
        lowest, largest = float(dissimilarities.min()), float(dissimilarities.max())
        if not (np.isfinite(lowest) and np.isfinite(largest)):
            refuse_nonfinite(dissimilarities, name)
        refuse_negative(dissimilarities, lowest, largest, name)
    return dissimilarities


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
