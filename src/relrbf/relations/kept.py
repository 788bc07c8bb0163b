"""Dissimilarities that were computed, kept as long as memory allows."""

from collections import OrderedDict
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices


class KeptLines:
    """Lines of a symmetric n × n matrix, as many as a budget holds; NaN is what is not known.

    A line is an object's dissimilarities to all. The line that was asked for longest ago is
    forgotten first. An entry counts as known when it stands in either of the two lines that
    share it.

    Parameters
    ----------
    n_objects : int
        Number of objects, the length of a line.
    dtype : dtype
        Precision of what is kept.
    memory : float
        Bytes that the lines may take.
    """

    def __init__(self, n_objects: int, dtype: np.dtype[Any], memory: float) -> None:
        self.n_objects = n_objects
        self.dtype = dtype
        self.capacity = min(int(memory // (n_objects * dtype.itemsize)), n_objects)
        self._lines: OrderedDict[int, Array] = OrderedDict()
        self._is_held = np.zeros(n_objects, dtype=bool)

    @property
    def holds_all(self) -> bool:
        """Whether there is room for every line, so that none is ever forgotten."""
        return self.capacity == self.n_objects

    @property
    def nbytes(self) -> int:
        """Bytes that the lines take now."""
        return sum(line.nbytes for line in self._lines.values())

    def n_new(self, lines: Indices) -> int:
        """Return how many of these lines are not held."""
        return len(lines) - int(np.count_nonzero(self._is_held[lines]))

    def read(self, lines: Indices, entries: Indices, out: Array) -> None:
        """Fill out (lines × entries) with what is known, and NaN."""
        index = self._index(entries)
        for line, row in zip(lines.tolist(), out, strict=True):
            if self._is_held[line]:
                row[:] = self._lines[line][index]
                self._lines.move_to_end(line)
            else:
                row[:] = np.nan
        if out.size and np.isnan(out.min()):
            self._read_across(lines, entries, out)

    def _read_across(self, lines: Indices, entries: Indices, out: Array) -> None:
        """Fill gaps from the lines of the entries."""
        held = np.flatnonzero(self._is_held[entries])
        if held.size:
            index = self._index(lines)
            across = np.array([self._lines[entry][index] for entry in entries[held].tolist()]).T
            part = out[:, held]
            out[:, held] = np.where(np.isnan(part), across, part)

    def write(self, lines: Indices, entries: Indices, values: Array) -> None:
        """Keep values (lines × entries), and forget what was not asked for longest."""
        for line in lines[-self.capacity :].tolist() if self.capacity else ():
            if not self._is_held[line]:
                self._begin(line)
        self.update(lines, entries, values)

    def update(self, lines: Indices, entries: Indices, values: Array) -> None:
        """Keep values in the lines that are held; begin no others."""
        index = self._index(entries)
        for k in np.flatnonzero(self._is_held[lines]):
            self._lines[int(lines[k])][index] = values[k]

    def _begin(self, line: int) -> None:
        if len(self._lines) == self.capacity:
            oldest, _ = self._lines.popitem(last=False)
            self._is_held[oldest] = False
        self._lines[line] = np.full(self.n_objects, np.nan, dtype=self.dtype)
        self._is_held[line] = True

    def _index(self, entries: Indices) -> Any:
        """Return how to take entries, ascending, from a line: all of them need no look-up."""
        return slice(None) if len(entries) == self.n_objects else entries
