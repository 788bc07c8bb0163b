"""New objects beside training objects that were given places: what every Euclidean repair shares.

Symbols as in ``relrbf.embeddings.gram``. A new object has a place z in the axes of the training
objects and, besides, a height h above them all: ``S_new = |z - x_i|^2 + h``, on the mean over i.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array
from relrbf.embeddings.spectrum import Placement, Spectrum, principal_axes
from relrbf.relations.base import Relation, raised
from relrbf.relations.known import KnownObjects
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

    def measure(self, S_new: Array, weights: Array) -> tuple[Array, Array]:
        """Return weighted squared distances (m × n) of new objects, and their heights (m).

        The weights say how each sign counts: ``signs`` itself gives back what was measured.
        """
        places = self.placement.place(S_new)
        heights = (S_new - self._between(places, self.signs)).mean(axis=1)
        return self._between(places, weights), heights

    def _between(self, places: Array, weights: Array) -> Array:
        above, below = weights > 0, weights < 0
        between = cdist(places[:, above], self.coordinates[:, above], "sqeuclidean")
        if below.any():
            between -= cdist(places[:, below], self.coordinates[:, below], "sqeuclidean")
        return between


@dataclass(frozen=True, eq=False)
class Placed(Extension):
    """Measure new objects in the repaired places; a training object gets its repaired row.

    ``weights`` (of the signs) and ``flips`` say what becomes of negative coordinates and of
    a negative height: left out, or counted as positive.
    """

    places: Places
    weights: Array
    flips: bool
    exponent: float
    matrix: Array
    known: KnownObjects

    def extend(self, rows: Array) -> Array:
        """Return what the new objects' dissimilarities become."""
        between, heights = self.places.measure(raised(rows, self.exponent), self.weights)
        heights = np.abs(heights) if self.flips else np.maximum(heights, 0)
        mended = lowered(between + heights[:, None], self.exponent)
        return with_known(mended, rows, self.known, self.matrix)


@dataclass(frozen=True, eq=False)
class Shifted(Extension):
    """Add the training objects' constant; a training object gets its repaired row."""

    shift: float
    exponent: float
    matrix: Array
    known: KnownObjects

    def extend(self, rows: Array) -> Array:
        """Return what the new objects' dissimilarities become."""
        mended = lowered(raised(rows, self.exponent) + self.shift, self.exponent)
        return with_known(mended, rows, self.known, self.matrix)


def lowered(S: Array, exponent: float) -> Array:
    """Turn squared dissimilarities into what the user measures; the inverse of ``raised``."""
    return S if exponent == 1 else np.sqrt(S)


def with_known(mended: Array, rows: Array, known: KnownObjects, matrix: Array) -> Array:
    """Return the mended rows; those that belong to training objects are the repaired matrix's."""
    found = known.find(rows)
    mended[found >= 0] = matrix[found[found >= 0]]
    return mended


def placed(spectrum: Spectrum, relation: Relation, matrix: Array, *, flips: bool = False) -> Placed:
    """Return the treatment of new objects beside training objects with this spectrum."""
    places = Places.of(spectrum)
    weights = np.abs(places.signs) if flips else np.maximum(places.signs, 0)
    known = KnownObjects(relation.block())
    return Placed(places, weights, flips, relation.exponent, matrix, known)


def unchanged(relation: Relation, extension: Extension) -> Repair:
    """Return the outcome where there is nothing to repair."""
    how = (RepairStatus.UNCHANGED, 0, relation.exponent, relation.ids)
    return Repair(relation.block(), 0, 0.0, *how, extension)


def changed_pairs(squares: Array, S: Array) -> int:
    """Count the pairs of objects whose squared dissimilarity changed."""
    return int(np.count_nonzero(np.triu(np.abs(squares - S) > UNCHANGED * S.max(), 1)))
