"""Initial bandwidths and weights: the best of a few by leave-one-out, or random as in the paper."""

from dataclasses import replace
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.network import ChunkedForward, Kernel, Network
from relrbf.network.output import LOO_TIE, OutputFit, fit_output, solve_output
from relrbf.relations.properties import spread_along

MAX_BANDWIDTH_OBJECTS = 1024  # on which bandwidths are compared
BANDWIDTHS = 2.0 ** np.arange(-3, 3)  # in units of the root mean squared dissimilarity


def fitted_network(
    kernel: Kernel, distances_sq: Array, Y: Array, w: Array, mean_sq: float, alpha: float | None
) -> tuple[Network, OutputFit]:
    """Return the network with the smallest leave-one-out error over a few bandwidths, and its fit.

    Prototypes are given by their squared distances (c × n), the unit of length by the mean squared
    dissimilarity ``mean_sq``. Y (n × g) are targets, w (n) object weights that sum to one. Without
    ``alpha``, the ridge penalty, it is chosen as well.
    """
    used, dtype = np.flatnonzero(w), distances_sq.dtype
    is_sample = len(used) > MAX_BANDWIDTH_OBJECTS
    if is_sample:
        used = used[spread_along(distances_sq.mean(axis=0)[used], MAX_BANDWIDTH_OBJECTS)]
    shares = w[used] / w[used].sum() if is_sample else w[used]
    unit = np.sqrt(mean_sq) if mean_sq > 0 else 1.0
    best: tuple[Array, OutputFit] | None = None
    for bandwidth in BANDWIDTHS:
        bandwidths = np.full(len(distances_sq), bandwidth * unit, dtype=dtype)
        u = distances_sq[:, used] / np.square(bandwidths)[:, None]
        fit = fit_output(kernel.activate(u).T, Y[used], shares, alpha)
        # of bandwidths that do equally well the smallest: rounding must not choose between them
        if best is None or fit.loo_error < (1 - LOO_TIE) * best[1].loo_error:
            best = bandwidths, fit
    assert best is not None
    bandwidths, fit = best
    network = Network(kernel, bandwidths, fit.weights.astype(dtype), fit.bias.astype(dtype))
    if is_sample:
        forward = ChunkedForward(network, len(Y), lambda cols: distances_sq[:, cols])
        weights, bias = solve_output(forward, Y, w, fit.alpha)
        network = replace(network, weights=weights, bias=bias)
    return network, fit


def draw(rng: np.random.Generator, span: tuple[float, float], shape: Any, dtype: Any) -> Array:
    """Draw numbers uniformly from a range."""
    return rng.uniform(*span, shape).astype(dtype)
