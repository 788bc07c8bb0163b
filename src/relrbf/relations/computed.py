"""Dissimilarities computed from feature vectors by a metric of scikit-learn's or the user's."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.asking import Measure
from relrbf.relations.examine import LITTLE, Examiner, rounding_share

N_PAIRS = 16  # on which a callable is asked both ways
REMEDY = (
    "Compute the full matrix and say what is meant with as_relation(X, symmetrize='mean'), 'min' "
    "or 'max'."
)


def measure(
    vectors: Array,
    others: Array | None,
    metric: Any,
    params: dict[str, Any] | None,
    n_jobs: int | None,
) -> Array:
    """Return the dissimilarities of vectors to others, or among themselves (others None)."""
    from scipy.spatial.distance import cdist
    from sklearn.metrics import pairwise_distances

    if others is None:
        params = frozen_params(vectors, metric, params)
    # differences first, where scikit-learn expands the square: no cancellation far from zero
    if isinstance(metric, str) and metric in ("euclidean", "l2") and not params:
        matrix = cdist(vectors, vectors if others is None else others)
    else:
        if callable(metric) and others is None:
            _ask_both_ways(vectors, metric, params or {})
        matrix = pairwise_distances(vectors, others, metric=metric, n_jobs=n_jobs, **(params or {}))
    return matrix.astype(vectors.dtype, copy=False)


def frozen_params(
    vectors: Array, metric: Any, params: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Return the metric's parameters; those it would take from data come from the training data."""
    if not isinstance(metric, str):
        return params
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
    return params


def _ask_both_ways(vectors: Array, metric: Any, params: dict[str, Any]) -> None:
    """Refuse a callable that is not symmetric; only half of its values are ever computed."""
    dtype = vectors.dtype
    asked = Measure(metric, params, False, None, float(np.finfo(dtype).max))
    examiner = Examiner("object {}".format, REMEDY, "metric")
    firsts, seconds = np.random.default_rng(0).integers(0, len(vectors), (2, N_PAIRS))
    answers = asked.answers(list(vectors[firsts]), list(vectors[seconds]))
    if answers.problem is not None:
        text = examiner.failure(answers.problem, firsts, seconds)
        raise RelationError(text) from answers.problem.error
    values = answers.values.tolist()
    pairs = list(zip(firsts.tolist(), seconds.tolist(), values, strict=True))
    examiner.check_back(
        lambda i, j: asked.answers([vectors[i]], [vectors[j]]),
        pairs,
        rounding_share(dtype) * max(values) + LITTLE,
    )
