"""The file that outlives a kill: one line per cell, appended when it is done."""

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from study.design import Cell

NAME = "rows.jsonl"
SAFE_EVERY = 1.0  # seconds between two writes that a crash of the machine cannot undo


class Store:
    """Rows of finished cells in a folder; to be entered before anything is added."""

    def __init__(self, folder: Any) -> None:
        self.path = Path(folder) / NAME

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "a+b")
        self._drop_half_line()
        self._safe = time.monotonic()
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._secure()
        self._file.close()

    def add(self, cell: Cell, rows: list[dict[str, Any]]) -> None:
        """Append a finished cell; a kill from now on does not lose it."""
        line = json.dumps({"key": cell.key, "stamp": cell.stamp, "rows": rows})
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        if time.monotonic() - self._safe > SAFE_EVERY:
            self._secure()

    def finished(self, cells: Iterable[Cell]) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of those cells that are done, by key, with the settings they have now."""
        lines = {(line["key"], line["stamp"]): line["rows"] for line in self.lines()}
        stamped = ((cell.key, (cell.key, cell.stamp)) for cell in cells)
        return {key: lines[stamp] for key, stamp in stamped if stamp in lines}

    def lines(self) -> list[dict[str, Any]]:
        """Return all that can be read; a line that was cut off is as if it had not been begun."""
        if not self.path.exists():
            return []
        found = [_parsed(line) for line in self.path.read_bytes().split(b"\n")[:-1]]
        return [line for line in found if line is not None]

    def _secure(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._safe = time.monotonic()

    def _drop_half_line(self) -> None:
        self._file.seek(0)
        self._file.truncate(self._file.read().rfind(b"\n") + 1)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and {"key", "stamp", "rows"} <= set(found) else None
