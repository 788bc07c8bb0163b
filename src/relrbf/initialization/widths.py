"""First bandwidths: one for all prototypes, the best of a few by leave-one-out."""

import numpy as np

from relrbf._typing import Array
from relrbf.initialization.output import EQUAL, OutputFit, fit_output
from relrbf.network import Kernel, Network

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
    used, dtype = w > 0, distances_sq.dtype
    unit = np.sqrt(mean_sq) if mean_sq > 0 else 1.0
    best: tuple[Network, OutputFit] | None = None
    for width in WIDTHS:
        bandwidths = np.full(len(distances_sq), width * unit, dtype=dtype)
        u = distances_sq[:, used] / np.square(bandwidths)[:, None]
        fit = fit_output(kernel.activate(u).T, Y[used], w[used], alpha)
        # of widths that do equally well the narrowest: rounding must not choose between them
        if best is None or fit.loo_error < (1 - EQUAL) * best[1].loo_error:
            weights, bias = fit.weights.astype(dtype), fit.bias.astype(dtype)
            best = Network(kernel, bandwidths, weights, bias), fit
    assert best is not None
    return best
