"""Scaling by landmarks: some columns of the relation are enough."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from relrbf._options import check_choice, check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.embeddings.base import EMBEDDING_ATTRIBUTES, EMBEDDING_PARAMETERS
from relrbf.embeddings.classical import ClassicalMDS
from relrbf.embeddings.spectrum import whole_spectrum
from relrbf.exceptions import OptionError
from relrbf.relations.base import Relation, to_power
from relrbf.relations.properties import farthest_first
from relrbf.relations.validation import check_largest

DEFAULT_N_LANDMARKS = 200
LANDMARK_CHOICES = ("maxmin", "random")


@filled(parameters=EMBEDDING_PARAMETERS, attributes=EMBEDDING_ATTRIBUTES)
@dataclass(eq=False, repr=False, kw_only=True)
class LandmarkMDS(ClassicalMDS):
    """Multidimensional scaling from the dissimilarities to a few landmarks.

    Classical scaling of the landmarks, and a place for every other object by its dissimilarities
    to them (de Silva & Tenenbaum 2004). Of an n × n relation only the landmarks' columns are read,
    also to choose them, so it suits relations that are too large, or too costly, to be read whole.
    (With ``exponent="auto"`` all of it is inspected.)

    Parameters
    ----------
    {parameters}
    n_landmarks : int or "auto", default="auto"
        Number of landmarks. "auto": 200, or all objects where there are fewer, or those given.
    landmarks : {"maxmin", "random"} or array of int, default="maxmin"
        "maxmin": each next landmark is the object farthest from all before. "random": drawn.
        An array: positions of the objects to take.
    negative : {"clip", "flip", "refuse"}, default="clip"
        What to do with negative eigenvalues of the landmarks, as in ``ClassicalMDS``.
    random_state : int, RandomState instance or None, default=None
        Seeds the choice of landmarks.

    Attributes
    ----------
    {attributes}
    support_ : ndarray of int
        The landmarks, in ascending order.
    negative_eigenfraction_ : float
        Share of the landmarks' spectrum that is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import cdist
    >>> from relrbf.embeddings import LandmarkMDS
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> mds = LandmarkMDS(3, n_landmarks=20, random_state=0).fit(cdist(X, X))
    >>> bool(np.allclose(cdist(mds.embedding_, mds.embedding_), cdist(X, X)))
    True
    """

    n_landmarks: int | str = "auto"
    landmarks: Any = "maxmin"
    random_state: Any = None

    def compact(self) -> Self:
        """Return the same embedding for objects that come with their landmarks' columns only.

        With ``metric="precomputed"``: ``mds.compact().transform(D_new[:, mds.support_])``.
        """
        small = self._narrowed()
        small.support_ = np.arange(len(self.support_))
        return small

    def _check_options(self) -> None:
        super()._check_options()
        check_number("n_landmarks", self.n_landmarks, Integral, 2, or_auto=True)
        if isinstance(self.landmarks, str):
            check_choice("landmarks", self.landmarks, LANDMARK_CHOICES)
        elif not is_auto(self.n_landmarks):
            raise OptionError(
                f"landmarks are given, and n_landmarks is {self.n_landmarks}; leave it at 'auto'."
            )

    def _embed(self, relation: Relation, X: Any) -> Array:
        chosen, columns = self._choose(relation)
        order = np.argsort(chosen)
        self.support_, S = chosen[order], to_power(columns[:, order], relation.exponent)
        check_largest(S.max(axis=1))
        self._keep_largest(whole_spectrum(S[self.support_]))
        return self._placement.place(S)

    def _choose(self, relation: Relation) -> tuple[Indices, Array]:
        """Return the landmarks, and the dissimilarities of all objects to them, read once."""
        n = relation.n_objects
        if not isinstance(self.landmarks, str):
            given = _check_landmarks(self.landmarks, n)
            return given, relation.block(slice(None), given)
        wanted = DEFAULT_N_LANDMARKS if is_auto(self.n_landmarks) else int(self.n_landmarks)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        size = min(wanted, n)
        if self.landmarks == "random":
            drawn = rng.choice(n, size, replace=False)
            return drawn, relation.block(slice(None), drawn)
        rows = np.empty((size, n), dtype=relation.dtype)
        chosen, _ = farthest_first(relation, size, int(rng.integers(n)), rows)
        return chosen, rows[: len(chosen)].T


def _check_landmarks(landmarks: Any, n_objects: int) -> Indices:
    """Return given landmarks: distinct positions of objects."""
    positions = np.asarray(landmarks)
    if positions.ndim != 1 or len(positions) < 2:
        raise OptionError(
            f"landmarks is {landmarks!r}; it must be one of {[*LANDMARK_CHOICES]} or a flat list "
            "of positions of at least two objects."
        )
    if not np.issubdtype(positions.dtype, np.number):
        raise OptionError(
            f"landmarks holds {positions.dtype} values; positions are whole numbers. Of a mask, "
            "take numpy.flatnonzero(mask)."
        )
    outside = (positions < 0) | (positions >= n_objects) | (positions != np.round(positions))
    if outside.any():
        raise OptionError(
            f"landmarks holds the position {positions[outside][0]:g}; positions are whole numbers "
            f"from 0 to {n_objects - 1}."
        )
    if len(np.unique(positions)) < len(positions):
        raise OptionError("landmarks names an object twice; each must be named once.")
    return positions.astype(np.intp)
