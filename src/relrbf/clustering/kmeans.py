"""Relational k-means (Hathaway & Bezdek 1989; theory, section 8), written over a space.

On Euclidean relations it is vector k-means, assignment for assignment. Nothing here depends on
the order of the objects or on how many copies of an object there are: only their weights count.
"""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.spaces.base import Space, tie_of


def seed_plus_plus(
    space: Space, weights: Array, n_clusters: int, rng: np.random.Generator
) -> Indices:
    """Draw up to n_clusters distinct objects by k-means++ (Arthur & Vassilvitskii 2007).

    The draw runs along the objects sorted by where they lie, not by their position in the input,
    so that the same seed picks the same objects in whatever order they come. Fewer are returned
    when there are fewer distinct objects of positive weight.
    """
    from_mean = space.place(weights[None]).distances_sq[0]
    unit = max(float(weights @ np.abs(from_mean)), float(np.finfo(space.dtype).tiny))
    tie = tie_of(space.dtype)
    keys = [_second_look(space, weights, from_mean / unit) / unit, from_mean / unit]
    nearest = np.ones_like(from_mean)
    seeds: list[int] = []
    while len(seeds) < n_clusters and (weights * nearest).any():
        seeds.append(_draw(weights * nearest, keys, tie, rng))
        to_seed = space.place_at(np.array(seeds[-1:])).distances_sq[0] / unit
        to_seed = np.where(to_seed > tie, to_seed, 0)  # a seed draws no twin of itself
        nearest = to_seed if len(seeds) == 1 else np.minimum(nearest, to_seed)
        keys.append(to_seed)
    return np.array(seeds, dtype=np.intp)


def lloyd(space: Space, weights: Array, seeds: Indices, max_iter: int = 100) -> Array:
    """Alternate assignment and means until the partition repeats; return coefficients (c × n)."""
    distances_sq = space.place_at(seeds).distances_sq
    tie = tie_of(space.dtype)
    labels = _assign(distances_sq, weights, tie)
    for _ in range(max_iter):
        _fill_empty(labels, distances_sq, weights, len(seeds))
        coefficients = _means(labels, weights, len(seeds))
        distances_sq = space.place(coefficients).distances_sq
        previous, labels = labels, _assign(distances_sq, weights, tie)
        if np.array_equal(labels, previous):
            break
    return coefficients


def _second_look(space: Space, weights: Array, from_mean: Array) -> Array:
    """Tell apart objects that are equally far from the mean, by where the outer ones lie."""
    outer = weights * np.square(from_mean)
    total = outer.sum()
    return space.place(outer[None] / total).distances_sq[0] if total > 0 else from_mean


def _draw(chances: Array, keys: list[Array], tie: float, rng: np.random.Generator) -> int:
    """Draw one object with the given chances, along the order of the last key, then the others."""
    order = np.lexsort([np.round(key / tie) for key in keys])
    reached = np.cumsum(chances[order])
    drawn = np.searchsorted(reached, rng.random() * reached[-1], side="right")
    return int(order[min(drawn, len(order) - 1)])


def _assign(distances_sq: Array, weights: Array, tie: float) -> Indices:
    """Assign each object to the first of its nearest prototypes."""
    near = tie * float(np.abs(distances_sq).mean(axis=0) @ weights)
    return np.argmax(distances_sq <= distances_sq.min(axis=0) + near, axis=0)


def _means(labels: Indices, weights: Array, n_clusters: int) -> Array:
    """Return the coefficients of each cluster's weighted mean."""
    coefficients = np.zeros((n_clusters, len(labels)), dtype=weights.dtype)
    coefficients[labels, np.arange(len(labels))] = weights
    return coefficients / coefficients.sum(axis=1, keepdims=True)


def _fill_empty(labels: Indices, distances_sq: Array, weights: Array, n_clusters: int) -> None:
    """Give each cluster that has no weight the worst-placed object of a cluster that has two."""
    mass = np.bincount(labels, weights=weights > 0, minlength=n_clusters)
    for cluster in np.flatnonzero(mass == 0):
        misfit = weights * distances_sq[labels, np.arange(len(labels))]
        misfit[(mass[labels] < 2) | (weights == 0)] = -np.inf
        moved = int(np.argmax(misfit))
        mass[labels[moved]] -= 1
        mass[cluster] += 1
        labels[moved] = cluster
