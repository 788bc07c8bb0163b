"""What the clustering estimators share.

``fit``: gate → relation → space → start → best of several runs → attributes.
``predict``: gate → dissimilarities to the support → squared distances → nearest prototype.
"""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state

from relrbf._options import is_auto
from relrbf._typing import Array, Indices
from relrbf.base import RelationalEstimator, all_or_nothing
from relrbf.clustering import FuzzyPartition, Partition, seed_plus_plus
from relrbf.clustering.assignment import tie_width
from relrbf.clustering.validation import check_cluster_options, check_n_clusters
from relrbf.prototypes import RelationalSpace, Space
from relrbf.prototypes.base import tie_tolerance
from relrbf.relations.base import Relation
from relrbf.relations.inputs import make_source
from relrbf.relations.properties import report_on
from relrbf.targets import check_weights

RUNS_FROM_PARTITIONS = 10  # random partitions start close to each other, and k-means++ seeds do not


class RelationalClusterer(ClusterMixin, RelationalEstimator):
    """Base of the clustering estimators: everything but the algorithm."""

    space = "relational"  # a mean of objects is all that a prototype can be here
    n_clusters: int
    init: Any
    n_init: int | str
    random_state: Any

    @abstractmethod
    def _run(self, space: Space, weights: Array, rng: np.random.Generator) -> Any:
        """Cluster once, from a start of its own; return a Partition or FuzzyPartition."""

    @abstractmethod
    def _keep_run(self, run: Any) -> None:
        """Set the attributes that only this algorithm has, and ``labels_``."""

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array, memmap, frame or Relation of shape (n, n)
            Dissimilarities between the objects; with another metric, feature vectors.
        y : ignored
            Here because scikit-learn passes it.
        sample_weight : array of shape (n,) or None, default=None
            Weights of the objects.

        Returns
        -------
        self
        """
        return self._fit(X, sample_weight)

    @all_or_nothing
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Indices:
        """Find the clusters and return the cluster of each object: ``fit(X).labels_``.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._fit(X, sample_weight).labels_

    def _check_options(self) -> None:
        check_cluster_options(self)

    def _fit(self, X: Any, sample_weight: Any) -> Self:
        self._check_options()
        relation = self._relate(X)
        weights = check_weights(sample_weight, X)
        total = float(weights.sum())
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        relation = self._read(relation, weights / total, rng)
        shares = (weights / total).astype(relation.dtype)
        with relation.multiplying():
            run = self._best_run(RelationalSpace(relation), shares, rng)
        self.inertia_ = run.inertia * total
        self.n_iter_ = run.n_iter
        self.prototypes_ = run.prototypes
        self.support_ = run.prototypes.support
        self._tie = tie_width(run.prototypes.distances_sq, shares)
        self._source = make_source(X, relation, self, self.support_, self.exponent_)
        self._keep_run(run)
        return self

    def _read(self, relation: Relation, weights: Array, rng: np.random.Generator) -> Relation:
        """Inspect the relation among the distinct objects, and settle its exponent."""
        self.relation_report_, merged = report_on(relation, weights)
        check_n_clusters(self.n_clusters, int(np.count_nonzero(merged)))
        return self._use_exponent(relation, self._without_vectors)

    def _best_run(
        self, space: Space, weights: Array, rng: np.random.Generator
    ) -> Partition | FuzzyPartition:
        """Return the run of the smallest inertia; of several equal ones, the first."""
        first, *others = rng.spawn(self._n_runs)
        best = self._run(space, weights, first)
        for child in others:
            run = self._run(space, weights, child)
            if self._beats(run, best, tie_tolerance(space.dtype)):
                best = run
        return best

    def _beats(self, run: Any, best: Any, tie: float) -> bool:
        return run.inertia < best.inertia - tie * abs(best.inertia)

    @property
    def _n_runs(self) -> int:
        if not isinstance(self.init, str):
            return 1  # every run would start, and end, the same
        if is_auto(self.n_init):
            return RUNS_FROM_PARTITIONS if self.init == "random-partition" else 1
        return int(self.n_init)

    def _seeds(self, space: Space, weights: Array, rng: np.random.Generator) -> Indices:
        seeds = seed_plus_plus(space, weights, self.n_clusters, rng)
        check_n_clusters(self.n_clusters, len(seeds))
        return seeds

    def _measure(self, X: Any) -> Array:
        """Return squared distances (k × m) of new objects to the prototypes."""
        queries = self._query(X)
        return np.hstack(
            [self.prototypes_.distances_sq_to(queries.read(rows)) for rows in queries.row_blocks()]
        )
