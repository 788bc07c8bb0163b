"""First weights and bandwidths as the paper draws them: at random (section 3.1)."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.network import Kernel, Network


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
