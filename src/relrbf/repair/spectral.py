"""Three shortcuts to a Euclidean relation, through its spectrum."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.embeddings.gram import distances_sq_of
from relrbf.embeddings.proximal import shift_of
from relrbf.embeddings.spectrum import whole_spectrum
from relrbf.relations.base import Relation
from relrbf.relations.convert import as_relation
from relrbf.relations.known import KnownObjects
from relrbf.repair.placed import Shifted, changed_pairs, lowered, placed, unchanged
from relrbf.repair.result import Extension, Repair, RepairStatus


def spectrum_clip(D: Any, *, exponent: float | None = None) -> Repair:
    """Leave the negative part of the spectrum out: what classical scaling realises.

    Parameters
    ----------
    D : array, memmap, frame, Relation or condensed vector
        Dissimilarities between n objects.
    exponent : {2, 1} or None, default=None
        2 when D are distances, 1 when they are already squared distances. None: 2, or what a
        ``Relation`` says of itself.

    Returns
    -------
    Repair
        As of ``nearest_euclidean``. ``.extend(D_new)`` leaves out what new objects have of the same
        negative directions.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.repair import spectrum_clip
    >>> D = np.array([[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> spectrum_clip(D).matrix.round(3)[0].tolist()
    [0.0, 2.0, 1.414, 1.414]
    """
    return _through_spectrum(D, exponent, flips=False)


def spectrum_flip(D: Any, *, exponent: float | None = None) -> Repair:
    """Count the negative part of the spectrum as positive.

    Parameters
    ----------
    D : array, memmap, frame, Relation or condensed vector
        Dissimilarities between n objects.
    exponent : {2, 1} or None, default=None
        2 when D are distances, 1 when they are already squared distances. None: 2, or what a
        ``Relation`` says of itself.

    Returns
    -------
    Repair
        As of ``nearest_euclidean``. ``.extend(D_new)`` counts what new objects have of the same
        negative directions as positive.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.repair import spectrum_flip
    >>> D = np.array([[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> spectrum_flip(D).matrix.round(3)[0].tolist()
    [0.0, 2.0, 1.732, 1.732]
    """
    return _through_spectrum(D, exponent, flips=True)


def spectrum_shift(D: Any, *, exponent: float | None = None) -> Repair:
    """Add the least constant that makes squared dissimilarities between objects Euclidean.

    Parameters
    ----------
    D : array, memmap, frame, Relation or condensed vector
        Dissimilarities between n objects.
    exponent : {2, 1} or None, default=None
        2 when D are distances, 1 when they are already squared distances. None: 2, or what a
        ``Relation`` says of itself.

    Returns
    -------
    Repair
        As of ``nearest_euclidean``. ``.extend(D_new)`` adds the same constant, since a new object
        is different from all; one that fits worse than the worst training object may need more.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.repair import spectrum_shift
    >>> D = np.array([[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> (spectrum_shift(D).matrix ** 2).round(3)[0].tolist()
    [0.0, 6.0, 3.0, 3.0]
    """
    relation = as_relation(D, exponent=exponent)
    S = relation.block_sq()
    shift = shift_of(whole_spectrum(S))
    known = KnownObjects(relation.block())
    if shift == 0:
        return unchanged(relation, Shifted(0.0, relation.exponent, relation.block(), known))
    squares = np.where(np.eye(len(S), dtype=bool), 0, S + S.dtype.type(shift))
    matrix = lowered(squares, relation.exponent)
    return _repaired(relation, matrix, Shifted(shift, relation.exponent, matrix, known))


def _through_spectrum(D: Any, exponent: float | None, *, flips: bool) -> Repair:
    relation = as_relation(D, exponent=exponent)
    S = relation.block_sq()
    spectrum = whole_spectrum(S)
    if shift_of(spectrum) == 0:
        return unchanged(relation, placed(spectrum, relation, relation.block(), flips=flips))
    values = np.abs(spectrum.values) if flips else np.maximum(spectrum.values, 0)
    squares = distances_sq_of((spectrum.vectors * values) @ spectrum.vectors.T)
    matrix = lowered(squares, relation.exponent).astype(relation.dtype, copy=False)
    return _repaired(relation, matrix, placed(spectrum, relation, matrix, flips=flips))


def _repaired(relation: Relation, matrix: Array, extension: Extension) -> Repair:
    """Return the outcome of a closed form, its distance by least squares."""
    S, squares = relation.block_sq(), np.power(matrix, relation.exponent)
    distance = float(np.linalg.norm(squares.astype(np.float64) - S) / np.sqrt(2))
    how = (RepairStatus.CONVERGED, 1, relation.exponent, relation.ids)
    return Repair(matrix, changed_pairs(squares, S), distance, *how, extension)
