"""The networks of figures 2.1 to 2.3, trained on objects in a plane that they never see."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.linear_model import Ridge

from relrbf import RBFNetworkClassifier
from relrbf.training import GradientDescent, History
from study.data import Array, Indices, Parts
from study.models import responses_of


@dataclass(frozen=True, eq=False)
class Objects:
    """Vectors (n × 2), classes and parts. Networks see the distances and never the vectors."""

    vectors: Array
    y: np.ndarray
    parts: Parts

    @cached_property
    def D(self) -> Array:
        """Distances among the objects: the relation."""
        distances: Array = cdist(self.vectors, self.vectors)
        return distances

    @property
    def targets(self) -> Array:
        """Desired responses (n × g): 1 of the own class, 0 of the others."""
        return np.eye(int(self.y.max()) + 1)[self.y]

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A network at one moment of its training."""

    coefficients: Array  # of the relational prototypes (c × n)
    distances_sq: Array  # of these to the objects, from the relation (c × n): equation 2.5
    bandwidths: Array  # of the Gaussian kernels (c)
    weights: Array  # of the output layer (c × g)
    bias: Array  # (g)
    responses: Array  # for all objects, whether it was trained on them or not (n × g)
    objective: float  # what training minimises

    def places(self, objects: Objects) -> Array:
        """Return where the prototypes lie in the plane (c × 2)."""
        return self.coefficients @ objects.vectors

    def wrong(self, objects: Objects) -> Indices:
        """Return the objects whose largest response is not that of their class."""
        return np.flatnonzero(self.responses.argmax(axis=1) != objects.y)

    def deviations(self, objects: Objects) -> Array:
        """Return the responses less the desired ones (n × g)."""
        return self.responses - objects.targets

    def respond(self, objects: Objects, points: Array) -> Array:
        """Return the responses (m × g) at points of the plane, where no object need be."""
        distances_sq = cdist(points, self.places(objects), "sqeuclidean")
        return np.exp(-distances_sq / (2 * self.bandwidths**2)) @ self.weights + self.bias

    def gap(self, objects: Objects) -> float:
        """Return the largest difference of the squared distances from those in the plane."""
        in_plane = cdist(self.places(objects), objects.vectors, "sqeuclidean")
        return float(np.abs(self.distances_sq - in_plane).max())


FIRST = [(-0.8, -0.8), (0.9, -0.4), (0.9, 0.5), (0.6, 0.9), (-0.1, 0.6), (-0.7, 0.2), (0.0, -1.2)]
SECOND = [(1.1, -3.0), (2.2, -1.4), (2.0, -2.5), (1.4, -1.2), (0.5, -1.9), (0.5, -2.4)]
THIRD = [(1.9, 0.7), (1.6, -0.1), (1.7, -0.6), (2.6, -1.0), (2.9, -0.7), (3.4, 0.3), (2.9, 0.6)]
TEST, VALIDATION = [1, 9, 13], [0, 7, 18]  # of the twenty: 70/15/15, every class in every part
N_PROTOTYPES, N_STARTS, RING_EPOCHS = 3, 4, 200
RING_RIDGE = 0.4  # without it, wide kernels with large opposite weights separate anything


def rings() -> Objects:
    """Return three classes that are rings, side by side."""
    classes = [FIRST, SECOND, THIRD]
    y = np.repeat(np.arange(3), [len(ring) for ring in classes])
    train = np.setdiff1d(np.arange(len(y)), TEST + VALIDATION)
    return Objects(np.concatenate(classes), y, Parts(train, np.array(TEST), np.array(VALIDATION)))


@cache
def trained(space: str) -> Snapshot:
    """Train a network on the rings in a space, "medoid" or "relational"; keep the best start."""
    networks = [_fitted(space, seed) for seed in range(N_STARTS)]
    return min(networks, key=lambda network: network.objective)


