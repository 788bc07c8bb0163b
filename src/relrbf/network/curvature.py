"""How sharply the objective can bend: bounds that turn a gradient into a safe step.

The squared error's curvature is the Gauss-Newton part plus a part that carries the residuals. For
each group of parameters (weights, biases, bandwidths, prototypes) the first is bounded by a c × c
matrix of norms between pairs of prototypes, whose row sums bound its eigenvalues (Gershgorin),
and the second row by row. A step of 1 / bound in each group, divided by the number of groups, stays
far from overshooting in every direction, also in one the gradient does not show yet. (What the
residuals add between groups is not in the bounds: on random networks the curvature was seen to
reach twice what they allow, which still descends; a step that does not is halved by the trainer.)
Steps that adapt to the objective alone grow until such a direction explodes out of rounding noise,
and a relational and a vector network, alike but for that noise, part ways.

No bound mentions a coordinate: they need the squared distances only.
"""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array
from relrbf.network.model import Forward, Gradients, Network

SPREAD = 1e3  # a prototype steps at most this many times farther than the most curved one
SMOOTH = 1e-4  # added under a root, whose slope at zero would turn rounding errors into noise
FLATTEST = 1e-4  # in units of targets over bandwidth: flatter than this is rounding, not shape


@dataclass(frozen=True)
class CurvatureBounds:
    """Upper bounds, per prototype (c) and for the bias."""

    weights: Array
    bias: float
    bandwidths: Array
    prototypes: Array


def curvature_bounds(
    network: Network, forward: Forward, gradients: Gradients, w: Array, alpha: float
) -> CurvatureBounds:
    """Bound the curvature of ``1/2 sum_i w_i |y_i - yhat_i|² + alpha/2 |W|²`` at a point."""
    roots = np.sqrt(w)
    means = forward.activations @ w
    weighted = forward.activations * roots
    by_weights = np.abs(weighted @ weighted.T).sum(axis=1) + np.abs(means) + alpha
    by_bandwidths, by_prototypes = _hidden(network, forward, gradients, roots)
    return CurvatureBounds(
        weights=by_weights,
        bias=1 + float(np.abs(means).sum()),
        bandwidths=_spread(by_bandwidths, network.bandwidths),
        prototypes=_spread(by_prototypes, network.bandwidths),
    )


def _hidden(
    network: Network, forward: Forward, gradients: Gradients, roots: Array
) -> tuple[Array, Array]:
    """Bound the curvature by bandwidths and by prototypes (c each)."""
    s = network.bandwidths
    u = np.abs(forward.scaled_sq)
    pairs = 4 * np.abs(network.weights @ network.weights.T) / np.outer(s, s)
    # |d yhat / d v_j| is 2 |W_j| |k'| sqrt(u) / s, and |d yhat / d s_j| is 2 |W_j| |k'| u / s
    root_u = np.sqrt(u + SMOOTH)
    pull = np.abs(gradients.slopes)
    pull *= root_u
    pull *= roots
    by_prototypes = (pairs * (pull @ pull.T)).sum(axis=1)
    pull *= root_u
    by_bandwidths = (pairs * (pull @ pull.T)).sum(axis=1)
    # the residuals' part, with bend = |k'' u / k'|
    residual = np.abs(gradients.distances_sq)
    bend = network.kernel.bend(u)
    by_prototypes += np.einsum("ji,ji->j", residual, 2 + 4 * bend)
    by_bandwidths += np.einsum("ji,ji,ji->j", residual, u, 6 + 4 * bend)
    return by_bandwidths, by_prototypes


def _spread(bounds: Array, bandwidths: Array) -> Array:
    """Keep a prototype that hardly matters from stepping without measure."""
    return np.maximum(np.maximum(bounds, bounds.max() / SPREAD), FLATTEST / np.square(bandwidths))
