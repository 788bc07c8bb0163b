"""How many dimensions the objects seem to lie in, from the distances to their neighbours.

Levina & Bickel's maximum likelihood (2004): around an object of a d-dimensional cloud, the number
of others within a distance grows as its d-th power. The inverses are averaged over the objects, as
MacKay and Ghahramani corrected it, and the result over the numbers of neighbours.
"""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation
from relrbf.relations.blocks import for_each_block, row_blocks

NEIGHBOURS = (10, 20)  # from, to
ENOUGH = 50  # distinct objects
MOST_TIED = 0.6  # share of neighbours as far as the one before; rounded figures tie fewer


def intrinsic_dimension(
    relation: Relation, distinct: Indices, exponent: int, watch: Watch
) -> float | None:
    """Return the dimension of distances ``sqrt(S)`` under an exponent, or None.

    None where there are too few distinct objects, or so many are equally far that the distances
    are counts (of steps, edits, disagreements), which no cloud of points has.
    """
    watch.begin("measuring the dimension")
    if len(distinct) < ENOUGH:
        return None
    nearest = _nearest(relation, distinct, watch).astype(np.float64)
    nearest = nearest[np.isfinite(nearest).all(axis=1)]
    if not len(nearest) or np.mean(nearest[:, 1:] <= nearest[:, :-1] * (1 + 1e-6)) > MOST_TIED:
        return None
    # r = sqrt(S) ** (2 / exponent): the logarithms differ by that factor alone
    return 2 / exponent * _maximum_likelihood(np.log(nearest))


def _nearest(relation: Relation, distinct: Indices, watch: Watch) -> Array:
    """Return each object's smallest positive dissimilarities to others, in order; inf where few."""
    n, k = len(distinct), NEIGHBOURS[1]
    nearest = np.empty((n, k), dtype=relation.dtype)

    def look(rows: slice) -> None:
        block = np.array(relation.block(distinct[rows], distinct))
        np.fill_diagonal(block[:, rows], np.inf)  # itself, even at a rounding error's distance
        block[block <= 0] = np.inf  # what cannot be told from it
        nearest[rows] = np.sort(np.partition(block, k - 1, axis=1)[:, :k], axis=1)

    for_each_block(look, row_blocks(n, n * relation.dtype.itemsize), watch.tell)
    return nearest


def _maximum_likelihood(logs: Array) -> float:
    """Return the dimension, from the logarithms of the distances to the 1st, 2nd, ... neighbour."""
    first, last = NEIGHBOURS
    inverses = [np.mean(logs[:, k - 1, None] - logs[:, : k - 1]) for k in range(first, last + 1)]
    return float(np.mean(1 / np.array(inverses)))
