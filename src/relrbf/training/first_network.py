"""First bandwidths and weights: the best of a few by leave-one-out, or drawn as in the paper."""

from dataclasses import replace
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.network import ChunkedForward, Kernel, Network
from relrbf.network.output import EQUAL, OutputFit, fit_output, solve_output
from relrbf.relations.sampling import spread_along

MOST = 1024  # objects on which widths are compared
WIDTHS = 2.0 ** np.arange(-3, 3)  # in units of the root mean squared dissimilarity


def first_network(
    kernel: Kernel, distances_sq: Array, Y: Array, w: Array, mean_sq: float, alpha: float | None
) -> tuple[Network, OutputFit]:
    """Return the network with the smallest leave-one-out error over a few bandwidths.

    Parameters
    ----------
    kernel : Kernel
        The radial basis function.
    distances_sq : ndarray of shape (c, n)
        Squared distances of the first prototypes.
    Y : ndarray of shape (n, g)
        Targets.
    w : ndarray of shape (n,)
        Object weights that sum to one.
    mean_sq : float
        Mean squared dissimilarity, the unit of length.
    alpha : float or None
        Ridge penalty; None chooses it as well.
    """
    used, dtype = np.flatnonzero(w), distances_sq.dtype
    is_sample = len(used) > MOST
    if is_sample:
        used = used[spread_along(distances_sq.mean(axis=0)[used], MOST)]
    shares = w[used] / w[used].sum() if is_sample else w[used]
    unit = np.sqrt(mean_sq) if mean_sq > 0 else 1.0
    best: tuple[Network, OutputFit] | None = None
    for width in WIDTHS:
        bandwidths = np.full(len(distances_sq), width * unit, dtype=dtype)
        u = distances_sq[:, used] / np.square(bandwidths)[:, None]
        fit = fit_output(kernel.activate(u).T, Y[used], shares, alpha)
        # of widths that do equally well the narrowest: rounding must not choose between them
        if best is None or fit.loo_error < (1 - EQUAL) * best[1].loo_error:
            weights, bias = fit.weights.astype(dtype), fit.bias.astype(dtype)
            best = Network(kernel, bandwidths, weights, bias), fit
    assert best is not None
    if is_sample:
        return _fitted_to_all(*best, distances_sq, Y, w)
    return best


def _fitted_to_all(
    network: Network, fit: OutputFit, distances_sq: Array, Y: Array, w: Array
) -> tuple[Network, OutputFit]:
    passage = ChunkedForward(network, len(Y), lambda cols: distances_sq[:, cols])
    weights, bias = solve_output(passage, Y, w, fit.alpha)
    return replace(network, weights=weights, bias=bias), fit


def draw(rng: np.random.Generator, span: tuple[float, float], shape: Any, dtype: Any) -> Array:
    """Draw numbers uniformly from a range."""
    return rng.uniform(*span, shape).astype(dtype)


def random_network(
    kernel: Kernel,
    shape: tuple[int, int],
    spans: tuple[tuple[float, float], tuple[float, float]],
    unit: float,
    rng: np.random.Generator,
    dtype: Any,
) -> Network:
    """Draw weights and biases from the first range, bandwidths in units from the second.

    ``shape`` is (number of prototypes, number of outputs).
    """
    weights = draw(rng, spans[0], shape, dtype)
    bias = draw(rng, spans[0], shape[1], dtype)
    return Network(kernel, unit * draw(rng, spans[1], shape[0], dtype), weights, bias)
