"""Where a fitted estimator gets a new object's dissimilarities to its support from."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relrbf._checks import (
    check_not_negative,
    check_positions,
    check_queries,
    check_same_ids,
    has_features,
)
from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.base import EVERY, CrossRelation, Relation, raised
from relrbf.relations.computed import frozen_params, measure
from relrbf.relations.convert import is_precomputed
from relrbf.relations.judge import as_matrix, distances_from
from relrbf.relations.objects import ObjectRelation

LARGE_BYTES = 2**29
PART_BYTES = 2**25  # of new objects' dissimilarities that are held at a time


@dataclass(frozen=True)
class Queries:
    """New objects: their squared dissimilarities to the support, read a part at a time.

    Attributes
    ----------
    n_queries : int
        Number of new objects.
    width : int
        Number of objects in the support; in vector space, of features.
    read : callable
        Returns the squared dissimilarities (k × width) of some new objects, a slice of them.
    part_bytes : int
        How much to read at a time; 0 is PART_BYTES.
    """

    n_queries: int
    width: int
    read: Callable[..., Array]
    part_bytes: int = 0

    def row_blocks(self) -> Iterator[slice]:
        """Cut the new objects so that a part takes a few megabytes, and how is not seen."""
        size = max(1, (self.part_bytes or PART_BYTES) // (8 * max(self.width, 1)))
        starts = range(0, self.n_queries, size)
        return (slice(at, min(at + size, self.n_queries)) for at in starts)

    def __len__(self) -> int:
        return self.n_queries


class Source(ABC):
    """Turns what a user passes to ``predict`` into what the prototypes measure."""

    @abstractmethod
    def query(self, X: Any, estimator: Any) -> Queries:
        """Judge new objects; return what reads their squared dissimilarities to the support."""

    def compact(self) -> "Source":
        """Return the source of an estimator that knows the support only."""
        return self


@dataclass(frozen=True)
class Columns(Source):
    """X is a matrix of dissimilarities; the support is some of its columns."""

    support: Indices
    n_columns: int
    exponent: float
    ids: np.ndarray | None
    self_similarity: float | None  # where X holds similarities, as it did in training

    def query(self, X: Any, estimator: Any) -> Queries:
        """Read the support's columns, and no others."""
        queries = check_queries(X, estimator)
        check_same_ids(X, self.ids)
        own = None if isinstance(X, Relation | CrossRelation) else self.self_similarity

        def read(rows: slice = EVERY) -> Array:
            block = self._cut(queries, rows)
            if own is not None:
                block = distances_from(block, own)
            return raised(check_not_negative(block), self.exponent)

        return Queries(len(queries), len(self.support), read)

    def _cut(self, queries: Any, rows: slice) -> Array:
        if isinstance(queries, CrossRelation):
            return queries.block(rows, self.support)
        is_all = len(self.support) == self.n_columns
        return queries[rows] if is_all else queries[rows, self.support]

    def compact(self) -> "Columns":
        """Take the support's columns as all there are."""
        size = len(self.support)
        ids = None if self.ids is None else self.ids[self.support]
        return replace(self, support=np.arange(size), n_columns=size, ids=ids)


@dataclass(frozen=True)
class Measured(Source):
    """X holds feature vectors; they are measured against the support's by a metric."""

    objects: Array
    exponent: float
    metric: Any
    metric_params: dict[str, Any] | None
    n_jobs: int | None

    def query(self, X: Any, estimator: Any) -> Queries:
        """Measure new objects against the support."""
        vectors = np.asarray(check_queries(X, estimator))

        def read(rows: slice = EVERY) -> Array:
            params = self.metric_params
            found = measure(vectors[rows], self.objects, self.metric, params, self.n_jobs)
            found = as_matrix(found, "what metric computes")
            return raised(check_not_negative(found), self.exponent)

        return Queries(len(vectors), len(self.objects), read)


@dataclass(frozen=True)
class Compared(Source):
    """X holds objects of any kind; a measure compares them with the support's."""

    relation: ObjectRelation
    exponent: float

    def query(self, X: Any, estimator: Any) -> Queries:
        """Compare new objects with the support."""
        if isinstance(X, Relation | CrossRelation):
            raise RelationError(
                f"X is a {type(X).__name__}, which holds dissimilarities; this model was trained "
                "on objects and a metric. Pass the new objects themselves."
            )
        objects = X
        if hasattr(estimator, "n_features_in_"):
            objects = np.asarray(check_queries(X, estimator))
        elif has_features(X):
            raise RelationError(
                "X is a table of numbers, and this model was trained on other objects, such as "
                f"{self.relation.objects[0]!r:.40}. Pass a list of new objects of that kind."
            )
        cross = self.relation.to(objects)
        return Queries(
            len(cross),
            len(self.relation),
            lambda rows=EVERY: raised(cross.block(rows), self.exponent),
        )


@dataclass(frozen=True)
class Positions(Source):
    """X holds positions of objects in a relation that was given as the metric."""

    relation: Relation
    objects: Indices
    exponent: float

    def query(self, X: Any, estimator: Any) -> Queries:
        """Look the dissimilarities up in the relation."""
        positions = check_positions(X, self.relation)

        def read(rows: slice = EVERY) -> Array:
            return raised(self.relation.block(positions[rows], self.objects), self.exponent)

        # a graph is searched from the whole support for every part
        part_bytes = LARGE_BYTES if self.relation.is_costly else PART_BYTES
        return Queries(len(positions), len(self.objects), read, part_bytes)


@dataclass(frozen=True)
class Vectors(Source):
    """X holds feature vectors, and so are the prototypes: there is nothing to look up."""

    def query(self, X: Any, estimator: Any) -> Queries:
        """Return the vectors themselves (m × d)."""
        vectors = np.asarray(check_queries(X, estimator))
        return Queries(len(vectors), vectors.shape[1], lambda rows=EVERY: vectors[rows])


def make_source(
    X: Any, relation: Relation, estimator: Any, support: Indices, exponent: float
) -> Source:
    """Return the source that fits an estimator's metric and space."""
    if estimator.space == "vector":
        return Vectors()
    if isinstance(estimator.metric, Relation):
        objects = check_positions(X, estimator.metric)[support]
        return Positions(estimator.metric, objects, exponent)
    if is_precomputed(estimator.metric):
        own = getattr(relation, "self_similarity", None)
        return Columns(support, relation.n_objects, exponent, relation.ids, own)
    if isinstance(relation, ObjectRelation) and callable(estimator.metric):
        return Compared(relation.alone(support), exponent)
    vectors = as_matrix(X)
    params = frozen_params(vectors, estimator.metric, estimator.metric_params)
    return Measured(vectors[support], exponent, estimator.metric, params, estimator.n_jobs)
