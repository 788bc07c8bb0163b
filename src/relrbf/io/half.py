"""Lines that grow, or shrink, by one: they wait side by side until all are there.

How many objects there are shows at the end of a file only. The square that is made then takes the
rows block by block, so that memory never holds much more than the square.
"""

from collections import deque
from collections.abc import Iterator

import numpy as np

from relrbf._typing import Array
from relrbf.io.target import SHARE, free_memory, mapped_room

FIRST, GROWTH = 2**13, 8  # numbers in the first block; each other has an eighth of those so far


class HalfRows:
    """The rows of one half of a symmetric matrix, in the order of the file.

    Attributes
    ----------
    half : {"lower", "upper"}
        Which half they state.
    lengths : list of int
        How many numbers each row has.
    ends : list of float
        What each row has on the diagonal, if rows go up to it.
    """

    def __init__(self, half: str) -> None:
        self.half = half
        self.lengths: list[int] = []
        self.ends: list[float] = []
        self._blocks: deque[Array] = deque()
        self._used: deque[int] = deque()  # numbers in each block
        self._n_numbers = 0
        self._most = SHARE * free_memory()

    def put(self, values: Array) -> None:
        """Add a row, which may be empty."""
        n = len(values)
        self.lengths.append(n)
        if not n:
            return
        if not self._blocks or self._used[-1] + n > len(self._blocks[-1]):
            self._blocks.append(self._room(max(n, FIRST, self._n_numbers // GROWTH)))
            self._used.append(0)
        start = self._used[-1]
        self._blocks[-1][start : start + n] = values
        self._used[-1] += n
        self._n_numbers += n
        self.ends.append(float(values[-1 if self.half == "lower" else 0]))

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and the largest number; NaN are left out."""
        stated = [block[:n] for block, n in zip(self._blocks, self._used, strict=True)]
        smallest = min(np.fmin.reduce(part) for part in stated)
        return float(smallest), float(max(np.fmax.reduce(part) for part in stated))

    def taken(self) -> Iterator[Array]:
        """Yield the rows that are not empty, for once: a block goes when its rows are through."""
        lengths = filter(None, self.lengths)
        while self._blocks:
            block, n_left = self._blocks.popleft(), self._used.popleft()
            start = 0
            while start < n_left:
                stop = start + next(lengths)
                yield block[start:stop]
                start = stop

    def _room(self, n: int) -> Array:
        """Return room for numbers: in a file, where the square will not be held in memory."""
        is_mapped = 2 * 8 * (self._n_numbers + n) > self._most
        return mapped_room((1, n))[0] if is_mapped else np.empty(n)
