"""Where a clustering starts from: seeds among the objects, or a partition of them."""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.clustering.assignment import fill_empty, nearest_of, tie_width
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
    line = Line(from_mean / unit, tie)
    line.refine(_second_look(space, weights, from_mean / unit) / unit)
    nearest = np.ones_like(from_mean)
    seeds: list[int] = []
    while len(seeds) < n_clusters and (weights * nearest).any():
        seeds.extend(line.draw(weights * nearest, 1, rng).tolist())
        to_seed = space.place_at(np.array(seeds[-1:])).distances_sq[0] / unit
        to_seed = np.where(to_seed > tie, to_seed, 0)  # a seed draws no twin of itself
        nearest = to_seed if len(seeds) == 1 else np.minimum(nearest, to_seed)
        line.refine(to_seed)
    return np.array(seeds, dtype=np.intp)


def nearest_seeds(space: Space, weights: Array, seeds: Indices) -> Indices:
    """Return the partition of the objects by their nearest seed; no cluster is empty."""
    distances_sq = space.place_at(seeds).distances_sq
    labels = nearest_of(distances_sq, tie_width(distances_sq, weights))
    return fill_empty(labels, distances_sq, weights)


def random_partition(weights: Array, n_clusters: int, rng: np.random.Generator) -> Indices:
    """Deal the objects of positive weight to the clusters, as evenly as their number allows."""
    labels = np.zeros(len(weights), dtype=np.intp)
    objects = rng.permutation(np.flatnonzero(weights))
    labels[objects] = np.arange(len(objects)) % n_clusters
    return labels


class Line:
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
        """Draw up to size different objects with the given chances, along the line."""
        reached = np.cumsum(chances[self.order])
        drawn = np.searchsorted(reached, rng.random(size) * reached[-1], side="right")
        _, firsts = np.unique(drawn, return_index=True)
        return self.order[np.minimum(drawn[np.sort(firsts)], len(reached) - 1)]


def _second_look(space: Space, weights: Array, from_mean: Array) -> Array:
    """Tell apart objects that are equally far from the mean, by where the outer ones lie."""
    outer = weights * np.square(from_mean)
    total = outer.sum()
    return space.place(outer[None] / total).distances_sq[0] if total > 0 else from_mean
