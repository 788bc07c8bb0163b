"""What classifier and regressor share: the one path of ``fit``, and predictions."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array
from relrbf._utils import OUT_OF_RANGE
from relrbf.autotune import FitConfig, PreviousFit, TrainingData, explain, make_evidence, resolve
from relrbf.base import RelationalEstimator, all_or_nothing, check_responses, progress
from relrbf.estimators.distillation import train
from relrbf.estimators.initialization import check_same_params
from relrbf.estimators.uncertainty import MAX_PROFILED, fit_distances, known_distances_sq
from relrbf.estimators.validation import validate
from relrbf.exceptions import MismatchWarning, warn
from relrbf.relations.base import blas_threads
from relrbf.relations.blocks import cores
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
        # BLAS's own threads spin while they wait, and take the cores from other processes
        with cores():
            config = resolve(self.get_params(deep=False), data)
        has_teacher = config.teacher is not None
        threads = cores() if has_teacher else blas_threads(config.relation, config.support)
        with threads, progress(self, X) as on_epoch:
            problem, result = train(
                config,
                data,
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
        self, result: Result, problem: Problem | None, config: FitConfig, data: TrainingData, X: Any
    ) -> None:
        """Set the fitted attributes."""
        self.relation_report_ = config.report
        self.exponent_ = config.exponent
        if not isinstance(self.alpha, str):
            self.alpha_ = float(self.alpha)
        elif config.teacher is not None:
            self.alpha_ = config.teacher.alpha * config.teacher_alpha_scale
        elif problem is not None:
            self.alpha_ = problem.alpha * config.alpha_scale
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
        self._left_out_distances = fit_distances(config, data, result.prototypes)
        self.__dict__.pop("_last_fit", None)
        if self.warm_start and problem is not None:
            self._last_fit = _continuation(result, problem, config)

    def _previous_fit(self, n_objects: int) -> PreviousFit | None:
        """Return the fit to continue, if there is one and its parameters are the same."""
        last: PreviousFit | None = getattr(self, "_last_fit", None)
        if last is not None:
            check_same_params(last, self.get_params(deep=False), n_objects)
        return last

    def _activate(self, X: Any, also: Callable[[Array], Any] | None = None) -> Array:
        """Return the hidden layer's activations for new objects (c × m).

        ``also`` is called with squared distances to the known objects, a part at a time.
        """
        queries = self._query(X)
        activations = np.empty(
            (len(self.bandwidths_), queries.n_queries), dtype=self.bandwidths_.dtype
        )
        with np.errstate(**OUT_OF_RANGE):  # see check_responses
            for rows in queries.row_blocks():
                query = queries.read(rows)
                distances_sq = self.prototypes_.distances_sq_to(query)
                if rows.start == 0:
                    self._warn_of_mismatch(query)
                if also is not None:
                    also(self._to_known(query))
                activations[:, rows] = self._network.forward(distances_sq).activations
        return activations

    def _warn_of_mismatch(self, query: Array) -> None:
        """Warn where new objects are, as a whole, unlike those of training."""
        some = self._to_known(query[:: -(-len(query) // MAX_PROFILED)])
        problem = self._left_out_distances.mismatch(some, self.exponent_)
        if problem is not None:
            warn(
                "the dissimilarities of X to the training objects are unlike those among them: "
                f"{problem}. Predictions for such objects mean nothing. Pass X as the training "
                "objects were given; novelty(X) has a p-value for each object.",
                MismatchWarning,
            )

    def _respond(self, X: Any, also: Callable[[Array], Any] | None = None) -> Array:
        """Return the responses of the output layer for new objects (m × g)."""
        activations = self._activate(X, also)
        with np.errstate(**OUT_OF_RANGE):
            return check_responses(activations.T @ self._network.weights + self._network.bias)

    def transform(self, X: Any) -> Array:
        """Return activations of the prototypes (m × c): a new representation of the objects."""
        return check_responses(self._activate(X).T)

    @np.errstate(**OUT_OF_RANGE)  # what is out of range is far out
    def novelty(self, X: Any) -> Array:
        """Return how usual each new object's place among the training objects is, as a p-value.

        An object is far out when its mean distance to the ten nearest objects of the support (in
        vector space, of training) is large, in itself or compared with how far these are from
        theirs. The p-value is the share of training objects that lie as far out when they are left
        out themselves: of objects like those of training, about one in a hundred has at most 0.01.
        A small one says that the object is unlike anything seen in training, and that its
        prediction is a guess.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.

        Returns
        -------
        ndarray of shape (m,)
            At least 1 / (l + 1), where l training objects, at most 400, were compared.

        Examples
        --------
        >>> import numpy as np
        >>> from relrbf import RBFNetworkClassifier
        >>> x = np.linspace(0, 1, 99)
        >>> model = RBFNetworkClassifier(random_state=0).fit(abs(x[:, None] - x), x > 0.5)
        >>> model.novelty(abs(np.array([[0.503], [7.0]]) - x)).round(2)
        array([1.  , 0.01])
        """
        queries = self._query(X)
        p_values = np.empty(queries.n_queries)
        for rows in queries.row_blocks():
            distances_sq = self._to_known(queries.read(rows))
            p_values[rows] = self._left_out_distances.p_values(distances_sq)
        return p_values

    def _to_known(self, query: Array) -> Array:
        """Return squared distances of new objects to those that they are compared with."""
        return known_distances_sq(self.prototypes_, query, self._left_out_distances.objects)

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

    def report(self, D: Any, y: Any, path: Any, *, name: str = "", **options: Any) -> Any:
        """Evaluate by cross-validation, and write the page of ``relrbf fit --report``.

        Parameters
        ----------
        D, y : arrays
            What the network was fitted to.
        path : str or path
            The page, such as "out.html".
        name : str, default=""
            The name of the data, for the title.
        **options
            Further arguments of ``relrbf.report.evaluate``: ids, n_splits, baselines, ...

        Returns
        -------
        EvaluationResult
            Scores on held-out objects; prints as text.
        """
        import relrbf

        check_is_fitted(self)
        found = relrbf.report.evaluate(self, D, y, **options)
        relrbf.report.write_fit_report(path, found, name=name, progress=options.get("progress"))
        return found

    def explain_choices(self) -> str:
        """Say what was left to the estimator, what it chose, and on what evidence.

        Returns
        -------
        str
            One line per choice, with the left-out losses that were compared.
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
