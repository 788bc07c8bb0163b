"""Deep networks on a relation as scikit-learn estimators.

The network is a sum: a *teacher*, which is a default estimator of ``relrbf`` and needs no training,
and a deep part that starts at zero. What the teacher says of objects left out is what the deep
part learns to correct; and how long it learns, if at all, is decided on objects held out. So on a
relation where moving prototypes learn noise, the teacher is kept.

This module does without torch until something is fitted, so that a model file can name its classes.
"""

import warnings
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import check_random_state

from relrbf import base
from relrbf._options import check_choice, check_flag, check_number, check_verbose, is_auto, require
from relrbf._typing import Array, Indices
from relrbf._utils import OUT_OF_RANGE, filled, import_library
from relrbf.autotune.resolve import merge_duplicates
from relrbf.estimators import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.estimators.classifier import MostLikelyClass, softmax_probabilities
from relrbf.estimators.regressor import NumbersMixin
from relrbf.exceptions import RelationWarning
from relrbf.network import KERNELS, Kernel
from relrbf.prototypes.relational import fixed
from relrbf.relations.base import Relation
from relrbf.relations.conversion import check_space_and_metric
from relrbf.relations.properties import duplicates_and_means, order_by_centrality, report_on
from relrbf.relations.validation import check_exponent

MIN_OFFSET_PROBABILITY = 1e-6  # of a class, to which the deep part is added as a logit
STARTS = ("teacher", "k-means")
LOWEST: dict[str, tuple[Any, float]] = {
    "max_iter": (Integral, 1),
    "batch_size": (Integral, 1),
    "n_iter_no_change": (Integral, 1),
    "learning_rate": (Real, 0),
    "weight_decay": (Real, 0),
    "dropout": (Real, 0),
}

DEEP_PARAMETERS = f"""Parameters
    ----------
    n_prototypes : int or "auto", default="auto"
        Prototypes of the deep part's input layer. "auto": one for every ten objects, at most 128.
    hidden_layer_sizes : tuple of int, default=(64,)
        Widths of the hidden layers behind it, beside a linear map; none: the paper's network.
    start : {{"teacher", "k-means"}}, default="teacher"
        "teacher": the default estimator of ``relrbf``, to which the deep part adds what helps.
        "k-means": the deep part alone, its first output weights in closed form.
    {base.METRIC}
    exponent : {{2, 1, "auto"}}, default="auto"
        2 when dissimilarities are distances, 1 when they are already squared distances.
    kernel : str or Kernel, default="gaussian"
        Of ``relrbf.network.KERNELS``.
    learning_rate : float, default=0.003
        Step size of ``LatentAdam``.
    weight_decay : float, default=0.01
        Of the weights towards zero, and of prototypes, in the latent norm, towards where they
        began.
    dropout : float, default=0.0
        Probability with which a prototype is left out of a batch. The closed-form weights that
        "k-means" starts with may cancel each other, and do not bear it.
    batch_size : int, default=32
        Objects in a batch.
    max_iter : int, default=100
        Most epochs.
    early_stopping : bool, default=True
        Choose the number of epochs on held-out objects, three folds; beside a teacher none, unless
        they lower the loss by more than its standard error. False: ``max_iter`` epochs.
    n_iter_no_change : int, default=15
        Epochs in a row without a lower held-out loss after which a fold is over.
    device : str, default="cpu"
        Where torch computes.
    random_state : int, RandomState instance or None, default=None
        Seeds folds, batches and first weights.
    {base.N_JOBS}
    verbose : int, default=0
        Whether to print the loss of about ten epochs (1) or of each (2)."""

