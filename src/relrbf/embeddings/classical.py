"""Classical multidimensional scaling."""

from typing import Any

from relrbf._utils import filled
from relrbf.embeddings.base import ATTRIBUTES, PARAMETERS, PrincipalEmbedding
from relrbf.embeddings.spectrum import spectrum_of
from relrbf.relations.base import Relation


@filled(parameters=PARAMETERS, attributes=ATTRIBUTES)
class ClassicalMDS(PrincipalEmbedding):
    """Classical multidimensional scaling, with a place for new objects.

    Torgerson's scaling, or principal coordinates: of distances between vectors it gives their
    principal components. The negative part of the spectrum, which every relation without vectors
    has, meets a stated policy and never becomes NaN. New objects are placed by Gower's formula
    (1968); an object of the training set is placed where it was.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of coordinates, the largest eigenvalues first. None: all that there are.
    negative : {"clip", "flip", "refuse"}, default="clip"
        What to do with negative eigenvalues. "clip" leaves them out; "flip" keeps the components
        that are largest in size and counts all as positive; "refuse" raises an error. The first
        two warn where more than 1 % of the spectrum is negative.
    {parameters}

    Attributes
    ----------
    {attributes}
    negative_eigenfraction_ : float
        Share of the spectrum's absolute sum that is negative; estimated from 256 objects where
        only a few components of a large relation were computed.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.embeddings import ClassicalMDS
    >>> D = np.array([[0.0, 3, 5], [3, 0, 4], [5, 4, 0]])
    >>> mds = ClassicalMDS().fit(D)
    >>> mds.embedding_.shape
    (3, 2)
    >>> bool(np.allclose(mds.transform(D), mds.embedding_))
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        negative: str = "clip",
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.negative = negative
        self.metric = metric
        self.metric_params = metric_params
        self.exponent = exponent
        self.n_jobs = n_jobs

    def _embed(self, relation: Relation, X: Any, y: Any) -> None:
        # only the whole spectrum shows the negative part that is to be kept or refused
        enough = self.n_components if self.negative == "clip" else None
        self.embedding_ = self._take_axes(spectrum_of(relation, enough))
