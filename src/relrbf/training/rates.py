"""How far each parameter steps along its gradient, and how that adapts."""

from dataclasses import dataclass, replace

import numpy as np

from relrbf._typing import Array
from relrbf.network import Curvature, Network
from relrbf.training.first_network import draw

SPREAD = 1e3  # a parameter steps at most this many times farther than the most curved one
FLATTEST = 1e-4  # in units of targets over bandwidth: flatter than this is rounding, not shape
BETWEEN = 0.3  # keeps the edges of the grid away from 1, 1/2, ..., where numbers like to be
NO_CEILINGS = (np.inf, np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class Rates:
    """Learning rates of every parameter, one common scale, and how large it may be in each group.

    Attributes
    ----------
    weights, bias : ndarrays of shape (c, g) and (g,)
        Rates of the output layer.
    bandwidths, prototypes : ndarrays of shape (c,)
        Rates of the hidden layer. One per prototype: a rate per coordinate has no relational twin.
    scale : float
        What adaptation made of them.
    ceilings : tuple of three floats
        The largest scale that overshoots nowhere: output layer, bandwidths, prototypes.
    """

    weights: Array
    bias: Array
    bandwidths: Array
    prototypes: Array
    scale: float = 1.0
    ceilings: tuple[float, float, float] = NO_CEILINGS

    def steps(self) -> "Rates":
        """Return the rates as they are to be used now."""
        output, bandwidths, prototypes = (min(self.scale, ceiling) for ceiling in self.ceilings)
        return Rates(
            output * self.weights,
            output * self.bias,
            bandwidths * self.bandwidths,
            prototypes * self.prototypes,
        )

    def adapted(self, factor: float) -> "Rates":
        """Scale all rates; beyond every ceiling there is nothing to gain."""
        return replace(self, scale=factor * min(self.scale, max(self.ceilings)))

    def joined(self, more: "Rates") -> "Rates":
        """Add the rates of further prototypes."""
        return replace(
            self,
            weights=np.concatenate([self.weights, more.weights]),
            bandwidths=np.concatenate([self.bandwidths, more.bandwidths]),
            prototypes=np.concatenate([self.prototypes, more.prototypes]),
        )

    def below(self, curvature: Curvature, share: float) -> "Rates":
        """Return the same rates under a share of the ceilings that a curvature sets."""
        layer = [np.append(w, b) for w, b in zip(self.weights.T, self.bias, strict=True)]
        largest = [
            max(_largest(curvature.output, rates) for rates in layer),
            _largest(curvature.bandwidths, self.bandwidths),
            _largest(curvature.prototypes, self.prototypes),
        ]
        output, bandwidths, prototypes = coarse(share / np.array(largest)).tolist()
        return replace(self, ceilings=(output, bandwidths, prototypes))


def drawn_rates(
    rng: np.random.Generator, span: tuple[float, float], network: Network, unit: float
) -> Rates:
    """Draw a rate for each parameter; those of lengths are in squared units, as lengths are."""
    c, g = network.weights.shape
    dtype = network.weights.dtype
    return Rates(
        weights=draw(rng, span, (c, g), dtype),
        bias=draw(rng, span, g, dtype),
        bandwidths=unit**2 * draw(rng, span, c, dtype),
        prototypes=unit**2 * draw(rng, span, c, dtype),
    )


def curvature_rates(
    curvature: Curvature, network: Network, unit: float, scale: float, share: float
) -> Rates:
    """Return rates that are the inverse of what each parameter's row of the bounds adds up to.

    By Gershgorin no such step overshoots, in any direction.
    """
    output = coarse(1 / _spread(np.abs(curvature.output).sum(axis=1), np.zeros(1)))
    flattest = FLATTEST / np.square(network.bandwidths)
    bandwidths, prototypes = (
        unit**2 * coarse(1 / (unit**2 * _spread(bounds.sum(axis=1), flattest)))
        for bounds in (curvature.bandwidths, curvature.prototypes)
    )
    g = network.weights.shape[1]
    return Rates(
        weights=np.repeat(output[:-1, None], g, axis=1),
        bias=np.repeat(output[-1:], g),
        bandwidths=bandwidths,
        prototypes=prototypes,
        scale=scale,
        ceilings=(share, share, share),
    )


def coarse(values: Array) -> Array:
    """Round down to a quarter of an octave.

    A length that follows the state to its last digit passes rounding errors on to every parameter,
    from where they come back; a coarse one is the same for both twins, and stops them.
    """
    return np.exp2((np.floor(4 * np.log2(values) + BETWEEN) - BETWEEN) / 4)


def _spread(bounds: Array, flattest: Array) -> Array:
    """Keep a parameter that hardly matters from stepping without measure."""
    return np.maximum(np.maximum(bounds, bounds.max() / SPREAD), flattest.astype(bounds.dtype))


def _largest(bounds: Array, rates: Array) -> float:
    """Return the largest eigenvalue of ``sqrt(r) H sqrt(r)``."""
    roots = np.sqrt(rates)
    largest = float(np.linalg.eigvalsh(roots[:, None] * bounds * roots)[-1])
    return max(largest, float(np.finfo(bounds.dtype).tiny))
