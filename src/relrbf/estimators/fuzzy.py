"""Fuzzy c-means from dissimilarities."""

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.clustering import (
    FuzzyPartition,
    fuzzy_c_means,
    memberships_near_seeds,
    random_partition,
)
from relrbf.clustering.assignment import nearest_of
from relrbf.clustering.fuzzy import memberships_of, n_coincident, spread_each
from relrbf.clustering.validation import check_fuzzy_options, check_memberships, check_partition
from relrbf.estimators.clustering import RelationalClusterer
from relrbf.estimators.docstrings import CLUSTER_ATTRIBUTES, CLUSTER_PARAMETERS
from relrbf.exceptions import warn
from relrbf.prototypes import Space


@filled(parameters=CLUSTER_PARAMETERS, attributes=CLUSTER_ATTRIBUTES)
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
        objects are dealt to the clusters at random. An array: the first cluster of each
        object, 0 to n_clusters - 1, or its first memberships.
    n_init : int or "auto", default="auto"
        Runs, of which the one with the smallest inertia is kept. "auto": 10 from random
        partitions, 1 otherwise. From an array there is always one.
    max_iter : int, default=300
        Most iterations of a run.
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

    _without_vectors = "Clusters are found all the same, by a spread that beta_ tells."

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
        self.n_clusters = n_clusters
        self.fuzzifier = fuzzifier
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.metric_params = metric_params
        self.exponent = exponent
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_options(self) -> None:
        super()._check_options()
        check_fuzzy_options(self)

    def _run(self, space: Space, weights: Array, rng: np.random.Generator) -> FuzzyPartition:
        start = self._first_memberships(space, weights, rng)
        return fuzzy_c_means(space, weights, start, self.fuzzifier, self.max_iter, self.tol)

    def _first_memberships(self, space: Space, weights: Array, rng: np.random.Generator) -> Array:
        if not isinstance(self.init, str):
            if np.ndim(self.init) == 2:
                return check_memberships(self.init, weights, self.n_clusters).T
            return self._crisp(check_partition(self.init, weights, self.n_clusters), weights)
        if self.init == "random-partition":
            return self._crisp(random_partition(weights, self.n_clusters, rng), weights)
        seeds = self._seeds(space, weights, rng)
        return memberships_near_seeds(space, weights, seeds, self.fuzzifier)

    def _crisp(self, labels: Indices, weights: Array) -> Array:
        return np.eye(self.n_clusters, dtype=weights.dtype)[:, labels]

    def _keep_run(self, run: FuzzyPartition) -> None:
        self._question_prototypes(n_coincident(run.memberships))
        self.memberships_ = run.memberships.T
        self.labels_ = nearest_of(run.distances_sq, self._tie)
        self.beta_ = run.beta
        # what beta adds to the squared distance of an object that is none of the training objects
        self._norms_sq = 1 + np.square(run.coefficients).sum(axis=1, keepdims=True)

    def _question_prototypes(self, n_same: int) -> None:
        if n_same:
            warn(
                f"{n_same} of the {self.n_clusters} prototypes coincide with another: fuzzifier="
                f"{self.fuzzifier} is too large for these objects and so many clusters. Lower it, "
                "for example to 1.2, or lower n_clusters.",
                ConvergenceWarning,
            )

    def _measure(self, X: Any) -> Array:
        return super()._measure(X) + self.beta_ / 2 * self._norms_sq

    def predict(self, X: Any) -> Indices:
        """Return the cluster that each new object belongs to most.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m,)
        """
        return nearest_of(spread_each(self._measure(X), self._norms_sq, self._tie), self._tie)

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
        raised = spread_each(self._measure(X), self._norms_sq, self._tie)
        return memberships_of(raised, self.fuzzifier, self._tie).T

    def distances_sq(self, X: Any) -> Array:
        """Return the squared distances of new objects to the prototypes, under ``beta_``.

        Under ``beta_`` none is negative for the training objects; for an object unlike them one
        may be, and none is clipped.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.

        Returns
        -------
        ndarray of shape (m, n_clusters)
        """
        return self._measure(X).T
