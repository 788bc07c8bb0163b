"""New objects beside training objects that were given places: what every Euclidean repair shares.

Symbols as in ``relrbf.embeddings.gram``. A new object has a place z in the axes of the training
objects and, besides, a height h above them all: ``S_new = |z - x_i|^2 + h``, on the mean over i.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array
from relrbf.embeddings.extension import place_nearest
from relrbf.embeddings.spectrum import Placement, Spectrum, principal_axes
from relrbf.relations.base import to_power
from relrbf.relations.dense import DenseRelation
from relrbf.relations.duplicates import KnownObjects
from relrbf.repair.result import Extension, Repair, RepairStatus

UNCHANGED = 1e-6  # of the largest squared dissimilarity: a change below this is none


@dataclass(frozen=True, eq=False)
class Places:
    """Coordinates of the training objects, positive and negative ones, and how to place others."""

    placement: Placement
    coordinates: Array
    signs: Array

    @classmethod
    def of(cls, spectrum: Spectrum) -> "Places":
        """Return the places that realise a spectrum whole."""
        kept = spectrum.largest(None, by_size=True)
        placement, coordinates = principal_axes(spectrum, kept, len(kept))
        return cls(placement, coordinates, np.sign(spectrum.values[kept]))

    def nearest(self, S_new: Array) -> Array:
        """Return the squared distances (m × n) of vectors that are nearest to those measured."""
        places, heights = place_nearest(self.placement, self.coordinates, S_new)
        return self._between(places, self.signs) + heights[:, None]

    def clipped(self, S_new: Array) -> Array:
        """Return squared distances without what is negative, of coordinates and of heights."""
        places, heights = self._measured(S_new)
        return self._between(places, np.maximum(self.signs, 0)) + np.maximum(heights, 0)

    def flipped(self, S_new: Array) -> Array:
        """Return squared distances with what is negative counted as positive."""
        places, heights = self._measured(S_new)
        return self._between(places, np.abs(self.signs)) + np.abs(heights)

    def _measured(self, S_new: Array) -> tuple[Array, Array]:
        """Return the places of new objects (m × k), and their heights (m × 1), as they are."""
        places = self.placement.place(S_new)
        heights = (S_new - self._between(places, self.signs)).mean(axis=1, keepdims=True)
        return places, heights

    def _between(self, places: Array, weights: Array) -> Array:
        """Return squared distances (m × n), each coordinate counted by its weight's sign."""
        above, below = weights > 0, weights < 0
        between = cdist(places[:, above], self.coordinates[:, above], "sqeuclidean")
        if below.any():
            between -= cdist(places[:, below], self.coordinates[:, below], "sqeuclidean")
        return between


class Beside(Extension):
    """New objects beside the training objects; one of these gets its repaired row.

    Parameters
    ----------
    given : DenseRelation
        What was repaired.
    matrix : ndarray of shape (n, n)
        The repaired dissimilarities.
    treat : callable
        Turns squared dissimilarities of new objects (m × n) into repaired ones.
    """

    def __init__(
        self, given: DenseRelation, matrix: Array, treat: Callable[[Array], Array]
    ) -> None:
        self._exponent = given.exponent
        self._known = KnownObjects(given.block_sq())
        self._matrix = matrix.copy()  # what a user does to the result is not done to new objects
        self._treat = treat

    def extend(self, rows: Array) -> Array:
        """Return what the new objects' dissimilarities become."""
        S_new = to_power(rows, self._exponent)
        mended = lowered(self._treat(S_new), self._exponent)
        found = self._known.find(S_new)
        mended[found >= 0] = self._matrix[found[found >= 0]]
        return mended


def lowered(S: Array, exponent: float) -> Array:
    """Turn squared dissimilarities into what the user measures; the inverse of ``to_power``."""
    return S if exponent == 1 else np.sqrt(S)


def repaired(
    given: DenseRelation, squares: Array, treat: Callable[[Array], Array], **how: Any
) -> Repair:
    """Return the outcome, squares the repaired S; how it ended unless in closed form."""
    S = given.block_sq()
    matrix = lowered(squares, given.exponent).astype(given.dtype, copy=False)
    unit = float(S.max())  # so that the squares of changes stay in range
    change = np.abs(squares - S.astype(np.float64)) / unit
    facts = {
        "n_changed": int(np.count_nonzero(np.triu(change > UNCHANGED, 1))),
        "distance": unit * float(np.linalg.norm(change) / np.sqrt(2)),
        "status": RepairStatus.CONVERGED,
        "n_iter": 1,
    } | how
    return _outcome(given, matrix, treat, **facts)


def unchanged(given: DenseRelation, treat: Callable[[Array], Array]) -> Repair:
    """Return the outcome where there is nothing to repair."""
    status = RepairStatus.UNCHANGED
    return _outcome(given, given.matrix, treat, n_changed=0, distance=0.0, status=status, n_iter=0)


def _outcome(
    given: DenseRelation, matrix: Array, treat: Callable[[Array], Array], **facts: Any
) -> Repair:
    return Repair(
        matrix,
        exponent=given.exponent,
        ids=given.ids,
        extension=Beside(given, matrix, treat),
        self_similarity=given.self_similarity,
        **facts,
    )
