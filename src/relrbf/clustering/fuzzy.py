"""Relational fuzzy c-means, for every symmetric relation, written over a space.

On Euclidean relations this is RFCM (Hathaway, Davenport & Bezdek 1989), the equivalent of vector
fuzzy c-means. Elsewhere a squared distance can be negative, and memberships would have no meaning:
NERF (Hathaway & Bezdek 1994) then adds beta to every squared dissimilarity between two objects,
just so much that no distance is negative. Beta only grows, and S itself is never changed.

Symbols
-------
u   c × n   memberships, columns sum to one
m           the fuzzifier, > 1
v   c × n   coefficients of the prototypes, ``u^m`` with rows that sum to one
d   c × n   squared distances, ``(S v_j)_i - v_j' S v_j / 2 + beta ||v_j - e_i||^2 / 2``
"""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import ConvergenceWarning

from relrbf._options import check_number
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.clustering.base import (
    CLUSTERER_ATTRIBUTES,
    CLUSTERER_PARAMETERS,
    RelationalClusterer,
    check_not_empty,
)
from relrbf.clustering.seeding import assign_nearest, random_partition, tie_width
from relrbf.exceptions import OptionError, warn
from relrbf.prototypes.base import Prototypes, Space
from relrbf.relations.validation import as_matrix

COINCIDENT_MEMBERSHIPS = 0.01  # memberships that differ by less describe one cluster


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


def _check_memberships(init: Any, weights: Array, n_clusters: int) -> Array:
    """Return given initial memberships (n × k): not negative, rows sum to one."""
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
    check_not_empty(weights @ memberships)
    return memberships


@filled(parameters=CLUSTERER_PARAMETERS, attributes=CLUSTERER_ATTRIBUTES)
class RelationalFuzzyCMeans(RelationalClusterer):
    """Fuzzy c-means that sees only dissimilarities: RFCM, and NERF where no vectors exist.

    Where vectors with these dissimilarities exist, it is fuzzy c-means on them. Elsewhere it adds
    ``beta_`` to the squared dissimilarities between different objects, just so much that no
    squared distance is negative (Hathaway & Bezdek 1994).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    fuzzifier : float, default=2.0
        How much clusters overlap, > 1: near 1 it is k-means; when it is too large for the data, all
        prototypes are the same mean.
    init : str or array of shape (n,) or (n, n_clusters), default="k-means++"
        "k-means++": memberships that seeds which lie apart would give. "random-partition": the
        objects are distributed at random. An array: the first cluster of each object, 0 to
        n_clusters - 1, or its first memberships.
    tol : float, default=1e-06
        A run ends when no membership changes by more than this.
    {parameters}

    Attributes
    ----------
    memberships_ : ndarray of shape (n, n_clusters)
        How much each object belongs to each cluster; rows sum to one.
    beta_ : float
        What was added to the squared dissimilarities; 0 where vectors exist.
    inertia_ : float
        The objective: weighted sum of ``memberships ** fuzzifier`` times squared distances.
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.clustering import RelationalFuzzyCMeans
    >>> D = np.array([[0, 1, 4, 5], [1, 0, 4, 4], [4, 4, 0, 1], [5, 4, 1, 0]], dtype=float)
    >>> model = RelationalFuzzyCMeans(2, random_state=0).fit(D)
    >>> bool(model.memberships_.max(axis=1).min() > 0.9)
    True
    >>> model.predict_memberships([[3, 3, 3, 3]]).round(1).tolist()
    [[0.5, 0.5]]
    """

    _without_vectors = "Clusters are found all the same, under the spread beta_."

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzzifier: float = 2.0,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-6,
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_clusters,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            metric=metric,
            metric_params=metric_params,
            exponent=exponent,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.fuzzifier = fuzzifier
        self.tol = tol

    def _check_options(self) -> None:
        super()._check_options()
        check_number("tol", self.tol, Real, 0)
        check_number("fuzzifier", self.fuzzifier, Real, 1)
        if self.fuzzifier == 1:
            raise OptionError(
                "fuzzifier is 1; it must be larger. Use 2, less for clusters that overlap less, "
                "and RelationalKMeans for clusters that do not overlap."
            )

    def _run(self, space: Space, weights: Array, rng: np.random.Generator) -> FuzzyPartition:
        start = self._initial_memberships(space, weights, rng)
        return fuzzy_c_means(space, weights, start, self.fuzzifier, self.max_iter, self.tol)

    def _initial_memberships(self, space: Space, weights: Array, rng: np.random.Generator) -> Array:
        if not isinstance(self.init, str):
            if np.ndim(self.init) == 2:
                return _check_memberships(self.init, weights, self.n_clusters).T
            return self._crisp(self._given_partition(weights), weights)
        if self.init == "random-partition":
            return self._crisp(random_partition(weights, self.n_clusters, rng), weights)
        seeds = self._seeds(space, weights, rng)
        return memberships_near_seeds(space, weights, seeds, self.fuzzifier)

    def _crisp(self, labels: Indices, weights: Array) -> Array:
        return np.eye(self.n_clusters, dtype=weights.dtype)[:, labels]

    def _store(self, run: FuzzyPartition) -> None:
        n_same = n_coincident(run.memberships)
        if n_same:
            warn(
                f"{n_same} of the {self.n_clusters} prototypes coincide with another: fuzzifier="
                f"{self.fuzzifier} is too large for these objects and so many clusters. Lower it, "
                "for example to 1.2, or lower n_clusters.",
                ConvergenceWarning,
            )
        self.memberships_ = run.memberships.T
        self.labels_ = assign_nearest(run.distances_sq, self._tie)
        self.beta_ = run.beta
        # what beta adds to the squared distance of an object that is none of the training objects
        self._norms_sq = 1 + np.square(run.coefficients).sum(axis=1, keepdims=True)

    def _measure(self, X: Any) -> Array:
        return super()._measure(X) + self.beta_ / 2 * self._norms_sq

    def _compared(self, X: Any) -> Array:
        return spread_each(self._measure(X), self._norms_sq, self._tie)

    def predict_memberships(self, X: Any) -> Array:
        """Return how much each new object belongs to each cluster.

        An object that even under ``beta_`` has a negative squared distance to a prototype is given
        the larger spread that it needs, and belongs wholly to that prototype.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.

        Returns
        -------
        ndarray of shape (m, n_clusters)
            Rows sum to one.
        """
        return memberships_of(self._compared(X), self.fuzzifier, self._tie).T
