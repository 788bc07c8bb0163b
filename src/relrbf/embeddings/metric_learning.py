"""Scaling with a learnt metric, after Xing et al. (2002).

Symbols
-------
V   n × k, orthonormal columns that sum to zero: the objects' feature vectors, whitened
M   k × k positive semidefinite; ``(v_i - v_j)' M (v_i - v_j)`` is the learnt squared distance
q   n, the squared norms ``v_i' M v_i``

The problem is convex, and solved by projected gradient steps with an eigendecomposition of k × k in
each.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from relrbf._options import check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.base import progress
from relrbf.embeddings.base import (
    EMBEDDING_PARAMETERS,
    SEARCH_ATTRIBUTES,
    OnIteration,
    SearchingEmbedding,
    SearchStatus,
    output_width,
)
from relrbf.embeddings.spectrum import Placement, Spectrum, dense_sq, positive_part, whole_spectrum
from relrbf.relations.base import Relation

SPECTRUM_SHARE = 0.9  # of the absolute sum that the feature vectors carry
MAX_FEATURES = 50


@filled(parameters=EMBEDDING_PARAMETERS, attributes=SEARCH_ATTRIBUTES)
@dataclass(eq=False, repr=False, kw_only=True)
class MetricLearningMDS(SearchingEmbedding):
    """Multidimensional scaling with a metric learnt from the relation.

    The objects get feature vectors from the components of the spectrum that are largest in size,
    negative ones included, and a positive semidefinite matrix is learnt (after Xing et al. 2002)
    such that their Mahalanobis distances match the relation in least squares, as the paper does.
    The embedding realises these distances. It is linear in the dissimilarities, so new objects are
    placed by the same map.

    Parameters
    ----------
    {parameters}
    n_features : int or "auto", default="auto"
        Length of the feature vectors. "auto": as many as carry nine tenths of the spectrum's
        absolute sum, at most 50. All of them leave the metric free to be any, and matching the
        relation gives the nearest Euclidean one (``NearestEuclideanMDS``).
    tol : float, default=1e-06
        Relative accuracy of the optimum.
    max_iter : int, default=2000
        Most gradient steps.
    verbose : int, default=0
        1 prints ten lines per fit, 2 one per step.

    Attributes
    ----------
    {attributes}
    metric_ : ndarray of shape (n_features, n_features)
        The learnt matrix, on feature vectors scaled by the roots of their eigenvalues' sizes; the
        identity would be classical scaling with negative eigenvalues counted as positive.

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

    n_features: int | str = "auto"
    tol: float = 1e-6
    max_iter: int = 2000
    verbose: int = 0

    def _check_options(self) -> None:
        super()._check_options()
        check_number("n_features", self.n_features, Integral, 1, or_auto=True)

    def _embed(self, relation: Relation, X: Any) -> Array:
        S = dense_sq(relation)
        scale = float(S.max()) or 1.0
        spectrum = whole_spectrum(S)
        kept = self._features(spectrum)
        V, S = spectrum.vectors[:, kept], np.asarray(S / scale, np.float64)
        with progress(self, X, "step", "relative accuracy") as on_step:
            M, n_iter, status = match_relation(V, S, self.tol, self.max_iter, on_step)
        sizes = np.sqrt(np.abs(spectrum.values[kept]) / scale)
        self.metric_ = M / np.outer(sizes, sizes)
        self._end(n_iter, status)
        return self._realise(spectrum, kept, scale * M)

    def _features(self, spectrum: Spectrum) -> Indices:
        by_size = spectrum.largest(None, by_size=True)
        if not is_auto(self.n_features):
            return by_size[: int(self.n_features)]
        carried = np.cumsum(np.abs(spectrum.values[by_size]))
        enough = int(np.searchsorted(carried, SPECTRUM_SHARE * carried[-1:].sum())) + 1
        return by_size[: min(enough, MAX_FEATURES)]

    def _realise(self, spectrum: Spectrum, kept: Indices, M: Array) -> Array:
        """Keep the axes of the learnt metric, in the relation's own; return the coordinates."""
        values, rotation = (found[..., ::-1] for found in np.linalg.eigh(M))  # largest first
        shown = values > spectrum.rounding
        width = output_width(self.n_components, int(shown.sum()))
        scaled = np.where(shown, np.sqrt(np.maximum(values, 0)), 0) * rotation
        scaled = np.pad(scaled, ((0, 0), (0, max(width - len(values), 0))))[:, :width]
        vectors = spectrum.vectors[:, kept]
        self._placement = Placement((vectors / spectrum.values[kept]) @ scaled, spectrum.means)
        coordinates = vectors @ scaled
        self.eigenvalues_ = np.square(coordinates).sum(axis=0)
        return coordinates


def match_relation(
    V: Array, S: Array, tol: float, max_iter: int, on_iteration: OnIteration
) -> tuple[Array, int, SearchStatus]:
    """Return the metric whose squared distances are nearest to S, in least squares.

    With ``K(G)_ij = G_ii + G_jj - 2 G_ij`` and ``V' 1 = 0``,
    ``|K(V M V')|^2 = 4 |M|^2 + 2 n |q|^2 + 2 tr(M)^2``: S is needed once, in a k × k matrix.
    """
    n, k = V.shape
    goal = 2 * (V.T @ (S.sum(axis=1)[:, None] * V) - V.T @ (S @ V))

    def gradient(M: Array) -> Array:
        q = ((V @ M) * V).sum(axis=1)
        return 4 * M + 2 * n * (V.T @ (q[:, None] * V)) + 2 * np.trace(M) * np.eye(k) - goal

    lipschitz = 4 + 2 * n * float(np.square(V).sum(axis=1).max()) + 2 * k
    size = float(np.linalg.norm(goal)) or 1.0
    M: Array = np.zeros((k, k))
    extrapolated, inertia = M, 1.0
    # projected steps with momentum (Nesterov), restarted where they point backwards
    for iteration in range(1, max_iter + 1):
        moved = positive_part(extrapolated - gradient(extrapolated) / lipschitz)[2]
        residual = lipschitz * float(np.linalg.norm(moved - extrapolated)) / size
        if residual <= tol:
            return moved, iteration, SearchStatus.CONVERGED
        if on_iteration(residual):
            return moved, iteration, SearchStatus.STOPPED
        restart = float(((extrapolated - moved) * (moved - M)).sum()) > 0
        larger = 1.0 if restart else (1 + np.sqrt(1 + 4 * inertia * inertia)) / 2
        momentum = 0.0 if restart else (inertia - 1) / larger
        extrapolated, M, inertia = moved + momentum * (moved - M), moved, larger
    return M, max_iter, SearchStatus.MAX_ITER
