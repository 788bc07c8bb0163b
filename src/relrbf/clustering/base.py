"""What the clustering estimators share: everything but the algorithm."""

from abc import abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state

from relrbf._options import check_choice, check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf.base import METRIC, N_JOBS, RelationalEstimator, all_or_nothing, check_weights
from relrbf.clustering.seeding import assign_nearest, seed_plus_plus, tie_width
from relrbf.exceptions import OptionError
from relrbf.prototypes import RelationalSpace, Space
from relrbf.prototypes.base import tie_tolerance
from relrbf.relations.conversion import check_space_and_metric
from relrbf.relations.properties import report_on
from relrbf.relations.validation import as_matrix, check_exponent

CLUSTER_INITS = ("k-means++", "random-partition")
RUNS_FROM_PARTITIONS = 10  # random partitions start close to each other, and k-means++ seeds do not

CLUSTERER_PARAMETERS = f"""n_init : int or "auto", default="auto"
        Runs, of which the one with the smallest inertia is kept. "auto": 10 from random
        partitions, 1 otherwise. From an array there is always one.
    max_iter : int, default=300
        Most iterations of a run.
    {METRIC}
    exponent : {{2, 1, "auto"}}, default="auto"
        2 when dissimilarities are distances, 1 when they are already squared distances. "auto": 2,
        unless the other exponent is clearly closer to vectors (see ``relation_report_``).
    random_state : int, RandomState instance or None, default=None
        Seeds the initial clusters.
    {N_JOBS}"""

CLUSTERER_ATTRIBUTES = """labels_ : ndarray of shape (n,)
        The cluster of each training object.
    prototypes_ : Prototypes
        ``.coefficients`` (k × n), ``.distances_sq`` (k × n), ``.nearest()``.
    support_ : ndarray of int
        Training objects whose dissimilarities a prediction needs.
    exponent_ : float
        The exponent used.
    n_iter_ : int
        Iterations of the best run.
    relation_report_ : RelationReport
        What was found about the dissimilarities; prints as text.
    n_features_in_ : int
        Columns of X at fit.
    feature_names_in_ : ndarray of str
        Names of the columns of X, when X is a frame whose columns are all named by strings."""


