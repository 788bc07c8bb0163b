"""Where a fitted estimator gets a new object's dissimilarities to its support from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relrbf._checks import check_not_negative, check_positions, check_queries
from relrbf._typing import Array, Indices
from relrbf.relations.base import CrossRelation, Relation, raised
from relrbf.relations.judge import as_matrix, distances_from


class Source(ABC):
    """Turns what a user passes to ``predict`` into what the prototypes measure."""

    @abstractmethod
    def query(self, X: Any, estimator: Any) -> Array:
        """Return squared dissimilarities to the support (m × len(support))."""

    def compact(self) -> "Source":
        """Return the source of an estimator that knows the support only."""
        return self


@dataclass(frozen=True)
class Columns(Source):
    """X is a matrix of dissimilarities; the support is some of its columns."""

    support: Indices
    n_columns: int
    exponent: float
    self_similarity: float | None  # where X holds similarities, as it did in training

    def query(self, X: Any, estimator: Any) -> Array:
        """Read the support's columns, and no others."""
        queries = check_queries(X, estimator)
        if isinstance(queries, CrossRelation):
            block = queries.block(slice(None), self.support)
        elif len(self.support) == self.n_columns:
            block = queries
        else:
            block = queries[:, self.support]
        if self.self_similarity is not None:
            block = distances_from(block, self.self_similarity)
        return raised(check_not_negative(block), self.exponent)

    def compact(self) -> "Columns":
        """Take the support's columns as all there are."""
        size = len(self.support)
        return replace(self, support=np.arange(size), n_columns=size)


@dataclass(frozen=True)
class Measured(Source):
    """X holds feature vectors; they are measured against the support's by a metric."""

    objects: Array
    exponent: float
    metric: Any
    metric_params: dict[str, Any] | None
    n_jobs: int | None

    def query(self, X: Any, estimator: Any) -> Array:
        """Measure every new object against the support."""
        from sklearn.metrics import pairwise_distances

        vectors = check_queries(X, estimator)
        distances = pairwise_distances(
            vectors,
            self.objects,
            metric=self.metric,
            n_jobs=self.n_jobs,
            **(self.metric_params or {}),
        )
        return raised(distances.astype(self.objects.dtype, copy=False), self.exponent)


@dataclass(frozen=True)
class Positions(Source):
    """X holds positions of objects in a relation that was given as the metric."""

    relation: Relation
    objects: Indices
    exponent: float

    def query(self, X: Any, estimator: Any) -> Array:
        """Look the dissimilarities up in the relation."""
        rows = check_positions(X, self.relation.n_objects)
        return raised(self.relation.block(rows, self.objects), self.exponent)


@dataclass(frozen=True)
class Vectors(Source):
    """X holds feature vectors, and so are the prototypes: there is nothing to look up."""

    def query(self, X: Any, estimator: Any) -> Array:
        """Return the vectors themselves (m × d)."""
        queries = check_queries(X, estimator)
        return np.asarray(queries)


def make_source(
    X: Any, relation: Relation, estimator: Any, support: Indices, exponent: float
) -> Source:
    """Return the source that fits an estimator's metric and space."""
    if estimator.space == "vector":
        return Vectors()
    if isinstance(estimator.metric, Relation):
        objects = check_positions(X, estimator.metric.n_objects)[support]
        return Positions(estimator.metric, objects, exponent)
    if estimator.metric == "precomputed":
        own = getattr(relation, "self_similarity", None)
        return Columns(support, relation.n_objects, exponent, own)
    return Measured(
        as_matrix(X)[support],
        exponent,
        estimator.metric,
        estimator.metric_params,
        estimator.n_jobs,
    )
