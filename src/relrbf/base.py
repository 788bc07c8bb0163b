"""What all estimators of a relation share: its validation, labels and weights, progress."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import wraps
from itertools import count
from os import PathLike
from typing import Any, NoReturn, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, is_clusterer
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    validate_data,
)

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.conversion import check_positions, check_relation, has_features, refuse_path
from relrbf.relations.metrics import complete_params
from relrbf.relations.named import takes_objects
from relrbf.relations.objects import ObjectRelation
from relrbf.relations.properties import RelationReport, choose_exponent, warn_without_vectors
from relrbf.relations.queries import (
    ColumnSource,
    MetricSource,
    ObjectSource,
    PositionSource,
    Queries,
    QuerySource,
    VectorSource,
)
from relrbf.relations.validation import as_matrix, refuse_repeated_columns, within_range

F = TypeVar("F", bound=Callable[..., Any])

# Parts of docstrings that estimators share.
METRIC = """metric : str, callable or Relation, default="precomputed"
        "precomputed": X are dissimilarities. Any other metric of scikit-learn's
        ``pairwise_distances``: X are feature vectors. A measure of strings, series or molecules of
        ``relrbf.measures.named_measures``, such as "levenshtein": X is a list of those. A function
        of two objects: X is a list of objects of any kind, or feature vectors. A ``Relation``: X
        is a column of positions of objects in it, or of their names.
    metric_params : dict or None, default=None
        Passed to the metric."""
N_JOBS = """n_jobs : int or None, default=None
        Processes that compute dissimilarities when ``metric`` is not "precomputed"."""


def all_or_nothing(fit: F) -> F:
    """Leave an estimator as it was when its fit fails, as where numbers leave their range."""

    @wraps(fit)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(self.__dict__)
        try:
            with within_range():
                return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    return cast(F, wrapper)


class RelationalEstimator(BaseEstimator):
    """Base of the estimators whose X means a relation among the training objects."""

    # links in the HTML representation
    _doc_link_module = "relrbf"
    _doc_link_template = (
        "https://relrbf.readthedocs.io/en/latest/reference/{page}.html#{module}.{name}"
    )
    space: str
    metric: Any
    metric_params: dict[str, Any] | None
    n_jobs: int | None
    exponent: float | str | None
    relation_report_: RelationReport
    support_: Indices
    _source: QuerySource

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        package = type(self).__module__.split(".")[1]
        page = "clustering" if is_clusterer(self) else package.replace("estimators", "relrbf")
        module = "relrbf" if page == "relrbf" else f"relrbf.{page}"
        return {"page": page, "module": module, "name": type(self).__name__}

    def _validate_relation(self, X: Any) -> Relation:
        """Validate X, and note its width and names as scikit-learn does."""
        relation = check_relation(X, self)
        is_named = isinstance(self.metric, str) and takes_objects(self.metric)
        is_table = isinstance(self.metric, Relation | str) or has_features(X)
        if is_table and not is_named:
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
        return choose_exponent(self.exponent, self.space, relation, report)

    def _use_exponent(self, relation: Relation, consequence: str) -> Relation:
        """Choose the exponent; warn, naming the consequence, where no vectors are near."""
        self.exponent_ = self._choose_exponent(relation)
        if self.space != "vector":
            warn_without_vectors(self.exponent_, self.relation_report_, consequence)
        return relation.with_exponent(self.exponent_)

    def _make_source(self, X: Any, relation: Relation, exponent: float) -> QuerySource:
        """Return where the support's dissimilarities to new objects will come from."""
        metric, support = self.metric, self.support_
        if self.space == "vector":
            return VectorSource()
        if isinstance(metric, Relation):
            return PositionSource(metric, check_positions(X, metric)[support], exponent)
        if self._is_pairwise:
            own = getattr(relation, "self_similarity", None)
            return ColumnSource(support, relation.n_objects, exponent, relation.ids, own)
        if isinstance(relation, ObjectRelation) and takes_objects(metric):
            return ObjectSource(relation.alone(support), exponent)
        vectors = as_matrix(X)
        params = complete_params(vectors, metric, self.metric_params)
        return MetricSource(vectors[support], exponent, metric, params, self.n_jobs)

    def _query(self, X: Any) -> Queries:
        """Validate new objects; return what the prototypes measure them by."""
        check_is_fitted(self)
        # relations carry ids, which the source checks; of objects that are no vectors, a list has
        # no width
        if not isinstance(X, Relation | CrossRelation) and hasattr(self, "n_features_in_"):
            refuse_repeated_columns(X)
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
        metric = self.metric
        return self.space != "vector" and isinstance(metric, str) and metric == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_pairwise
        if self._is_pairwise:
            _refuse_split_frame()
        tags.input_tags.positive_only = tags.input_tags.pairwise
        return tags


