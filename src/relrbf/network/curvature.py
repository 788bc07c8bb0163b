"""Upper bounds on the objective's curvature, from which a step length follows.

The curvature is the Gauss-Newton part plus a part that carries the residuals. For each group of
parameters that is updated together (output layer, bandwidths, prototypes) a small matrix of norms
between pairs of prototypes bounds it: no step of a group that keeps ``sqrt(r) H sqrt(r)`` below one
(r the rates, H the matrix) overshoots in any direction, also in one the gradient does not show yet.
Steps that adapt to the objective alone grow until such a direction explodes out of rounding noise,
and a relational network diverges from its vector equivalent, which differs by that noise only.

No bound mentions a coordinate: they need the squared distances only.
"""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array
from relrbf.network.model import Forward, Network

CURVATURE_SMOOTHING = 1e-4  # under a root, whose derivative at zero would amplify rounding errors


@dataclass(frozen=True)
class Curvature:
    """Matrices that bound the curvature within each group of parameters.

    That of the output layer is for the weights into any one output, the bias last, and exact for
    the squared error; the others are not negative.
    """

    output: Array  # c + 1 × c + 1
    bandwidths: Array  # c × c
    prototypes: Array  # c × c


def bound_curvature(
    network: Network, forward: Forward, by_responses: Array, w: Array, alpha: float
) -> Curvature:
    """Bound the curvature of a loss curved no more than the squared error, plus the ridge's.

    ``by_responses`` (n × g) is the loss's gradient, under object weights w.
    """
    hidden = network.backward(forward, by_responses)
    layer = np.vstack([forward.activations, np.ones_like(w)])
    layer *= np.sqrt(w)
    output = layer @ layer.T
    output[np.diag_indices(len(output) - 1)] += alpha
    s = network.bandwidths
    diagonal = np.diag_indices(len(s))
    u = np.abs(forward.scaled_sq)
    pairs = 4 * np.abs(network.weights @ network.weights.T) / np.outer(s, s)
    # |d yhat / d v_j| is 2 |W_j| |k'| sqrt(u) / s, and |d yhat / d s_j| is 2 |W_j| |k'| u / s
    root_u = u + CURVATURE_SMOOTHING
    np.sqrt(root_u, out=root_u)
    factors = np.abs(hidden.kernel_derivatives)
    factors *= np.sqrt(w)
    factors *= root_u
    by_prototypes = pairs * (factors @ factors.T)
    factors *= root_u
    by_bandwidths = pairs * (factors @ factors.T)
    # the residuals' part, with the kernel's curvature ratio |k'' u / k'|
    residual = np.abs(hidden.distances_sq)
    curved = residual * network.kernel.curvature_ratio(u)
    by_prototypes[diagonal] += 2 * residual.sum(axis=1) + 4 * curved.sum(axis=1)
    dots, curved_dots = (np.einsum("ji,ji->j", each, u) for each in (residual, curved))
    by_bandwidths[diagonal] += 6 * dots + 4 * curved_dots
    return Curvature(output, by_bandwidths, by_prototypes)
