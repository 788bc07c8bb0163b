"""The rows behind a figure: which to show, where they come from, and what they come to."""

from collections.abc import Sequence

import numpy as np

from relrbf._typing import Array
from study.design import Cell, Design
from study.measure import OK
from study.splits import SHARES
from study.table import Row

WILD = 1.0  # spread of deviations in a part


def kept(rows: Sequence[Row], data: str, variant: str, model: str) -> list[Row]:
    """Return one model's rows, without those that failed."""
    key = data, variant, model
    return [row for row in rows if _key(row) == key and row["status"] == OK]


def cell_of(row: Row, design: Design) -> Cell:
    """Return the cell of a design that a row is of."""
    return design.cell("/".join([*_key(row), str(row["repetition"])]))


def mean_confusion(rows: Sequence[Row], part: str) -> Array:
    """Return how many objects of a class (rows) were taken for a class (columns), on average."""
    counts: Array = np.mean([row[f"confusion_{part}"] for row in rows], axis=0)
    return counts


def mean_accuracy(rows: Sequence[Row], part: str) -> tuple[float, float | None]:
    """Return mean and standard deviation in per cent; of one repetition, no deviation."""
    percent = [100 * row[f"accuracy_{part}"] for row in rows]
    return float(np.mean(percent)), float(np.std(percent, ddof=1)) if len(rows) > 1 else None


def all_deviations(rows: Sequence[Row]) -> Array:
    """Return the histogram over all repetitions, objects and outputs."""
    counts: Array = np.sum([row["histogram"] for row in rows], axis=0)
    return counts


def mean_deviation(rows: Sequence[Row]) -> tuple[float, float]:
    """Return mean and spread of all deviations, exactly: from their moments, not from bins."""
    parts = [(row, part) for row in rows for part in SHARES]
    sizes = [np.sum(row[f"confusion_{part}"]) for row, part in parts]
    means = np.array([row[f"deviation_mean_{part}"] for row, part in parts])
    spreads = np.array([row[f"deviation_std_{part}"] for row, part in parts])
    mean = np.average(means, weights=sizes)
    square = np.average(means**2 + spreads**2, weights=sizes)
    return float(mean), float(np.sqrt(max(square - mean**2, 0.0)))


def is_wild(row: Row) -> bool:
    """Tell whether a network's responses are nonsense somewhere: 0 and 1 are desired."""
    return any((row[f"deviation_std_{part}"] or 0) > WILD for part in SHARES)


def repetitions(rows: Sequence[Row]) -> str:
    """Return how often each model was run, in words, and how often in vain."""
    runs: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        runs.setdefault(_key(row), []).append(row["status"])
    sizes = sorted({states.count(OK) for states in runs.values()} - {0})
    n_failed = sum(row["status"] != OK for row in rows)
    said = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
    said += " repetition" if sizes == [1] else " repetitions"
    failed = f" ({n_failed} failed {'run' if n_failed == 1 else 'runs'} left out)"
    return said + failed * bool(n_failed)


def _key(row: Row) -> tuple[str, str, str]:
    return row["data"], row["variant"], row["model"]