DEEP_ATTRIBUTES = """best_epoch_ : int
        Epochs that the deep part was trained for; 0: the start is kept as it is.
    validation_curve_ : ndarray
        Mean held-out loss after each epoch, the first being that of the start; empty without early
        stopping.
    loss_curve_ : ndarray
        Mean training loss in each epoch.
    n_iter_ : int
        Epochs of the last training, at least 1.
    n_objects_ : int
        Number of training objects.
    support_ : ndarray of int
        Those whose dissimilarities a prediction needs.
    exponent_ : float
        The exponent used.
    relation_report_ : RelationReport
        What was found about the dissimilarities; prints as text."""


@dataclass(frozen=True, eq=False)
class DeepNetwork:
    """A trained deep part in plain arrays: prototypes on the support, and the head's parameters.

    ``sizes`` are the widths of the head, from prototypes to outputs; ``parameters`` all its weights
    in the order of torch.
    """

    kernel: Kernel
    own: Array
    halves: Array
    bandwidths: Array
    sizes: list[int]
    parameters: Array

    def __post_init__(self) -> None:
        c, *hidden, g = self.sizes
        pairs = [(c, g), *(pairwise([c, *hidden, g]) if hidden else ())]
        n_parameters = sum((n_in + 1) * n_out for n_in, n_out in pairs)
        if len(self.own) != c or self.parameters.shape != (n_parameters,):
            raise ValueError(f"sizes {self.sizes} ask for other arrays than these")