def _refuse_split_frame() -> None:
    """Say what to do where scikit-learn is about to split a frame, which it cannot.

    It asks for the tags, and then cuts rows and columns at once, as only arrays and relations can;
    of a frame that ends in an error of pandas about something else.
    """
    frame = sys._getframe(1)
    for _ in range(MAX_TAG_CALLS):
        if frame.f_back is None:
            return
        frame = frame.f_back
        if frame.f_code.co_name == "_safe_split" and hasattr(frame.f_locals.get("X"), "iloc"):
            raise RelationError(
                "X is a frame, whose rows and columns scikit-learn cannot split together; pass "
                "relrbf.as_relation(X), which keeps the names."
            )


MAX_TAG_CALLS = 8  # between scikit-learn's split and the tags of an estimator
N_PROGRESS_LINES = 10  # printed per fit with verbose=1


@contextmanager
def progress(
    estimator: Any, X: Any, task: str = "epoch", measure: str = "objective"
) -> Iterator[Callable[[float], bool]]:
    """Tell scikit-learn's callbacks of a fit, and print with ``verbose``.

    Yields what is called at the end of each epoch, which returns whether a callback says stop.
    """
    every = -(-estimator.max_iter // N_PROGRESS_LINES) if estimator.verbose == 1 else 1
    epochs = count(1)
    context = estimator._init_callback_context(max_subtasks=estimator.max_iter)
    context.call_on_fit_task_begin(estimator=estimator, X=X)

    def on_epoch(objective: float) -> bool:
        epoch = next(epochs)
        if estimator.verbose and epoch % every == 0:
            print(f"{task} {epoch}: {measure} {objective:.6g}")
        if not hasattr(estimator, "_skl_callbacks"):
            return False
        subtask = context.subcontext(task_name=task)
        subtask.call_on_fit_task_begin(estimator=estimator, X=X)
        return subtask.call_on_fit_task_end(estimator=estimator, X=X)

    yield on_epoch
    context.call_on_fit_task_end(estimator=estimator, X=X)


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


MAX_TARGET = 1e15  # a target; its square is still finite in float32
MIN_WEIGHT = 1e-30  # of an object that counts, in the weight of all: it must not vanish in float32
MAX_TOTAL_WEIGHT = 1e100  # a penalty is in units of its square


def aligned(values: Any, X: Any, name: str) -> Any:
    """Put a Series or a frame in the order of X, by name, where both have names."""
    names, own = X.ids if isinstance(X, Relation) else getattr(X, "index", None), None
    if hasattr(values, "loc") and names is not None and not callable(names):
        names, own = np.asarray(names, dtype=object), np.asarray(values.index, dtype=object)
    if own is None or names is None or np.array_equal(own, names):
        return values
    numbers = np.arange(len(own))
    if np.array_equal(own, numbers) or (set(names) == set(numbers) and set(own).isdisjoint(names)):
        return values  # which have no names: taken by position
    if set(own) != set(names) or len(set(own)) < len(own):
        missing = [each for each in names if each not in set(own)]
        lacks = f"{len(missing)} of {len(names)} objects of X, such as {missing[:1]}, are not there"
        raise ValueError(
            f"the index of {name} names other objects than X: "
            f"{lacks if missing else 'some are there twice, or are not in X'}. Pass "
            f"{name}.loc[X.index], or {name}.to_numpy() to take them by position."
        )
    return values.loc[names]


def check_classes(y: Any, X: Any, estimator: Any = None) -> tuple[np.ndarray, Indices]:
    """Return the classes and the class of each object; an estimator needs at least two."""
    if y is None or np.ma.isMaskedArray(y):
        _refuse_unknown(y, "y", estimator)
    y = aligned(y, X, "y")
    try:
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        classes, indices = np.unique(labels, return_inverse=True)
        if labels.dtype.kind == "V":  # which can be ordered, and is no label
            raise TypeError
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in np.ravel(y)})
        raise ValueError(
            f"y holds labels that cannot be ordered, or no labels ({', '.join(kinds)}); use labels "
            "of one type, of bytes their text (y.astype(str)), of records one field."
        ) from error
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        raise ValueError("y holds NaT, which is no label; every object needs one.")
    if isinstance(X, str | PathLike | Iterator) or len(labels) != _num_samples(X):
        _refuse_length(labels, X)
    if estimator is not None and len(classes) < 2:
        raise ValueError(
            f"y holds {len(classes)} class ({classes.tolist()}); a classifier needs objects of at "
            "least two classes."
        )
    return classes, indices


