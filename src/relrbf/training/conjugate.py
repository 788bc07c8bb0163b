"""Nonlinear conjugate gradients over all parameters, in the latent inner product (theory 3).

The next motion is the way down plus a share of the last motion, ``p = R g + beta p'``, with R the
learning rates as a preconditioner and Polak and Ribière's beta. A parabola through what is known
along p gives its length. Moving along p needs no product with S (products are linear), so that an
epoch still costs one, for g.

Shares and lengths that are exact to the last digit make the method chaotic: rounding errors grew
tenfold every three epochs, and the twins parted within a hundred. Rounded to a few binary digits
they cost no speed, and the twins stay together for hundreds of epochs in float64. In float32 a
rounding error is large enough to round a length to its neighbour, sooner or later.

Where no vectors exist, the inner product is that of directions some of which were turned round, and
slopes and shares are rough; a step that does not descend is shortened all the same.
"""

from dataclasses import dataclass, replace

import numpy as np

from relrbf.network import Network
from relrbf.prototypes.base import Space
from relrbf.training.problem import Motion, Point, Problem
from relrbf.training.rates import Rates, coarse

LONGER, SHORTER = 2.0, 0.1  # how much a length may change from one trial to the next
LONGEST = 8.0  # length, in units of what the curvature allows
RUN = 20  # epochs after which to begin anew, with a step that damps what long ones let grow
TRIALS = 30
MOST = 1.0  # of the last motion goes on
GRAIN = 1 / 16  # of that share: see ``coarse``


@dataclass(frozen=True, eq=False)
class Conjugate:
    """What the next epoch needs to know of the last: its motion, slopes, and length."""

    motion: Motion
    slopes: Motion
    square: float
    length: float
    epochs: int


def conjugate(
    problem: Problem, point: Point, rates: Rates, floor: float, past: Conjugate | None
) -> tuple[Point, Conjugate]:
    """Return the point after an epoch, and what the next one must know."""
    slopes, step, space = problem.descent_step(point), rates.steps(), problem.space
    ahead = _preconditioned(slopes, step)
    square = _inner(space, slopes, ahead)
    motion, length, epochs = ahead, 1.0, 1
    if past is not None and past.square > 0 and past.epochs < RUN:
        beta = (square - _inner(space, past.slopes, ahead)) / past.square
        beta = float(np.clip(GRAIN * np.round(beta / GRAIN), 0, MOST))
        onward = ahead.plus(past.motion, beta)
        if _inner(space, slopes, onward) > 0:  # else no longer a way down: begin anew
            motion, length, epochs = onward, past.length, past.epochs + 1
    slope = _inner(space, slopes, motion)
    trial, length = _search(problem, point, motion, slope, length, floor)
    return trial, Conjugate(motion, slopes, square, length, epochs)


def _search(
    problem: Problem, point: Point, motion: Motion, slope: float, length: float, floor: float
) -> tuple[Point, float]:
    """Go to the parabola's lowest point; where that is no descent, go less far."""
    trial = _moved(problem, point, motion, length, floor)
    for _ in range(TRIALS):
        rise = trial.objective - point.objective
        better = _lowest(rise, slope, length)
        if rise < 0:
            refined = _moved(problem, point, motion, better, floor)
            return (refined, better) if refined.objective < point.objective else (trial, length)
        length = min(better, length / 2)
        trial = _moved(problem, point, motion, length, floor)
    return trial, length


def _lowest(rise: float, slope: float, length: float) -> float:
    """Return where the parabola through two values and a slope is lowest, within reason."""
    bend = rise + slope * length
    if not np.isfinite(bend):
        return SHORTER * length
    lowest = slope * length**2 / (2 * bend) if bend > 0 else np.inf
    return float(coarse(np.clip(lowest, SHORTER * length, min(LONGER * length, LONGEST))))


def _moved(problem: Problem, point: Point, motion: Motion, length: float, floor: float) -> Point:
    old: Network = point.network
    lowest = np.minimum(old.bandwidths, floor)
    network = replace(
        old,
        weights=old.weights + length * motion.weights,
        bias=old.bias + length * motion.bias,
        bandwidths=np.maximum(old.bandwidths + length * motion.bandwidths, lowest),
    )
    steps = np.full(len(old.bandwidths), length, dtype=old.bandwidths.dtype)
    prototypes = problem.space.move(point.prototypes, motion.prototypes, steps)
    return problem.evaluate(network, prototypes)


def _preconditioned(slopes: Motion, step: Rates) -> Motion:
    return Motion(
        step.weights * slopes.weights,
        step.bias * slopes.bias,
        step.bandwidths * slopes.bandwidths,
        slopes.prototypes.scaled(step.prototypes),
    )


def _inner(space: Space, first: Motion, second: Motion) -> float:
    """Return the inner product of two motions; that of the prototypes is the latent one."""
    return float(
        np.vdot(first.weights, second.weights)
        + np.vdot(first.bias, second.bias)
        + np.vdot(first.bandwidths, second.bandwidths)
        + space.inner(first.prototypes, second.prototypes).sum()
    )
