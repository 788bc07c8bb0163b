"""Euclidean repairs: the nearest Euclidean relation, and three shortcuts through the spectrum.

Symbols as in ``relrbf.embeddings.spectrum``. A new object has a place z in the axes of the training
objects and, besides, a height h above them all: ``S_new = |z - x_i|^2 + h``, on the mean over i.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array
from relrbf._utils import filled
from relrbf.embeddings.base import SearchStatus
from relrbf.embeddings.nearest_euclidean import nearest_euclidean_sq
from relrbf.embeddings.spectrum import (
    Placement,
    Spectrum,
    distances_sq_of,
    place_nearest,
    principal_axes,
    whole_spectrum,
)
from relrbf.relations.base import to_power
from relrbf.relations.dense import DenseRelation
from relrbf.repair.result import Repair, check_search, make_repair, validated_copy

UNCHANGED_SHARE = 1e-6  # of the largest squared dissimilarity: a change below this is none

REPAIR_PARAMETERS = """D : array, memmap, frame, Relation or condensed vector
        Dissimilarities between n objects.
    exponent : float or None, default=None
        2 when D are distances, 1 when they are already squared distances. None: 2, or what a
        ``Relation`` says of itself."""

SPECTRAL_SECTIONS = f"""Parameters
    ----------
    {REPAIR_PARAMETERS}

    Returns
    -------
    Repair"""


@filled(parameters=REPAIR_PARAMETERS)
def nearest_euclidean(
    D: Any,
    norm: str = "l2",
    *,
    exponent: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 5000,
    progress: Callable[[int, float], bool | None] | None = None,
) -> Repair:
    """Return the Euclidean relation nearest to the given one.

    The squared dissimilarities are changed as little as possible: in least squares, where Dykstra's
    alternating projections end (found here by Newton's method in their dual), or by the least sum
    of absolute changes. The result has vectors, and a bound (``gap``) says how much
    nearer another could be. Where vectors exist the dissimilarities come back as they are.

    Parameters
    ----------
    {parameters}
    norm : {"l2", "l1"}, default="l2"
        What is least: the sum of squared changes, or of absolute ones.
    tol : float, default=1e-07
        How far, relative to the least possible, the change may be from it.
    max_iter : int, default=5000
        Most iterations, an eigendecomposition each; "l2" needs about ten.
    progress : callable or None, default=None
        Called with the number of the iteration and the relative gap to the optimum; returning True
        stops.

    Returns
    -------
    Repair
        Its ``extend(D_new)`` puts each new object where its own sum of squared changes is least.

    Examples
    --------
    >>> from relrbf.repair import nearest_euclidean
    >>> D = [[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]]
    >>> nearest_euclidean(D).matrix.round(3)[0].tolist()
    [0.0, 1.826, 1.291, 1.291]
    """
    check_search(norm, tol, max_iter, progress)
    given = validated_copy(D, exponent)
    S = given.block_sq()
    spectrum = whole_spectrum(S)
    if spectrum.additive_constant == 0:
        return _repaired(given, None, Places.of(spectrum).nearest)
    iterations = count(1)

    def on_iteration(gap: float) -> bool:
        return progress is not None and bool(progress(next(iterations), gap))

    outcome = nearest_euclidean_sq(S, norm, tol, max_iter, on_iteration)._asdict()
    S_nearest = outcome.pop("distances_sq")
    return _repaired(given, S_nearest, Places.of(whole_spectrum(S_nearest)).nearest, **outcome)


@filled(sections=SPECTRAL_SECTIONS)
def spectrum_clip(D: Any, *, exponent: float | None = None) -> Repair:
    """Leave the negative part of the spectrum out: what classical scaling realises.

    ``extend(D_new)`` of the result leaves out what new objects have of the same directions.

    {sections}

    Examples
    --------
    >>> from relrbf.repair import spectrum_clip
    >>> D = [[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]]
    >>> spectrum_clip(D).matrix.round(3)[0].tolist()
    [0.0, 2.0, 1.414, 1.414]
    """
    return _through_spectrum(D, exponent, partial(np.maximum, 0))


@filled(sections=SPECTRAL_SECTIONS)
def spectrum_flip(D: Any, *, exponent: float | None = None) -> Repair:
    """Count the negative part of the spectrum as positive.

    ``extend(D_new)`` of the result counts what new objects have of the same directions as positive.

    {sections}

    Examples
    --------
    >>> from relrbf.repair import spectrum_flip
    >>> D = [[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]]
    >>> spectrum_flip(D).matrix.round(3)[0].tolist()
    [0.0, 2.0, 1.732, 1.732]
    """
    return _through_spectrum(D, exponent, np.abs)


@filled(sections=SPECTRAL_SECTIONS)
def spectrum_shift(D: Any, *, exponent: float | None = None) -> Repair:
    """Add the least constant that makes squared dissimilarities between objects Euclidean.

    ``extend(D_new)`` of the result adds the same constant, since a new object is different from
    all; one that fits worse than the worst training object may need more.

    {sections}

    Examples
    --------
    >>> from relrbf.repair import spectrum_shift
    >>> D = [[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]]
    >>> (spectrum_shift(D).matrix ** 2).round(3)[0].tolist()
    [0.0, 6.0, 3.0, 3.0]
    """
    given = validated_copy(D, exponent)
    S = given.block_sq()
    amount = whole_spectrum(S).additive_constant
    shift = partial(np.add, amount)
    shifted = np.where(np.eye(len(S), dtype=bool), 0, shift(S)) if amount else None
    return _repaired(given, shifted, shift)


def _through_spectrum(D: Any, exponent: float | None, part: Callable[[Array], Array]) -> Repair:
    """Replace every eigenvalue by a part of it that is not negative."""
    given = validated_copy(D, exponent)
    spectrum = whole_spectrum(given.block_sq())
    treat = partial(Places.of(spectrum).without_negative, part)
    if spectrum.additive_constant == 0:
        return _repaired(given, None, treat)
    squares = distances_sq_of((spectrum.vectors * part(spectrum.values)) @ spectrum.vectors.T)
    return _repaired(given, squares, treat)


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

    def without_negative(self, part: Callable[[Array], Array], S_new: Array) -> Array:
        """Return squared distances of the part, as of eigenvalues, of coordinates and heights."""
        places = self.placement.place(S_new)
        heights = (S_new - self._between(places, self.signs)).mean(axis=1, keepdims=True)
        return self._between(places, part(self.signs)) + part(heights)

    def _between(self, places: Array, weights: Array) -> Array:
        """Return squared distances (m × n), each coordinate counted by its weight's sign."""
        above, below = weights > 0, weights < 0
        between = cdist(places[:, above], self.coordinates[:, above], "sqeuclidean")
        if below.any():
            between -= cdist(places[:, below], self.coordinates[:, below], "sqeuclidean")
        return between


def _repair_rows(treat: Callable[[Array], Array], exponent: float, rows: Array) -> Array:
    return treat(to_power(rows, exponent)) ** (1 / exponent)


def _repaired(
    given: DenseRelation, S_repaired: Array | None, treat: Callable[[Array], Array], **outcome: Any
) -> Repair:
    """Return the result; where S_repaired is None there was nothing to repair.

    ``treat`` repairs the squared dissimilarities of new objects; the outcome is of a search.
    """
    repair_rows = partial(_repair_rows, treat, given.exponent)
    status = {"status": SearchStatus.UNCHANGED, "n_iter": 0, "n_changed": 0, "distance": 0.0}
    if S_repaired is None:
        return make_repair(given, given.matrix, repair_rows, **status)
    S = given.block_sq()
    unit = float(S.max())  # so that the squares of changes stay in range
    change = np.abs(S_repaired - S.astype(np.float64)) / unit
    closed_form = {
        "n_changed": int(np.count_nonzero(np.triu(change > UNCHANGED_SHARE, 1))),
        "distance": unit * float(np.linalg.norm(change) / np.sqrt(2)),
        "status": SearchStatus.CLOSED_FORM,
        "n_iter": 1,
    }
    matrix = (S_repaired ** (1 / given.exponent)).astype(given.dtype, copy=False)
    return make_repair(given, matrix, repair_rows, **closed_form | outcome)
