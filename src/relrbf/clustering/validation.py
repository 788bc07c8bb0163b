"""Judging the options and starts of clustering."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from relrbf._options import check_choice, check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.relations.conversion import (
    check_exponent,
    is_flat,
)
from relrbf.relations.inputs import check_space_and_metric
from relrbf.relations.validation import as_matrix

CLUSTER_INITS = ("k-means++", "random-partition")


def check_cluster_options(estimator: Any) -> None:
    """Judge every option of a clustering that does not depend on the data."""
    check_number("n_clusters", estimator.n_clusters, Integral, 1)
    check_number("n_init", estimator.n_init, Integral, 1, or_auto=True)
    check_number("max_iter", estimator.max_iter, Integral, 1)
    if isinstance(estimator.init, str):
        check_choice("init", estimator.init, CLUSTER_INITS)
    if not is_auto(estimator.exponent):
        check_exponent(estimator.exponent)
    check_space_and_metric(estimator)


def check_fuzzy_options(estimator: Any) -> None:
    """Judge what fuzzy c-means has besides."""
    check_number("tol", estimator.tol, Real, 0)
    check_number("fuzzifier", estimator.fuzzifier, Real, 1)
    if estimator.fuzzifier == 1:
        raise OptionError(
            "fuzzifier is 1; it must be larger. Use 2, less for clusters that overlap less, and "
            "RelationalKMeans for clusters that do not overlap."
        )


def check_n_clusters(n_clusters: int, n_distinct: int) -> None:
    """Refuse more clusters than there are distinct objects of positive weight."""
    if n_clusters > n_distinct:
        raise OptionError(
            f"n_clusters is {n_clusters}, but only {n_distinct} objects are distinct and have a "
            f"positive weight. Use n_clusters={n_distinct} or fewer."
        )


def check_partition(init: Any, weights: Array, n_clusters: int) -> Indices:
    """Return a given first partition: one label per object, no cluster without weight."""
    if not hasattr(init, "__len__") or not is_flat(init) or len(init) != len(weights):
        raise OptionError(
            f"init is {_shown(init)}; it must be one of {[*CLUSTER_INITS]} or one label for each "
            f"of the {len(weights)} objects."
        )
    values = as_matrix(np.reshape(init, (-1, 1)), "init")[:, 0]
    outside = (values < 0) | (values >= n_clusters) | (values != np.round(values))
    if outside.any():
        raise OptionError(
            f"init holds the label {values[outside][0]:g}; with n_clusters={n_clusters} labels are "
            f"whole numbers from 0 to {n_clusters - 1}."
        )
    labels = values.astype(np.intp)
    _refuse_empty(np.bincount(labels, weights=weights, minlength=n_clusters))
    return labels


def check_memberships(init: Any, weights: Array, n_clusters: int) -> Array:
    """Return given first memberships (n × k): not negative, rows sum to one."""
    memberships = as_matrix(init, "init").astype(weights.dtype, copy=False)
    if memberships.shape != (len(weights), n_clusters):
        raise OptionError(
            f"init has shape {memberships.shape}; memberships need one row for each of the "
            f"{len(weights)} objects and one column for each of the {n_clusters} clusters."
        )
    if memberships.min() < 0:
        raise OptionError(
            f"init holds the membership {memberships.min():.6g}; none may be negative."
        )
    off = np.abs(memberships.sum(axis=1) - 1)
    if off.max() > np.sqrt(np.finfo(weights.dtype).eps):
        worst = int(np.argmax(off))
        raise OptionError(
            f"row {worst} of init sums to {memberships[worst].sum():.6g}; the memberships of an "
            "object must sum to 1. Divide each row by its sum."
        )
    _refuse_empty(weights @ memberships)
    return memberships


def _refuse_empty(masses: np.ndarray) -> None:
    if not masses.all():
        raise OptionError(
            f"init leaves cluster {int(np.argmin(masses))} without an object of positive weight; "
            "every cluster needs one. Lower n_clusters, or give it an object."
        )


def _shown(value: Any) -> str:
    """Say what came, an array by its shape."""
    return f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)
