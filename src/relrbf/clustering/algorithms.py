"""Relational k-means and fuzzy c-means over a space, their seeds, and initial prototypes.

k-means (Hathaway & Bezdek 1989; theory 8) is vector k-means on Euclidean relations, assignment for
assignment. Nothing here depends on the order of the objects or on how many copies of an object
there are: only their weights count.

Fuzzy c-means on Euclidean relations is RFCM (Hathaway, Davenport & Bezdek 1989), the equivalent of
vector fuzzy c-means. Elsewhere a squared distance can be negative, and memberships would have no
meaning: NERF (Hathaway & Bezdek 1994) then adds beta to every squared dissimilarity between two
objects, just so much that no distance is negative. Beta only grows, and S itself is never changed.

Symbols of fuzzy c-means
------------------------
u   c × n   memberships, columns sum to one
m           the fuzzifier, > 1
v   c × n   coefficients of the prototypes, ``u^m`` with rows that sum to one
d   c × n   squared distances, ``(S v_j)_i - v_j' S v_j / 2 + beta ||v_j - e_i||^2 / 2``
"""

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from scipy.spatial.distance import pdist, squareform

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Prototypes, Space, tie_tolerance

COINCIDENT_MEMBERSHIPS = 0.01  # memberships that differ by less describe one cluster
# With 2, the usual value, many of a network's prototypes coincide: 16 of 20 on the breast-cancer
# data, 19 of 20 on yeast-200. With 1.2 none does, there and on iris, wine and protein-213.
INITIAL_FUZZIFIER = 1.2
MAX_INITIAL_ITERATIONS = 20  # from k-means++ seeds: training moves the prototypes anyway


def initial_coefficients(
    init: str, space: Space, memberships: Array, n_prototypes: int, rng: np.random.Generator
) -> Array:
    """Return the coefficients (c × n) of the initial prototypes.

    "k-means" and "random-partition" are means of relational k-means clusters, from k-means++ seeds
    and from a random partition (the paper's section 3.1); "fuzzy" are prototypes of fuzzy c-means,
    "class" the mean of each class, "random" random averages within the classes, one class after the
    other (the paper's section 2.2). ``memberships`` (k × n) hold each object's weight in each
    class, one row for regression. There are fewer prototypes than ``n_prototypes`` where there are
    fewer classes of positive weight ("class") or fewer objects ("random-partition"), also where
    these are not distinct ("k-means", "fuzzy").
    """
    present = memberships[memberships.any(axis=1)]
    if init in ("class", "random"):
        if init == "random":
            classes = np.arange(n_prototypes) % len(present)
            present = present[classes] * rng.random((n_prototypes, space.n_objects))
        return present / present.sum(axis=1, keepdims=True)
    weights = memberships.sum(axis=0)
    if init == "random-partition":
        n_clusters = min(n_prototypes, int(np.count_nonzero(weights)))
        labels = random_partition(weights, n_clusters, rng)
        return lloyd(space, weights, labels, n_clusters).coefficients
    seeds = seed_plus_plus(space, weights, n_prototypes, rng)
    if init == "fuzzy":
        first = memberships_near_seeds(space, weights, seeds, INITIAL_FUZZIFIER)
        return fuzzy_c_means(space, weights, first, INITIAL_FUZZIFIER).coefficients
    labels = nearest_seeds(space, weights, seeds)
    return lloyd(space, weights, labels, len(seeds), MAX_INITIAL_ITERATIONS).coefficients


