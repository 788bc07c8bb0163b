"""The one tidy table: its columns, and how it is kept as csv."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from study.splits import SHARES

Row: TypeAlias = dict[str, Any]
TABLE = "results.csv"
_PER_PART: dict[str, Callable[[str], Any]] = {
    "accuracy": float,
    "deviation_mean": float,
    "deviation_std": float,
    "confusion": json.loads,
}
COLUMNS: dict[str, Callable[[str], Any]] = {
    "data": str,
    "variant": str,
    "model": str,
    "repetition": int,
    "seed": int,
    "status": str,
    **{f"{name}_{part}": kind for name, kind in _PER_PART.items() for part in SHARES},
    "histogram": json.loads,
    "n_prototypes": int,
    "n_iter": int,
    "duality_gap": float,
    "seconds": float,
    "warnings": str,
    "version": str,
    "error": str,
}


def complete(found: Mapping[str, Any]) -> Row:
    """Return a row with all columns; what was not measured is None."""
    return {name: found.get(name) for name in COLUMNS}


def save_table(rows: Sequence[Row], path: Any) -> None:
    """Write rows as csv; counts become json within a field.

    Parameters
    ----------
    rows : sequence of dict
        From ``run`` or ``load_results``.
    path : str or path
        The file.
    """
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(COLUMNS))
        writer.writeheader()
        writer.writerows({name: _as_text(row[name]) for name in COLUMNS} for row in rows)


def load_table(path: Any) -> list[Row]:
    """Read a table that ``save_table`` wrote.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    list of dict
        The rows as they were.
    """
    with open(path, newline="", encoding="utf-8") as file:
        return [
            {name: _as_value(kind, row[name]) for name, kind in COLUMNS.items()}
            for row in csv.DictReader(file)
        ]


def _as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list) else value


def _as_value(kind: Callable[[str], Any], text: str) -> Any:
    return kind(text) if text or kind is str else None
