"""The first network: prototypes, bandwidths, weights."""

from relrbf.initialization.output import OutputFit, fit_output, smoothest, solve_output
from relrbf.initialization.prototypes import first_coefficients
from relrbf.initialization.random import draw, random_network
from relrbf.initialization.sample import farthest_first, order_by_place, spread_along, spread_over
from relrbf.initialization.widths import first_network

__all__ = [
    "OutputFit",
    "draw",
    "farthest_first",
    "first_coefficients",
    "first_network",
    "fit_output",
    "order_by_place",
    "random_network",
    "smoothest",
    "solve_output",
    "spread_along",
    "spread_over",
]
