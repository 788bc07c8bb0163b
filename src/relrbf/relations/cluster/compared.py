"""Tiles that the workers compute: objects, and a measure that is asked about each pair once."""

from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.relations.asking import Measure
from relrbf.relations.cluster.bands import Bands, Tile
from relrbf.relations.cluster.connection import Connection
from relrbf.relations.cluster.sources import Futures, Source
from relrbf.relations.comparisons import Comparisons
from relrbf.relations.crew import Answered, Crew
from relrbf.relations.kept import KeptLines
from relrbf.relations.listed import joined, take
from relrbf.relations.symmetry import SymmetryCheck


@dataclass(frozen=True)
class Asked:
    """How often a measure was asked in a tile, and how far its two directions differ."""

    n_pairs: int
    n_changed: int
    change: float


class ComparedObjects(Source):
    """Objects of this process's, and a measure that the workers ask.

    Parameters
    ----------
    listed : list, array or frame
        The objects.
    compare : CompareTile
        Asks the measure about a tile.
    ids : ndarray or None
        Names of the objects.
    """

    def __init__(self, listed: Any, compare: "CompareTile", ids: np.ndarray | None) -> None:
        self.listed = listed
        self.compare = compare
        self.n_objects = len(listed)
        self.dtype = compare.dtype
        self.ids = ids
        self._sent: Futures = []

    def hold(self, connection: Connection, bands: Bands, tiles: list[Tile], worker: str) -> Futures:
        """Let the worker compare the objects of two bands, or of one among themselves."""
        compare, *objects = self._on_workers(connection, bands)
        return connection.submit_all(
            compare_tile,
            [compare] * len(tiles),
            [objects[i] for i, _ in tiles],
            [objects[j] for _, j in tiles],
            [Named.of(self.ids, bands[i], bands[j]) for i, j in tiles],
            [i == j for i, j in tiles],
            worker=worker,
        )

    def _on_workers(self, connection: Connection, bands: Bands) -> Futures:
        """Send the measure and the objects of each band, unless they are there."""
        if not self._sent or any(future.cancelled() for future in self._sent):
            places = np.arange(self.n_objects)
            objects = [take(self.listed, places[bands[k]]) for k in range(len(bands))]
            try:
                self._sent = connection.send([self.compare, *objects])
            except (TypeError, AttributeError, PicklingError) as error:
                raise OptionError(
                    f"measure and objects are sent to the workers, and cannot be pickled ({error})."
                ) from error
        return self._sent

    def check(self, found: list[Asked]) -> None:
        """Count, and warn where a policy made one value of two."""
        self.n_evaluations = n_pairs = sum(each.n_pairs for each in found)
        n_changed = sum(each.n_changed for each in found)
        if n_changed:
            change = max(each.change for each in found)
            warn(
                f"measure is not symmetric: symmetrize={self.compare.measure.symmetrize!r} made "
                f"one value of two directions that differ in {n_changed} of {n_pairs} pairs, by at "
                f"most {change:.4g}.",
                RelationWarning,
            )


@dataclass(frozen=True)
class CompareTile:
    """Asks a measure about the pairs of a tile, each once."""

    measure: Measure
    dtype: np.dtype[Any]
    check_symmetry: bool

    def __call__(
        self, firsts: Any, seconds: Any, name: "Named", is_diagonal: bool
    ) -> tuple[Array, Asked]:
        """Return the dissimilarities of the first objects to the second."""
        listed = firsts if is_diagonal else joined(firsts, seconds)
        crew = Crew(self.measure, listed, None, "threads")
        check = SymmetryCheck(crew, name, self.dtype) if self.check_symmetry else None
        nothing_kept = KeptLines(len(listed), self.dtype, 0)
        asked = QuietComparisons(crew, nothing_kept, check, name, None)
        rows = np.arange(len(firsts))
        cols = rows if is_diagonal else np.arange(len(firsts), len(listed))
        values = asked.block(rows, cols, sweeps=False)
        return values, Asked(asked.n_evaluations, asked.n_changed, asked.change)


def compare_tile(
    compare: CompareTile, firsts: Any, seconds: Any, name: "Named", is_diagonal: bool
) -> tuple[Array | None, Any]:
    """Return a tile, or the error that names the pair."""
    try:
        return compare(firsts, seconds, name, is_diagonal)
    except RelationError as error:
        return None, RelationError(str(error))  # without the frames that hold the tile


class QuietComparisons(Comparisons):
    """Comparisons whose changes are counted, to be told where the user is."""

    n_changed = 0
    change = 0.0

    def warn_of(self, answered: Answered) -> None:
        """Count."""
        self.n_changed += sum(answers.n_changed for _, answers in answered)
        self.change = max(self.change, *(answers.change for _, answers in answered))


@dataclass(frozen=True)
class Named:
    """Names the objects of a tile by their positions among all, and ids where there are any."""

    numbers: np.ndarray
    ids: np.ndarray | None

    @classmethod
    def of(cls, ids: np.ndarray | None, rows: slice, cols: slice) -> "Named":
        """Name the rows, and after them the columns."""
        numbers = np.r_[rows, cols]
        return cls(numbers, None if ids is None else ids[numbers])

    def __call__(self, place: int) -> str:
        """Return what to call an object."""
        own = "" if self.ids is None else f" ({self.ids[place]!r})"
        return f"object {self.numbers[place]}{own}"
