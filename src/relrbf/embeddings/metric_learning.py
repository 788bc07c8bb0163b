"""Scaling with a learnt metric."""

from typing import Any

import numpy as np

from relrbf._options import is_auto
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.base import progress
from relrbf.embeddings.base import (
    ATTRIBUTES,
    PARAMETERS,
    SearchingEmbedding,
    heed_missing,
)
from relrbf.embeddings.metric import Learnt, match_relation, part_classes
from relrbf.embeddings.projection import Ending
from relrbf.embeddings.spectrum import Placement, Spectrum, known_squares, whole_spectrum
from relrbf.relations.base import Relation
from relrbf.targets import check_classes

SHARE = 0.9  # of the spectrum's absolute sum that the feature vectors carry
MOST_FEATURES = 50


@filled(parameters=PARAMETERS, attributes=ATTRIBUTES)
class MetricLearningMDS(SearchingEmbedding):
    """Multidimensional scaling with a metric learnt from the relation or from labels.

    The objects get feature vectors from the components of the spectrum that are largest in size,
    negative ones included, and a positive semidefinite matrix is learnt (after Xing et al. 2002)
    such that their Mahalanobis distances match the relation in least squares, as the paper does,
    or part the classes. The embedding realises these distances. It is linear in
    the dissimilarities, so new objects are placed by the same map.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of coordinates, the largest eigenvalues first. None: all that there are.
    target : {"relation", "labels"}, default="relation"
        What the metric is to match: the dissimilarities, or the side information that objects of
        one class are similar (``y`` is then needed).
    n_features : int or "auto", default="auto"
        Length of the feature vectors. "auto": as many as carry nine tenths of the spectrum's
        absolute sum, at most 50. All of them leave the metric free to be any, and matching the
        relation gives the nearest Euclidean one (``NearestEuclideanMDS``).
    tol : float, default=1e-06
        Relative accuracy of the optimum.
    max_iter : int, default=2000
        Most gradient steps.
    {parameters}
    verbose : int, default=0
        1 prints ten lines per fit, 2 one per step.

    Attributes
    ----------
    {attributes}
    metric_ : ndarray of shape (n_features, n_features)
        The learnt matrix, on feature vectors scaled by the roots of their eigenvalues' sizes; the
        identity would be classical scaling with negative eigenvalues counted as positive.
    n_iter_ : int
        Gradient steps.
    status_ : Ending
        How learning ended; its value is advice.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import cdist
    >>> from relrbf.embeddings import MetricLearningMDS
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> mds = MetricLearningMDS(n_features=3).fit(cdist(X, X))
    >>> bool(np.allclose(mds.metric_, np.eye(3), atol=1e-4))
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        target: str = "relation",
        n_features: int | str = "auto",
        tol: float = 1e-6,
        max_iter: int = 2000,
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.target = target
        self.n_features = n_features
        self.tol = tol
        self.max_iter = max_iter
        self.metric = metric
        self.metric_params = metric_params
        self.exponent = exponent
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _embed(self, relation: Relation, X: Any, y: Any) -> None:
        S = known_squares(relation)
        scale = float(S.max()) or 1.0
        spectrum = whole_spectrum(S)
        kept = self._features(spectrum)
        learnt = self._learn(spectrum.vectors[:, kept], np.asarray(S / scale, np.float64), X, y)
        sizes = np.sqrt(np.abs(spectrum.values[kept]) / scale)
        self.metric_ = learnt.M / np.outer(sizes, sizes)
        self._take_metric(spectrum, kept, scale * learnt.M)
        self._end(learnt.n_iter, learnt.ending)

    def _features(self, spectrum: Spectrum) -> Indices:
        by_size = spectrum.largest(None, by_size=True)
        if not is_auto(self.n_features):
            return by_size[: int(self.n_features)]
        carried = np.cumsum(np.abs(spectrum.values[by_size]))
        enough = int(np.searchsorted(carried, SHARE * carried[-1:].sum())) + 1
        return by_size[: min(enough, MOST_FEATURES)]

    def _learn(self, V: Array, S: Array, X: Any, y: Any) -> Learnt:
        labels = check_classes(y, X, self)[1] if self.target == "labels" else None
        if V.shape[1] == 0:  # objects that are all equal: there is nothing to learn
            return Learnt(np.zeros((0, 0)), 0, Ending.CONVERGED)
        with progress(self, X, "step", "relative accuracy") as on_step:
            if labels is None:
                return match_relation(V, S, self.tol, self.max_iter, on_step)
            learnt = part_classes(V, labels, self.tol, self.max_iter, on_step)
        # side information has no scale: the mean squared distance stays what it was
        total = 2 * len(V) * float(np.trace(learnt.M))
        return Learnt(learnt.M * (float(S.sum()) / total), learnt.n_iter, learnt.ending)

    def _take_metric(self, spectrum: Spectrum, kept: Indices, M: Array) -> None:
        """Settle the axes: those of the learnt metric, seen through the relation's own."""
        values, turns = np.linalg.eigh(M)
        values, turns = values[::-1], turns[:, ::-1]
        shown = values > spectrum.rounding
        heed_missing(self.n_components, int(shown.sum()))
        width = self.n_components or max(int(shown.sum()), 1)
        scaled = np.where(shown, np.sqrt(np.maximum(values, 0)), 0) * turns
        scaled = np.pad(scaled, ((0, 0), (0, max(width - len(values), 0))))[:, :width]
        vectors = spectrum.vectors[:, kept]
        self._placement = Placement((vectors / spectrum.values[kept]) @ scaled, spectrum.means)
        self.embedding_ = vectors @ scaled
        self.eigenvalues_ = np.square(self.embedding_).sum(axis=0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.target == "labels"
        return tags
