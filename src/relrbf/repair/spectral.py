"""Three shortcuts to a Euclidean relation, through its spectrum."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import filled
from relrbf.embeddings.gram import distances_sq_of
from relrbf.embeddings.proximal import shift_of
from relrbf.embeddings.spectrum import whole_spectrum
from relrbf.repair.given import judged
from relrbf.repair.placed import Places, repaired, unchanged
from relrbf.repair.result import Repair

PARAMETERS = """D : array, memmap, frame, Relation or condensed vector
        Dissimilarities between n objects.
    exponent : {2, 1} or None, default=None
        2 when D are distances, 1 when they are already squared distances. None: 2, or what a
        ``Relation`` says of itself."""


@filled(parameters=PARAMETERS)
def spectrum_clip(D: Any, *, exponent: float | None = None) -> Repair:
    """Leave the negative part of the spectrum out: what classical scaling realises.

    Parameters
    ----------
    {parameters}

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


@filled(parameters=PARAMETERS)
def spectrum_flip(D: Any, *, exponent: float | None = None) -> Repair:
    """Count the negative part of the spectrum as positive.

    Parameters
    ----------
    {parameters}

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


@filled(parameters=PARAMETERS)
def spectrum_shift(D: Any, *, exponent: float | None = None) -> Repair:
    """Add the least constant that makes squared dissimilarities between objects Euclidean.

    Parameters
    ----------
    {parameters}

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
    given = judged(D, exponent)
    S = given.block_sq()
    shift = Shift(shift_of(whole_spectrum(S)))
    if shift.amount == 0:
        return unchanged(given, shift)
    return repaired(given, np.where(np.eye(len(S), dtype=bool), 0, shift(S)), shift)


@dataclass(frozen=True)
class Shift:
    """Adds a constant to squared dissimilarities; a class, so that a repair can be pickled."""

    amount: float

    def __call__(self, S: Array) -> Array:
        """Return S with the constant added everywhere."""
        return S + S.dtype.type(self.amount)


def _through_spectrum(D: Any, exponent: float | None, *, flips: bool) -> Repair:
    given = judged(D, exponent)
    spectrum = whole_spectrum(given.block_sq())
    places = Places.of(spectrum)
    treat = places.flipped if flips else places.clipped
    if shift_of(spectrum) == 0:
        return unchanged(given, treat)
    values = np.abs(spectrum.values) if flips else np.maximum(spectrum.values, 0)
    squares = distances_sq_of((spectrum.vectors * values) @ spectrum.vectors.T)
    return repaired(given, squares, treat)
