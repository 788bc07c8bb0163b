"""First prototypes, as affine coefficients on the objects."""

import numpy as np

from relrbf._typing import Array
from relrbf.clustering import lloyd, seed_plus_plus
from relrbf.spaces.base import Space


def first_coefficients(
    init: str, space: Space, memberships: Array, n_prototypes: int, rng: np.random.Generator
) -> Array:
    """Return the coefficients (c × n) of the first prototypes.

    Parameters
    ----------
    init : {"k-means", "class", "random"}
        Means of relational k-means clusters; the mean of each class; or random averages within the
        classes, taken in turn (the paper's section 2.2 names all three).
    space : Space
        Where the objects lie.
    memberships : ndarray of shape (k, n)
        How much of each object's weight belongs to each class; one row for regression.
    n_prototypes : int
        How many prototypes; "class" gives one per class that has any weight, "k-means" fewer than
        asked for where there are fewer distinct objects.
    rng : numpy Generator
        Source of randomness.
    """
    present = memberships[memberships.any(axis=1)]
    if init == "class":
        return _normalised(present)
    if init == "random":
        homes = np.arange(n_prototypes) % len(present)
        return _normalised(present[homes] * rng.random((n_prototypes, space.n_objects)))
    weights = memberships.sum(axis=0)
    return lloyd(space, weights, seed_plus_plus(space, weights, n_prototypes, rng))


def _normalised(rows: Array) -> Array:
    return rows / rows.sum(axis=1, keepdims=True)
