"""The models of the study and the baselines: each is trained once, and predicts all objects.

Every model may use the labels of 85 % of the objects. The networks of the paper's protocol train on
70 % and use the other 15 % for early stopping; all others train on both. So only accuracies on the
test part can be compared among all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier
from relrbf.training import GradientDescent
from study.data import Array, DataSet, Parts, Related

# Lengths in units of the relation. Taken as printed, a first bandwidth may be a twentieth of a
# distance; training is then chaotic, and rounding errors separate the relational network from
# its vector equivalent (USC-435: 7 % more per epoch).
PROTOCOL: dict[str, Any] = {"init": "random-partition", "tol": 0, "unit": "auto"}


@dataclass(frozen=True, eq=False)
class ModelInput:
    """What a model gets: related objects, their parts, a seed, the limits of its size."""

    related: Related
    parts: Parts
    data: DataSet
    seed: int

    def to_known(self) -> Array:
        """Dissimilarities of all objects to those with known labels."""
        return self.related.D[:, self.parts.known]

    def among_known(self) -> Array:
        """Dissimilarities among the objects with known labels."""
        return self.to_known()[self.parts.known]

    def labels(self) -> np.ndarray:
        """Return the labels that may be known."""
        return self.related.y[self.parts.known]


@dataclass(frozen=True, eq=False)
class ModelOutput:
    """A model's predictions for all objects; ``responses`` (n × g) are a network's outputs."""

    model: str
    predictions: np.ndarray
    responses: Array | None = None
    n_prototypes: int | None = None
    n_iter: int | None = None
    duality_gap: float | None = None
    stops_early: bool = False  # on the validation part, which is not trained on


def protocol(inputs: ModelInput, **options: Any) -> RBFNetworkClassifier:
    """Return the network of the paper's section 3.1."""
    known = inputs.parts.known
    validation_mask = np.arange(len(known)) >= len(inputs.parts.train)
    return RBFNetworkClassifier(
        inputs.data.n_prototypes,
        max_prototypes=inputs.data.max_prototypes,
        init=PROTOCOL["init"],
        solver=GradientDescent(validation=validation_mask, unit=PROTOCOL["unit"]),
        max_iter=inputs.data.max_iter,
        tol=PROTOCOL["tol"],
        random_state=inputs.seed,
        **options,
    )


def graph(inputs: ModelInput) -> list[ModelOutput]:
    """Train the protocol's network, and its vector equivalent where vectors are inputs."""
    network = protocol(inputs, exponent=inputs.related.exponent)
    network.fit(inputs.among_known(), inputs.labels())
    responses = responses_of(network, inputs.to_known())
    X = inputs.related.realisation
    if X is None:
        return [_output("graph", network, responses)]
    equivalent = protocol(inputs, space="vector", metric="euclidean")
    equivalent.fit(X[inputs.parts.known], inputs.labels())
    other = responses_of(equivalent, X)
    gap = float(np.abs(responses - other).max())
    return [_output("graph", network, responses, gap), _output("vector", equivalent, other, gap)]


def medoid(inputs: ModelInput) -> list[ModelOutput]:
    """Train the protocol's network with prototypes that are objects."""
    network = protocol(inputs, exponent=inputs.related.exponent, space="medoid")
    network.fit(inputs.among_known(), inputs.labels())
    return [_output("medoid", network, responses_of(network, inputs.to_known()))]


def default(inputs: ModelInput) -> list[ModelOutput]:
    """Train the network with default parameters; all models are given the exponent."""
    network = RBFNetworkClassifier(exponent=inputs.related.exponent, random_state=inputs.seed)
    network.fit(inputs.among_known(), inputs.labels())
    responses = responses_of(network, inputs.to_known())
    return [_output("default", network, responses, stops_early=False)]


def knn(inputs: ModelInput) -> list[ModelOutput]:
    """Vote among the nearest; one outcome for each number of neighbours."""
    votes = neighbours(inputs.among_known(), inputs.labels(), inputs.to_known())
    return [ModelOutput(f"knn-{k}", predictions) for k, predictions in votes.items()]


