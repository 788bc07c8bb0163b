"""Nonlinear conjugate gradients over all parameters, in the latent inner product (theory 3).

The next direction is the negative gradient plus a share of the last direction, ``p = R g + beta
p'``, with R the learning rates as a preconditioner and Polak and Ribière's beta. The minimum of a
parabola through what is known along p gives the step length. Moving along p needs no product with S
(products are linear), so that an epoch still costs one, for g.

Shares and lengths that are exact to the last digit make the method chaotic: rounding errors grew
tenfold every three epochs, and a network and its vector equivalent diverged within a hundred.
Rounded to a few binary digits they cost no speed, and the two agree for hundreds of epochs in
float64. In float32 a rounding error is large enough to round a length to its neighbour, sooner or
later.

Where no vectors exist, the inner product is that of directions some of which were reversed, and
derivatives and shares are rough; a step that does not descend is shortened all the same.
"""

from dataclasses import dataclass, replace

import numpy as np

from relrbf.prototypes.base import Space
from relrbf.training.problem import ParameterChange, Point, Problem
from relrbf.training.rates import Rates, coarsened

MAX_GROWTH, MIN_SHRINKAGE = 2.0, 0.1  # of a step length from one trial to the next
MAX_LENGTH = 8.0  # of a step, in units of what the curvature allows
RESTART_EPOCHS = 20  # then a plain step damps what long ones let grow
MAX_TRIALS = 30
MAX_BETA = 1.0
BETA_GRAIN = 1 / 16  # to which beta is rounded, as ``coarsened`` rounds lengths


@dataclass(frozen=True, eq=False)
class ConjugateStep:
    """What the next epoch needs of the last: direction, negative gradient, square, length."""

    direction: ParameterChange
    gradient: ParameterChange
    square: float
    length: float
    epochs: int


def conjugate_step(
    problem: Problem, point: Point, rates: Rates, floor: float, previous: ConjugateStep | None
) -> tuple[Point, ConjugateStep]:
    """Return the point after an epoch, and what the next one needs to know."""
    gradient, space = problem.negative_gradient(point), problem.space
    preconditioned = _preconditioned(gradient, rates.steps())
    square = _inner(space, gradient, preconditioned)
    direction, length, epochs = preconditioned, 1.0, 1
    if previous is not None and previous.square > 0 and previous.epochs < RESTART_EPOCHS:
        beta = (square - _inner(space, previous.gradient, preconditioned)) / previous.square
        beta = float(np.clip(BETA_GRAIN * np.round(beta / BETA_GRAIN), 0, MAX_BETA))
        conjugate = preconditioned.plus(previous.direction, beta)
        if _inner(space, gradient, conjugate) > 0:  # else no descent direction: restart
            direction, length, epochs = conjugate, previous.length, previous.epochs + 1
    descent = _inner(space, gradient, direction)
    trial, length = _line_search(problem, point, direction, descent, length, floor)
    return trial, ConjugateStep(direction, gradient, square, length, epochs)


def _line_search(
    problem: Problem,
    point: Point,
    direction: ParameterChange,
    descent: float,
    length: float,
    floor: float,
) -> tuple[Point, float]:
    """Step to the parabola's minimum; where that is no descent, shorten the step."""
    trial = _moved(problem, point, direction, length, floor)
    for _ in range(MAX_TRIALS):
        rise = trial.objective - point.objective
        better = _parabola_minimum(rise, descent, length)
        if rise < 0:
            refined = _moved(problem, point, direction, better, floor)
            return (refined, better) if refined.objective < point.objective else (trial, length)
        length = min(better, length / 2)
        trial = _moved(problem, point, direction, length, floor)
    return trial, length


def _parabola_minimum(rise: float, descent: float, length: float) -> float:
    """Return the minimum of the parabola through two values and a derivative, within limits."""
    curvature = rise + descent * length
    if not np.isfinite(curvature):
        return MIN_SHRINKAGE * length
    minimum = descent * length**2 / (2 * curvature) if curvature > 0 else np.inf
    longest = min(MAX_GROWTH * length, MAX_LENGTH)
    return float(coarsened(np.clip(minimum, MIN_SHRINKAGE * length, longest)))


def _moved(
    problem: Problem, point: Point, direction: ParameterChange, length: float, floor: float
) -> Point:
    old = point.network
    lowest = np.minimum(old.bandwidths, floor)
    network = replace(
        old,
        weights=old.weights + length * direction.weights,
        bias=old.bias + length * direction.bias,
        bandwidths=np.maximum(old.bandwidths + length * direction.bandwidths, lowest),
    )
    steps = np.full(len(old.bandwidths), length, dtype=old.bandwidths.dtype)
    prototypes = problem.space.move(point.prototypes, direction.prototypes, steps)
    return problem.evaluate(network, prototypes)


def _preconditioned(gradient: ParameterChange, rates: Rates) -> ParameterChange:
    return ParameterChange(
        rates.weights * gradient.weights,
        rates.bias * gradient.bias,
        rates.bandwidths * gradient.bandwidths,
        gradient.prototypes.scaled(rates.prototypes),
    )


def _inner(space: Space, first: ParameterChange, second: ParameterChange) -> float:
    """Return the inner product of two changes; that of the prototypes is the latent one."""
    return float(
        np.vdot(first.weights, second.weights)
        + np.vdot(first.bias, second.bias)
        + np.vdot(first.bandwidths, second.bandwidths)
        + space.inner(first.prototypes, second.prototypes).sum()
    )
