"""The evidence behind "auto": the full network under a few readings and bandwidths."""

from dataclasses import dataclass, field

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.network import Kernel
from relrbf.relations.base import Relation
from relrbf.selection.full import FullNetwork, fit_full
from relrbf.selection.sketch import fit_sketch

JUDGED = 256  # objects on which readings and bandwidths are compared
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
    best: tuple[float, float, float, Array] | None = None
    for exponent in exponents:
        S = _squares(relation, judged, exponent)
        unit = _unit(S, w[judged])
        losses = _search(S / unit**2, kernel, Y[judged], w[judged], alpha)
        tried |= {(exponent, width): float(found.mean()) for width, found in losses.items()}
        width, found = list(losses.items())[-1]
        if best is None or clearly_better(found, best[-1]):
            best = exponent, width, unit, found
    assert best is not None
    exponent, width, unit, _ = best
    chosen = relation.with_exponent(exponent)
    n_taking_part = int(np.count_nonzero(w))
    if len(support) < n_taking_part:
        full = fit_sketch(chosen, support, kernel, width * unit, Y, w, alpha)
    else:
        full = _fit_all(chosen, support, kernel, width * unit, Y, w, alpha)
    return Evidence(
        exponent, width * unit, full.alpha, full.error, full.responses, full.left_out, unit, tried
    )


def _fit_all(
    relation: Relation,
    objects: Indices,
    kernel: Kernel,
    bandwidth: float,
    Y: Array,
    w: Array,
    alpha: float | None,
) -> FullNetwork:
    """Fit the full network to the objects that take part; the others get their targets back."""
    S = _squares(relation, objects, relation.exponent)
    full = fit_full(kernel.activate(S / bandwidth**2), Y[objects], w[objects], alpha)
    responses, left_out = Y.copy(), Y.copy()
    responses[objects], left_out[objects] = full.responses, full.left_out
    return FullNetwork(full.alpha, full.losses, responses, left_out)


def _search(
    scaled_sq: Array, kernel: Kernel, Y: Array, w: Array, alpha: float | None
) -> dict[float, Array]:
    """Halve the bandwidth from one unit while that helps; else double it while that does.

    Returns each object's loss for every width tried, the best width last.
    """
    losses: dict[float, Array] = {}

    def try_out(k: int) -> Array:
        scaled = scaled_sq / 4.0**k
        losses[2.0**k] = fit_full(kernel.activate(scaled), Y, w, alpha).losses
        return losses[2.0**k]

    best, best_k = try_out(0), 0
    for step in (-1, 1):
        k = step
        while FINEST <= k <= WIDEST and clearly_better(found := try_out(k), best):
            best, best_k, k = found, k, k + step
        if best_k:
            break
    losses[2.0**best_k] = losses.pop(2.0**best_k)
    return losses


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
