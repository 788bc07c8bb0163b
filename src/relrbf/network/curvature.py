"""How sharply the objective can bend: bounds that turn a gradient into a safe step.

The curvature is the Gauss-Newton part plus a part that carries the residuals. For each group of
parameters that is updated together (output layer, bandwidths, prototypes) a small matrix of norms
between pairs of prototypes bounds it: no step of a group that keeps ``sqrt(r) H sqrt(r)`` below one
(r the rates, H the matrix) overshoots in any direction, also in one the gradient does not show yet.
Steps that adapt to the objective alone grow until such a direction explodes out of rounding noise,
and a relational and a vector network, alike but for that noise, part ways.

No bound mentions a coordinate: they need the squared distances only.
"""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array
from relrbf.network.forward_pass import ForwardPass
from relrbf.network.model import HiddenGradients, Network
from relrbf.prototypes.relational import row_dots

SMOOTH = 1e-4  # added under a root, whose slope at zero would turn rounding errors into noise


@dataclass(frozen=True)
class Curvature:
    """Matrices that bound the curvature within each group of parameters.

    Attributes
    ----------
    output : ndarray of shape (c + 1, c + 1)
        Of the weights into any one output, the bias last; exact for the squared error.
    bandwidths, prototypes : ndarrays of shape (c, c)
        Not negative.
    """

    output: Array
    bandwidths: Array
    prototypes: Array


def curvature(
    network: Network, forward: ForwardPass, hidden: HiddenGradients, w: Array, alpha: float
) -> Curvature:
    """Bound the curvature of a loss that bends no more than the squared error does, plus ridge."""
    layer = np.vstack([forward.activations, np.ones_like(w)])
    layer *= np.sqrt(w)
    output = layer @ layer.T
    output[np.diag_indices(len(output) - 1)] += alpha
    by_bandwidths, by_prototypes = _hidden(network, forward, hidden, np.sqrt(w))
    return Curvature(output, by_bandwidths, by_prototypes)


def _hidden(
    network: Network, forward: ForwardPass, hidden: HiddenGradients, roots: Array
) -> tuple[Array, Array]:
    """Bound the curvature by bandwidths and by prototypes (c × c each)."""
    s = network.bandwidths
    diagonal = np.diag_indices(len(s))
    u = np.abs(forward.scaled_sq)
    pairs = 4 * np.abs(network.weights @ network.weights.T) / np.outer(s, s)
    # |d yhat / d v_j| is 2 |W_j| |k'| sqrt(u) / s, and |d yhat / d s_j| is 2 |W_j| |k'| u / s
    root_u = u + SMOOTH
    np.sqrt(root_u, out=root_u)
    pull = np.abs(hidden.slopes)
    pull *= roots
    pull *= root_u
    by_prototypes = pairs * (pull @ pull.T)
    pull *= root_u
    by_bandwidths = pairs * (pull @ pull.T)
    # the residuals' part, with bend = |k'' u / k'|
    residual = np.abs(hidden.distances_sq)
    bent = residual * network.kernel.bend(u)
    by_prototypes[diagonal] += 2 * residual.sum(axis=1) + 4 * bent.sum(axis=1)
    by_bandwidths[diagonal] += 6 * row_dots(residual, u) + 4 * row_dots(bent, u)
    return by_bandwidths, by_prototypes
