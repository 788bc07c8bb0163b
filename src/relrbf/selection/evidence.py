"""The evidence behind "auto": the full network under a few readings and bandwidths."""

from dataclasses import dataclass, field, replace

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.network import Kernel
from relrbf.relations.base import Relation
from relrbf.selection.full import FullNetwork, fit_full
from relrbf.selection.sketch import fit_sketch

JUDGED = 128  # objects on which readings and bandwidths are compared
FINEST, WIDEST = -4, 3  # bandwidths tried: 2**k root mean squared dissimilarities
BETTER = 1e-3  # relative: less is no reason to change
SURE = 1.0  # standard errors of a difference: nor is less than this many


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the full network says.

    Attributes
    ----------
    exponent, bandwidth, alpha : float
        The reading, the bandwidth and the ridge penalty with the smallest leave-one-out error.
    error : float
        That error, per object.
    responses : ndarray of shape (n, g)
        What the full network makes of the targets: targets without their noise.
    left_out : ndarray of shape (n, g)
        Its responses to objects it knows nothing of.
    unit : float
        Root mean squared dissimilarity, in which bandwidths are tried.
    tried : dict of (exponent, width) -> float
        Leave-one-out errors, on up to JUDGED objects.
    """

    exponent: float
    bandwidth: float
    alpha: float
    error: float
    responses: Array
    left_out: Array
    unit: float
    tried: dict[tuple[float, float], float] = field(default_factory=dict)


def gather_evidence(
    relation: Relation,
    kernel: Kernel,
    Y: Array,
    w: Array,
    support: Indices,
    exponents: tuple[float, ...],
    alpha: float | None = None,
) -> Evidence:
    """Compare readings and bandwidths on some of the support; fit the best to all objects.

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
    support : ndarray of int
        Objects that may carry coefficients.
    exponents : tuple of float
        Readings to compare, the preferred one first.
    alpha : float or None
        Ridge penalty; None chooses it as well.
    """
    Y, w = Y.astype(np.float64), w.astype(np.float64)
    judged = _spread_sample(relation, w, support)
    tried: dict[tuple[float, float], float] = {}
    best: tuple[float, float, float, FullNetwork] | None = None
    for exponent in exponents:
        S = _squares(relation, judged, exponent)
        unit = _unit(S, w[judged])
        first = 0 if best is None else round(np.log2(best[1]))
        bar = None if best is None else best[-1].losses
        found = _search(S / unit**2, kernel, Y[judged], w[judged], alpha, first, bar)
        tried |= {(exponent, width): full.error for width, full in found.items()}
        width, full = list(found.items())[-1]
        if best is None or clearly_better(full.losses, best[-1].losses):
            best = exponent, width, unit, full
    assert best is not None
    exponent, width, unit, full = best
    chosen = relation.with_exponent(exponent)
    if len(support) < np.count_nonzero(w):
        full = fit_sketch(chosen, support, kernel, width * unit, Y, w, alpha)
    elif len(judged) < len(support):
        growth = len(support) / len(judged)  # K² grows as the square of the number of objects
        alpha = full.alpha * growth**2 if alpha is None else alpha
        S = _squares(chosen, support, exponent)
        K = kernel.activate(S / (width * unit) ** 2)
        full = spread_out(fit_full(K, Y[support], w[support], alpha), support, Y)
    else:
        full = spread_out(full, support, Y)
    return Evidence(
        exponent, width * unit, full.alpha, full.error, full.responses, full.left_out, unit, tried
    )


def spread_out(full: FullNetwork, objects: Indices, Y: Array) -> FullNetwork:
    """Return responses to all objects; those that take no part get their targets back."""
    responses, left_out = Y.copy(), Y.copy()
    responses[objects], left_out[objects] = full.responses, full.left_out
    return replace(full, responses=responses, left_out=left_out)


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
    reading. Returns what was found for every width tried, the best width last.
    """
    tried: dict[float, FullNetwork] = {}

    def losses(k: int) -> Array:
        tried[2.0**k] = fit_full(kernel.activate(scaled_sq / 4.0**k), Y, w, alpha)
        return tried[2.0**k].losses

    best, best_k = losses(first), first
    is_out = bar is not None and not clearly_better(best, bar)
    for step in () if is_out else (-1, 1):
        k = first + step
        while FINEST <= k <= WIDEST and clearly_better(found := losses(k), best):
            best, best_k, k = found, k, k + step
        if best_k != first:
            break
    tried[2.0**best_k] = tried.pop(2.0**best_k)
    return tried


def clearly_better(new: Array, old: Array) -> bool:
    """Tell whether losses (n) are smaller by more than chance: of few objects few tell much."""
    gains = old - new
    doubt = SURE * float(gains.std()) / len(gains) ** 0.5
    return float(gains.mean()) > max(BETTER * float(old.mean()), doubt)


def _squares(relation: Relation, objects: Indices, exponent: float) -> Array:
    return relation.with_exponent(exponent).block_sq(objects, objects).astype(np.float64)


def _unit(S: Array, w: Array) -> float:
    shares = w / w.sum()
    return max(float(shares @ S @ shares), 0.0) ** 0.5 or 1.0


def _spread_sample(relation: Relation, w: Array, support: Indices) -> Indices:
    """Return up to JUDGED objects of the support, from its middle to its rim.

    Whatever the order of the objects, they are the same.
    """
    if len(support) <= JUDGED:
        return support
    shares = w[support] / w[support].sum()
    centrality = relation.block_sq(support, support) @ shares
    order = np.argsort(np.round(centrality / np.abs(centrality).max(), 9), kind="stable")
    picks = np.linspace(0, len(support) - 1, JUDGED).astype(np.intp)
    return np.sort(support[order[picks]])
