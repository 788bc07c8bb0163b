"""New objects: where a fitted model gets their dissimilarities to its support from."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Protocol

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.base import EVERY, CrossRelation, Relation, to_power
from relrbf.relations.blocks import spans
from relrbf.relations.conversion import MetricOptions, check_positions, has_features
from relrbf.relations.dense import DenseRelation
from relrbf.relations.metrics import metric_dissimilarities
from relrbf.relations.named import list_objects
from relrbf.relations.objects import ObjectRelation
from relrbf.relations.on_disk import open_matrix
from relrbf.relations.validation import (
    ROWS_ONLY,
    as_matrix,
    distances_from,
    is_on_disk,
    refuse_negative,
    refuse_nonfinite,
)

PART_BYTES = 2**25  # of new objects' dissimilarities that are held at a time
COSTLY_PART_BYTES = 2**29  # where each part searches a graph from the whole support


class FittedOptions(MetricOptions, Protocol):
    """The same of a fitted estimator, which knows how many columns X has."""

    n_features_in_: int


@dataclass(frozen=True)
class Queries:
    """New objects: their squared dissimilarities to the support, read a part at a time."""

    n_queries: int
    width: int  # objects in the support; in vector space, features
    read: Callable[..., Array]  # of a slice of the new objects (k × width)
    part_bytes: int | None = None  # None is PART_BYTES

    def row_blocks(self) -> Iterator[slice]:
        """Cut the new objects so that a part takes a few megabytes."""
        size = (self.part_bytes or PART_BYTES) // (8 * max(self.width, 1))
        return spans(self.n_queries, max(size, 1))


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
        if hasattr(X, "columns") or isinstance(X, Relation | CrossRelation):
            check_same_ids(X, self.ids)
        own = None if isinstance(X, Relation | CrossRelation) else self.self_similarity
        is_all = np.array_equal(self.support, np.arange(self.n_columns))

        def read(rows: slice = EVERY) -> Array:
            if isinstance(queries, CrossRelation):
                block = queries.block(rows, self.support)
            else:
                block = queries[rows] if is_all else queries[rows, self.support]
            if own is not None:
                block = distances_from(block, own)
            block = check_not_negative(block)
            return block if self.exponent == 1 else np.maximum(block, 0) ** self.exponent

        return Queries(len(queries), len(self.support), read)

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
        options = self.metric, self.metric_params, self.n_jobs

        def read(rows: slice = EVERY) -> Array:
            found = metric_dissimilarities(vectors[rows], self.objects, *options)
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
        if isinstance(model.metric, str):
            X = list_objects(model.metric, X)
        elif hasattr(model, "n_features_in_"):
            X = np.asarray(check_queries(X, model))
        elif has_features(X):
            raise RelationError(
                "X is a table of numbers, and this model was trained on other objects, such as "
                f"{self.relation.objects[0]!r:.40}. Pass a list of new objects of that kind."
            )
        cross, exponent = self.relation.to(X), self.exponent
        return Queries(*cross.shape, lambda rows=EVERY: to_power(cross.block(rows), exponent))


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


def check_queries(X: Any, model: FittedOptions) -> Array | CrossRelation:
    """Return new objects' dissimilarities to the training objects (m × n), or their features."""
    metric, n = model.metric, model.n_features_in_
    takes_columns = model.space != "vector" and isinstance(metric, str) and metric == "precomputed"
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
        if lowest < 0:
            refuse_negative(dissimilarities, lowest, largest, name)
    return dissimilarities


def check_same_ids(X: Any, ids: np.ndarray | None) -> None:
    """Refuse columns that name other objects than the model needs, or in another order."""
    if isinstance(X, CrossRelation):
        names = X.column_ids
    else:
        names = X.ids if isinstance(X, Relation) else getattr(X, "columns", None)
    if names is None:
        return
    names = np.asarray(names, dtype=object)
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