@dataclass(eq=False, repr=False)
class DeepRBFEstimator(CallbackSupportMixin, base.RelationalEstimator):
    """Base of the deep estimators: everything but the meaning of y."""

    space = "relational"
    _has_classes = False

    n_prototypes: int | str = "auto"
    _: KW_ONLY
    hidden_layer_sizes: tuple[int, ...] = (64,)
    start: str = "teacher"
    metric: Any = "precomputed"
    metric_params: dict[str, Any] | None = None
    exponent: float | str = "auto"
    kernel: Any = "gaussian"
    learning_rate: float = 0.003
    weight_decay: float = 0.01
    dropout: float = 0.0
    batch_size: int = 32
    max_iter: int = 100
    early_stopping: Any = True
    n_iter_no_change: int = 15
    device: Any = "cpu"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    @base.all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the network; X, y and sample_weight are those of ``RBFNetworkClassifier.fit``."""
        self._check_options()
        Y, weights = self._validate_targets(X, y, sample_weight)
        relation = self._validate_relation(X)
        fitting = self._fitting()
        seed = int(check_random_state(self.random_state).randint(2**31))
        self._prepare(relation, Y, weights)
        first_equal, objects, merged, Y_merged = self._distinct(relation, Y, weights)
        if self._teacher is None:
            self.support_ = np.sort(objects)
        self._source = self._make_source(X, relation, self.exponent_)
        squared = relation.with_exponent(self.exponent_)

        def teach(train: Any, test: Any) -> Array:
            """Return what a teacher of some distinct objects says of others (k × g)."""
            own = np.flatnonzero(np.isin(first_equal, objects[train]) & (weights > 0))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RelationWarning)  # of all objects, it was said
                teacher = self._fit_teacher(
                    relation.restrict(own), Y[own], weights[own], self.exponent_, seed
                )
            responses = teacher._respond(relation.block(objects[test], own))
            return self._offsets(responses, self._calibrated(teacher))

        is_euclidean = self.relation_report_.has_vector_dual[self.exponent_]
        training = fitting.DeepTraining(
            S=squared.block_sq(self.support_, self.support_),
            T=squared.block_sq(objects, self.support_),
            Y=Y_merged[objects],
            weights=merged[objects],
            has_classes=self._has_classes,
            seed=seed,
            options=self.get_params(deep=False),
            directions="latent" if is_euclidean else "positive",
            teach=None if self._teacher is None else teach,
        )
        with base.progress(self, X) as on_epoch:
            self._deep, curve, losses = training.fit(on_epoch)
        self.validation_curve_, self.loss_curve_, self.best_epoch_ = curve, losses, len(losses)
        self.n_iter_ = max(self.best_epoch_, 1)
        return self

    def _prepare(self, relation: Relation, Y: Array, weights: Array) -> None:
        """Fit the teacher, if there is one; set exponent and report, and the teacher's support."""
        self.n_objects_ = relation.n_objects
        self._teacher = self._teacher_prototypes = None
        if self.start == "teacher":
            # as the default estimator would be with this random_state
            teacher = self._fit_teacher(relation, Y, weights, self.exponent, self.random_state)
            self.support_, self.exponent_ = teacher.support_, teacher.exponent_
            self.relation_report_ = teacher.relation_report_
            self._teacher, self._teacher_prototypes = teacher._network, fixed(teacher.prototypes_)
            self._calibration = self._calibrated(teacher)
            return
        self._calibration = np.zeros(2 if self._has_classes else (2, self._n_outputs))
        self.relation_report_ = report_on(relation, weights / weights.sum(), self.exponent)[0]
        self._use_exponent(relation, "Prototypes move only where lengths are real.")

    def _distinct(
        self, relation: Relation, Y: Array, weights: Array
    ) -> tuple[Indices, Indices, Array, Array]:
        """Let one of several equal objects stand for all, in an order however they are numbered.

        Returns which stands for each, those that count, and the weights and targets of all.
        """
        squared = relation.with_exponent(self.exponent_)
        first_equal, mean_sq = duplicates_and_means(squared, weights / weights.sum())
        merged, Y = merge_duplicates(first_equal, weights, Y)

        def multiply(A: Array) -> Array:
            return squared.product(A.astype(squared.dtype))

        order = order_by_centrality(multiply, merged, Y, mean_sq)
        return first_equal, order[merged[order] > 0], merged, Y

    def _respond(self, X: Any) -> Array:
        """Return the responses to new objects (m × g)."""
        queries = self._query(X)
        found = np.zeros((queries.n_queries, self._n_outputs), dtype=np.float64)
        with np.errstate(**OUT_OF_RANGE):  # see check_responses
            for rows in queries.row_blocks():
                query_sq = queries.read(rows)
                if self._teacher is not None and self._teacher_prototypes is not None:
                    distances_sq = self._teacher_prototypes.distances_sq_to(query_sq)
                    responses = self._teacher.forward(distances_sq).responses
                    found[rows] = self._offsets(responses, self._calibration)
                if self._deep is not None:
                    respond = self._fitting().respond
                    found[rows] += respond(self._deep, query_sq, self.device)
        return base.check_responses(found)

    def _fitting(self) -> Any:
        """Return the module that computes with torch, where that knows the device."""
        import_library("torch", "'relrbf[torch]'", type(self).__name__)
        fitting = import_module("relrbf.torch.fitting")
        fitting.check_device(self.device)
        return fitting

    @abstractmethod
    def _validate_targets(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Array]:
        """Return what the network learns (n × g) and weights, and note what it means."""

    def _fit_teacher(
        self, relation: Relation, Y: Array, weights: Array, exponent: Any, random_state: Any
    ) -> Any:
        """Return the default estimator, fitted to dissimilarities."""
        options = {"exponent": exponent, "kernel": self.kernel, "random_state": random_state}
        if self._has_classes:
            return RBFNetworkClassifier(**options).fit(relation, Y.argmax(axis=1), weights)
        return RBFNetworkRegressor(**options).fit(relation, Y, weights)

    @abstractmethod
    def _calibrated(self, teacher: Any) -> Array:
        """Return what turns a teacher's responses into predictions, two numbers or rows."""

    @abstractmethod
    def _offsets(self, responses: Array, calibration: Array) -> Array:
        """Return these predictions, to which the deep part is added."""

    @property
    @abstractmethod
    def _n_outputs(self) -> int:
        """Number of responses."""

    def _check_options(self) -> None:
        check_number("n_prototypes", self.n_prototypes, Integral, 1, or_auto=True)
        for name, (kind, low) in LOWEST.items():
            check_number(name, getattr(self, name), kind, low)
        require(self.dropout < 1, "dropout", self.dropout, "below 1")
        check_choice("start", self.start, STARTS)
        sizes = self.hidden_layer_sizes
        is_list, needed = isinstance(sizes, tuple | list), "a tuple of widths, () for none"
        require(is_list, "hidden_layer_sizes", sizes, needed)
        for size in sizes:
            check_number("hidden_layer_sizes", size, Integral, 1)
        if not isinstance(self.kernel, Kernel):
            check_choice("kernel", self.kernel, KERNELS)
        if not is_auto(self.exponent):
            check_exponent(self.exponent)
        check_flag("early_stopping", self.early_stopping)
        require(isinstance(self.device, str), "device", self.device, "a name, as 'cpu'")
        check_verbose(self.verbose)
        check_space_and_metric(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_deep")


@filled(parameters=DEEP_PARAMETERS, attributes=DEEP_ATTRIBUTES)
class DeepRBFClassifier(MostLikelyClass, DeepRBFEstimator):
    """Deep radial-basis-function network that classifies objects by their dissimilarities.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray
        The classes, in the order of the probabilities.
    {attributes}

    Examples
    --------
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_iris
    >>> from relrbf.torch import DeepRBFClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> D = squareform(pdist(X))
    >>> model = DeepRBFClassifier(max_iter=20, random_state=0).fit(D, y)
    >>> model.score(D, y) > 0.95
    True
    """

    _has_classes = True

    def _validate_targets(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Array]:
        self.classes_, labels = base.check_classes(y, X, self)
        weights = base.check_weights(sample_weight, X, labels=self.classes_[labels])
        return np.eye(len(self.classes_))[labels], weights

    def _calibrated(self, teacher: Any) -> Array:
        return np.array([teacher.probability_scale_, teacher.probability_smoothing_])

    def _offsets(self, responses: Array, calibration: Array) -> Array:
        probabilities = softmax_probabilities(responses, *calibration)
        return np.log(np.maximum(probabilities, MIN_OFFSET_PROBABILITY))

    @property
    def _n_outputs(self) -> int:
        return len(self.classes_)

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class (m × n_classes); X is as in ``predict``."""
        return softmax(self._respond(X), axis=1)


@filled(parameters=DEEP_PARAMETERS, attributes=DEEP_ATTRIBUTES)
class DeepRBFRegressor(NumbersMixin, DeepRBFEstimator):
    """Deep radial-basis-function network that predicts numbers from dissimilarities.

    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_diabetes
    >>> from relrbf.torch import DeepRBFRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> D = squareform(pdist(X[:200]))
    >>> model = DeepRBFRegressor(max_iter=20, random_state=0).fit(D, y[:200])
    >>> model.score(D, y[:200]) > 0.4
    True
    """

    def _validate_targets(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Array]:
        targets, weights = base.check_targets(y, X, self), base.check_weights(sample_weight, X)
        self._is_flat = targets.ndim == 1
        columns = targets.reshape(len(targets), -1).astype(np.float64)
        self._mean = np.average(columns, axis=0, weights=weights)
        variances = np.average(np.square(columns - self._mean), axis=0, weights=weights)
        self._scale = np.sqrt(np.where(variances > 0, variances, 1))
        return (columns - self._mean) / self._scale, weights

    def _calibrated(self, teacher: Any) -> Array:
        return teacher._range

    def _offsets(self, responses: Array, calibration: Array) -> Array:
        return np.clip(responses, *calibration)

    @property
    def _n_outputs(self) -> int:
        return len(self._mean)

    def predict(self, X: Any) -> Array:
        """Return predicted targets, (m,) or (m, g) as y was; X as of ``RBFNetworkRegressor``."""
        responses = self._respond(X) * self._scale + self._mean
        return responses[:, 0] if self._is_flat else responses
