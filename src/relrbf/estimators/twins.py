"""Equal objects speak with one voice."""

import numpy as np

from relrbf._typing import Array, Indices


def merge_duplicates(
    twins: Indices, weights: Array, Y: Array, parts: np.ndarray | None = None
) -> tuple[Array, Array]:
    """Let one of several equal objects, ``twins`` (n), speak for all: their weights add up.

    Returns object weights that sum to one, zero for those that do not speak, and the targets,
    averaged over twins. For the squared error nothing changes but a constant; leaving an object
    out now leaves out its twins as well, so that copies do not vouch for each other. Objects in
    different ``parts`` (n, bool) stay apart.
    """
    if parts is not None:
        twins = _parted(twins, parts)
    merged = np.bincount(twins, weights=weights, minlength=len(twins))
    sums = np.zeros(Y.shape)
    np.add.at(sums, twins, weights[:, None] * Y)
    targets = np.divide(sums, merged[:, None], out=np.zeros_like(sums), where=merged[:, None] > 0)
    return (merged / merged.sum()).astype(Y.dtype), targets.astype(Y.dtype)


def _parted(twins: Indices, parts: np.ndarray) -> Indices:
    """Let one object speak in each part: the one that spoke for all, or else the first."""
    keys = 2 * twins + parts
    order = np.argsort(twins != np.arange(len(twins)), kind="stable")
    _, firsts, groups = np.unique(keys[order], return_index=True, return_inverse=True)
    parted = np.empty_like(twins)
    parted[order] = order[firsts[groups]]
    return parted


def split_weights(weights: Array, watching: np.ndarray | None) -> tuple[Array, Array | None]:
    """Return the weights of the objects that train and of those that watch; each sum to one."""
    if watching is None:
        return weights, None
    training, validation = np.where(watching, 0, weights), np.where(watching, weights, 0)
    return training / training.sum(), validation / validation.sum()
