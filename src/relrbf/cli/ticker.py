"""A line of progress on standard error that shows up after a second."""

import sys
import time
from threading import Event, Thread
from types import TracebackType
from typing import Self

PATIENCE = 1.0  # seconds before anything is shown
TICK, LINE_EVERY = 0.25, 10.0  # seconds between two looks of a terminal, and of a file


class Ticker:
    """Says what is being done, how much of it is, and how long it has taken.

    A terminal sees one line that changes; a file gets a line now and then. The time goes on while
    one long call computes, because a thread watches it.
    """

    def __init__(self, doing: str, *, silent: bool = False) -> None:
        self._named = self._doing = doing
        self._share: float | None = None
        self._began = time.monotonic()
        self._shown = -LINE_EVERY + PATIENCE  # seconds since it began
        self._width = 0
        self._ended = Event()
        self._silent = silent
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        if not self._silent:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if not self._silent:
            self._thread.join()
            self.clear()

    def tell(self, doing: str, share: float | None = None) -> None:
        """Take what is being done, and how much of it is."""
        self._doing, self._share = doing, share

    def count(self, step: int, gap: float) -> None:
        """Take the number of an iteration and how far it is from the end."""
        self._doing = f"{self._named}, step {step}, {gap:.1e} to go"

    def clear(self) -> None:
        """Take the line away from a terminal."""
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0

    def _watch(self) -> None:
        while not self._ended.wait(TICK):
            seconds = time.monotonic() - self._began
            if seconds < PATIENCE:
                continue
            if sys.stderr.isatty():
                self._replace(self._line(seconds))
            elif seconds - self._shown >= LINE_EVERY:
                self._shown = seconds
                print(self._line(seconds), file=sys.stderr, flush=True)

    def _line(self, seconds: float) -> str:
        share = "" if self._share is None else f" {min(max(self._share, 0), 1):4.0%}"
        return f"{self._doing}{share}, {seconds:.0f} s"

    def _replace(self, line: str) -> None:
        line = line[:120]
        print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = max(self._width, len(line))
