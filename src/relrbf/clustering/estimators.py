"""The clustering estimators: RelationalKMeans and RelationalFuzzyCMeans."""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from relrbf._options import check_choice, check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.base import METRIC, N_JOBS, RelationalEstimator, all_or_nothing, check_weights
from relrbf.clustering import algorithms
from relrbf.exceptions import OptionError, warn
from relrbf.prototypes import RelationalSpace, Space
from relrbf.prototypes.base import tie_tolerance
from relrbf.relations.conversion import check_space_and_metric
from relrbf.relations.properties import report_on
from relrbf.relations.validation import as_matrix, check_exponent, within_range

CLUSTER_INITS = ("k-means++", "random-partition")
RUNS_FROM_PARTITIONS = 10  # random partitions start close to each other, and k-means++ seeds do not

CLUSTERER_PARAMETERS = f"""n_init : int or "auto", default="auto"
        Runs, of which the one with the smallest inertia is kept. "auto": 10 from random
        partitions, 1 otherwise. From an array there is always one.
    max_iter : int, default=300
        Most iterations of a run.
    {METRIC}
    exponent : float or "auto", default="auto"
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


@dataclass(eq=False, repr=False)
class RelationalClusterer(ClusterMixin, RelationalEstimator):
    """Base of the clustering estimators."""

    space = "relational"  # a mean of objects is all that a prototype can be here
    _without_vectors: ClassVar[str]  # what follows where no vectors have these dissimilarities

    n_clusters: int = 8
    _: KW_ONLY
    init: Any = "k-means++"
    n_init: int | str = "auto"
    max_iter: int = 300
    metric: Any = "precomputed"
    metric_params: dict[str, Any] | None = None
    exponent: float | str | None = "auto"
    random_state: Any = None
    n_jobs: int | None = None

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
        self._check_options()
        relation = self._validate_relation(X)
        weights = check_weights(sample_weight, X)
        total = float(weights.sum())
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        self.relation_report_, merged = report_on(relation, weights / total, self.exponent)
        self._check_n_clusters(int(np.count_nonzero(merged)))
        relation = self._use_exponent(relation, self._without_vectors)
        shares = (weights / total).astype(relation.dtype)
        with relation.multiplying():
            run = self._best_run(RelationalSpace(relation), shares, rng)
        self.inertia_ = float(np.float64(run.inertia) * total)
        self.n_iter_ = run.n_iter
        self.prototypes_ = run.prototypes
        self.support_ = run.prototypes.support
        self._tie = algorithms.tie_width(run.prototypes.distances_sq, shares)
        self._source = self._make_source(X, relation, self.exponent_)
        self._store(run)
        return self

    @within_range()
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
        return algorithms.assign_nearest(self._compared(X), self._tie)

    @within_range()
    def distances_sq(self, X: Any) -> Array:
        """Return the squared distances of new objects to the prototypes (m × n_clusters).

        They are squared because only then they always exist: where no vectors have these
        dissimilarities, some may be negative, and none is clipped. Those of fuzzy c-means are under
        ``beta_``, with which none is negative for the training objects.
        """
        return self._measure(X).T

    def _measure(self, X: Any) -> Array:
        """Return squared distances (k × m) of new objects to the prototypes."""
        queries, to_prototypes = self._query(X), self.prototypes_.distances_sq_to
        return np.hstack([to_prototypes(queries.read(rows)) for rows in queries.row_blocks()])

    def _compared(self, X: Any) -> Array:
        """Return the squared distances (k × m) by which new objects are assigned."""
        return self._measure(X)

    def _best_run(self, space: Space, weights: Array, rng: np.random.Generator) -> Any:
        """Return the run of the smallest inertia; of several equal ones, the first."""
        n_runs = 1  # from an array, every run would start, and end, the same
        if isinstance(self.init, str):
            auto = RUNS_FROM_PARTITIONS if self.init == "random-partition" else 1
            n_runs = auto if is_auto(self.n_init) else int(self.n_init)
        first, *others = rng.spawn(n_runs)
        best = self._run(space, weights, first)
        for child in others:
            run = self._run(space, weights, child)
            lower = best.inertia - tie_tolerance(space.dtype) * abs(best.inertia)
            if run.is_full if run.is_full != best.is_full else run.inertia < lower:
                best = run
        return best

    def _seeds(self, space: Space, weights: Array, rng: np.random.Generator) -> Indices:
        seeds = algorithms.seed_plus_plus(space, weights, self.n_clusters, rng)
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

    def _run(self, space: Space, weights: Array, rng: np.random.Generator) -> algorithms.Partition:
        if not isinstance(self.init, str):
            labels = self._given_partition(weights)
        elif self.init == "random-partition":
            labels = algorithms.random_partition(weights, self.n_clusters, rng)
        else:
            labels = algorithms.nearest_seeds(space, weights, self._seeds(space, weights, rng))
        return algorithms.lloyd(space, weights, labels, self.n_clusters, self.max_iter)

    def _store(self, run: algorithms.Partition) -> None:
        self.labels_ = run.labels
        if not run.is_full:
            warn(
                f"Some of the {self.n_clusters} clusters are empty: max_iter={self.max_iter} is "
                "too low, or objects nearly coincide, or these dissimilarities are too far from "
                "those of vectors. Raise it, lower n_clusters, or use RelationalFuzzyCMeans.",
                ConvergenceWarning,
            )


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
@dataclass(eq=False, repr=False, kw_only=True)
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

    fuzzifier: float = 2.0
    tol: float = 1e-6

    _without_vectors = "Clusters are found all the same, under the spread beta_."

    def _check_options(self) -> None:
        super()._check_options()
        check_number("tol", self.tol, Real, 0)
        check_number("fuzzifier", self.fuzzifier, Real, 1)
        if self.fuzzifier == 1:
            raise OptionError(
                "fuzzifier is 1; it must be larger. Use 2, less for clusters that overlap less, "
                "and RelationalKMeans for clusters that do not overlap."
            )

    def _run(
        self, space: Space, weights: Array, rng: np.random.Generator
    ) -> algorithms.FuzzyPartition:
        crisp = np.eye(self.n_clusters, dtype=weights.dtype)
        if not isinstance(self.init, str):
            if np.ndim(self.init) == 2:
                memberships = _check_memberships(self.init, weights, self.n_clusters).T
            else:
                memberships = crisp[:, self._given_partition(weights)]
        elif self.init == "random-partition":
            memberships = crisp[:, algorithms.random_partition(weights, self.n_clusters, rng)]
        else:
            seeds = self._seeds(space, weights, rng)
            memberships = algorithms.memberships_near_seeds(space, weights, seeds, self.fuzzifier)
        return algorithms.fuzzy_c_means(
            space, weights, memberships, self.fuzzifier, self.max_iter, self.tol
        )

    def _store(self, run: algorithms.FuzzyPartition) -> None:
        n_same = algorithms.n_coincident(run.memberships)
        if n_same:
            warn(
                f"{n_same} of the {self.n_clusters} prototypes coincide with another: fuzzifier="
                f"{self.fuzzifier} is too large for these objects and so many clusters. Lower it, "
                "for example to 1.2, or lower n_clusters.",
                ConvergenceWarning,
            )
        self.memberships_ = run.memberships.T
        self.labels_ = algorithms.assign_nearest(run.distances_sq, self._tie)
        self.beta_ = run.beta
        # what beta adds to the squared distance of an object that is none of the training objects
        self._norms_sq = 1 + np.square(run.coefficients).sum(axis=1, keepdims=True)

    def _measure(self, X: Any) -> Array:
        return super()._measure(X) + self.beta_ / 2 * self._norms_sq

    def _compared(self, X: Any) -> Array:
        return algorithms.spread_each(self._measure(X), self._norms_sq, self._tie)

    @within_range()
    def predict_memberships(self, X: Any) -> Array:
        """Return how much each new object belongs to each cluster; rows sum to one.

        An object that even under ``beta_`` has a negative squared distance to a prototype is given
        the larger spread that it needs, and belongs wholly to that prototype.
        """
        return algorithms.memberships_of(self._compared(X), self.fuzzifier, self._tie).T
