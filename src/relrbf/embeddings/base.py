"""What all embeddings share.

``fit``: gate → relation → spectrum → axes → coordinates.
``transform``: gate → dissimilarities to the support → coordinates.
"""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning

from relrbf._options import is_auto
from relrbf._typing import Array, Indices
from relrbf.base import RelationalEstimator, all_or_nothing
from relrbf.embeddings.projection import Ending
from relrbf.embeddings.spectrum import Placement, Spectrum, principal_axes
from relrbf.embeddings.validation import check_embedding_options
from relrbf.estimators.docstrings import METRIC, N_JOBS
from relrbf.exceptions import NotEuclideanWarning, RelationError, RelationWarning, warn
from relrbf.relations.base import Relation
from relrbf.relations.duplicates import KnownObjects
from relrbf.relations.inputs import make_source
from relrbf.relations.properties import NEGLIGIBLE, report_on
from relrbf.relations.validation import check_enough_objects

PARAMETERS = f"""{METRIC}
    exponent : {{2, 1, "auto"}} or None, default=None
        2 when dissimilarities are distances, 1 when they are already squared distances. None: 2, or
        what a ``Relation`` says of itself. "auto": the reading that is closer to vectors.
    {N_JOBS}"""

ATTRIBUTES = """embedding_ : ndarray of shape (n, n_components)
        Coordinates of the training objects.
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalue of each coordinate, in size the sum of its squares over the objects (over the
        landmarks, where there are some); negative where it counts as positive on request.
    exponent_ : float
        What was used.
    n_features_in_ : int
        Columns of X at fit.
    feature_names_in_ : ndarray of str
        Names of the columns of X, when X is a frame whose columns are all named by strings."""


class RelationalEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RelationalEstimator):
    """Base of the embeddings: everything but where the training objects go."""

    space = "relational"
    n_components: int | None
    embedding_: Array
    eigenvalues_: Array
    _placement: Placement

    @abstractmethod
    def _embed(self, relation: Relation, X: Any, y: Any) -> None:
        """Set ``embedding_``, ``eigenvalues_``, ``support_`` and ``_placement``."""

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the training objects.

        Parameters
        ----------
        X : array, memmap, frame or Relation of shape (n, n)
            Dissimilarities between the objects; with another metric, feature vectors.
        y : array of shape (n,) or None, default=None
            Ignored, unless the embedding learns from labels.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Embed the training objects and return their coordinates, a copy of ``embedding_``.

        Parameters
        ----------
        X, y
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        return self.fit(X, y).embedding_.copy()

    def transform(self, X: Any) -> Array:
        """Return the coordinates of new objects.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        return self._coordinates_of(self._query(X).read()).astype(self.embedding_.dtype, copy=False)

    def _coordinates_of(self, S_new: Array) -> Array:
        return self._place(S_new)

    def _place(self, S_new: Array) -> Array:
        """Return the places of new objects."""
        return self._placement.place(S_new)

    def _fit(self, X: Any, y: Any) -> Self:
        check_embedding_options(self)
        relation = self._read(check_enough_objects(self._relate(X)))
        self.support_ = np.arange(relation.n_objects)
        self._embed(relation, X, y)
        self.embedding_ = self.embedding_.astype(relation.dtype, copy=False)
        self._source = make_source(X, relation, self, self.support_, self.exponent_)
        return self

    def _read(self, relation: Relation) -> Relation:
        """Settle the exponent; the relation is inspected only where that is left open."""
        if is_auto(self.exponent):
            n = relation.n_objects
            self.relation_report_ = report_on(relation, np.full(n, 1 / n))[0]
            self.exponent_ = self._choose_exponent(relation)
        else:
            self.exponent_ = relation.exponent if self.exponent is None else float(self.exponent)
        return relation.with_exponent(self.exponent_)

    def _keep_axes(self, spectrum: Spectrum, kept: Indices) -> Array:
        """Settle the axes; return the coordinates of the objects whose spectrum this is."""
        heed_missing(self.n_components, len(kept))
        width = self.n_components or max(len(kept), 1)  # objects that are all equal: one column
        self._placement, coordinates = principal_axes(spectrum, kept, width)
        self.eigenvalues_ = np.zeros(coordinates.shape[1])
        self.eigenvalues_[: len(kept)] = spectrum.values[kept]
        return coordinates

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class PrincipalEmbedding(RelationalEmbedding):
    """Base of the embeddings in the principal axes of some objects, with a policy for the rest."""

    negative: str

    def _take_axes(self, spectrum: Spectrum) -> Array:
        """Heed the policy, and return the coordinates of the objects whose spectrum this is."""
        heed_negative(self.negative, spectrum, self.exponent_)
        self.negative_eigenfraction_ = spectrum.negative_fraction
        by_size = self.negative == "flip"
        return self._keep_axes(spectrum, spectrum.largest(self.n_components, by_size=by_size))


class ChangingEmbedding(RelationalEmbedding):
    """Base of the embeddings that change the relation before they realise it.

    A change made to the training objects is none that a new object would meet. A row that
    is a training object's, though, belongs where that object was put.
    """

    _known: KnownObjects

    def _coordinates_of(self, S_new: Array) -> Array:
        places = self._place(S_new)
        found = self._known.find(S_new)
        places[found >= 0] = self.embedding_[found[found >= 0]]
        return places


class SearchingEmbedding(CallbackSupportMixin, RelationalEmbedding):
    """Base of the embeddings that search for an optimum: progress, and how the search ended."""

    max_iter: int
    tol: float
    verbose: int

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search, and embed the objects.

        Parameters
        ----------
        X : array, memmap, frame or Relation of shape (n, n)
            Dissimilarities between the objects; with another metric, feature vectors.
        y : array of shape (n,) or None, default=None
            Class labels, ignored unless the embedding learns from them.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def _end(self, n_iter: int, ending: Ending, what_follows: str = "") -> None:
        """Keep how the search ended; warn where it did not end at an optimum."""
        self.n_iter_, self.status_ = n_iter, ending
        if ending in (Ending.MAX_ITER, Ending.STALLED):
            warn(f"{ending.value}{what_follows}", ConvergenceWarning)


def heed_negative(policy: str, spectrum: Spectrum, exponent: float) -> None:
    """Refuse the negative part of a spectrum, or say how much of it is left out or turned round."""
    negative = spectrum.negative_fraction
    found = (
        f"No vectors have these dissimilarities: with exponent {exponent:g}, {negative:.1%} of "
        "the spectrum is negative"
    )
    others = "ProximalMDS and NearestEuclideanMDS change the dissimilarities instead"
    if policy == "refuse" and negative > 0 and spectrum.values[-1] < -spectrum.rounding:
        raise RelationError(
            f"{found}, and negative='refuse'. Use negative='clip' to leave that part out, or "
            f"'flip' to count it as positive; {others}."
        )
    if negative > NEGLIGIBLE:
        done = "left out" if policy == "clip" else "counted as positive"
        warn(
            f"{found}, and it is {done} (negative={policy!r}). {others}.",
            NotEuclideanWarning,
        )


def heed_missing(n_components: int | None, n_found: int) -> None:
    """Say that fewer dimensions exist than were asked for."""
    if n_components is not None and n_found < n_components:
        warn(
            f"n_components is {n_components}, but these dissimilarities have {n_found} dimensions "
            "to show; the other coordinates are zero.",
            RelationWarning,
        )
