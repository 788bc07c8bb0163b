"""What all embeddings share.

``fit``: validate → relation → spectrum → axes → coordinates.
``transform``: validate → dissimilarities to the support → coordinates.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from numbers import Integral, Real
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning

from relrbf._options import check_number, check_verbose, is_auto
from relrbf._typing import Array, Indices
from relrbf.base import METRIC, N_JOBS, RelationalEstimator, all_or_nothing
from relrbf.embeddings.spectrum import Spectrum, principal_axes
from relrbf.exceptions import OptionError, RelationWarning, warn
from relrbf.relations.base import Relation
from relrbf.relations.conversion import check_space_and_metric
from relrbf.relations.properties import KnownObjects, report_on
from relrbf.relations.validation import check_enough_objects, check_exponent, within_range

OnIteration: TypeAlias = Callable[[float], bool]  # told the relative gap; True stops

EMBEDDING_PARAMETERS = f"""n_components : int or None, default=None
        Number of coordinates, the largest eigenvalues first. None: all that there are.
    {METRIC}
    exponent : float, "auto" or None, default=None
        2 when dissimilarities are distances, 1 when they are already squared distances. None: 2, or
        what a ``Relation`` says of itself. "auto": the exponent that is closer to vectors.
    {N_JOBS}"""

EMBEDDING_ATTRIBUTES = """embedding_ : ndarray of shape (n, n_components)
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

SEARCH_ATTRIBUTES = f"""{EMBEDDING_ATTRIBUTES}
    n_iter_ : int
        Iterations.
    status_ : SearchStatus
        How the search ended; its value is advice."""


class SearchStatus(Enum):
    """How a search for an optimum ended; the value is advice."""

    CONVERGED = "Converged: nothing is better by more than tol."
    CLOSED_FORM = "Computed in closed form; nearest_euclidean finds the nearest."
    UNCHANGED = "Nothing to change: the dissimilarities obey the constraints as they are."
    MAX_ITER = "Stopped at max_iter: something better may exist. Raise max_iter, or loosen tol."
    STALLED = "Stopped: rounding errors hide any further progress. Loosen tol."
    STOPPED = "Stopped by a callback: something better may exist. Let it run longer."


class RelationalTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RelationalEstimator):
    """Base of the transformers of a relation."""

    space = "relational"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@dataclass(eq=False, repr=False)
class RelationalEmbedding(RelationalTransformer):
    """Base of the embeddings: everything but where the training objects go."""

    n_components: int | None = None
    _: KW_ONLY
    metric: Any = "precomputed"
    metric_params: dict[str, Any] | None = None
    exponent: float | str | None = None
    n_jobs: int | None = None

    @abstractmethod
    def _embed(self, relation: Relation, X: Any) -> Array:
        """Return the training objects' coordinates; set ``eigenvalues_`` and ``_placement``."""

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the training objects.

        Parameters
        ----------
        X : array, memmap, frame or Relation of shape (n, n)
            Dissimilarities between the objects; with another metric, feature vectors.
        y : ignored
            Here because scikit-learn passes it.

        Returns
        -------
        self
        """
        return self._fit(X)

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Embed the training objects as ``fit`` does; return a copy of ``embedding_``."""
        return self.fit(X, y).embedding_.copy()

    @within_range()
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
        S_new = self._query(X).read()
        places = self._place(S_new)
        # Set by embeddings that change the relation before they realise it: a new object's row is
        # not changed, and one that is a training object's belongs where that was put.
        known: KnownObjects | None = getattr(self, "_known", None)
        if known is not None:
            found = known.find(S_new)
            places[found >= 0] = self.embedding_[found[found >= 0]]
        return places.astype(self.embedding_.dtype, copy=False)

    def _place(self, S_new: Array) -> Array:
        """Return the places of objects that are not known."""
        return self._placement.place(S_new)

    def _fit(self, X: Any) -> Self:
        self._check_options()
        relation = self._with_exponent(check_enough_objects(self._validate_relation(X)))
        n, n_components = relation.n_objects, self.n_components
        if n_components is not None and n_components > n:
            problem = f"n_components is {n_components}, and X has {n} objects"
            raise OptionError(f"{problem}; it may be at most as many.", "n_components")
        self.support_ = np.arange(n)
        self.embedding_ = self._embed(relation, X).astype(relation.dtype, copy=False)
        self._source = self._make_source(X, relation, self.exponent_)
        return self

    def _check_options(self) -> None:
        """Validate every option that does not depend on the data."""
        if self.n_components is not None:
            check_number("n_components", self.n_components, Integral, 1)
        if self.exponent is not None and not is_auto(self.exponent):
            check_exponent(self.exponent)
        check_space_and_metric(self)

    def _with_exponent(self, relation: Relation) -> Relation:
        """Set ``exponent_``; the relation is inspected only where that is left open."""
        if is_auto(self.exponent):
            n = relation.n_objects
            self.relation_report_ = report_on(relation, np.full(n, 1 / n))[0]
            self.exponent_ = self._choose_exponent(relation)
        else:
            self.exponent_ = relation.exponent if self.exponent is None else float(self.exponent)
        return relation.with_exponent(self.exponent_)

    def _keep_axes(self, spectrum: Spectrum, kept: Indices) -> Array:
        """Keep some axes; return the coordinates of the objects whose spectrum this is."""
        width = output_width(self.n_components, len(kept))
        self._placement, coordinates = principal_axes(spectrum, kept, width)
        self.eigenvalues_ = np.zeros(width)
        self.eigenvalues_[: len(kept)] = spectrum.values[kept]
        return coordinates

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


class SearchingEmbedding(CallbackSupportMixin, RelationalEmbedding):
    """Base of the embeddings that search for an optimum: progress, and how the search ended."""

    tol: float
    max_iter: int
    verbose: int

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search for the optimum and embed the training objects; X and y as in other embeddings."""
        return self._fit(X)

    def _check_options(self) -> None:
        super()._check_options()
        check_number("max_iter", self.max_iter, Integral, 1)
        check_number("tol", self.tol, Real, 0)
        check_verbose(self.verbose)

    def _end(self, n_iter: int, status: SearchStatus, consequence: str = "") -> None:
        """Keep how the search ended; warn where it did not end at an optimum."""
        self.n_iter_, self.status_ = n_iter, status
        if status in (SearchStatus.MAX_ITER, SearchStatus.STALLED):
            warn(f"{status.value}{consequence}", ConvergenceWarning)


def output_width(n_components: int | None, n_found: int) -> int:
    """Return the number of coordinates; warn where fewer dimensions exist than are wanted."""
    if n_components is None:
        return max(n_found, 1)  # objects that are all equal: one column
    if n_found < n_components:
        warn(
            f"n_components is {n_components}, but these dissimilarities have {n_found} dimensions "
            "to show; the other coordinates are zero.",
            RelationWarning,
        )
    return n_components
