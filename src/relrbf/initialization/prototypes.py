"""First prototypes, as affine coefficients on the objects."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.clustering import lloyd, seed_plus_plus
from relrbf.spaces.base import Space


def first_coefficients(
    init: str, space: Space, weights: Array, groups: Indices, n_prototypes: int, rng: Any
) -> Array:
    """Return the coefficients (c × n) of the first prototypes.

    Parameters
    ----------
    init : {"k-means", "class", "random"}
        Means of relational k-means clusters; the mean of each group (class); or random averages
        within the groups, taken in turn (the paper's section 2.2 names all three).
    space : Space
        Where the objects lie.
    weights : ndarray of shape (n,)
        Object weights; those of weight zero take no part.
    groups : ndarray of int of shape (n,)
        The class of each object.
    n_prototypes : int
        How many prototypes; "class" gives one per group, "k-means" fewer than asked for where
        there are fewer distinct objects.
    rng : numpy Generator
        Source of randomness.
    """
    if init == "class":
        return _normalised(np.array([weights * (groups == k) for k in range(groups.max() + 1)]))
    if init == "random":
        homes = np.arange(n_prototypes) % (groups.max() + 1)
        chances = rng.random((n_prototypes, len(weights))).astype(weights.dtype)
        return _normalised(chances * weights * (groups == homes[:, None]))
    return lloyd(space, weights, seed_plus_plus(space, weights, n_prototypes, rng))


def _normalised(rows: Array) -> Array:
    return rows / rows.sum(axis=1, keepdims=True)