def seed_plus_plus(
    space: Space, weights: Array, n_clusters: int, rng: np.random.Generator
) -> Indices:
    """Draw up to n_clusters distinct objects by k-means++ (Arthur & Vassilvitskii 2007).

    The draw runs along the objects sorted by where they lie, not by their position in the input,
    so that the same seed picks the same objects in whatever order they come. Fewer are returned
    when there are fewer distinct objects of positive weight.
    """
    tie = tie_tolerance(space.dtype)
    from_mean = space.place(weights[None]).distances_sq[0]
    unit = float(weights @ np.abs(from_mean)) or 1.0

    def in_units(distances_sq: Array) -> Array:
        # what has no weight is never drawn, and may be far from all that has
        return np.where(weights > 0, distances_sq, 0) / unit

    from_mean = in_units(from_mean)
    order = GeometricOrder(from_mean, tie)
    outer = weights * from_mean * from_mean
    if outer.sum() > 0:  # objects equally far from the mean differ in distance to the outer ones'
        order.refine(in_units(space.place(outer[None] / outer.sum()).distances_sq[0]))
    nearest = np.ones_like(from_mean)
    seeds: list[int] = []
    while len(seeds) < n_clusters and (weights * nearest).any():
        seeds.extend(order.draw(weights * nearest, 1, rng).tolist())
        to_seed = in_units(space.place_at(np.array(seeds[-1:])).distances_sq[0])
        to_seed = np.where(to_seed > max(tie, to_seed[seeds[-1]]), to_seed, 0)  # no duplicates
        nearest = to_seed if len(seeds) == 1 else np.minimum(nearest, to_seed)
        order.refine(to_seed)
    return np.array(seeds, dtype=np.intp)


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
    objects = np.arange(len(labels))
    while (digest := blake2b(labels.tobytes(), digest_size=16).digest()) not in seen:
        if len(seen) == max_iter:
            break
        seen.add(digest)
        coefficients = np.zeros((n_clusters, len(labels)), dtype=weights.dtype)
        coefficients[labels, objects] = weights
        coefficients /= coefficients.sum(axis=1, keepdims=True)
        prototypes = space.place(coefficients)
        distances_sq = prototypes.distances_sq
        assigned = assign_nearest(distances_sq, tie_width(distances_sq, weights))
        labels = fill_empty(assigned, distances_sq, weights)
        inertia, is_full = float(weights @ distances_sq[assigned, objects]), labels is assigned
        found = Partition(assigned, coefficients, prototypes, inertia, is_full, len(seen))
        if best is None or is_full != best.is_full:
            best = found if best is None or is_full else best
        elif inertia <= best.inertia + tie_tolerance(weights.dtype) * abs(best.inertia):
            best = found  # of equal ones the newer
    assert best is not None
    return replace(best, n_iter=len(seen))


@dataclass(frozen=True)
class FuzzyPartition:
    """What fuzzy c-means found."""

    memberships: Array  # columns sum to one (c × n)
    coefficients: Array  # of the prototypes (c × n)
    prototypes: Prototypes  # the same, placed in the space, without beta
    distances_sq: Array  # under beta, not negative beyond rounding (c × n)
    inertia: float  # the objective, ``sum w u^m d``
    beta: float  # added to the squared dissimilarities; 0 where vectors exist
    n_iter: int
    is_full: bool = True  # no cluster is ever empty


def fuzzy_c_means(
    space: Space,
    weights: Array,
    memberships: Array,
    fuzzifier: float = 2.0,
    max_iter: int = 300,
    tol: float = 1e-6,
) -> FuzzyPartition:
    """Alternate prototypes and memberships (c × n) until none changes by more than tol.

    Weights sum to one. An object of weight zero gets memberships and changes nothing.
    """
    n_iter, beta, change = 0, 0.0, np.inf
    while change > tol and n_iter < max_iter:
        n_iter += 1
        coefficients = weighted_means(memberships, weights, fuzzifier)
        prototypes = space.place(coefficients)
        tie = tie_width(prototypes.distances_sq, weights)
        distances_sq, beta = _spread(prototypes.distances_sq, coefficients, weights, tie, beta)
        previous, memberships = memberships, memberships_of(distances_sq, fuzzifier, tie)
        memberships = _revive_empty(memberships, distances_sq, weights)
        change = float(np.abs(memberships - previous).max())
    inertia = float((memberships**fuzzifier * distances_sq).sum(axis=0) @ weights)
    return FuzzyPartition(
        memberships, coefficients, prototypes, distances_sq, inertia, beta, n_iter
    )


