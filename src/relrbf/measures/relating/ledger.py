"""The file that outlives a kill: whose matrix it is, and one line for each block that is done."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from relrbf.exceptions import RelationError

SUFFIX = ".progress"


class Ledger:
    """What is done of a matrix; entered, it is held against other runs.

    The first line says what the matrix is of; each other line is a block's number and the sum of
    its bits, by which damage is found.
    """

    def __init__(self, target: Path, identity: dict[str, Any], resume: bool) -> None:
        self.target = target
        self.path = target.with_name(target.name + SUFFIX)
        self.identity = identity
        self.resume = resume
        self.found: dict[int, int] = {}

    def __enter__(self) -> Self:
        self._file = open(self.path, "a+b")
        try:
            _hold(self._file, self.target)
            self._begin()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, index: int, total: int) -> None:
        """Note a block; a kill from now on does not lose it."""
        self._write(f"{index} {total:016x}\n")

    def remove(self) -> None:
        """Remove the file; the matrix is whole."""
        self.path.unlink(missing_ok=True)

    def _begin(self) -> None:
        self._file.seek(0)
        *lines, _ = self._file.read().split(b"\n")  # what a kill cut off is as if never begun
        if len(lines) > 1 and self.resume:  # else there is nothing to lose
            self._refuse_other(lines[0])
            self.found = dict(filter(None, map(_parsed, lines[1:])))
            self._file.truncate(sum(len(line) + 1 for line in lines))
        else:
            self._file.truncate(0)
            self._write(json.dumps(self.identity) + "\n")

    def _write(self, line: str) -> None:
        self._file.write(line.encode())
        self._file.flush()

    def _refuse_other(self, line: bytes) -> None:
        try:
            kept = json.loads(line)
        except ValueError:
            kept = None
        if not isinstance(kept, dict):
            raise RelationError(
                f"{self.path} is damaged, so what was computed cannot be told. Pass resume=False "
                "to begin anew, or name another path."
            )
        other = [name for name, mark in self.identity.items() if kept.get(name) != mark]
        if other:
            raise RelationError(
                f"path={str(self.target)!r} was begun with another {' and another '.join(other)}; "
                "nothing was overwritten. Call relate as before to go on, name another path, or "
                "pass resume=False to begin anew."
            )


def _parsed(line: bytes) -> tuple[int, int] | None:
    try:
        index, total = line.split(b" ")
        return int(index), int(total, 16)
    except ValueError:
        return None


def _hold(file: BinaryIO, target: Path) -> None:
    """Hold the file against other runs until it is closed, which a kill does, too."""
    if os.name != "posix":  # no such lock there; two runs at once are the user's to avoid
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RelationError(
            f"path={str(target)!r} is being computed by another run; wait for it, or name another."
        ) from None
