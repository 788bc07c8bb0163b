"""What gradient descent carries from epoch to epoch: learning rates, counters, the last step."""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from relrbf._typing import Array
from relrbf.network import Curvature, Network
from relrbf.prototypes.base import Direction
from relrbf.training.base import Problem, TrainingState

MAX_RATE_RATIO = 1e3  # of any parameter's rate to that of the most curved one
MIN_CURVATURE = 1e-4  # in units of targets over bandwidth: less is rounding
GRID_OFFSET = 0.3  # keeps the grid's edges away from 1, 1/2, ..., which are frequent values
UNLIMITED = (np.inf, np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class Rates:
    """Learning rates of every parameter, one common scale, and its ceiling in each group.

    The hidden layer has one rate per prototype: one per coordinate has no relational equivalent.
    """

    weights: Array  # c × g
    bias: Array  # g
    bandwidths: Array  # c
    prototypes: Array  # c
    scale: float = 1.0
    ceilings: tuple[float, float, float] = UNLIMITED  # output layer, bandwidths, prototypes

    def steps(self) -> "Rates":
        """Return the rates with the scale, or the group's ceiling, multiplied in."""
        output, bandwidths, prototypes = (min(self.scale, ceiling) for ceiling in self.ceilings)
        return Rates(
            output * self.weights,
            output * self.bias,
            bandwidths * self.bandwidths,
            prototypes * self.prototypes,
        )

    def adapted(self, factor: float) -> "Rates":
        """Scale all rates; beyond every ceiling there is nothing to gain."""
        return replace(self, scale=factor * min(self.scale, max(self.ceilings)))

    def joined(self, more: "Rates") -> "Rates":
        """Add the rates of further prototypes."""
        weights = np.concatenate([self.weights, more.weights])
        bandwidths = np.concatenate([self.bandwidths, more.bandwidths])
        prototypes = np.concatenate([self.prototypes, more.prototypes])
        return replace(self, weights=weights, bandwidths=bandwidths, prototypes=prototypes)

    def bounded_by(self, curvature: Curvature, share: float) -> "Rates":
        """Return the same rates under a share of the ceilings that a curvature implies."""
        layer = [np.append(w, b) for w, b in zip(self.weights.T, self.bias, strict=True)]
        largest = [
            max(_largest(curvature.output, rates) for rates in layer),
            _largest(curvature.bandwidths, self.bandwidths),
            _largest(curvature.prototypes, self.prototypes),
        ]
        output, bandwidths, prototypes = coarsened(share / np.array(largest)).tolist()
        return replace(self, ceilings=(output, bandwidths, prototypes))


def draw(rng: np.random.Generator, span: tuple[float, float], shape: Any, dtype: Any) -> Array:
    """Draw numbers uniformly from a range."""
    return rng.uniform(*span, shape).astype(dtype)


def drawn_rates(
    rng: np.random.Generator, span: tuple[float, float], network: Network, unit: float
) -> Rates:
    """Draw a rate for each parameter; those of lengths are in squared units, as lengths are."""
    (c, g), dtype = network.weights.shape, network.weights.dtype
    weights, bias = draw(rng, span, (c, g), dtype), draw(rng, span, g, dtype)
    bandwidths = unit**2 * draw(rng, span, c, dtype)
    return Rates(weights, bias, bandwidths, unit**2 * draw(rng, span, c, dtype))


def curvature_rates(
    curvature: Curvature, network: Network, unit: float, scale: float, share: float
) -> Rates:
    """Return rates that are the inverse of what each parameter's row of the bounds adds up to.

    By Gershgorin's theorem no such step overshoots, in any direction.
    """
    output = coarsened(1 / _raised(np.abs(curvature.output).sum(axis=1), np.zeros(1)))
    flattest = MIN_CURVATURE / np.square(network.bandwidths)
    bandwidths, prototypes = (
        unit**2 * coarsened(1 / (unit**2 * _raised(bounds.sum(axis=1), flattest)))
        for bounds in (curvature.bandwidths, curvature.prototypes)
    )
    g = network.weights.shape[1]
    weights, bias = np.repeat(output[:-1, None], g, axis=1), np.repeat(output[-1:], g)
    return Rates(weights, bias, bandwidths, prototypes, scale, (share, share, share))


def coarsened(values: Array) -> Array:
    """Round down to a quarter of an octave.

    A length that follows the state to its last digit passes rounding errors on to every parameter,
    from where they come back; a coarse one is the same for a network and its vector equivalent.
    """
    return np.exp2((np.floor(4 * np.log2(values) + GRID_OFFSET) - GRID_OFFSET) / 4)


def _raised(bounds: Array, flattest: Array) -> Array:
    """Raise small bounds: a parameter of hardly any effect must not take huge steps."""
    lowest = np.maximum(bounds.max() / MAX_RATE_RATIO, flattest.astype(bounds.dtype))
    return np.maximum(bounds, lowest)


def _largest(bounds: Array, rates: Array) -> float:
    """Return the largest eigenvalue of ``sqrt(r) H sqrt(r)``."""
    roots = np.sqrt(rates)
    largest = float(np.linalg.eigvalsh(roots[:, None] * bounds * roots)[-1])
    return max(largest, float(np.finfo(bounds.dtype).tiny))


class LastStep(NamedTuple):
    """What momentum and conjugate gradients need of the last epoch.

    Directions hold changes of weights, bias, bandwidths and prototypes. All but the first are of
    conjugate gradients alone.
    """

    direction: Direction
    gradient: Direction = ()
    square: float = 0.0  # of the gradient, preconditioned
    length: float = 1.0
    n_epochs: int = 1  # since the last restart


@dataclass(eq=False)
class DescentState(TrainingState):
    """What gradient descent needs besides."""

    rates: Rates
    rng: np.random.Generator  # draws the parameters and rates of further prototypes
    last_step: LastStep | None = None
    n_increases: int = 0  # of the validation error, in a row
    n_increases_since_growth: int = 0
    n_rejected: int = 0  # epochs in a row
    bound_age: int = 0  # epochs since the curvature was bounded

    def continued(self) -> Self:
        """Return a copy from which a further fit begins.

        What had ended starts counting anew; what had not continues as if it had never stopped.
        """
        again = replace(super().continued(), rng=deepcopy(self.rng))
        if self.status is not None:
            again.n_increases = again.n_increases_since_growth = 0
            again.n_unchanged = again.n_rejected = 0
        return again

    def record_again(self, problem: Problem) -> None:
        """Replace the last record, of an epoch after which a prototype was added."""
        history = self.history
        for values in (history.objective, history.n_prototypes, history.validation_error):
            values.pop()
        self.epoch -= 1
        self.record(problem)

    def count_increases(self) -> None:
        """Count the rises of the validation error in a row; an unchanged one is neither."""
        if len(self.history.validation_error) < 2:
            return
        before, now = self.history.validation_error[-2:]
        if now > (1 + self.error_tie) * before:
            self.n_increases += 1
            self.n_increases_since_growth += 1
        elif now < (1 - self.error_tie) * before:
            self.n_increases = self.n_increases_since_growth = 0
