"""Relational fuzzy c-means, for every symmetric relation, written over a space.

On Euclidean relations this is RFCM (Hathaway, Davenport & Bezdek 1989), the twin of vector fuzzy
c-means. Elsewhere a squared distance can be negative, and memberships would have no meaning: NERF
(Hathaway & Bezdek 1994) then adds beta to every squared dissimilarity between two objects, just so
much that no distance is negative. Beta only grows, and S itself is never changed.

Symbols
-------
u   c × n   memberships, columns sum to one
m           the fuzzifier, > 1
v   c × n   coefficients of the prototypes, ``u^m`` with rows that sum to one
d   c × n   squared distances, ``(S v_j)_i - v_j' S v_j / 2 + beta ||v_j - e_i||^2 / 2``
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from relrbf._typing import Array, Indices
from relrbf.clustering.assignment import tie_width
from relrbf.prototypes.base import Prototypes, Space

COINCIDENT = 0.01  # memberships that differ by less describe one cluster


@dataclass(frozen=True)
class FuzzyPartition:
    """What fuzzy c-means found.

    Attributes
    ----------
    memberships : ndarray of shape (c, n)
        Columns sum to one.
    coefficients : ndarray of shape (c, n)
        Of the prototypes.
    prototypes : Prototypes
        The same, placed in the space; they know nothing of beta.
    distances_sq : ndarray of shape (c, n)
        Squared distances under beta, which the memberships follow from; not negative beyond
        rounding.
    inertia : float
        The objective, ``sum w u^m d``.
    beta : float
        What was added to the squared dissimilarities; 0 where vectors exist.
    n_iter : int
        How often the prototypes were computed.
    """

    memberships: Array
    coefficients: Array
    prototypes: Prototypes
    distances_sq: Array
    inertia: float
    beta: float
    n_iter: int


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
    return sum(bool((gaps[j, :j] < COINCIDENT).any()) for j in range(1, len(gaps)))


def spread_each(distances_sq: Array, norms_sq: Array, tie: float) -> Array:
    """Raise the distances of each object that has a negative one by as much as it needs.

    For objects that beta was not chosen for: new ones, and those of weight zero. Each gets the
    spread it would have asked for alone, and belongs wholly to the prototype that asked for it.
    """
    lack = np.where(distances_sq < -tie, -distances_sq, 0)
    needs = np.divide(lack, norms_sq, out=np.zeros_like(lack), where=lack > 0)
    return distances_sq + needs.max(axis=0) * norms_sq


def _spread(
    distances_sq: Array, coefficients: Array, weights: Array, tie: float, beta: float
) -> tuple[Array, float]:
    """Return the distances under beta, raised where some are still negative, and that beta."""
    if beta == 0 and distances_sq.min() >= -tie:
        return distances_sq, beta
    norms_sq = np.square(coefficients).sum(axis=1, keepdims=True) - 2 * coefficients + 1
    spread = distances_sq + beta / 2 * norms_sq
    lacking = (spread < -tie) & (weights > 0)
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