def _fitted(space: str, seed: int) -> Snapshot:
    objects = rings()
    solver = GradientDescent.curvature_scaled(
        validation=VALIDATION, patience=RING_EPOCHS, min_bandwidth=0.2
    )
    return _fit(
        objects,
        solver,
        init="random",
        space=space,
        alpha=RING_RIDGE,
        max_iter=RING_EPOCHS,
        seed=seed,
    )[0]


def _fit(
    objects: Objects, solver: GradientDescent, *, seed: int = 0, **options: Any
) -> tuple[Snapshot, History]:
    """Train a network of three prototypes; test objects have no weight."""
    network = RBFNetworkClassifier(
        N_PROTOTYPES, exponent=2, solver=solver, tol=0, random_state=seed, **options
    )
    known = np.isin(np.arange(len(objects)), objects.parts.known)
    network.fit(objects.D, objects.y, sample_weight=known)
    history = network.history_
    snapshot = Snapshot(
        network.prototypes_.coefficients,
        _distances_sq(objects, network.prototypes_.coefficients),
        network.bandwidths_,
        network.weights_,
        network.bias_,
        responses_of(network, objects.D),
        history.objective[history.best_epoch],
    )
    return snapshot, history


def _distances_sq(objects: Objects, coefficients: Array) -> Array:
    """Return squared distances from prototypes to objects (theory 2)."""
    products: Array = coefficients @ objects.D**2
    return products - np.sum(products * coefficients, axis=1, keepdims=True) / 2


CORNERS = [
    [(-1.9, 1.2), (-1.0, 1.8), (-1.3, 0.7), (-0.6, 1.1)],
    [(1.2, 1.9), (1.9, 1.3), (0.7, 1.0), (1.5, 0.6)],
    [(-1.7, -0.8), (-0.8, -0.6), (-1.4, -1.7), (-0.5, -1.5)],
    [(0.6, -0.7), (1.6, -0.6), (0.9, -1.6), (1.8, -1.5)],
]
SPREADS = [
    [(-0.8, 0.9), (-1.5, 0.7), (-1.5, 0.9), (-1.0, 0.7), (-1.5, 1.1), (-1.3, 1.3)],
    [(-0.8, -0.8), (-0.2, -1.4), (-1, -1.1), (-0.1, -0.7), (0.4, -1.5), (0.8, -1.6), (-0.1, -1.7)],
    [(0.0, 0.4), (1.5, 1.5), (0.8, 1.0), (1.8, 0.8), (1.3, -0.3), (1.6, 0.3), (0.7, 1.5)],
]
PROTOTYPE_UPDATES = 40  # updates of the prototypes in figure 2.2
BANDWIDTH_EPOCHS = 60  # of everything in figure 2.3
FIRST_BANDWIDTH = 0.35  # the first bandwidth of figure 2.3, too small for every class
BANDWIDTH_RIDGE = 0.01


def corners() -> Objects:
    """Return four classes of four objects, all for training."""
    y, none = np.repeat(np.arange(4), 4), np.zeros(0, dtype=int)
    return Objects(np.concatenate(CORNERS), y, Parts(np.arange(16), none, none))


def spreads() -> Objects:
    """Return three classes, each wider than the last; 70/15/15."""
    y = np.repeat(np.arange(3), [len(group) for group in SPREADS])
    test, validation = np.array([4, 11, 18]), np.array([5, 12, 19])
    train = np.setdiff1d(np.arange(len(y)), [*test, *validation])
    return Objects(np.concatenate(SPREADS), y, Parts(train, test, validation))


@dataclass(frozen=True, eq=False)
class Update:
    """A network before and after, and the errors on the way, of which the first is before.

    ``errors`` names each curve: the objective, and the error of a validation part if there is one.
    """

    objects: Objects
    before: Snapshot
    after: Snapshot
    errors: dict[str, list[float]]

    @property
    def states(self) -> dict[str, Snapshot]:
        """Both networks, by name."""
        return {"before": self.before, "after": self.after}


