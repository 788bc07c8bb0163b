"""Base of all estimators whose X means a relation, and their progress."""

from collections.abc import Callable
from copy import copy
from functools import wraps
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, is_clusterer
from sklearn.utils.validation import check_is_fitted, validate_data

from relrbf._options import is_auto
from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.conversion import is_precomputed
from relrbf.relations.inputs import Queries, QuerySource, check_relation, has_features
from relrbf.relations.properties import RelationReport, candidate_exponents, warn_without_vectors
from relrbf.relations.vectors import VectorRelation

F = TypeVar("F", bound=Callable[..., Any])

# Parts of docstrings that estimators share.
METRIC = """metric : str, callable or Relation, default="precomputed"
        "precomputed": X are dissimilarities. Any other metric of scikit-learn's
        ``pairwise_distances``: X are feature vectors. A function of two objects: X is a list of
        objects of any kind, or feature vectors. A ``Relation``: X is a column of positions of
        objects in it, or of their names.
    metric_params : dict or None, default=None
        Passed to the metric."""
N_JOBS = """n_jobs : int or None, default=None
        Processes that compute dissimilarities when ``metric`` is not "precomputed"."""


def all_or_nothing(fit: F) -> F:
    """Leave an estimator as it was when its fit fails."""

    @wraps(fit)
    def careful(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(self.__dict__)
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    return cast(F, careful)


def candidate_exponents_of(
    exponent: float | str | None, space: str, relation: Relation, report: RelationReport
) -> tuple[float, ...]:
    """Return the exponents to choose from, the preferred one first."""
    if space == "vector":
        return (2,)
    is_known = relation.exponent_given or isinstance(relation, VectorRelation)
    if exponent is None or (is_auto(exponent) and is_known):
        exponent = relation.exponent
    return candidate_exponents(exponent, report)


class RelationalEstimator(BaseEstimator):
    """Base of the estimators whose X means a relation among the training objects."""

    # links in the HTML representation
    _doc_link_module = "relrbf"
    _doc_link_template = (
        "https://relrbf.readthedocs.io/en/latest/reference/{page}.html#{module}.{name}"
    )
    space: str
    metric: Any
    exponent: float | str | None
    relation_report_: RelationReport
    support_: Indices
    _source: QuerySource

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        package = type(self).__module__.split(".")[1]
        page = "clustering" if is_clusterer(self) else package.replace("estimators", "relrbf")
        module = "relrbf" if page == "relrbf" else f"relrbf.{page}"
        return {"page": page, "module": module, "name": type(self).__name__}

    def _relate(self, X: Any) -> Relation:
        """Validate X, and note its width and names as scikit-learn does."""
        relation = check_relation(X, self)
        if isinstance(self.metric, Relation | str) or has_features(X):
            validate_data(self, X, skip_check_array=True)
        else:
            for name in ("n_features_in_", "feature_names_in_"):  # an earlier fit's
                self.__dict__.pop(name, None)
        if relation.ids is not None and self._is_pairwise:
            # the relation's names, in its order: those of a frame's rows, or of a Relation
            self.__dict__.pop("feature_names_in_", None)
            if all(isinstance(name, str) for name in relation.ids):
                self.feature_names_in_ = np.asarray(relation.ids, dtype=object)
        return relation

    def _choose_exponent(self, relation: Relation) -> float:
        """Return the exponent: the given one, or that under which vectors are closest."""
        report = self.relation_report_
        return candidate_exponents_of(self.exponent, self.space, relation, report)[0]

    def _use_exponent(self, relation: Relation, consequence: str) -> Relation:
        """Choose the exponent; warn, naming the consequence, where no vectors are near."""
        self.exponent_ = self._choose_exponent(relation)
        if self.space != "vector":
            warn_without_vectors(self.exponent_, self.relation_report_, consequence)
        return relation.with_exponent(self.exponent_)

    def _query(self, X: Any) -> Queries:
        """Validate new objects; return what the prototypes measure them by."""
        check_is_fitted(self)
        # relations carry ids, which the source checks; of objects that are no vectors, a list has
        # no width
        if not isinstance(X, Relation | CrossRelation) and hasattr(self, "n_features_in_"):
            validate_data(self, X, skip_check_array=True, reset=False, ensure_2d=False)
        return self._source.query(X, self)

    def _narrowed(self) -> Self:
        """Return a fitted copy whose X has a column for each object of the support, no others."""
        check_is_fitted(self)
        small = copy(self)
        small._source = self._source.compact()
        if self._is_pairwise:
            small.n_features_in_ = len(self.support_)
            if hasattr(self, "feature_names_in_"):
                small.feature_names_in_ = self.feature_names_in_[self.support_]
        return small

    @property
    def ids_(self) -> np.ndarray | None:
        """Names of the objects that X has columns for, where they were given any."""
        check_is_fitted(self)
        return getattr(self._source, "ids", None)

    @property
    def _is_pairwise(self) -> bool:
        return self.space != "vector" and is_precomputed(self.metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_pairwise
        tags.input_tags.positive_only = tags.input_tags.pairwise
        return tags


LINES = 10  # printed per fit with verbose=1


class Progress:
    """Called once per epoch; tells scikit-learn's callbacks and returns whether one says stop."""

    def __init__(
        self, estimator: Any, X: Any, task: str = "epoch", measure: str = "objective"
    ) -> None:
        self.estimator = estimator
        self.X = X
        self.task = task
        self.measure = measure
        self.epoch = 0
        self.every = -(-estimator.max_iter // LINES) if estimator.verbose == 1 else 1

    def __enter__(self) -> Self:
        self.context = self.estimator._init_callback_context(max_subtasks=self.estimator.max_iter)
        self.context.call_on_fit_task_begin(estimator=self.estimator, X=self.X)
        return self

    def __call__(self, objective: float) -> bool:
        """Report the end of an epoch."""
        self.epoch += 1
        if self.estimator.verbose and self.epoch % self.every == 0:
            print(f"{self.task} {self.epoch}: {self.measure} {objective:.6g}")
        if not hasattr(self.estimator, "_skl_callbacks"):
            return False
        task = self.context.subcontext(task_name=self.task)
        task.call_on_fit_task_begin(estimator=self.estimator, X=self.X)
        return task.call_on_fit_task_end(estimator=self.estimator, X=self.X)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.context.call_on_fit_task_end(estimator=self.estimator, X=self.X)


def check_responses(responses: Array) -> Array:
    """Return responses that are finite, or say which object is too far away for one."""
    finite = np.isfinite(responses).all(axis=1)
    if not finite.all():
        raise RelationError(
            f"object {int(np.argmin(finite))} of X is so far from the training objects that the "
            "network's response overflows. Check its dissimilarities, or use a kernel that fades, "
            "such as 'gaussian'."
        )
    return responses
