"""Dissimilarities computed from feature vectors by a metric of scikit-learn's or the user's."""

from typing import Any, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.measure_evaluation import USUAL_WARNINGS, Measure, Tile, evaluate_tile

MetricParams: TypeAlias = dict[str, Any] | None
N_VALIDATED = 7  # objects whose pairs a callable is evaluated on in both directions
REMEDY = (
    "Compute the full matrix and say what is meant with as_relation(X, symmetrize='mean'), 'min' "
    "or 'max'."
)


def metric_dissimilarities(
    vectors: Array, others: Array | None, metric: Any, params: MetricParams, n_jobs: int | None
) -> Array:
    """Return the dissimilarities of vectors to others, or among themselves (others None)."""
    if others is None:
        params = complete_params(vectors, metric, params)
    # differences first, where scikit-learn expands the square: no cancellation far from zero
    if isinstance(metric, str) and metric in ("euclidean", "l2") and not params:
        matrix = cdist(vectors, vectors if others is None else others)
    else:
        if callable(metric) and others is None:
            _validate_callable(vectors, metric, params or {})
        # what a named metric cannot compute is refused as not finite
        errors = USUAL_WARNINGS if callable(metric) else dict.fromkeys(USUAL_WARNINGS, "ignore")
        try:
            with np.errstate(**errors):
                matrix = pairwise_distances(
                    vectors, others, metric=metric, n_jobs=n_jobs, **(params or {})
                )
        except (TypeError, ValueError) as error:
            if callable(metric) or not params:
                raise
            problem = f"metric_params {[*params]} do not suit {metric!r}: {error!s:.200}"
            raise OptionError(problem, "metric_params") from error
    return matrix.astype(vectors.dtype, copy=False)


def complete_params(vectors: Array, metric: Any, params: MetricParams) -> MetricParams:
    """Return the metric's parameters; those it would take from data come from the training data."""
    if metric == "haversine" and vectors.shape[1] != 2:
        raise RelationError("metric='haversine' takes two columns: latitude, longitude in radians.")
    if metric == "seuclidean" and "V" not in (params or {}):
        return {**(params or {}), "V": np.var(vectors, axis=0, ddof=1)}
    if metric == "mahalanobis" and not {"V", "VI"} & set(params or {}):
        covariance = np.atleast_2d(np.cov(vectors.T))
        if np.linalg.matrix_rank(covariance) < len(covariance):
            raise RelationError(
                "metric='mahalanobis' needs features that are not combinations of each other; "
                "their covariance has no inverse. Drop features, or give metric_params={'VI': ...}."
            )
        return {**(params or {}), "VI": np.linalg.inv(covariance).T}
    if metric == "mahalanobis" and np.shape((params or {}).get("VI", ())) != 2 * vectors.shape[1:]:
        # SciPy does not look at it, and would read memory beyond
        raise OptionError(f"VI in metric_params must have shape {2 * vectors.shape[1:]}.")
    return params


def _validate_callable(vectors: Array, metric: Any, params: dict[str, Any]) -> None:
    """Refuse a callable that is not symmetric; only half of its values are ever computed."""
    n = min(N_VALIDATED, len(vectors))
    chosen = np.sort(np.random.default_rng(0).choice(len(vectors), n, replace=False))
    limit = float(np.finfo(vectors.dtype).max)
    measure = Measure(metric, params, limit=limit, argument="metric", remedy=REMEDY)
    some, tile = list(vectors[chosen]), Tile(0, slice(0, n), slice(0, n))
    evaluate_tile(measure, tile, some, some, vectors.dtype, lambda k: f"object {chosen[k]}", n)
