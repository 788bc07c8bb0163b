"""Plain decimals such as 0.25 and 17, many at once: digits are weighed by powers of ten.

Up to 15 digits are a whole number below 2**53 over a power of ten below 1e22. Both are exact in
float64, so that their quotient is the number that a correct parser finds, to the last bit.
"""

import numpy as np

from relrbf._typing import Array

MOST_DIGITS = 15
WEIGHTS = 10 ** np.arange(MOST_DIGITS, dtype=np.int64)
SCALES = 10.0 ** np.arange(MOST_DIGITS + 1)
ZERO, POINT = np.uint8(ord("0")), np.uint8(ord("."))


def plain_decimals(text: bytes, separator: bytes) -> Array | None:
    """Return the numbers in a text, None where one is blank, signed, long or anything else."""
    letters = np.frombuffer(text, np.uint8)
    values = letters - ZERO  # in which what is below "0" is large
    is_digit = values < 10
    points, cuts = np.flatnonzero(letters == POINT), np.flatnonzero(letters == ord(separator))
    digits = values[is_digit]
    if not len(digits) or len(digits) + len(points) + len(cuts) != len(letters):
        return None
    ends = np.append(cuts, len(letters))
    n_points = np.searchsorted(points, ends)  # up to the end of each cell
    last = ends - np.arange(len(ends)) - n_points  # digits up to there
    lengths, has_point = np.diff(last, prepend=0), np.diff(n_points, prepend=0)
    if lengths.min() < 1 or lengths.max() > MOST_DIGITS or has_point.max() > 1:
        return None
    n_decimals = np.zeros(len(ends), dtype=np.int64)
    n_decimals[has_point == 1] = ends[has_point == 1] - points - 1
    return _whole(digits, lengths, last) / SCALES[n_decimals]


def _whole(digits: np.ndarray, lengths: np.ndarray, last: np.ndarray) -> Array:
    """Return the whole numbers that digits write, for each cell as many as it has."""
    same = int(lengths[0])
    if (lengths == same).all():
        return digits.reshape(-1, same) @ WEIGHTS[:same][::-1].astype(float)
    places = np.repeat(last, lengths) - 1 - np.arange(len(digits))
    return np.add.reduceat(digits * WEIGHTS[places], last - lengths).astype(float)
