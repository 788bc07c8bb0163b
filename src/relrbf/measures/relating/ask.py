"""Asking a measure for blocks of dissimilarities; whatever goes wrong names the objects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError

Place: TypeAlias = tuple[int, int]  # of a block's first row and first column
NUMBERS = (float, int, np.floating, np.integer, np.bool_)


class Asked(Protocol):
    """What ``relate`` asks for dissimilarities."""

    def between(self, rows: Any, cols: Any, at: Place) -> Array:
        """Return the dissimilarities of some objects to others."""

    def among(self, objects: Any, at: Place) -> Array:
        """Return the dissimilarities of some objects, computed above the diagonal only."""


@dataclass(frozen=True)
class ByPair:
    """A function of two objects."""

    function: Callable[..., Any]
    params: dict[str, Any]

    def between(self, rows: Any, cols: Any, at: Place) -> Array:
        """Ask about every pair."""
        block = np.empty((len(rows), len(cols)))
        for i, x in enumerate(rows):
            self._fill(block[i], x, cols, (at[0] + i, at[1]))
        return block

    def among(self, objects: Any, at: Place) -> Array:
        """Ask about the pairs above the diagonal."""
        block = np.zeros((len(objects), len(objects)))
        for i, x in enumerate(objects):
            later = i + 1
            self._fill(block[i, later:], x, objects[later:], (at[0] + i, at[1] + later))
        return block + block.T

    def _fill(self, row: Array, x: Any, others: Any, at: Place) -> None:
        function, params = self.function, self.params
        j = 0
        try:
            for j, y in enumerate(others):
                value = function(x, y, **params)
                row[j] = value if isinstance(value, NUMBERS) else _number(value)
        except _NoNumberError as error:
            raise RelationError(
                f"measure returned {error} for objects {at[0]} and {at[1] + j}; it must return "
                "one number."
            ) from None
        except Exception as error:
            raise RelationError(
                f"measure raised {type(error).__name__} on objects {at[0]} and {at[1] + j}: {error}"
            ) from error


@dataclass(frozen=True)
class ByBlock:
    """A function of two sequences of objects that returns a matrix."""

    function: Callable[..., Any]
    params: dict[str, Any]

    def between(self, rows: Any, cols: Any, at: Place) -> Array:
        """Ask about all pairs at once."""
        try:
            block = np.asarray(self.function(rows, cols, **self.params))
        except Exception as error:
            raise RelationError(
                f"measure raised {type(error).__name__} on {_span('objects', at[0], rows)} and "
                f"{_span('objects', at[1], cols)}: {error}"
            ) from error
        if block.shape != (len(rows), len(cols)) or block.dtype.kind not in "fiub":
            _refuse_block(block, rows, cols)
        return block

    def among(self, objects: Any, at: Place) -> Array:
        """Ask about all pairs, and keep what is above the diagonal."""
        upper = np.triu(self.between(objects, objects, at), 1)
        return upper + upper.T


class _NoNumberError(Exception):
    """What a measure returned, as text."""


def _number(value: Any) -> Any:
    """Return the number in an array without axes; nothing else is taken for one."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiub":
        return value[()]
    raise _NoNumberError(f"{value!r:.80}")


def _span(word: str, start: int, objects: Any) -> str:
    return f"{word} {start} to {start + len(objects) - 1}"


def _refuse_block(block: np.ndarray, rows: Any, cols: Any) -> NoReturn:
    raise RelationError(
        f"measure returned an array of shape {block.shape} and type {block.dtype} for {len(rows)} "
        f"and {len(cols)} objects; with pairwise=True it must return numbers of shape "
        f"({len(rows)}, {len(cols)}). For a function of two single objects, leave pairwise out."
    )