def check_targets(y: Any, X: Any, estimator: Any) -> np.ndarray:
    """Return finite numeric targets of shape (n,) or (n, g)."""
    _refuse_unknown(y, "y", estimator)
    y = aligned(y, X, "y")
    targets = check_array(y, ensure_2d=False, dtype="numeric", input_name="y", estimator=estimator)
    if targets.dtype.kind in "mM":
        raise ValueError(f"y holds dates or durations ({targets.dtype}); pass them as numbers.")
    largest = np.abs(targets.astype(np.float64)).max()
    if largest > MAX_TARGET:
        raise ValueError(
            f"y reaches {largest:.3g}, whose square is out of range. Rescale y, for example by its "
            "largest entry."
        )
    if targets.ndim > 2:
        raise ValueError(f"y has shape {targets.shape}; it must be (n,) or (n, number of outputs).")
    if isinstance(X, str | PathLike | Iterator) or len(targets) != _num_samples(X):
        _refuse_length(targets, X)
    return targets


def _refuse_unknown(values: Any, name: str, estimator: Any = None) -> None:
    if values is None and estimator is not None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{name} is a masked array; every entry must be known.")


def _refuse_length(y: np.ndarray, X: Any) -> NoReturn:
    refuse_path(X)
    if isinstance(X, Iterator):
        raise RelationError(f"X is a {type(X).__name__}, which can be read once; pass list(X).")
    problem = f"y has {len(y)} entries for {_num_samples(X)} objects in X; give one for each"
    raise ValueError(f"{problem}, in the same order.")


def check_weights(
    sample_weight: Any, X: Any, by_class: Any = 1.0, labels: np.ndarray | None = None
) -> Array:
    """Return one weight per object: not negative, and of a sum whose square is in range.

    Weights of classes multiply them, and must leave objects of two classes.
    """
    if np.ma.isMaskedArray(sample_weight):
        _refuse_unknown(sample_weight, "sample_weight")
    sample_weight = aligned(sample_weight, X, "sample_weight")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    name = "sample_weight"
    for factor in (1.0, by_class):
        with np.errstate(over="ignore"):
            weights = weights * factor
            total = weights.sum()
        if not 1 / MAX_TOTAL_WEIGHT <= total <= MAX_TOTAL_WEIGHT or weights.min() < 0:
            raise ValueError(
                f"{name} makes the weights of the objects sum to {total:g}, the smallest being "
                f"{weights.min():g}; none may be negative, and their sum must be positive, from "
                f"{1 / MAX_TOTAL_WEIGHT:g} to {MAX_TOTAL_WEIGHT:g}."
            )
        smallest = weights[weights > 0].min()
        if smallest < MIN_WEIGHT * total:
            raise ValueError(
                f"{name} gives an object {smallest:.3g} of a total weight of {total:.3g}, which is "
                f"lost in rounding. Make it 0, or at least {MIN_WEIGHT:g} of the total."
            )
        name = "class_weight"
    left = None if labels is None else np.unique(labels[weights > 0])
    if left is not None and len(left) < 2:
        raise ValueError(
            f"sample_weight and class_weight leave {len(left)} class ({left.tolist()}); a "
            "classifier needs objects of at least two classes with a positive weight."
        )
    return weights
