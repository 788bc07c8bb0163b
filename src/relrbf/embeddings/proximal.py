"""Proximal scaling: a constant makes any relation Euclidean."""

from typing import Any

from relrbf._utils import filled
from relrbf.embeddings.base import ATTRIBUTES, PARAMETERS, ChangingEmbedding
from relrbf.embeddings.spectrum import Spectrum, known_squares, whole_spectrum
from relrbf.relations.base import Relation
from relrbf.relations.duplicates import KnownObjects


@filled(parameters=PARAMETERS, attributes=ATTRIBUTES)
class ProximalMDS(ChangingEmbedding):
    """Multidimensional scaling that adds a constant to what it cannot realise.

    The smallest constant that makes the relation Euclidean, ``-2 lambda_min``, is added to all
    squared dissimilarities between different objects, and the result is realised exactly (constant
    shift embedding; Roth et al. 2003). Where vectors exist nothing is added, and it is
    classical scaling.

    The constant stands between any two objects, however alike. A new object is different from all,
    unless its row is that of a training object: then it is placed where that one is. Of several
    with the same row, the one at the row's own position is meant, or else the first.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of coordinates, the largest eigenvalues first. None: all that there are; only then
        the shifted dissimilarities are realised exactly.
    {parameters}

    Attributes
    ----------
    {attributes}
    shift_ : float
        What was added to the squared dissimilarities, not negative.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from relrbf.embeddings import ProximalMDS
    >>> D = np.array([[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> mds = ProximalMDS().fit(D)
    >>> round(mds.shift_, 6)
    2.0
    >>> squareform(pdist(mds.embedding_) ** 2).round(6)[0].tolist()
    [0.0, 6.0, 3.0, 3.0]
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.exponent = exponent
        self.n_jobs = n_jobs

    def _embed(self, relation: Relation, X: Any, y: Any) -> None:
        S = known_squares(relation)
        spectrum = whole_spectrum(S)
        self.shift_ = shift_of(spectrum)
        # between different objects the shift is a multiple of J, which has the same eigenvectors
        raised = spectrum.raised(self.shift_ / 2)
        self.embedding_ = self._keep_axes(raised, raised.largest(self.n_components))
        self._known = KnownObjects(S)


def shift_of(spectrum: Spectrum) -> float:
    """Return the least constant that makes squared dissimilarities Euclidean."""
    smallest = float(spectrum.values[-1])
    return -2 * smallest if smallest < -spectrum.rounding else 0.0
