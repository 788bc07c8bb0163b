"""Classical scaling, and proximal scaling, which adds a constant first."""

from dataclasses import dataclass, replace
from typing import Any

from relrbf._options import check_choice
from relrbf._typing import Array
from relrbf._utils import filled
from relrbf.embeddings.base import EMBEDDING_ATTRIBUTES, EMBEDDING_PARAMETERS, RelationalEmbedding
from relrbf.embeddings.spectrum import Spectrum, dense_sq, spectrum_of, whole_spectrum
from relrbf.exceptions import NotEuclideanWarning, RelationError, warn
from relrbf.relations.base import Relation
from relrbf.relations.properties import NEGLIGIBLE, KnownObjects


@filled(parameters=EMBEDDING_PARAMETERS, attributes=EMBEDDING_ATTRIBUTES)
@dataclass(eq=False, repr=False, kw_only=True)
class ClassicalMDS(RelationalEmbedding):
    """Classical multidimensional scaling, with a place for new objects.

    Torgerson's scaling, or principal coordinates: of distances between vectors it gives their
    principal components. The negative part of the spectrum, which every relation without vectors
    has, meets a stated policy and never becomes NaN. New objects are placed by Gower's formula
    (1968); an object of the training set is placed where it was.

    Parameters
    ----------
    {parameters}
    negative : {"clip", "flip", "refuse"}, default="clip"
        What to do with negative eigenvalues. "clip" leaves them out; "flip" keeps the components
        that are largest in size and counts all as positive; "refuse" raises an error. The first
        two warn where more than 1 % of the spectrum is negative.

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

    negative: str = "clip"

    def _check_options(self) -> None:
        super()._check_options()
        check_choice("negative", self.negative, ("clip", "flip", "refuse"))

    def _embed(self, relation: Relation, X: Any) -> Array:
        # only the whole spectrum shows the negative part that is to be kept or refused
        n_found = self.n_components if self.negative == "clip" else None
        return self._keep_largest(spectrum_of(relation, n_found))

    def _keep_largest(self, spectrum: Spectrum) -> Array:
        """Keep the largest axes under the policy for negative eigenvalues, or refuse them."""
        fraction = self.negative_eigenfraction_ = spectrum.negative_fraction
        found = (
            f"No vectors have these dissimilarities: with exponent {self.exponent_:g}, "
            f"{fraction:.1%} of the spectrum is negative"
        )
        others = "ProximalMDS and NearestEuclideanMDS change the dissimilarities instead"
        is_negative = fraction > 0 and spectrum.values[-1] < -spectrum.rounding
        if self.negative == "refuse" and is_negative:
            raise RelationError(
                f"{found}, and negative='refuse'. Use negative='clip' to leave that part out, or "
                f"'flip' to count it as positive; {others}."
            )
        if fraction > NEGLIGIBLE:
            done = "left out" if self.negative == "clip" else "counted as positive"
            policy = f"it is {done} (negative={self.negative!r})"
            warn(f"{found}, and {policy}. {others}.", NotEuclideanWarning)
        kept = spectrum.largest(self.n_components, by_size=self.negative == "flip")
        return self._keep_axes(spectrum, kept)


@filled(parameters=EMBEDDING_PARAMETERS, attributes=EMBEDDING_ATTRIBUTES)
class ProximalMDS(RelationalEmbedding):
    """Multidimensional scaling that adds a constant to what it cannot realise.

    The smallest constant that makes the relation Euclidean, ``-2 lambda_min``, is added to all
    squared dissimilarities between different objects, and with all dimensions the result is
    realised exactly (constant shift embedding; Roth et al. 2003). Where vectors exist nothing is
    added, and it is classical scaling.

    The constant stands between any two objects, however alike. A new object is different from all,
    unless its row is that of a training object: then it is placed where that one is. Of several
    with the same row, the one at the row's own position is meant, or else the first.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}
    shift_ : float
        What was added to the squared dissimilarities, not negative.

    Examples
    --------
    >>> from scipy.spatial.distance import pdist
    >>> from relrbf.embeddings import ProximalMDS
    >>> mds = ProximalMDS().fit([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> round(mds.shift_, 6), (pdist(mds.embedding_) ** 2).round(6)[:3].tolist()
    (2.0, [6.0, 3.0, 3.0])
    """

    def _embed(self, relation: Relation, X: Any) -> Array:
        S = dense_sq(relation)
        spectrum = whole_spectrum(S)
        self.shift_ = spectrum.additive_constant
        # between different objects the shift is a multiple of J, which has the same eigenvectors
        shifted = replace(spectrum, values=spectrum.values + self.shift_ / 2)
        self._known = KnownObjects(S)
        return self._keep_axes(shifted, shifted.largest(self.n_components))