def weighted_means(memberships: Array, weights: Array, fuzzifier: float) -> Array:
    """Return the coefficients ``w u^m``, normalised, of the prototypes (c × n)."""
    used = np.where(weights > 0, memberships, 0)
    # relative to the largest, whose power then underflows for no fuzzifier
    powers = weights * (used / used.max(axis=1, keepdims=True)) ** fuzzifier
    return powers / powers.sum(axis=1, keepdims=True)


def memberships_of(distances_sq: Array, fuzzifier: float, tie: float) -> Array:
    """Return memberships ``u ∝ d^(-1 / (m - 1))`` (c × n); what is at zero takes or shares all."""
    at_zero = distances_sq <= tie
    safe = np.where(at_zero, 1, distances_sq)
    shares = (safe.min(axis=0) / safe) ** (1 / (fuzzifier - 1))
    shares = np.where(at_zero.any(axis=0), at_zero, shares).astype(distances_sq.dtype, copy=False)
    return shares / shares.sum(axis=0)


def memberships_near_seeds(space: Space, weights: Array, seeds: Indices, fuzzifier: float) -> Array:
    """Return the memberships (c × n) that prototypes on the seeds would give."""
    distances_sq = space.place_at(seeds).distances_sq
    return memberships_of(distances_sq, fuzzifier, tie_width(distances_sq, weights))


def n_coincident(memberships: Array) -> int:
    """Count the clusters whose memberships (c × n) are, within 1 %, those of an earlier one."""
    profiles = memberships / memberships.max(axis=1, keepdims=True)
    gaps = squareform(pdist(profiles, "chebyshev"))
    return sum(bool((gaps[j, :j] < COINCIDENT_MEMBERSHIPS).any()) for j in range(1, len(gaps)))


def spread_each(distances_sq: Array, norms_sq: Array, tie: float) -> Array:
    """Raise the distances of each object that has a negative one by as much as it needs.

    For objects that beta was not chosen for: new ones, and those of weight zero. Each gets the
    smallest spread it needs, and belongs wholly to the prototype that needs it.
    """
    lack = np.where(_lacks(distances_sq, norms_sq, tie), -distances_sq, 0)
    needs = np.divide(lack, norms_sq, out=np.zeros_like(lack), where=lack > 0)
    return distances_sq + needs.max(axis=0) * norms_sq


def _lacks(distances_sq: Array, norms_sq: Array, tie: float) -> np.ndarray:
    """Tell where a distance is negative by more than rounding; at an object itself it is that."""
    return (distances_sq < -tie) & (norms_sq > tie_tolerance(distances_sq.dtype))


def _spread(
    distances_sq: Array, coefficients: Array, weights: Array, tie: float, beta: float
) -> tuple[Array, float]:
    """Return the distances under beta, raised where some are still negative, and that beta."""
    if beta == 0 and distances_sq.min() >= -tie:
        return distances_sq, beta
    norms_sq = np.square(coefficients).sum(axis=1, keepdims=True) - 2 * coefficients + 1
    spread = distances_sq + beta / 2 * norms_sq
    lacking = _lacks(spread, norms_sq, tie) & (weights > 0)
    if lacking.any():
        delta = float(np.max(-2 * spread[lacking] / norms_sq[lacking]))
        spread = spread + delta / 2 * norms_sq
        beta += delta
    return spread_each(spread, norms_sq, tie), beta


def _revive_empty(memberships: Array, distances_sq: Array, weights: Array) -> Array:
    """Give each cluster without any membership a half of an object that is badly placed.

    A half, so that the object leaves no other cluster empty.
    """
    empty = np.flatnonzero(~memberships[:, weights > 0].any(axis=1))
    if len(empty) == 0:
        return memberships
    misfit = np.where(weights > 0, weights * distances_sq.min(axis=0), -np.inf)
    worst = np.argsort(-misfit, kind="stable")[: len(empty)]
    memberships = memberships.copy()
    memberships[:, worst] /= 2
    memberships[empty, worst] += 0.5
    return memberships
