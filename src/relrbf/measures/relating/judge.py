"""Judging each block as it comes: finite, not negative, the same both ways, 0 on the diagonal."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.measures.relating.ask import Asked
from relrbf.measures.relating.tiles import Tile

SAMPLE = 2  # objects on each side of a block that are asked the other way round
LITTLE = 1e-12  # what nothing but rounding leaves on the diagonal where all else is 0


def judged(asked: Asked, tile: Tile, rows: Any, cols: Any, dtype: np.dtype[Any]) -> Array:
    """Return a tile's dissimilarities in the precision asked for, or say which pair is wrong."""
    at = (tile.rows.start, tile.cols.start)
    block = asked.among(rows, at) if tile.is_diagonal else asked.between(rows, cols, at)
    with np.errstate(over="ignore"):  # what is too large for float32 is found below
        values = block.astype(dtype, copy=False)
    lowest, largest = float(values.min()), float(values.max())
    if not (np.isfinite(lowest) and np.isfinite(largest)):
        _refuse_nonfinite(block, values, tile)
    eps = float(np.finfo(dtype).eps)
    if lowest < -100 * eps * largest:
        _refuse_negative(values, tile)
    _ask_back(asked, values, tile, rows, cols, np.sqrt(eps) * largest + LITTLE)
    return values


def _ask_back(
    asked: Asked, values: Array, tile: Tile, rows: Any, cols: Any, rounding: float
) -> None:
    """Ask a few pairs the other way round, and on the diagonal a few objects about themselves."""
    rng = np.random.default_rng(tile.index)
    some = _sample(rng, len(rows))
    others = some if tile.is_diagonal else _sample(rng, len(cols))
    places = (int(tile.cols.start), int(tile.rows.start))
    back = asked.between(_taken(cols, others), _taken(rows, some), places)
    there = values[np.ix_(some, others)]
    wrong = ~(np.abs(back.T - there) <= rounding)  # NaN is wrong, too
    for a, b in np.argwhere(wrong):
        i, j = tile.rows.start + int(some[a]), tile.cols.start + int(others[b])
        if i == j:
            raise RelationError(
                f"measure gives {back[b, a]:.6g} for object {i} and itself; that must be 0. If it "
                "is a similarity s, turn it round, for example 1 - s."
            )
        raise RelationError(
            f"measure is not symmetric: from object {i} to {j} it gives {there[a, b]:.6g}, and "
            f"back {back[b, a]:.6g}. Pass a measure that says what is meant, for example the mean "
            "of both."
        )


def _sample(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.sort(rng.choice(n, min(SAMPLE, n), replace=False))


def _taken(objects: Any, which: np.ndarray) -> Any:
    return objects[which] if isinstance(objects, np.ndarray) else [objects[i] for i in which]


def _first(wrong: np.ndarray, tile: Tile) -> tuple[int, int]:
    i, j = np.argwhere(wrong)[0]
    return tile.rows.start + int(i), tile.cols.start + int(j)


def _refuse_nonfinite(block: Array, values: Array, tile: Tile) -> None:
    wrong = ~np.isfinite(values)
    i, j = _first(wrong, tile)
    value = block[i - tile.rows.start, j - tile.cols.start]
    what = f", which {values.dtype} cannot hold" if np.isfinite(value) else ""
    raise RelationError(
        f"measure gives {value} for objects {i} and {j}{what}; every dissimilarity must be a "
        "finite number. Leave such objects out, or say in the measure what is meant."
    )


def _refuse_negative(values: Array, tile: Tile) -> None:
    where = np.unravel_index(int(values.argmin()), values.shape)
    i, j = tile.rows.start + int(where[0]), tile.cols.start + int(where[1])
    raise RelationError(
        f"measure gives {values.min():.6g} for objects {i} and {j}; dissimilarities cannot be "
        "negative. If it is a similarity s, turn it round, for example 1 - s."
    )
