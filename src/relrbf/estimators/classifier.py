"""Classification from dissimilarities."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.callback import with_callbacks
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array
from relrbf.base import all_or_nothing
from relrbf.estimators.base import RBFNetwork
from relrbf.estimators.docstrings import documented
from relrbf.estimators.probability import as_probabilities, fit_map
from relrbf.estimators.validation import check_options
from relrbf.network import LOSSES, Loss
from relrbf.targets import check_labels, check_weighted_classes, check_weights


@documented(
    parameters="""
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" makes them inversely proportional to frequency.
    loss : {"squared-error", "cross-entropy"}, default="squared-error"
        What training minimises: squared error of linear outputs, as in the paper, or the negative
        log-likelihood of their softmax.""",
    attributes="""
    classes_ : ndarray
        The classes, in the order of the outputs.
    probability_scale_, probability_smoothing_ : float
        Probabilities are a softmax of the responses times this scale, mixed with this much of the
        uniform distribution; both are fitted to responses to objects left out.""",
)
class RBFNetworkClassifier(ClassifierMixin, RBFNetwork):
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

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        max_prototypes: int | None = None,
        space: str = "relational",
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str = "auto",
        kernel: Any = "gaussian",
        init: Any = "k-means",
        solver: Any = "auto",
        alpha: float | str = "auto",
        n_support: int | float | str | None = "auto",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        loss: str = "squared-error",
    ) -> None:
        super().__init__(
            n_prototypes,
            max_prototypes=max_prototypes,
            space=space,
            metric=metric,
            metric_params=metric_params,
            exponent=exponent,
            kernel=kernel,
            init=init,
            solver=solver,
            alpha=alpha,
            n_support=n_support,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            warm_start=warm_start,
        )
        self.class_weight = class_weight
        self.loss = loss

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the network.

        Parameters
        ----------
        X : array, memmap, frame or Relation of shape (n, n)
            Dissimilarities between the training objects; with another metric, feature vectors.
        y : array of shape (n,)
            Class labels of any type.
        sample_weight : array of shape (n,) or None, default=None
            Weights of the objects.

        Returns
        -------
        self
        """
        check_options(self)
        self.classes_, labels = check_labels(y, X, self)
        by_class = compute_sample_weight(self.class_weight, self.classes_[labels])
        weights = check_weights(sample_weight, X, by_class)
        check_weighted_classes(weights, labels, self.classes_)
        relation = self._relate(X)
        Y = np.eye(len(self.classes_), dtype=relation.dtype)[labels]
        judged = self._train(X, relation, Y, weights, has_classes=True)
        self.weights_, self.bias_ = self._network.weights, self._network.bias
        is_softmax = self.loss == "cross-entropy"  # whose scale the weights have learnt
        if is_softmax:
            self.probability_scale_, self.probability_smoothing_ = 1.0, 0.0
        else:
            self.probability_scale_, self.probability_smoothing_ = fit_map(
                judged.responses, judged.targets, judged.weights, judged.n_labels
            )
        return self

    def _make_loss(self) -> Loss:
        return LOSSES[self.loss]()

    def decision_function(self, X: Any) -> Array:
        """Return the responses of the network.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m, n_classes), or (m,) for two classes
            For two classes the second response minus the first.
        """
        responses = self._respond(X)
        return responses[:, 1] - responses[:, 0] if len(self.classes_) == 2 else responses

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

    @property
    def predict_proba(self) -> Callable[[Any], Array]:
        """Return the probability of each class.

        Parameters
        ----------
        X : array of shape (m, n)
            Dissimilarities of m new objects to the n training objects.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Rows are not negative and sum to one.
        """
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
        return as_probabilities(responses, self.probability_scale_, self.probability_smoothing_)

    _predict_proba.__name__ = "predict_proba"  # by which scikit-learn calls the method it chose
