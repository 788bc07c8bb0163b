"""Which prototype an object belongs to, also where rounding or twins make two equally near."""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import tie_tolerance


def tie_width(distances_sq: Array, weights: Array) -> float:
    """Return the difference below which squared distances (c × n) of these objects are equal.

    ``weights`` sum to one, so that what an object of weight zero is like changes nothing.
    """
    return tie_tolerance(distances_sq.dtype) * float(np.abs(distances_sq).mean(axis=0) @ weights)


def nearest_of(distances_sq: Array, tie: float) -> Indices:
    """Assign each object to the first of its nearest prototypes."""
    return np.argmax(distances_sq <= distances_sq.min(axis=0) + tie, axis=0)


def fill_empty(labels: Indices, distances_sq: Array, weights: Array) -> Indices:
    """Give each cluster that has no weight the worst-placed object of a cluster that has two.

    ``distances_sq`` are to the prototypes that the labels come from (c × n).
    """
    mass = np.bincount(labels, weights=weights > 0, minlength=len(distances_sq))
    if mass.all():
        return labels
    labels = labels.copy()
    misfit = weights * distances_sq[labels, np.arange(len(labels))]
    for cluster in np.flatnonzero(mass == 0):
        movable = (mass[labels] > 1) & (weights > 0)
        moved = int(np.argmax(np.where(movable, misfit, -np.inf)))
        mass[labels[moved]] -= 1
        mass[cluster] += 1
        labels[moved] = cluster
    return labels
