"""Medoids against prototypes outside the data, on twenty objects: figure 2.1.

Each class is a ring, so that no object is near the mean of its class. Both networks have three
prototypes and the same trainer, and may start four times; the smallest objective counts.
"""

from functools import cache

import numpy as np

from relrbf.estimators import RBFNetworkClassifier
from relrbf.training import GradientDescent
from study.models import responses_of
from study.paper.objects import Objects, Snapshot
from study.splits import Parts

FIRST = [(-0.8, -0.8), (0.9, -0.4), (0.9, 0.5), (0.6, 0.9), (-0.1, 0.6), (-0.7, 0.2), (0.0, -1.2)]
SECOND = [(1.1, -3.0), (2.2, -1.4), (2.0, -2.5), (1.4, -1.2), (0.5, -1.9), (0.5, -2.4)]
THIRD = [(1.9, 0.7), (1.6, -0.1), (1.7, -0.6), (2.6, -1.0), (2.9, -0.7), (3.4, 0.3), (2.9, 0.6)]
TEST, VALIDATION = [1, 9, 13], [0, 7, 18]  # of the twenty: 70/15/15, every class in every part
N_PROTOTYPES, N_STARTS, EPOCHS = 3, 4, 200
RIDGE = 0.4  # without it, wide kernels of large weights that cancel come right anywhere


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
    network = RBFNetworkClassifier(
        N_PROTOTYPES,
        space=space,
        exponent=2,
        init="random",
        solver=GradientDescent.curvature_scaled(
            validation=VALIDATION, patience=EPOCHS, min_bandwidth=0.2
        ),
        alpha=RIDGE,
        max_iter=EPOCHS,
        tol=0,
        random_state=seed,
    )
    known = np.isin(np.arange(len(objects)), objects.parts.known)
    network.fit(objects.D, objects.y, sample_weight=known)
    prototypes, history = network.prototypes_, network.history_
    return Snapshot(
        prototypes.coefficients,
        prototypes.distances_sq,
        network.bandwidths_,
        network.weights_,
        network.bias_,
        responses_of(network, objects.D),
        history.objective[history.best_epoch],
    )
