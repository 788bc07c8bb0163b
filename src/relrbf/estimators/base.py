"""What classifier and regressor share: the one path of ``fit``, and predictions."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array
from relrbf.autotune import FitConfig, PreviousFit, TrainingData, explain, make_evidence, resolve
from relrbf.base import RelationalEstimator, all_or_nothing, check_responses, progress
from relrbf.estimators.initialization import check_same_params, initialize
from relrbf.estimators.validation import validate
from relrbf.relations.base import blas_threads
from relrbf.training import Problem, Result


@dataclass(eq=False, repr=False)
class RBFNetwork(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, CallbackSupportMixin, RelationalEstimator
):
    """Base of the estimators: everything but the meaning of y."""

    _has_classes = False

    n_prototypes: int | str = "auto"
    _: KW_ONLY
    max_prototypes: int | None = None
    space: str = "relational"
    metric: Any = "precomputed"
    metric_params: dict[str, Any] | None = None
    exponent: float | str = "auto"
    kernel: Any = "gaussian"
    init: Any = "k-means"
    solver: Any = "auto"
    alpha: float | str = "auto"
    n_support: int | float | str | None = "auto"
    max_iter: int = 200
    tol: float = 1e-5
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    warm_start: bool = False

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array, memmap, frame or Relation of shape (n, n)
            Dissimilarities between the training objects; with another metric, feature vectors.
        y : array of shape (n,), for regression also (n, g)
            Class labels of any type, or targets.
        sample_weight : array of shape (n,) or None, default=None
            Weights of the objects.

        Returns
        -------
        self
        """
        data = validate(self, X, y, sample_weight)
        n_evaluations = data.relation.n_evaluations
        with blas_threads(data.relation):
            config = resolve(self.get_params(deep=False), data)
        with blas_threads(config.relation, config.support), progress(self, X) as on_epoch:
            problem, start = initialize(config, data)
            result = config.trainer.train(
                problem,
                start,
                max_iter=self.max_iter,
                tol=self.tol,
                on_epoch=on_epoch,
                max_prototypes=self.max_prototypes,
                rng=config.rng,
            )
        self._store(result, problem, config, data, X)
        self.n_evaluations_ = data.relation.n_evaluations - n_evaluations
        return self

    def _store(
        self, result: Result, problem: Problem, config: FitConfig, data: TrainingData, X: Any
    ) -> None:
        """Set the fitted attributes."""
        self.relation_report_ = config.report
        self.exponent_ = config.exponent
        self.alpha_ = problem.alpha * config.alpha_scale
        if config.teacher is not None:
            self.alpha_ = config.teacher.alpha * config.teacher_alpha_scale
        self.prototypes_ = result.prototypes
        self.support_ = result.prototypes.support
        self._network = result.network
        if data.classes is None:
            weights = result.network.weights * config.target_scale
            bias = result.network.bias * config.target_scale + config.target_mean
            self._network = replace(result.network, weights=weights, bias=bias)
        self.bandwidths_ = self._network.bandwidths
        self.weights_ = self._network.weights
        self.bias_ = self._network.bias
        self.n_iter_ = result.n_iter
        self.status_ = result.status
        self.history_ = result.history
        self._source = self._make_source(X, data.relation, self.exponent_)
        self._evidence = make_evidence(config, result)
        self.__dict__.pop("_last_fit", None)
        if self.warm_start:
            self._last_fit = _continuation(result, problem, config)

    def _previous_fit(self, n_objects: int) -> PreviousFit | None:
        """Return the fit to continue, if there is one and its parameters are the same."""
        last: PreviousFit | None = getattr(self, "_last_fit", None)
        if last is not None:
            check_same_params(last, self.get_params(deep=False), n_objects)
        return last

    def _activate(self, X: Any) -> Array:
        """Return the hidden layer's activations for new objects (c × m)."""
        queries = self._query(X)
        activations = np.empty(
            (len(self.bandwidths_), queries.n_queries), dtype=self.bandwidths_.dtype
        )
        with np.errstate(over="ignore", invalid="ignore"):  # see check_responses
            for rows in queries.row_blocks():
                distances_sq = self.prototypes_.distances_sq_to(queries.read(rows))
                activations[:, rows] = self._network.forward(distances_sq).activations
        return activations

    def _respond(self, X: Any) -> Array:
        """Return the responses of the output layer for new objects (m × g)."""
        activations = self._activate(X)
        with np.errstate(over="ignore", invalid="ignore"):
            return check_responses(activations.T @ self._network.weights + self._network.bias)

    def transform(self, X: Any) -> Array:
        """Return the activation of every prototype: a new representation of the objects.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.

        Returns
        -------
        ndarray of shape (m, c)
        """
        return self._activate(X).T

    def compact(self) -> Self:
        """Return an equivalent fitted estimator that needs only the support.

        With ``metric="precomputed"`` its input has one column for each object of ``support_``:
        ``model.compact().predict(D_new[:, model.support_])``. With any other metric the input
        stays what it is.
        """
        small = self._narrowed()
        small.__dict__.pop("_last_fit", None)  # which cannot go on without the other objects
        small.prototypes_ = self.prototypes_.compact()
        small.support_ = small.prototypes_.support
        return small

    def explain_choices(self) -> str:
        """Say what was left to the estimator, what it chose, and on what evidence.

        Returns
        -------
        str
            One line per choice, with the leave-one-out errors that were compared.
        """
        check_is_fitted(self)
        return explain(self)

    @property
    def _n_features_out(self) -> int:
        return len(self.prototypes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _continuation(result: Result, problem: Problem, config: FitConfig) -> PreviousFit:
    """Return what a further fit with ``warm_start`` needs."""
    rows, validation = config.summary, config.validation_weights
    read = None
    if rows.support is not None and rows.shares is not None and rows.exponent is not None:
        read = rows.support, rows.shares, rows.exponent
    return PreviousFit(
        state=result.state,
        alpha=problem.alpha,
        support=config.support,
        validation_mask=None if validation is None else validation > 0,
        rows=read,
        total_weight=config.total_weight,
        params=config.params,
        identity=problem.identity(),
    )
