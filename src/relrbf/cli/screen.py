"""Where a command talks: its result to standard output, notes and progress to standard error."""

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from relrbf.cli.plain import as_plain
from relrbf.cli.ticker import Ticker
from relrbf.cli.words import command_words


class Screen:
    """What a user sees: text, or with ``as_json`` one JSON object at the end.

    Warnings of the library become notes of one line.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self._facts: dict[str, Any] = {}
        self._notes: list[str] = []
        self._ticker: Ticker | None = None
        self._warnings = warnings.catch_warnings()

    def __enter__(self) -> Self:
        self._warnings.__enter__()
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        # columns are matched by name as files are read, and leave the names behind
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        warnings.showwarning = self._show_warning
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._warnings.__exit__(kind, error, trace)
        if kind is None and self.as_json:
            facts = self._facts | {"notes": self._notes}
            print(json.dumps(as_plain(facts), indent=2, ensure_ascii=False, allow_nan=False))
        if sys.stdout is not None:
            sys.stdout.flush()

    def say(self, text: str = "") -> None:
        """Print a part of the result for people."""
        if not self.as_json:
            print(text, flush=True)

    def tell(self, **facts: Any) -> None:
        """Keep a part of the result for programs."""
        self._facts |= facts

    def note(self, *texts: str) -> None:
        """Say what was assumed or changed, once."""
        for text in map(command_words, texts):
            if text not in self._notes:
                self._notes.append(text)
                self.aside(f"note: {text}")

    def note_exponent(self, path: Any, exponent: float) -> None:
        """Say how dissimilarities were read."""
        reading = "distances" if exponent == 2 else "squared distances"
        self.note(f"{path}: read as {reading} (exponent {exponent:g})")

    @contextmanager
    def working(self, doing: str) -> Iterator[Ticker]:
        """Show that something goes on, and how far it is where that is told."""
        with Ticker(doing, silent=self.quiet) as ticker:
            self._ticker = ticker
            try:
                yield ticker
            finally:
                self._ticker = None

    def aside(self, text: str) -> None:
        """Print a line beside the result."""
        if self.quiet:
            return
        if self._ticker is not None:
            self._ticker.clear()
        print(text, file=sys.stderr, flush=True)

    def _show_warning(self, message: Warning | str, *_: Any, **__: Any) -> None:
        self.note(" ".join(str(message).split()))
