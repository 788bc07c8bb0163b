"""k-means from dissimilarities."""

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.clustering import Partition, lloyd, nearest_seeds, random_partition
from relrbf.clustering.assignment import nearest_of
from relrbf.clustering.validation import check_partition
from relrbf.estimators.clustering import RelationalClusterer
from relrbf.estimators.docstrings import CLUSTER_ATTRIBUTES, CLUSTER_PARAMETERS
from relrbf.exceptions import warn
from relrbf.prototypes import Space


@filled(parameters=CLUSTER_PARAMETERS, attributes=CLUSTER_ATTRIBUTES)
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
        "random-partition": the objects are dealt to the clusters at random. An array: the first
        cluster of each object, 0 to n_clusters - 1.
    n_init : int or "auto", default="auto"
        Runs, of which the one with the smallest inertia is kept. "auto": 10 from random
        partitions, 1 otherwise. From an array there is always one.
    max_iter : int, default=300
        Most iterations of a run; it usually ends earlier, when a partition comes back.
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

    def _run(self, space: Space, weights: Array, rng: np.random.Generator) -> Partition:
        labels = self._first_labels(space, weights, rng)
        return lloyd(space, weights, labels, self.n_clusters, self.max_iter)

    def _first_labels(self, space: Space, weights: Array, rng: np.random.Generator) -> Indices:
        if not isinstance(self.init, str):
            return check_partition(self.init, weights, self.n_clusters)
        if self.init == "random-partition":
            return random_partition(weights, self.n_clusters, rng)
        return nearest_seeds(space, weights, self._seeds(space, weights, rng))

    def _beats(self, run: Partition, best: Partition, tie: float) -> bool:
        if run.is_full != best.is_full:
            return run.is_full
        return super()._beats(run, best, tie)

    def _keep_run(self, run: Partition) -> None:
        self.labels_ = run.labels
        if not run.is_full:
            warn(
                f"Some of the {self.n_clusters} clusters are empty: max_iter={self.max_iter} is "
                "too low, or objects nearly coincide, or these dissimilarities are too far from "
                "those of vectors. Raise it, lower n_clusters, or use RelationalFuzzyCMeans.",
                ConvergenceWarning,
            )

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
        return nearest_of(self._measure(X), self._tie)

    def distances_sq(self, X: Any) -> Array:
        """Return the squared distances of new objects to the prototypes.

        They are squared because only then they always exist: where no vectors have these
        dissimilarities, some may be negative, and none is clipped.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.

        Returns
        -------
        ndarray of shape (m, n_clusters)
        """
        return self._measure(X).T
