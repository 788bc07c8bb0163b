"""Measures of numeric vectors, by scipy and scikit-learn."""

from functools import partial
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.measures.named.entry import Named, Params
from relrbf.relations.metrics import complete_params
from relrbf.relations.validation import as_matrix

# Left out: scipy's russellrao, by which an object is not at 0 from itself, and scikit-learn's
# nan_euclidean, whose squares cancel.
SCIPY = {
    "braycurtis": "sum of differences over sum of sums",
    "canberra": "differences relative to sizes, summed",
    "chebyshev": "the largest difference",
    "cityblock": "sum of absolute differences",
    "correlation": "1 - Pearson correlation",
    "cosine": "1 - cosine of the angle",
    "dice": "of 0 and 1: what is not shared, shared counting twice",
    "euclidean": "straight-line distance",
    "hamming": "share of places that differ",
    "jaccard": "share that differs of what is not 0 in both",
    "jensenshannon": "root of the Jensen-Shannon divergence of two distributions",
    "mahalanobis": "distance in units of the covariance (params: VI, from the data by default)",
    "minkowski": "p-norm of the difference (params: p)",
    "rogerstanimoto": "of 0 and 1: what differs, counted twice",
    "seuclidean": "distance in units of the variances (params: V, from the data by default)",
    "sokalsneath": "of 0 and 1: what differs, counted twice, of what is not 0 in both",
    "sqeuclidean": "squared straight-line distance",
    "yule": "of 0 and 1: from the odds of agreeing",
}
SKLEARN = {
    "haversine": "angle between points on a sphere, (latitude, longitude) in radians",
}
ALIASES = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}
OF_FLAGS = ("dice", "rogerstanimoto", "sokalsneath", "yule")


def _by_scipy(metric: str, rows: Array, cols: Array, **params: Any) -> Array:
    from scipy.spatial.distance import cdist

    return cdist(rows, cols, metric, **params)


def _by_sklearn(metric: str, rows: Array, cols: Array, **params: Any) -> Array:
    from sklearn.metrics import pairwise_distances

    return pairwise_distances(rows, cols, metric=metric, **params)


def _prepare(metric: str, objects: Any, params: Params) -> tuple[Array, Params]:
    vectors = as_matrix(objects, "objects")
    if metric in OF_FLAGS and not np.isin(vectors, (0, 1)).all():
        raise RelationError(
            f"measure={metric!r} is about 0 and 1, and objects holds other numbers. Say what is "
            "meant, for example with objects > 0."
        )
    return vectors, complete_params(vectors, metric, params) or {}


def _entry(name: str, metric: str, description: str, package: str) -> Named:
    between = _by_scipy if package == "scipy" else _by_sklearn
    return Named(
        name,
        description,
        package,
        "vectors",
        partial(_prepare, metric),
        partial(between, metric),
    )


VECTORS = (
    *(_entry(name, name, text, "scipy") for name, text in SCIPY.items()),
    *(_entry(name, to, f"another name of {to}", "scipy") for name, to in ALIASES.items()),
    *(_entry(name, name, text, "scikit-learn") for name, text in SKLEARN.items()),
)
