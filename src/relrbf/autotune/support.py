"""Which objects carry coefficients (theory, section 7)."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.clustering import seed_plus_plus
from relrbf.prototypes import ProductSpace, Space, VectorSpace
from relrbf.relations.sampling import spread_over


def choose_support(
    space: Space, weights: Array, size: int, order: Indices, rng: np.random.Generator
) -> Indices:
    """Return the support, in ascending order: all objects that take part, or some of them.

    k-means++ spreads them over the data: each is drawn with a chance that grows with its squared
    distance from those drawn before. Where that leaves nothing to draw, because every object has a
    dissimilarity of zero to one of them, others fill up, evenly along the given order.
    """
    taking_part = np.flatnonzero(weights)
    if size >= len(taking_part):
        return taking_part
    seeds = seed_plus_plus(space, weights, size, rng)
    left = order[(weights[order] > 0) & ~np.isin(order, seeds)]
    return np.sort(np.concatenate([seeds, spread_over(left, size - len(seeds))]))


def beside_responses(space: Space, weights: Array, responses: Array) -> Any:
    """Return a space in which objects are near that lie near *and* respond alike.

    Both count the same: on average, two objects are as far apart in the one as in the other.
    """
    apart = VectorSpace(responses).mean_sq(weights)
    if not apart > 0:
        return space
    scale = max(space.mean_sq(weights), 0.0) / apart
    return ProductSpace(space, scale**0.5 * responses)