def svc(inputs: ModelInput) -> list[ModelOutput]:
    """Tune and train a support vector machine with a Gaussian kernel."""
    S = inputs.related.D**inputs.related.exponent
    known, groups = inputs.parts.known, inputs.related.groups
    among = None if groups is None else groups[known]
    machine = tuned_machine(S[np.ix_(known, known)], inputs.labels(), among, inputs.seed)
    return [ModelOutput("svc", machine.predict(S[:, known]))]


def forest(inputs: ModelInput) -> list[ModelOutput]:
    """Train a random forest on vectors, or on rows of dissimilarities where there are none."""
    X = inputs.to_known() if inputs.related.vectors is None else inputs.related.vectors
    trees = _fit_forest(X[inputs.parts.known], inputs.labels(), inputs.seed)
    return [ModelOutput("forest", trees.predict(X))]


MODELS: dict[str, Callable[[ModelInput], list[ModelOutput]]] = {
    "graph": graph,
    "medoid": medoid,
    "default": default,
    "knn": knn,
    "svc": svc,
    "forest": forest,
}


def responses_of(network: RBFNetworkClassifier, X: Array) -> Array:
    """Return all outputs; decision_function has only their difference where there are two."""
    responses: Array = network.transform(X) @ network.weights_ + network.bias_
    return responses


def _output(
    model: str,
    network: RBFNetworkClassifier,
    responses: Array,
    duality_gap: float | None = None,
    stops_early: bool = True,
) -> ModelOutput:
    predictions = network.classes_[responses.argmax(axis=1)]
    size, epochs = len(network.prototypes_), int(network.n_iter_)
    return ModelOutput(model, predictions, responses, size, epochs, duality_gap, stops_early)


MAX_NEIGHBOURS = 15
FOLDS = 3
GRID = {"C": [1, 10, 100], "gamma": [0.1, 0.3, 1, 3, 10]}
TREES = 100


class GaussianMachine(ClassifierMixin, BaseEstimator):
    """A support vector machine with the kernel exp(-gamma S / median of S)."""

    def __init__(self, C: float = 1.0, gamma: float = 1.0) -> None:
        self.C = C
        self.gamma = gamma

    def fit(self, S: Array, y: np.ndarray) -> Self:
        """Train on squared dissimilarities."""
        # among distinct objects, since duplicates would lower the scale
        between = S[np.triu_indices_from(S, k=1)]
        self.scale_ = float(np.median(between[between > 0])) if between.any() else 1.0
        self.machine_ = SVC(C=self.C, kernel="precomputed").fit(self._kernel(S), y)
        self.classes_ = self.machine_.classes_
        return self

    def predict(self, S: Array) -> np.ndarray:
        """Return the class of each row of squared dissimilarities to the training objects."""
        predictions: np.ndarray = self.machine_.predict(self._kernel(S))
        return predictions

    def _kernel(self, S: Array) -> Array:
        return np.exp(-self.gamma * S / self.scale_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def neighbours(D: Array, y: np.ndarray, D_new: Array) -> dict[int, np.ndarray]:
    """Return predictions by 1 to 15 neighbours, weighted by 1 / D; duplicates outvote others."""
    votes = KNeighborsClassifier(metric="precomputed", weights="distance").fit(D, y)
    numbers = range(1, MAX_NEIGHBOURS + 1)
    return {k: votes.set_params(n_neighbors=k).predict(D_new) for k in numbers}


def tuned_machine(S: Array, y: np.ndarray, groups: np.ndarray | None, seed: int) -> GridSearchCV:
    """Choose C and gamma by cross-validation, with whole groups held out where there are some."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = kind(FOLDS, shuffle=True, random_state=seed).split(S, y, groups)
    return GridSearchCV(GaussianMachine(), GRID, cv=list(folds)).fit(S, y)


def _fit_forest(X: Array, y: np.ndarray, seed: int) -> RandomForestClassifier:
    """Train a random forest."""
    return RandomForestClassifier(TREES, random_state=seed).fit(X, y)
