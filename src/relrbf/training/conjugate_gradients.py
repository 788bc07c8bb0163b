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

from dataclasses import replace

import numpy as np

from relrbf.network import Forward
from relrbf.prototypes.base import Direction, Space, plus, scaled
from relrbf.training.base import Point, Problem
from relrbf.training.state import LastStep, Rates, coarsened

MAX_GROWTH, MIN_SHRINKAGE = 2.0, 0.1  # of a step length from one trial to the next
MAX_LENGTH = 8.0  # of a step, in units of what the curvature allows
RESTART_EPOCHS = 20  # then a plain step damps what long ones let grow
MAX_TRIALS = 30
MAX_BETA = 1.0
BETA_GRAIN = 1 / 16  # to which beta is rounded, as ``coarsened`` rounds lengths


def conjugate_step(
    problem: Problem, point: Point, rates: Rates, floor: float, last: LastStep | None
) -> tuple[Point, LastStep]:
    """Return the point after an epoch, and what the next one needs to know."""
    gradient, space, step = negative_gradient(problem, point), problem.space, rates.steps()
    weights, bias, bandwidths, *latent = gradient
    preconditioned: Direction = (
        *(step.weights * weights, step.bias * bias, step.bandwidths * bandwidths),
        *scaled(tuple(latent), step.prototypes),
    )
    square = _inner(space, gradient, preconditioned)
    direction, length, n_epochs = preconditioned, 1.0, 1
    if last is not None and last.square > 0 and last.n_epochs < RESTART_EPOCHS:
        beta = (square - _inner(space, last.gradient, preconditioned)) / last.square
        beta = float(np.clip(BETA_GRAIN * np.round(beta / BETA_GRAIN), 0, MAX_BETA))
        conjugate = plus(preconditioned, last.direction, beta)
        if _inner(space, gradient, conjugate) > 0:  # else no descent direction: restart
            direction, length, n_epochs = conjugate, last.length, last.n_epochs + 1
    descent = _inner(space, gradient, direction)
    trial, length = _line_search(problem, point, direction, descent, length, floor)
    return trial, LastStep(direction, gradient, square, length, n_epochs)


def negative_gradient(problem: Problem, point: Point) -> Direction:
    """Return the negative gradient in weights, bias, bandwidths and prototypes at once."""
    network, forward = point.network, point.forward
    assert isinstance(forward, Forward)
    by_responses = problem.by_responses(forward)
    by_weights = forward.activations @ by_responses + problem.alpha * network.weights
    hidden = network.backward(forward, by_responses)
    direction = problem.space.descent(point.prototypes, hidden.distances_sq)
    return -by_weights, -by_responses.sum(axis=0), -hidden.bandwidths, *direction


def _inner(space: Space, first: Direction, second: Direction) -> float:
    """Return the inner product of two directions; that of the prototypes is the latent one."""
    others = sum(np.vdot(one, other) for one, other in zip(first[:3], second, strict=False))
    return float(others + space.inner(first[3:], second[3:]).sum())


def _line_search(
    problem: Problem,
    point: Point,
    direction: Direction,
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
    problem: Problem, point: Point, direction: Direction, length: float, floor: float
) -> Point:
    old, (weights, bias, bandwidths, *latent) = point.network, direction
    lowest = np.minimum(old.bandwidths, floor)
    network = replace(
        old,
        weights=old.weights + length * weights,
        bias=old.bias + length * bias,
        bandwidths=np.maximum(old.bandwidths + length * bandwidths, lowest),
    )
    steps = np.full_like(old.bandwidths, length)
    prototypes = problem.space.move(point.prototypes, tuple(latent), steps)
    return problem.evaluate(network, prototypes)
