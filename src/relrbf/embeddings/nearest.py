"""Scaling of the nearest Euclidean relation."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import filled
from relrbf.base import progress
from relrbf.embeddings.base import ATTRIBUTES, PARAMETERS, ChangingEmbedding, SearchingEmbedding
from relrbf.embeddings.extension import place_nearest
from relrbf.embeddings.projection import nearest_euclidean_sq
from relrbf.embeddings.spectrum import known_squares, principal_axes, whole_spectrum
from relrbf.relations.base import Relation
from relrbf.relations.duplicates import KnownObjects


@filled(parameters=PARAMETERS, attributes=ATTRIBUTES)
class NearestEuclideanMDS(SearchingEmbedding, ChangingEmbedding):
    """Multidimensional scaling of the Euclidean relation nearest to the given one.

    Classical scaling drops what no vectors can show, and so changes the dissimilarities more than
    need be. Here the squared dissimilarities are changed as little as possible, in the sense of
    least squares (what Dykstra's alternating projections find) or of least absolute changes, and
    the result is realised exactly, with all its dimensions. Where vectors exist it is classical
    scaling.

    A new object is placed by its dissimilarities as they are: where the sum of squared changes that
    it would need is least, also with norm "l1". A row that is a training object's is placed where
    that one is.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of coordinates, the largest eigenvalues first. None: all that there are; only then
        the nearest relation is realised exactly.
    norm : {"l2", "l1"}, default="l2"
        What is least: the sum of squared changes, or of absolute ones, which leaves more of the
        dissimilarities as they are and takes much longer.
    tol : float, default=1e-07
        How far, relative to the least possible, the change may be from it.
    max_iter : int, default=5000
        Most iterations, an eigendecomposition each; "l2" needs about ten.
    {parameters}
    verbose : int, default=0
        1 prints ten lines per fit, 2 one per report.

    Attributes
    ----------
    {attributes}
    distance_ : float
        How far the nearest Euclidean relation is: over all pairs of objects, the root of the sum
        of squared changes of squared dissimilarities ("l2"), or the sum of absolute ones ("l1").
    gap_ : float
        Bound on how much nearer another could be, relative to ``distance_``.
    n_iter_ : int
        Iterations.
    status_ : Ending
        How the search ended; its value is advice.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.embeddings import NearestEuclideanMDS
    >>> D = np.array([[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> mds = NearestEuclideanMDS().fit(D)
    >>> round(mds.distance_, 4)
    1.633
    >>> mds.status_.name
    'CONVERGED'
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        norm: str = "l2",
        tol: float = 1e-7,
        max_iter: int = 5000,
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.norm = norm
        self.tol = tol
        self.max_iter = max_iter
        self.metric = metric
        self.metric_params = metric_params
        self.exponent = exponent
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _embed(self, relation: Relation, X: Any, y: Any) -> None:
        S = known_squares(relation)
        with progress(self, X, "iteration", "relative gap") as on_step:
            found = nearest_euclidean_sq(S, self.norm, self.tol, self.max_iter, on_step)
        # where vectors exist S itself has more digits than what was found
        spectrum = whole_spectrum(S if found.gap == 0 else found.squares)
        kept = spectrum.largest(None)
        self._whole, self._coordinates = principal_axes(spectrum, kept, len(kept))
        self.embedding_ = self._keep_axes(spectrum, kept[: self.n_components])
        self.distance_, self.gap_ = found.distance, found.gap
        self._known = KnownObjects(S)
        nearer = f"another may be nearer by up to {found.gap:.1e} of its distance"
        self._end(found.n_iter, found.ending, f" The relation found is Euclidean, but {nearer}.")

    def _place(self, S_new: Array) -> Array:
        """Place new objects in all dimensions, and show as many as the embedding has."""
        places = place_nearest(self._whole, self._coordinates, S_new)[0]
        width = self.embedding_.shape[1]
        return np.pad(places, ((0, 0), (0, max(width - places.shape[1], 0))))[:, :width]
