"""Rows that were found once, kept within a budget of memory."""

from collections.abc import Mapping
from threading import Lock
from types import MappingProxyType
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices

NONE: Mapping[int, Array] = MappingProxyType({})


class Rows:
    """Keeps rows as they come until the budget is spent.

    Nothing is thrown out for a later row: products ask for all rows in turn, and of those the
    oldest would always be the next one asked for.
    """

    def __init__(self, n_rows: int, memory: float) -> None:
        self.memory = memory
        self._free = memory
        self._is_here = np.zeros(n_rows, dtype=bool)
        self._rows: dict[int, Array] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._rows)

    def missing(self, places: Indices) -> Indices:
        """Return those whose rows are not here, each once."""
        return np.unique(places[~self._is_here[places]])

    def take(self, places: Indices, fresh: Mapping[int, Array] = NONE) -> Array:
        """Return rows, some of which may be fresh."""
        return np.stack([fresh[i] if i in fresh else self._rows[i] for i in places.tolist()])

    def keep(self, fresh: Mapping[int, Array]) -> None:
        """Keep copies of rows as long as there is room."""
        with self._lock:
            for place, row in fresh.items():
                if row.nbytes <= self._free and place not in self._rows:
                    self._rows[place] = np.array(row)
                    self._is_here[place] = True
                    self._free -= row.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (len(self._is_here), self.memory)  # a copy elsewhere finds its own
