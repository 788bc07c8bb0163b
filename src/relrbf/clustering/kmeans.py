"""Relational k-means (Hathaway & Bezdek 1989; theory 8), written over a space.

On Euclidean relations it is vector k-means, assignment for assignment. Nothing here depends on
the order of the objects or on how many copies of an object there are: only their weights count.
"""

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.clustering.base import CLUSTERER_ATTRIBUTES, CLUSTERER_PARAMETERS, RelationalClusterer
from relrbf.clustering.seeding import (
    assign_nearest,
    fill_empty,
    nearest_seeds,
    random_partition,
    tie_width,
)
from relrbf.exceptions import warn
from relrbf.prototypes.base import Prototypes, Space, tie_tolerance


@dataclass(frozen=True)
class Partition:
    """What k-means found."""

    labels: Indices  # of the nearest prototype, for each object (n)
    coefficients: Array  # of the prototypes, weighted means of clusters (c × n)
    prototypes: Prototypes  # the same, placed in the space
    inertia: float  # weighted sum of squared distances to the nearest prototype
    is_full: bool  # every cluster has an object of positive weight; so always with vectors
    n_iter: int


def lloyd(
    space: Space, weights: Array, labels: Indices, n_clusters: int, max_iter: int = 300
) -> Partition:
    """Alternate means and assignment, from a partition, until a partition repeats.

    Weights sum to one, and each cluster of the first partition holds some. With a vector dual the
    last partition is the best. Without one the inertia may rise, and the partitions repeat in a
    cycle: the best is returned, one without an empty cluster where there was any.
    """
    seen: set[bytes] = set()
    best: Partition | None = None
    while _digest(labels) not in seen and len(seen) < max_iter:
        seen.add(_digest(labels))
        coefficients = means(labels, weights, n_clusters)
        prototypes = space.place(coefficients)
        distances_sq = prototypes.distances_sq
        assigned = assign_nearest(distances_sq, tie_width(distances_sq, weights))
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


@filled(parameters=CLUSTERER_PARAMETERS, attributes=CLUSTERER_ATTRIBUTES)
class RelationalKMeans(RelationalClusterer):
    """k-means that sees only dissimilarities (Hathaway & Bezdek 1989).

    Where vectors with these dissimilarities exist, it is k-means on them, assignment for
    assignment; a prototype is the mean of its cluster, not one of the objects.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : str or array of shape (n,), default="k-means++"
        "k-means++": each object begins with the nearest of seeds that lie apart.
        "random-partition": the objects are distributed at random. An array: the first
        cluster of each object, 0 to n_clusters - 1.
    {parameters}

    Attributes
    ----------
    inertia_ : float
        Weighted sum of the squared distances of the objects to their prototypes.
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.clustering import RelationalKMeans
    >>> D = np.array([[0, 1, 4, 5], [1, 0, 4, 4], [4, 4, 0, 1], [5, 4, 1, 0]], dtype=float)
    >>> model = RelationalKMeans(2, random_state=0).fit(D)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    >>> bool(model.predict([[1, 1, 5, 5]])[0] == model.labels_[0])
    True
    """

    _without_vectors = (
        "Clusters are found all the same, but the inertia may rise on the way, and a squared "
        "distance to a prototype may be negative."
    )

    def _run(self, space: Space, weights: Array, rng: np.random.Generator) -> Partition:
        labels = self._initial_labels(space, weights, rng)
        return lloyd(space, weights, labels, self.n_clusters, self.max_iter)

    def _initial_labels(self, space: Space, weights: Array, rng: np.random.Generator) -> Indices:
        if not isinstance(self.init, str):
            return self._given_partition(weights)
        if self.init == "random-partition":
            return random_partition(weights, self.n_clusters, rng)
        return nearest_seeds(space, weights, self._seeds(space, weights, rng))

    def _is_better(self, run: Partition, best: Partition, tie: float) -> bool:
        if run.is_full != best.is_full:
            return run.is_full
        return super()._is_better(run, best, tie)

    def _store(self, run: Partition) -> None:
        self.labels_ = run.labels
        if not run.is_full:
            warn(
                f"Some of the {self.n_clusters} clusters are empty: max_iter={self.max_iter} is "
                "too low, or objects nearly coincide, or these dissimilarities are too far from "
                "those of vectors. Raise it, lower n_clusters, or use RelationalFuzzyCMeans.",
                ConvergenceWarning,
            )
