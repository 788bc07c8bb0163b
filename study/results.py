"""Results of the study: one tidy table, a log that a run resumes from, and a summary."""

import csv
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np

from study.data import PART_SHARES
from study.design import Cell

Row: TypeAlias = dict[str, Any]
OK, FAILED = "ok", "failed"  # the status of a row
RESULTS_FILE = "results.csv"
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
    **{f"{name}_{part}": kind for name, kind in _PER_PART.items() for part in PART_SHARES},
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
    _save_csv(path, COLUMNS, ({name: _as_text(row[name]) for name in COLUMNS} for row in rows))


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


RESUME_LOG = "rows.jsonl"
SYNC_INTERVAL = 1.0  # seconds between two writes that a crash of the machine cannot undo


class ResumeLog:
    """One line per finished cell, appended when it is done; a context manager."""

    def __init__(self, folder: Any) -> None:
        self.path = Path(folder) / RESUME_LOG

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "a+b")
        self._drop_partial_line()
        self._synced = time.monotonic()
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sync()
        self._file.close()

    def add(self, cell: Cell, rows: list[dict[str, Any]]) -> None:
        """Append a finished cell, which survives a kill of the process from now on."""
        line = json.dumps({"key": cell.key, "fingerprint": cell.fingerprint, "rows": rows})
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_INTERVAL:
            self._sync()

    def finished(self, cells: Iterable[Cell]) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of those cells that are done, by key, with the settings they have now."""
        lines = {(line["key"], line["fingerprint"]): line["rows"] for line in self.lines()}
        fingerprints = ((cell.key, (cell.key, cell.fingerprint)) for cell in cells)
        return {
            key: lines[fingerprint] for key, fingerprint in fingerprints if fingerprint in lines
        }

    def lines(self) -> list[dict[str, Any]]:
        """Return all complete lines; one that was cut off is ignored."""
        if not self.path.exists():
            return []
        found = [_parsed(line) for line in self.path.read_bytes().split(b"\n")[:-1]]
        return [line for line in found if line is not None]

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def _drop_partial_line(self) -> None:
        self._file.seek(0)
        self._file.truncate(self._file.read().rfind(b"\n") + 1)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return (
        found if isinstance(found, dict) and {"key", "fingerprint", "rows"} <= set(found) else None
    )


def load_results(folder: Any) -> list[Row]:
    """Read the rows of a run that is done, or is not: what is there, the newest of each cell.

    Parameters
    ----------
    folder : str or path
        The folder of ``run``.

    Returns
    -------
    list of dict
        One per row; a missing value is None.
    """
    newest = {line["key"]: line["rows"] for line in ResumeLog(folder).lines()}
    return [row for rows in newest.values() for row in rows]


def summarise(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return mean and standard deviation over the repetitions, for each model and part.

    Parameters
    ----------
    rows : sequence of dict
        From ``run``, ``load_results`` or ``load_table``.

    Returns
    -------
    list of dict
        Per data set, variant, model and part: ``n`` rows that are fine and ``n_failed`` others,
        ``accuracy`` and ``accuracy_std`` (over repetitions, n - 1 in the denominator), the means of
        ``deviation_mean`` and ``deviation_std``, of ``seconds`` and ``n_prototypes``, and the worst
        ``duality_gap``; None where nothing was measured.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["data"], row["variant"], row["model"]), []).append(row)
    return [_summary(key, members, part) for key, members in groups.items() for part in PART_SHARES]


def save_summary(rows: Sequence[Row], path: Any) -> None:
    """Write what ``summarise`` finds as csv.

    Parameters
    ----------
    rows : sequence of dict
        From ``run``, ``load_results`` or ``load_table``.
    path : str or path
        The file.
    """
    found = summarise(rows)
    shortened = ({name: _short(value) for name, value in each.items()} for each in found)
    _save_csv(path, found[0], shortened)


def _save_csv(path: Any, columns: Iterable[str], rows: Iterable[Row]) -> None:
    text = StringIO(newline="")
    writer = csv.DictWriter(text, list(columns))
    writer.writeheader()
    writer.writerows(rows)
    save_whole(Path(path), text.getvalue())


def save_whole(path: Path, text: str) -> None:
    """Write a file that is there as a whole or not at all, also after a kill."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8", newline="")
    os.replace(part, path)


def _short(value: Any) -> Any:
    """Return a number with the digits that mean something, so that the file stays small."""
    return f"{value:.6g}" if isinstance(value, float) else value


def _summary(key: tuple[str, str, str], rows: list[Row], part: str) -> dict[str, Any]:
    fine = [row for row in rows if row["status"] == OK]

    def over(name: str, how: Callable[[list[float]], Any], at_least: int = 1) -> float | None:
        values = [row[name] for row in fine if row[name] is not None]
        return float(how(values)) if len(values) >= at_least else None

    return {
        **dict(zip(("data", "variant", "model"), key, strict=True)),
        "part": part,
        "n": len(fine),
        "n_failed": len(rows) - len(fine),
        "accuracy": over(f"accuracy_{part}", np.mean),
        "accuracy_std": over(f"accuracy_{part}", lambda values: np.std(values, ddof=1), 2),
        "deviation_mean": over(f"deviation_mean_{part}", np.mean),
        "deviation_std": over(f"deviation_std_{part}", np.mean),
        "seconds": over("seconds", np.mean),
        "n_prototypes": over("n_prototypes", np.mean),
        "duality_gap": over("duality_gap", np.max),
    }