@cache
def moved_prototypes() -> Update:
    """Move the prototypes of a network on the corners, and nothing else.

    Prototype j belongs to class j: weights are the identity and stay so, as do the bandwidths. The
    first prototypes are random averages of all objects.
    """
    objects = corners()
    coefficients = np.random.default_rng(219).dirichlet(np.full(len(objects), 0.25), 4)
    states = [_network_of_corners(objects, coefficients)]
    for _ in range(PROTOTYPE_UPDATES):
        states.append(_network_of_corners(objects, _moved(objects, states[-1])))
    objectives = [state.objective for state in states]
    return Update(objects, states[0], states[-1], {"objective": objectives})


def _network_of_corners(objects: Objects, coefficients: Array) -> Snapshot:
    distances_sq = _distances_sq(objects, coefficients)
    bandwidths, weights, bias = np.full(4, 0.9), np.eye(4), np.zeros(4)
    responses = np.exp(-distances_sq / (2 * bandwidths[:, None] ** 2)).T @ weights + bias
    objective = float(np.sum((objects.targets - responses) ** 2) / len(objects) / 2)
    return Snapshot(coefficients, distances_sq, bandwidths, weights, bias, responses, objective)


def _moved(objects: Objects, state: Snapshot) -> Array:
    """Return the coefficients after a step of length 1 along the latent gradient (theory 4)."""
    widths_sq = state.bandwidths[:, None] ** 2
    activations = np.exp(-state.distances_sq / (2 * widths_sq))
    residuals = (objects.targets - state.responses) / len(objects)
    h = (state.weights @ residuals.T) * activations / widths_sq
    return (1 - h.sum(axis=1, keepdims=True)) * state.coefficients + h


@cache
def trained_bandwidths() -> Update:
    """Train all parameters of a network on the spreads.

    It begins with random averages within the classes, bandwidths that are too small, and the
    weights that are best for these.
    """
    objects = spreads()
    coefficients = _averages(objects, np.random.default_rng(141))
    solver = GradientDescent.curvature_scaled(
        initial_bandwidths=(FIRST_BANDWIDTH, FIRST_BANDWIDTH),
        unit=1.0,
        patience=BANDWIDTH_EPOCHS,
        min_bandwidth=0.2,
        validation=objects.parts.validation.tolist(),
    )
    alpha = BANDWIDTH_RIDGE * len(objects.parts.train)
    after, history = _fit(
        objects, solver, init=coefficients, alpha=alpha, max_iter=BANDWIDTH_EPOCHS
    )
    errors = {"objective": history.objective, "validation error": history.validation_error}
    return Update(objects, _solved(objects, coefficients), after, errors)


def _averages(objects: Objects, rng: np.random.Generator) -> Array:
    """Return random averages of each class's training objects (g × n)."""
    trains = np.isin(np.arange(len(objects)), objects.parts.train)
    rows = objects.targets.T * trains * rng.random(objects.targets.T.shape)
    return rows / rows.sum(axis=1, keepdims=True)


def _solved(objects: Objects, coefficients: Array) -> Snapshot:
    """Return the network with the first bandwidth and the best weights for it."""
    train, targets = objects.parts.train, objects.targets
    distances_sq = _distances_sq(objects, coefficients)
    activations = np.exp(-distances_sq / (2 * FIRST_BANDWIDTH**2)).T
    ridge = Ridge(BANDWIDTH_RIDGE * len(train)).fit(activations[train], targets[train])
    responses, weights = ridge.predict(activations), ridge.coef_.T
    errors_sq = np.sum((targets - responses)[train] ** 2) / len(train)
    objective = float(errors_sq + BANDWIDTH_RIDGE * np.sum(weights**2)) / 2
    bandwidths = np.full(len(coefficients), FIRST_BANDWIDTH)
    return Snapshot(
        coefficients, distances_sq, bandwidths, weights, ridge.intercept_, responses, objective
    )
