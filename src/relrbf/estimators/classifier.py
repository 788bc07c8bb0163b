"""Classification from dissimilarities."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array
from relrbf.autotune import FitConfig, TrainingData
from relrbf.base import aligned
from relrbf.estimators.base import RBFNetwork
from relrbf.estimators.docstrings import documented
from relrbf.prototypes import ObjectPrototypes
from relrbf.training import Problem, Result

MIN_CALIBRATION_OBJECTS = 50  # of a validation set, for the probabilities to follow it
SOFTMAX_SCALES = np.logspace(-1, 2.5, 18)
FINER_SCALES = np.logspace(-0.15, 0.15, 9)  # around the best of them
SMOOTHINGS = np.array([0.0, 0.02, 0.035, 0.05, 0.07, 0.1, 0.12, 0.14, 0.17, 0.2, 0.3, 0.45])
MIN_PROBABILITY = 1e-300
LIKELIHOOD_TIE = 1e-7  # relative
HIGHEST_TIE = 1e-9  # relative
SMOOTHING_TIE = 0.5  # of log-likelihood in all, for weights of mean one
MAX_SMOOTHING = 1.0  # of the share of left-out objects that are wrong


class MostLikelyClass(ClassifierMixin):
    """Predicts the class of the largest response."""

    classes_: np.ndarray
    _respond: Callable[..., Array]

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each new object.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m,)
        """
        winners = np.argmax(self._respond(X), axis=1)
        return self.classes_[winners]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; labels are matched by name where both have names, as in ``fit``."""
        y, sample_weight = aligned(y, X, "y"), aligned(sample_weight, X, "sample_weight")
        return super().score(X, y, sample_weight)


@documented(
    parameters="""
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" makes them inversely proportional to frequency.
    loss : {"squared-error", "cross-entropy"}, default="squared-error"
        What training minimises: squared error of linear outputs, as in the paper, or the negative
        log-likelihood of their softmax.
    positive : bool, default=False
        Whether each prototype belongs to one class: it starts as a mean of objects of this class,
        and has one weight, for this class, which is positive. Such a prototype explains itself, at
        a small cost in accuracy on most relations. It needs ``solver="auto"`` or "lbfgs".""",
    attributes="""
    classes_ : ndarray
        The classes, in the order of the outputs.
    probability_scale_, probability_smoothing_ : float
        Probabilities are a softmax of the responses times this scale, mixed with this much of the
        uniform distribution; both are fitted to responses to objects left out.""",
)
@dataclass(eq=False, repr=False)
class RBFNetworkClassifier(MostLikelyClass, RBFNetwork):
    """Radial-basis-function network that classifies objects by their dissimilarities.

    {parameters}

    {attributes}

    Examples
    --------
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_iris
    >>> from relrbf import RBFNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> D = squareform(pdist(X))
    >>> model = RBFNetworkClassifier(random_state=0).fit(D, y)
    >>> model.score(D, y) > 0.95
    True
    """

    _has_classes = True

    _: KW_ONLY
    class_weight: dict[Any, float] | str | None = None
    loss: str = "squared-error"
    positive: bool = False

    def _store(
        self, result: Result, problem: Problem | None, config: FitConfig, data: TrainingData, X: Any
    ) -> None:
        super()._store(result, problem, config, data, X)
        assert data.classes is not None
        self.classes_ = data.classes
        self.probability_scale_, self.probability_smoothing_ = 1.0, 0.0
        is_constant = config.teacher is not None and not config.teacher.weights.any()
        # the biases of a constant are logits, as are responses that have learned the scale
        if self.loss != "cross-entropy" and not is_constant:
            self.probability_scale_, self.probability_smoothing_ = fit_softmax(
                *_calibration_set(result, config)
            )

    def decision_function(self, X: Any) -> Array:
        """Return the responses (m × n_classes) to X, which is as in ``predict``.

        For two classes it is the second response minus the first (m).
        """
        responses = self._respond(X)
        return responses[:, 1] - responses[:, 0] if len(self.classes_) == 2 else responses

    @property
    def predict_proba(self) -> Callable[[Any], Array]:
        """Return the probability of each class (m × n_classes); X is as in ``predict``."""
        # One of scikit-learn's checks hands feature vectors to every classifier that has both this
        # and decision_function before fit, while another demands that a pairwise one refuse them.
        # A NotFittedError is an AttributeError: before fit, a pairwise one does not have this. It
        # is not decision_function that waits, because CalibratedClassifierCV prefers that, chooses
        # before fit, and would go on with what it prefers after.
        if self._is_pairwise:
            check_is_fitted(self)
        return self._predict_proba

    def _predict_proba(self, X: Any) -> Array:
        responses = self._respond(X)
        return softmax_probabilities(
            responses, self.probability_scale_, self.probability_smoothing_
        )

    _predict_proba.__name__ = "predict_proba"  # by which scikit-learn calls the method it chose


def _calibration_set(result: Result, config: FitConfig) -> tuple[Array, Array, Array, float]:
    """Return responses, targets and weights for the probabilities, and the number of labels.

    In the responses the objects' own labels have no part, where there are such. Duplicates count as
    labels, though the weights hold them as one object.
    """
    n_labels = float(np.count_nonzero(config.training_weights))
    if config.teacher is not None:
        # of logits, a label in n of all classes may be wrong, not in n of each
        n_labels = max(config.total_weight, n_labels) * config.targets.shape[1]
        # a student with positive weights may be too far from it to have the same probabilities
        if not config.params["positive"]:
            targets = config.teacher.targets
            return config.teacher.left_out, targets.Y, targets.w, n_labels
    network, prototypes = result.network, result.prototypes
    responses = network.forward(prototypes.distances_sq).responses
    if isinstance(prototypes, ObjectPrototypes):  # no object has a say in its own probabilities
        own = network.weights.reshape(-1, len(prototypes.objects), responses.shape[1]).sum(axis=0)
        responses[prototypes.objects] -= own
    validation = config.validation_weights
    if validation is not None and np.count_nonzero(validation) >= MIN_CALIBRATION_OBJECTS:
        return responses, config.targets, validation, float(np.count_nonzero(validation))
    return responses, config.targets, config.training_weights, n_labels


def fit_softmax(responses: Array, Y: Array, weights: Array, n_labels: float) -> tuple[float, float]:
    """Return scale and smoothing under which targets Y (n × g) are most likely.

    ``p = (1 - smoothing) softmax(scale * responses) + smoothing / g``: however clear the responses,
    labels are wrong now and then. Objects that are all on the right side would ask for certainty,
    which n of them do not prove: label noise is taken as Platt (1999) does, one in n_k + 2 where
    n_k objects share a label.
    """
    used, g = weights > 0, Y.shape[1]
    label_noise = 1 / (n_labels / g + 2)
    smoothed = (1 - label_noise) * Y[used] + label_noise * (1 - Y[used]) / max(g - 1, 1)
    counts, left = weights[used, None] * smoothed, responses[used].astype(np.float64)
    finer = FINER_SCALES * SOFTMAX_SCALES[_most_likely(left, counts, SOFTMAX_SCALES)[0]]
    best, smoothing = _most_likely(left, counts, finer)
    return float(finer[best]), float(SMOOTHINGS[smoothing])


def _most_likely(responses: Array, counts: Array, scales: Array) -> tuple[int, int]:
    """Return the positions of the most likely scale and smoothing."""
    uniform = 1 / counts.shape[1]
    # noise shows in mistakes: without any, smoothing would only make clear cases alike
    highest = responses.max(axis=1, keepdims=True)
    is_given = responses >= highest - HIGHEST_TIE * np.abs(highest)  # of several that tie, each
    is_right = is_given & (counts >= (1 - HIGHEST_TIE) * counts.max(axis=1, keepdims=True))
    is_wrong = ~is_right.any(axis=1)
    error = float(counts[is_wrong].sum() / counts.sum())
    compared = SMOOTHINGS[: np.searchsorted(SMOOTHINGS, MAX_SMOOTHING * error + LIKELIHOOD_TIE)]
    likelihood = np.empty((len(compared), len(scales)))
    for column, scale in enumerate(scales):
        sharp = softmax(scale * responses, axis=1)
        for row, share in enumerate(compared):
            mixed = np.maximum((1 - share) * sharp + share * uniform, MIN_PROBABILITY)
            likelihood[row, column] = np.sum(counts * np.log(mixed))
    # of smoothings that the objects cannot tell apart the largest, which claims least
    tie = SMOOTHING_TIE * counts.sum() / len(counts)
    smoothing = int(np.flatnonzero(likelihood.max(axis=1) >= likelihood.max() - tie)[-1])
    row = likelihood[smoothing]
    # of equally likely scales the first: rounding must not choose between them
    return int(np.argmax(row >= row.max() - LIKELIHOOD_TIE * abs(row.max()))), smoothing


def softmax_probabilities(responses: Array, scale: float, smoothing: float) -> Array:
    """Return class probabilities (m × g): not negative, rows sum to one."""
    return (1 - smoothing) * softmax(scale * responses, axis=1) + smoothing / responses.shape[1]
