"""Relational k-means (Hathaway & Bezdek 1989; theory 8), written over a space.

On Euclidean relations it is vector k-means, assignment for assignment. Nothing here depends on
the order of the objects or on how many copies of an object there are: only their weights count.
"""

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.clustering.assignment import fill_empty, nearest_of, tie_width
from relrbf.prototypes.base import Prototypes, Space, tie_tolerance


@dataclass(frozen=True)
class Partition:
    """What k-means found.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The cluster of the nearest prototype, for each object.
    coefficients : ndarray of shape (c, n)
        Of the prototypes: weighted means of clusters.
    prototypes : Prototypes
        The same, placed in the space.
    inertia : float
        Weighted sum of the objects' squared distances to their own prototypes.
    is_full : bool
        Whether every cluster has an object of positive weight; so it ends with a vector dual.
    n_iter : int
        How often the means were computed.
    """

    labels: Indices
    coefficients: Array
    prototypes: Prototypes
    inertia: float
    is_full: bool
    n_iter: int


def lloyd(
    space: Space, weights: Array, labels: Indices, n_clusters: int, max_iter: int = 300
) -> Partition:
    """Alternate means and assignment, from a partition, until a partition repeats.

    Weights sum to one, and each cluster of the first partition holds some. With a vector dual the
    last partition is the best. Without one the inertia may rise, and the partitions go round in a
    circle: the best that was met is returned, one without an empty cluster where there was any.
    """
    seen: set[bytes] = set()
    best: Partition | None = None
    while _digest(labels) not in seen and len(seen) < max_iter:
        seen.add(_digest(labels))
        coefficients = means(labels, weights, n_clusters)
        prototypes = space.place(coefficients)
        distances_sq = prototypes.distances_sq
        assigned = nearest_of(distances_sq, tie_width(distances_sq, weights))
        labels = fill_empty(assigned, distances_sq, weights)
        inertia = float(weights @ distances_sq[assigned, np.arange(len(assigned))])
        is_full = labels is assigned
        found = Partition(assigned, coefficients, prototypes, inertia, is_full, len(seen))
        best = found if best is None else _better(found, best)
    assert best is not None
    return replace(best, n_iter=len(seen))


def _better(new: Partition, old: Partition) -> Partition:
    """Choose the partition without empty clusters, then by inertia; of equal ones the newer."""
    if new.is_full != old.is_full:
        return new if new.is_full else old
    tie = tie_tolerance(new.coefficients.dtype) * abs(old.inertia)
    return new if new.inertia <= old.inertia + tie else old


def means(labels: Indices, weights: Array, n_clusters: int) -> Array:
    """Return the coefficients of each cluster's weighted mean (c × n)."""
    coefficients = np.zeros((n_clusters, len(labels)), dtype=weights.dtype)
    coefficients[labels, np.arange(len(labels))] = weights
    return coefficients / coefficients.sum(axis=1, keepdims=True)


def _digest(labels: Indices) -> bytes:
    return blake2b(labels.tobytes(), digest_size=16).digest()
