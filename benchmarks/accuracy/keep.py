"""Baselines never change: their rows may be kept in a folder and read the next time."""

import csv
from dataclasses import asdict, fields
from pathlib import Path

from benchmarks.accuracy.measure import Row

TYPES = {field.name: field.type for field in fields(Row)}


class Keep:
    """Rows by set, method and split, in one csv file per set; no folder keeps nothing."""

    def __init__(self, folder: Path | None):
        self.folder = folder
        self.rows: dict[tuple[str, str, int], Row] = {}
        for path in sorted(folder.glob("*.csv")) if folder else ():
            self._read(path)

    def _read(self, path: Path) -> None:
        with path.open(newline="") as file:
            for line in csv.DictReader(file):
                row = Row(**{name: TYPES[name](value) for name, value in line.items()})
                self.rows[row.set, row.method, row.split] = row

    def find(self, name: str, method: str, split: int) -> Row | None:
        return self.rows.get((name, method, split))

    def add(self, row: Row) -> None:
        """Append at once: what was measured survives whatever stops the run."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{row.set}.csv"
        new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, list(TYPES))
            if new:
                writer.writeheader()
            writer.writerow(asdict(row))
