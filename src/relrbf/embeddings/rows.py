"""Objects as their dissimilarities to the training objects, for estimators that take a matrix."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from relrbf._typing import Array
from relrbf._utils import filled
from relrbf.base import METRIC, N_JOBS, all_or_nothing
from relrbf.embeddings.base import RelationalTransformer
from relrbf.relations.conversion import check_space_and_metric


@filled(parameters=f"{METRIC}\n    {N_JOBS}")
@dataclass(eq=False, repr=False)
class DissimilarityRows(RelationalTransformer):
    """Dissimilarities to the training objects, one column for each.

    In a pipeline before ``KNeighborsClassifier(metric="precomputed")`` or any other estimator that
    takes a matrix, it lets that be given a column of positions: every tool of scikit-learn
    that cuts X by rows is then right. Rows of dissimilarities are features for other estimators
    as well (the dissimilarity space of Pekalska and Duin, 2005).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    support_ : ndarray of int
        The training objects, all of them.

    Examples
    --------
    >>> from scipy.spatial.distance import pdist
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from relrbf import as_relation
    >>> from relrbf.embeddings import DissimilarityRows
    >>> X, y = load_iris(return_X_y=True)
    >>> rows = DissimilarityRows(metric=as_relation(pdist(X)))
    >>> model = make_pipeline(rows, KNeighborsClassifier(metric="precomputed"))
    >>> model.fit([[i] for i in range(0, 150, 2)], y[::2]).predict([[1], [149]])
    array([0, 2])
    """

    metric: Any = "precomputed"
    _: KW_ONLY
    metric_params: dict[str, Any] | None = None
    n_jobs: int | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember the training objects; X as in the embeddings, y is ignored."""
        check_space_and_metric(self)
        relation = self._validate_relation(X)
        self.support_ = np.arange(relation.n_objects)
        self._source = self._make_source(X, relation, 1)  # as they are, not squared
        return self

    def transform(self, X: Any) -> Array:
        """Return the dissimilarities (m × n) of objects to the training objects."""
        return self._query(X).read()

    @property
    def _n_features_out(self) -> int:
        return len(self.support_)
