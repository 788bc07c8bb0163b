"""A further prototype where the network is most wrong (the paper's section 3.1)."""

from dataclasses import replace
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.network import Network
from relrbf.training.conjugate import Conjugate
from relrbf.training.first_network import draw
from relrbf.training.problem import Problem
from relrbf.training.rates import drawn_rates
from relrbf.training.state import EQUAL, State


def grow(problem: Problem, state: State, descent: Any, unit: float) -> None:
    """Add a prototype at the training object with the largest absolute deviation.

    An object where one was added before is passed over: what it lacks is not a prototype. Motion
    so far goes on, with the new prototype at rest; conjugate gradients begin anew.
    """
    deviations = problem.deviations(state.point)
    deviations[[where for _, where in state.history.grown]] = -1
    worst = _worst(deviations)
    network = _with_one_more(state.point.network, descent, unit, state.rng)
    placed = problem.space.place_at(np.array([worst]))
    if not isinstance(descent.learning_rate, str):
        one = replace(network, weights=network.weights[-1:], bandwidths=network.bandwidths[-1:])
        more = drawn_rates(state.rng, descent.learning_rate, one, unit)
        state.rates = state.rates.joined(more)
    state.point = problem.evaluate(network, state.point.prototypes.joined(placed))
    past = state.past
    state.past = None if past is None or isinstance(past, Conjugate) else past.widened(1)
    state.history.grown.append((state.epoch, worst))
    state.since_growth = state.settled = state.age = 0
    state.record_again(problem)


def _worst(deviations: Array) -> int:
    """Return the first of the objects that deviate most: rounding must not choose among equals."""
    return int(np.argmax(deviations >= (1 - EQUAL) * deviations.max()))


def _with_one_more(
    network: Network, descent: Any, unit: float, rng: np.random.Generator
) -> Network:
    """Draw a further unit; where nothing is drawn, one without weight, as wide as the others."""
    g, dtype = network.weights.shape[1], network.weights.dtype
    weights, bandwidth = np.zeros((1, g), dtype), np.median(network.bandwidths, keepdims=True)
    if descent.initial_weights is not None:
        weights = draw(rng, descent.initial_weights, (1, g), dtype)
    if descent.initial_bandwidths is not None:
        bandwidth = unit * draw(rng, descent.initial_bandwidths, 1, dtype)
    return replace(
        network,
        weights=np.concatenate([network.weights, weights]),
        bandwidths=np.concatenate([network.bandwidths, bandwidth]),
    )
