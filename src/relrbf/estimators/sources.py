"""Where a fitted estimator gets a new object's dissimilarities to its support from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relrbf._checks import check_not_negative, check_positions, check_queries, check_same_ids
from relrbf._typing import Array, Indices
from relrbf.relations.base import CrossRelation, Relation, raised
from relrbf.relations.computed import frozen_params, measure
from relrbf.relations.convert import is_precomputed
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
    ids: np.ndarray | None
    self_similarity: float | None  # where X holds similarities, as it did in training

    def query(self, X: Any, estimator: Any) -> Array:
        """Read the support's columns, and no others."""
        queries = check_queries(X, estimator)
        check_same_ids(X, self.ids)
        if isinstance(queries, CrossRelation):
            block = queries.block(slice(None), self.support)
        elif len(self.support) == self.n_columns:
            block = queries
        else:
            block = queries[:, self.support]
        if self.self_similarity is not None and not isinstance(X, Relation | CrossRelation):
            block = distances_from(block, self.self_similarity)
        return raised(check_not_negative(block), self.exponent)

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

    def query(self, X: Any, estimator: Any) -> Array:
        """Measure every new object against the support."""
        vectors = np.asarray(check_queries(X, estimator))
        measured = measure(vectors, self.objects, self.metric, self.metric_params, self.n_jobs)
        return raised(
            check_not_negative(as_matrix(measured, "what metric computes")), self.exponent
        )


@dataclass(frozen=True)
class Positions(Source):
    """X holds positions of objects in a relation that was given as the metric."""

    relation: Relation
    objects: Indices
    exponent: float

    def query(self, X: Any, estimator: Any) -> Array:
        """Look the dissimilarities up in the relation."""
        rows = check_positions(X, self.relation)
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
        objects = check_positions(X, estimator.metric)[support]
        return Positions(estimator.metric, objects, exponent)
    if is_precomputed(estimator.metric):
        own = getattr(relation, "self_similarity", None)
        return Columns(support, relation.n_objects, exponent, relation.ids, own)
    vectors = as_matrix(X)
    params = frozen_params(vectors, estimator.metric, estimator.metric_params)
    return Measured(vectors[support], exponent, estimator.metric, params, estimator.n_jobs)
