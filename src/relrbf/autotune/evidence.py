"""The evidence behind "auto": the full network under a few readings and bandwidths."""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune.full import FullNetwork, fit_full
from relrbf.network import Kernel
from relrbf.relations.base import Relation
from relrbf.relations.sampling import spread_over

JUDGED = 256  # objects on which readings and bandwidths are compared
FINEST, WIDEST = -4, 3  # bandwidths tried: 2**k units
FAR = 3  # halvings at once
BETTER = 1e-3  # relative: less is no reason to change
SURE = 1.0  # standard errors of a difference: nor is less than this many


@dataclass(frozen=True, eq=False)
class Reading:
    """The exponent and bandwidth that did best, and the full network of the objects judged.

    ``width`` is the bandwidth in units, roots of the median squared dissimilarity; ``tried`` holds
    the leave-one-out error of every (exponent, width) that was tried.
    """

    exponent: float
    width: float
    unit: float
    full: FullNetwork
    tried: dict[tuple[float, float], float]

    @property
    def bandwidth(self) -> float:
        """The bandwidth, in the root of what S holds."""
        return self.width * self.unit


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the full network of all objects says.

    Attributes
    ----------
    reading : Reading
        How the dissimilarities are read, and the bandwidth.
    full : FullNetwork
        The network.
    responses : ndarray of shape (n, g)
        What it makes of the targets: targets without their noise.
    left_out : ndarray of shape (n, g)
        Its responses to objects it knows nothing of.
    """

    reading: Reading
    full: FullNetwork
    responses: Array
    left_out: Array


def gather_evidence(
    relation: Relation,
    kernel: Kernel,
    Y: Array,
    w: Array,
    exponents: tuple[float, ...],
    order: Indices,
    alpha: float | None = None,
) -> Evidence:
    """Compare readings and bandwidths on some of the objects; fit the best to all of them.

    Parameters
    ----------
    relation : Relation
        The objects' dissimilarities.
    kernel : Kernel
        The radial basis function.
    Y : ndarray of shape (n, g)
        Targets.
    w : ndarray of shape (n,)
        Object weights; where they are zero, an object takes no part.
    exponents : tuple of float
        Readings to compare, the preferred one first.
    order : ndarray of int of shape (n,)
        The objects in an order that does not depend on how they are numbered.
    alpha : float or None
        Ridge penalty; None chooses it as well.
    """
    Y, w, objects = Y.astype(np.float64), w.astype(np.float64), np.flatnonzero(w)
    judged = spread_over(order[w[order] > 0], JUDGED)
    growth = (len(objects) / len(judged)) ** 2  # K² grows as the square of the number of objects
    reading = compare_readings(
        relation, kernel, Y, w, judged, exponents, None if alpha is None else alpha / growth
    )
    full = reading.full
    if len(judged) < len(objects):
        alpha = full.alpha * growth if alpha is None else alpha
        S = _squares(relation, objects, reading.exponent)
        K = kernel.activate(S / reading.bandwidth**2)
        full = fit_full(K, Y[objects], w[objects], alpha)
    return Evidence(reading, *spread_out(full, objects, Y))


def choose_reading(
    relation: Relation,
    kernel: Kernel,
    Y: Array,
    w: Array,
    support: Indices,
    exponents: tuple[float, ...],
    order: Indices,
) -> float:
    """Return the exponent under which the full network of some of the support errs least."""
    judged = spread_over(order[np.isin(order, support)], JUDGED)
    Y, w = Y.astype(np.float64), w.astype(np.float64)
    return compare_readings(relation, kernel, Y, w, judged, exponents).exponent


def compare_readings(
    relation: Relation,
    kernel: Kernel,
    Y: Array,
    w: Array,
    objects: Indices,
    exponents: tuple[float, ...],
    alpha: float | None = None,
) -> Reading:
    """Return the reading and bandwidth under which the full network of some objects errs least."""
    tried: dict[tuple[float, float], float] = {}
    best: Reading | None = None
    for exponent in exponents:
        S = _squares(relation, objects, exponent)
        unit = _unit(S)
        first = 0 if best is None else round(np.log2(best.width))
        bar = None if best is None else best.full.losses
        found = _search(S / unit**2, kernel, Y[objects], w[objects], alpha, first, bar)
        tried |= {(exponent, width): full.error for width, full in found.items()}
        width, full = list(found.items())[-1]
        if best is None or clearly_better(full.losses, best.full.losses):
            best = Reading(exponent, width, unit, full, tried)
    assert best is not None
    return best


def spread_out(full: FullNetwork, objects: Indices, Y: Array) -> tuple[FullNetwork, Array, Array]:
    """Return the network, and its responses to all objects.

    Objects that take no part get their targets back.
    """
    responses, left_out = Y.copy(), Y.copy()
    responses[objects], left_out[objects] = full.responses, full.left_out
    return full, responses, left_out


def _search(
    scaled_sq: Array,
    kernel: Kernel,
    Y: Array,
    w: Array,
    alpha: float | None,
    first: int,
    bar: Array | None,
) -> dict[float, FullNetwork]:
    """Halve the bandwidth while that helps; else double it while that does.

    Begins at 2**first units, and ends there if that does not beat the bar, losses of another
    reading. Where neither helps, an eighth may: targets that change over short distances
    look like noise to every wider kernel. Returns what was found for every width tried, the best
    width last.
    """
    tried: dict[float, FullNetwork] = {}

    def losses(k: int) -> Array:
        if 2.0**k not in tried:
            tried[2.0**k] = fit_full(kernel.activate(scaled_sq / 4.0**k), Y, w, alpha)
        return tried[2.0**k].losses

    def walk(start: int, step: int) -> int:
        best, k = start, start + step
        while FINEST <= k <= WIDEST and clearly_better(losses(k), losses(best)):
            best, k = k, k + step
        return best

    best = first
    if bar is None or clearly_better(losses(first), bar):
        best = walk(first, -1)
        best = walk(first, 1) if best == first else best
        fine = max(first - FAR, FINEST)
        if best == first and clearly_better(losses(fine), losses(first)):
            best = walk(walk(fine, -1), 1)
    tried[2.0**best] = tried.pop(2.0**best)
    return tried


def clearly_better(new: Array, old: Array) -> bool:
    """Tell whether losses (n) are smaller by more than chance: of few objects few tell much."""
    gains = old - new
    doubt = SURE * float(gains.std()) / len(gains) ** 0.5
    return float(gains.mean()) > max(BETTER * float(old.mean()), doubt)


def _squares(relation: Relation, objects: Indices, exponent: float) -> Array:
    return relation.with_exponent(exponent).block_sq(objects, objects).astype(np.float64)


def _unit(S: Array) -> float:
    """Return the root of the median: one object far out must not stretch it."""
    apart = S[np.triu_indices(len(S), 1)]
    return float(np.median(apart) if len(apart) else 0.0) ** 0.5 or float(S.mean()) ** 0.5 or 1.0
