"""Initial seeds and partitions of a clustering, and the assignment of objects to prototypes."""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Space, tie_tolerance


def seed_plus_plus(
    space: Space, weights: Array, n_clusters: int, rng: np.random.Generator
) -> Indices:
    """Draw up to n_clusters distinct objects by k-means++ (Arthur & Vassilvitskii 2007).

    The draw runs along the objects sorted by where they lie, not by their position in the input,
    so that the same seed picks the same objects in whatever order they come. Fewer are returned
    when there are fewer distinct objects of positive weight.
    """
    from_mean = space.place(weights[None]).distances_sq[0]
    unit = float(weights @ np.abs(from_mean)) or 1.0
    tie = tie_tolerance(space.dtype)
    order = GeometricOrder(from_mean / unit, tie)
    order.refine(_distances_to_rim(space, weights, from_mean / unit) / unit)
    nearest = np.ones_like(from_mean)
    seeds: list[int] = []
    while len(seeds) < n_clusters and (weights * nearest).any():
        seeds.extend(order.draw(weights * nearest, 1, rng).tolist())
        to_seed = space.place_at(np.array(seeds[-1:])).distances_sq[0] / unit
        to_seed = np.where(to_seed > tie, to_seed, 0)  # no duplicate of a seed is drawn
        nearest = to_seed if len(seeds) == 1 else np.minimum(nearest, to_seed)
        order.refine(to_seed)
    return np.array(seeds, dtype=np.intp)


def _distances_to_rim(space: Space, weights: Array, from_mean: Array) -> Array:
    """Distinguish objects equally far from the mean, by their distances to the mean of the rim."""
    outer = weights * np.square(from_mean)
    total = outer.sum()
    return space.place(outer[None] / total).distances_sq[0] if total > 0 else from_mean


class GeometricOrder:
    """The objects in an order that depends on where they lie and on nothing else.

    Each key splits the ties that earlier keys left, so that a draw costs one sort by two keys, and
    none at all once no two objects tie.
    """

    def __init__(self, key: Array, tie: float) -> None:
        self.tie = tie
        self.ranks = np.zeros(len(key), dtype=np.intp)
        self.order = np.arange(len(key))
        self.refine(key)

    def refine(self, key: Array) -> None:
        """Rank the objects by their present rank, then by the rounded key."""
        if self.ranks[self.order[-1]] == len(self.order) - 1:
            return
        rounded = np.round(key / self.tie)
        self.order = np.lexsort([rounded, self.ranks])
        changes = np.diff(self.ranks[self.order]).astype(bool) | (np.diff(rounded[self.order]) != 0)
        self.ranks[self.order[1:]] = np.cumsum(changes)
        self.ranks[self.order[0]] = 0

    def draw(self, chances: Array, size: int, rng: np.random.Generator) -> Indices:
        """Draw up to size different objects with the given chances, along the order."""
        cumulated = np.cumsum(chances[self.order])
        drawn = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right")
        _, firsts = np.unique(drawn, return_index=True)
        return self.order[np.minimum(drawn[np.sort(firsts)], len(cumulated) - 1)]


def nearest_seeds(space: Space, weights: Array, seeds: Indices) -> Indices:
    """Return the partition of the objects by their nearest seed; no cluster is empty."""
    distances_sq = space.place_at(seeds).distances_sq
    labels = assign_nearest(distances_sq, tie_width(distances_sq, weights))
    return fill_empty(labels, distances_sq, weights)


def random_partition(weights: Array, n_clusters: int, rng: np.random.Generator) -> Indices:
    """Distribute the objects of positive weight among the clusters at random, evenly."""
    labels = np.zeros(len(weights), dtype=np.intp)
    objects = rng.permutation(np.flatnonzero(weights))
    labels[objects] = np.arange(len(objects)) % n_clusters
    return labels


def tie_width(distances_sq: Array, weights: Array) -> float:
    """Return the difference below which squared distances (c × n) of these objects are equal.

    ``weights`` sum to one, so that an object of weight zero changes nothing.
    """
    return tie_tolerance(distances_sq.dtype) * float(np.abs(distances_sq).mean(axis=0) @ weights)


def assign_nearest(distances_sq: Array, tie: float) -> Indices:
    """Assign each object to the first of its nearest prototypes (c × n)."""
    return np.argmax(distances_sq <= distances_sq.min(axis=0) + tie, axis=0)


def fill_empty(labels: Indices, distances_sq: Array, weights: Array) -> Indices:
    """Give each cluster that has no weight the worst-placed object of a cluster that has two.

    ``distances_sq`` are to the prototypes that the labels come from (c × n).
    """
    mass = np.bincount(labels, weights=weights > 0, minlength=len(distances_sq))
    if mass.all():
        return labels
    labels = labels.copy()
    misfit = weights * distances_sq[labels, np.arange(len(labels))]
    for cluster in np.flatnonzero(mass == 0):
        movable = (mass[labels] > 1) & (weights > 0)
        moved = int(np.argmax(np.where(movable, misfit, -np.inf)))
        mass[labels[moved]] -= 1
        mass[cluster] += 1
        labels[moved] = cluster
    return labels
