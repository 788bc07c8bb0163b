"""Asking a measure about a tile; whatever is wrong with the answers names the objects."""

from itertools import combinations, product
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.measures.relating.tiles import Tile
from relrbf.relations.asking import Answers, Measure
from relrbf.relations.examine import LITTLE, Examiner, below_zero, rounding_share
from relrbf.relations.listed import take

SAMPLE = 2  # objects on each side of a tile that are asked the other way round
EXAMINER = Examiner("object {}".format)


def judged(measure: Measure, tile: Tile, rows: Any, cols: Any, dtype: np.dtype[Any]) -> Array:
    """Return a tile's dissimilarities in the precision asked for, or say which pair is wrong."""
    ask = _ask_lists if measure.pairwise else _ask_pairs
    values = ask(measure, tile, rows, cols).astype(dtype, copy=False)
    if tile.is_diagonal:
        upper = np.triu(values, 1)
        values = upper + upper.T
    lowest, largest = float(values.min()), float(values.max())
    if lowest < -below_zero(dtype, largest):
        i, j = (int(k) for k in np.unravel_index(int(values.argmin()), values.shape))
        raise RelationError(EXAMINER.negative(lowest, tile.rows.start + i, tile.cols.start + j))
    rounding = rounding_share(dtype) * largest + LITTLE
    _ask_back(measure, tile, rows, cols, values, rounding)
    return values


def _ask_lists(measure: Measure, tile: Tile, rows: Any, cols: Any) -> Array:
    answers = measure.answers(rows, cols)
    return _values(answers, *(np.arange(each.start, each.stop) for each in (tile.rows, tile.cols)))


def _ask_pairs(measure: Measure, tile: Tile, rows: Any, cols: Any) -> Array:
    n, m = tile.shape
    p, q = np.triu_indices(n, 1) if tile.is_diagonal else np.divmod(np.arange(n * m), m)
    answers = measure.answers(take(list(rows), p), take(list(cols), q))
    block = np.zeros(tile.shape)
    block[p, q] = _values(answers, tile.rows.start + p, tile.cols.start + q)
    return block


def _values(answers: Answers, firsts: Indices, seconds: Indices) -> Array:
    if answers.problem is not None:
        text = EXAMINER.failure(answers.problem, firsts, seconds)
        raise RelationError(text) from answers.problem.error
    return answers.values


def _ask_back(
    measure: Measure, tile: Tile, rows: Any, cols: Any, values: Array, rounding: float
) -> None:
    """Ask a few pairs the other way round, and on the diagonal a few objects about themselves."""
    rng, start, end = np.random.default_rng(tile.index), tile.rows.start, tile.cols.start

    def one(place: int) -> Any:
        at, objects = (place - start, rows) if place < tile.rows.stop else (place - end, cols)
        return objects[at : at + 1]

    def compare(first: int, second: int) -> Answers:
        return measure.answers(one(first), one(second))

    some = _sample(rng, len(rows))
    if tile.is_diagonal:
        EXAMINER.check_self(compare, [start + i for i in some], rounding)
        chosen = list(combinations(some, 2))
    else:
        chosen = list(product(some, _sample(rng, len(cols))))
    pairs = [(start + i, end + j, float(values[i, j])) for i, j in chosen]
    EXAMINER.check_back(compare, pairs, rounding)


def _sample(rng: np.random.Generator, n: int) -> list[int]:
    return sorted(rng.choice(n, min(SAMPLE, n), replace=False).tolist())
