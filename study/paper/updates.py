"""Networks before and after updates, by the library's own steps: figures 2.2 and 2.3."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.network import Gaussian, Network
from relrbf.prototypes import RelationalSpace
from relrbf.relations import DenseRelation
from relrbf.training import GradientDescent, InitialState, Problem
from relrbf.training.problem import Point
from relrbf.training.rates import Rates
from relrbf.training.sweep import sweep
from study.paper.objects import Objects, Snapshot
from study.splits import Parts

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
MOVES = 40  # updates of the prototypes in figure 2.2
EPOCHS = 60  # of everything in figure 2.3
NARROW = 0.35  # the first bandwidth of figure 2.3, too small for every class
RIDGE = 0.01


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

    Prototype j speaks for class j: weights are the identity and stay so, as do the bandwidths. The
    first prototypes are random averages of all objects.
    """
    objects = corners()
    problem = _problem(objects, ridge=0.0)
    start = np.random.default_rng(219).dirichlet(np.full(len(objects), 0.25), 4)
    network = Network(Gaussian(), np.full(4, 0.9), np.eye(4), np.zeros(4))
    points = [problem.evaluate(network, problem.space.place(start))]
    still = np.zeros(4)
    rates = Rates(np.zeros((4, 4)), still, bandwidths=still, prototypes=np.ones(4))
    for _ in range(MOVES):
        point, _ = sweep(problem, points[-1], rates, floor=0.0, past=None, momentum=0.0)
        points.append(point)
    objectives = [point.objective for point in points]
    ends = _snapshot(points[0]), _snapshot(points[-1])
    return Update(objects, *ends, {"objective": objectives})


@cache
def trained_bandwidths() -> Update:
    """Train all parameters of a network on the spreads.

    It begins with random averages within the classes, bandwidths that are too small, and the
    weights that are best for these.
    """
    objects = spreads()
    problem, rng = _problem(objects, RIDGE), np.random.default_rng(141)
    first = problem.space.place(_averages(objects, rng))
    span = (NARROW, NARROW)
    descent = GradientDescent.curvature_scaled(
        initial_bandwidths=span, unit=1.0, patience=EPOCHS, min_bandwidth=0.2
    )
    network, _ = descent.initial_network(problem, Gaussian(), first, rng)
    result = descent.train(problem, InitialState(network, first), max_iter=EPOCHS, tol=0, rng=rng)
    before = problem.evaluate(network, first)
    after = problem.evaluate(result.network, result.prototypes)
    history = result.history
    errors = {"objective": history.objective, "validation error": history.validation_error}
    return Update(objects, _snapshot(before), _snapshot(after), errors)


def _problem(objects: Objects, ridge: float) -> Problem:
    """Return the problem of the training part; others have no weight in it."""
    parts, n = objects.parts, len(objects)
    weights, validation = (_shares(part, n) for part in (parts.train, parts.validation))
    space = RelationalSpace(DenseRelation(objects.D))
    watching = validation if len(parts.validation) else None
    return Problem(space, objects.targets, weights, ridge, validation=watching)


def _shares(part: Indices, n_objects: int) -> Array:
    return np.isin(np.arange(n_objects), part) / max(len(part), 1)


def _averages(objects: Objects, rng: np.random.Generator) -> Array:
    """Return random averages of each class's training objects (g × n)."""
    trains = np.isin(np.arange(len(objects)), objects.parts.train)
    rows = objects.targets.T * trains * rng.random(objects.targets.T.shape)
    return rows / rows.sum(axis=1, keepdims=True)


def _snapshot(point: Point) -> Snapshot:
    network, prototypes = point.network, point.prototypes
    return Snapshot(
        prototypes.coefficients,
        prototypes.distances_sq,
        network.bandwidths,
        network.weights,
        network.bias,
        point.forward.responses,
        point.objective,
    )