class RelationalClusterer(ClusterMixin, RelationalEstimator):
    """Base of the clustering estimators."""

    space = "relational"  # a mean of objects is all that a prototype can be here
    _without_vectors: str  # what follows where no vectors have these dissimilarities

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.metric = metric
        self.metric_params = metric_params
        self.exponent = exponent
        self.random_state = random_state
        self.n_jobs = n_jobs

    @abstractmethod
    def _run(self, space: Space, weights: Array, rng: np.random.Generator) -> Any:
        """Cluster once, from an initialization of its own."""

    @abstractmethod
    def _store(self, run: Any) -> None:
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

    def _fit(self, X: Any, sample_weight: Any) -> Self:
        self._check_options()
        relation = self._validate_relation(X)
        weights = check_weights(sample_weight, X)
        total = float(weights.sum())
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        self.relation_report_, merged = report_on(relation, weights / total)
        self._check_n_clusters(int(np.count_nonzero(merged)))
        relation = self._use_exponent(relation, self._without_vectors)
        shares = (weights / total).astype(relation.dtype)
        with relation.multiplying():
            run = self._best_run(RelationalSpace(relation), shares, rng)
        self.inertia_ = run.inertia * total
        self.n_iter_ = run.n_iter
        self.prototypes_ = run.prototypes
        self.support_ = run.prototypes.support
        self._tie = tie_width(run.prototypes.distances_sq, shares)
        self._source = self._make_source(X, relation, self.exponent_)
        self._store(run)
        return self

    def predict(self, X: Any) -> Indices:
        """Return the cluster of each new object, that of the nearest prototype.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m,)
        """
        return assign_nearest(self._compared(X), self._tie)

    def distances_sq(self, X: Any) -> Array:
        """Return the squared distances of new objects to the prototypes.

        They are squared because only then they always exist: where no vectors have these
        dissimilarities, some may be negative, and none is clipped. Those of fuzzy c-means are under
        ``beta_``, with which none is negative for the training objects.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.

        Returns
        -------
        ndarray of shape (m, n_clusters)
        """
        return self._measure(X).T

    def _measure(self, X: Any) -> Array:
        """Return squared distances (k × m) of new objects to the prototypes."""
        queries = self._query(X)
        return np.hstack(
            [self.prototypes_.distances_sq_to(queries.read(rows)) for rows in queries.row_blocks()]
        )

    def _compared(self, X: Any) -> Array:
        """Return the squared distances (k × m) by which new objects are assigned."""
        return self._measure(X)

    def _best_run(self, space: Space, weights: Array, rng: np.random.Generator) -> Any:
        """Return the run of the smallest inertia; of several equal ones, the first."""
        first, *others = rng.spawn(self._n_runs)
        best = self._run(space, weights, first)
        for child in others:
            run = self._run(space, weights, child)
            if self._is_better(run, best, tie_tolerance(space.dtype)):
                best = run
        return best

    def _is_better(self, run: Any, best: Any, tie: float) -> bool:
        return bool(run.inertia < best.inertia - tie * abs(best.inertia))

    @property
    def _n_runs(self) -> int:
        if not isinstance(self.init, str):
            return 1  # every run would start, and end, the same
        if is_auto(self.n_init):
            return RUNS_FROM_PARTITIONS if self.init == "random-partition" else 1
        return int(self.n_init)

    def _seeds(self, space: Space, weights: Array, rng: np.random.Generator) -> Indices:
        seeds = seed_plus_plus(space, weights, self.n_clusters, rng)
        self._check_n_clusters(len(seeds))
        return seeds

    def _check_options(self) -> None:
        """Validate every option that does not depend on the data."""
        check_number("n_clusters", self.n_clusters, Integral, 1)
        check_number("n_init", self.n_init, Integral, 1, or_auto=True)
        check_number("max_iter", self.max_iter, Integral, 1)
        if isinstance(self.init, str):
            check_choice("init", self.init, CLUSTER_INITS)
        if not is_auto(self.exponent):
            check_exponent(self.exponent)
        check_space_and_metric(self)

    def _check_n_clusters(self, n_distinct: int) -> None:
        if self.n_clusters > n_distinct:
            raise OptionError(
                f"n_clusters is {self.n_clusters}, but only {n_distinct} objects are distinct and "
                f"have a positive weight. Use n_clusters={n_distinct} or fewer.",
                "n_clusters",
            )

    def _given_partition(self, weights: Array) -> Indices:
        """Return ``init`` as a partition: one label per object, no cluster without weight."""
        init, n_clusters = self.init, self.n_clusters
        if not hasattr(init, "__len__") or np.ndim(init) != 1 or len(init) != len(weights):
            given = f"an array of shape {np.shape(init)}" if np.ndim(init) else repr(init)
            raise OptionError(
                f"init is {given}; it must be one of {[*CLUSTER_INITS]} or one label for each "
                f"of the {len(weights)} objects."
            )
        values = as_matrix(np.reshape(init, (-1, 1)), "init")[:, 0]
        outside = (values < 0) | (values >= n_clusters) | (values != np.round(values))
        if outside.any():
            raise OptionError(
                f"init holds the label {values[outside][0]:g}; with n_clusters={n_clusters} labels "
                f"are whole numbers from 0 to {n_clusters - 1}."
            )
        labels = values.astype(np.intp)
        check_not_empty(np.bincount(labels, weights=weights, minlength=n_clusters))
        return labels


def check_not_empty(masses: np.ndarray) -> None:
    """Refuse an initial partition that has a cluster without weight."""
    if not masses.all():
        raise OptionError(
            f"init leaves cluster {int(np.argmin(masses))} without an object of positive weight; "
            "every cluster needs one. Lower n_clusters, or give it an object."
        )
