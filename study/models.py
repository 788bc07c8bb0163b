"""The models of the study: each is trained once, and answers for all objects.

Every model may see the labels of 85 % of the objects. The networks of the paper's protocol descend
on 70 % and stop by the other 15 %; all others, which need no such part, train on both. So
nobody knows more than anybody else, and only the test part is comparable among all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.estimators import RBFNetworkClassifier
from relrbf.training import GradientDescent
from study import rivals
from study.sets import DataSet
from study.splits import Parts
from study.variants import Related

# Lengths in units of the relation. Taken as printed, a first bandwidth may be a twentieth of a
# distance; training is then chaotic, and rounding parts the twins (USC-435: 7 % more per epoch).
PROTOCOL: dict[str, Any] = {"init": "random-partition", "tol": 0, "unit": "auto"}


@dataclass(frozen=True, eq=False)
class Task:
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
class Outcome:
    """What a model says of all objects; ``responses`` (n × g) are a network's outputs."""

    model: str
    predictions: np.ndarray
    responses: Array | None = None
    n_prototypes: int | None = None
    n_iter: int | None = None
    duality_gap: float | None = None
    stops_early: bool = False  # by the validation part, which is not trained on


def protocol(task: Task, **options: Any) -> RBFNetworkClassifier:
    """Return the network of the paper's section 3.1."""
    known = task.parts.known
    watching = np.arange(len(known)) >= len(task.parts.train)
    return RBFNetworkClassifier(
        task.data.n_prototypes,
        max_prototypes=task.data.max_prototypes,
        init=PROTOCOL["init"],
        solver=GradientDescent(validation=watching, unit=PROTOCOL["unit"]),
        max_iter=task.data.max_iter,
        tol=PROTOCOL["tol"],
        random_state=task.seed,
        **options,
    )


def graph(task: Task) -> list[Outcome]:
    """Train the protocol's network, and its vector equivalent where vectors are given."""
    network = protocol(task, exponent=task.related.exponent)
    network.fit(task.among_known(), task.labels())
    answer = responses_of(network, task.to_known())
    X = task.related.twin
    if X is None:
        return [_answered("graph", network, answer)]
    twin = protocol(task, space="vector", metric="euclidean")
    twin.fit(X[task.parts.known], task.labels())
    other = responses_of(twin, X)
    gap = float(np.abs(answer - other).max())
    return [_answered("graph", network, answer, gap), _answered("vector", twin, other, gap)]


def medoid(task: Task) -> list[Outcome]:
    """Train the protocol's network with prototypes that are objects."""
    network = protocol(task, exponent=task.related.exponent, space="medoid")
    network.fit(task.among_known(), task.labels())
    return [_answered("medoid", network, responses_of(network, task.to_known()))]


def default(task: Task) -> list[Outcome]:
    """Train the network that chooses everything by itself; how D is read, all models are told."""
    network = RBFNetworkClassifier(exponent=task.related.exponent, random_state=task.seed)
    network.fit(task.among_known(), task.labels())
    answer = responses_of(network, task.to_known())
    return [_answered("default", network, answer, stops_early=False)]


def knn(task: Task) -> list[Outcome]:
    """Vote among the nearest; one outcome for each number of neighbours."""
    votes = rivals.neighbours(task.among_known(), task.labels(), task.to_known())
    return [Outcome(f"knn-{k}", predictions) for k, predictions in votes.items()]


def svc(task: Task) -> list[Outcome]:
    """Tune and train a support vector machine with a Gaussian kernel."""
    S, known, groups = task.related.D**task.related.exponent, task.parts.known, task.related.groups
    among = None if groups is None else groups[known]
    machine = rivals.tuned_machine(S[np.ix_(known, known)], task.labels(), among, task.seed)
    return [Outcome("svc", machine.predict(S[:, known]))]


def forest(task: Task) -> list[Outcome]:
    """Train a random forest on vectors, or on rows of dissimilarities where there are none."""
    X = task.to_known() if task.related.vectors is None else task.related.vectors
    trees = rivals.forest(X[task.parts.known], task.labels(), task.seed)
    return [Outcome("forest", trees.predict(X))]


MODELS: dict[str, Callable[[Task], list[Outcome]]] = {
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


def _answered(
    model: str,
    network: RBFNetworkClassifier,
    responses: Array,
    duality_gap: float | None = None,
    stops_early: bool = True,
) -> Outcome:
    predictions = network.classes_[responses.argmax(axis=1)]
    size, epochs = len(network.prototypes_), int(network.n_iter_)
    return Outcome(model, predictions, responses, size, epochs, duality_gap, stops_early)
