"""Some objects that stand for all, the same ones in whatever order the objects come."""

import numpy as np

from relrbf._typing import Array, Indices

DIGITS = 9  # of a key that count: rounding must not choose


def spread_along(key: Array, size: int) -> Indices:
    """Return ``size`` positions, evenly spread from the smallest key to the largest."""
    scale = float(np.abs(key).max()) or 1.0
    order = np.argsort(np.round(key / scale, DIGITS), kind="stable")
    return order[np.linspace(0, len(key) - 1, size).astype(np.intp)]
