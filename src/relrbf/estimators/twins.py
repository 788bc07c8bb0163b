"""Equal objects speak with one voice."""

import numpy as np

from relrbf._typing import Array
from relrbf.relations.base import Relation
from relrbf.relations.properties import look_over


def merge_twins(
    relation: Relation, weights: Array, Y: Array, parts: np.ndarray | None = None
) -> tuple[Array, Array, int, Array]:
    """Let the first of several equal objects speak for all: their weights add up.

    Returns object weights that sum to one (zero for every later twin), the targets, averaged over
    twins, the number of later twins, and each object's weighted mean of S. For the squared error
    nothing changes but a constant; leaving an object out now leaves out its twins as well, so that
    copies do not vouch for each other. Objects in different ``parts`` (n, bool) stay apart.
    """
    twins, middle = look_over(relation, weights)
    n_duplicates = int(np.count_nonzero(twins != np.arange(len(twins))))
    if parts is not None:
        _, firsts, groups = np.unique(2 * twins + parts, return_index=True, return_inverse=True)
        twins = firsts[groups]
    merged = np.bincount(twins, weights=weights, minlength=len(twins))
    sums = np.zeros(Y.shape)
    np.add.at(sums, twins, weights[:, None] * Y)
    targets = np.divide(sums, merged[:, None], out=np.zeros_like(sums), where=merged[:, None] > 0)
    return (merged / merged.sum()).astype(Y.dtype), targets.astype(Y.dtype), n_duplicates, middle


def split_weights(weights: Array, watching: np.ndarray | None) -> tuple[Array, Array | None]:
    """Return the weights of the objects that train and of those that watch; each sum to one."""
    if watching is None:
        return weights, None
    training, validation = np.where(watching, 0, weights), np.where(watching, weights, 0)
    return training / training.sum(), validation / validation.sum()
