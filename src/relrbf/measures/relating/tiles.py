"""The upper half of a matrix, cut into blocks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """A block on or above the diagonal, and its place in the order of all."""

    index: int
    rows: slice
    cols: slice

    @property
    def is_diagonal(self) -> bool:
        """Whether rows and columns are the same objects."""
        return self.rows == self.cols

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.rows.stop - self.rows.start, self.cols.stop - self.cols.start

    @property
    def n_pairs(self) -> int:
        """Number of pairs of different objects."""
        n, m = self.shape
        return n * (n - 1) // 2 if self.is_diagonal else n * m


def cut(n_objects: int, side: int) -> list[Tile]:
    """Cut the upper half of n × n into tiles of this side; the last ones may be smaller."""
    bands = [slice(at, min(at + side, n_objects)) for at in range(0, n_objects, side)]
    pairs = ((rows, cols) for i, rows in enumerate(bands) for cols in bands[i:])
    return [Tile(index, rows, cols) for index, (rows, cols) in enumerate(pairs)]
