"""What a command prints: its result to standard output, notes and progress to standard error."""

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from threading import Timer
from time import monotonic
from typing import Any, TypeAlias

from relrbf.exceptions import printable

PROGRESS_DELAY = 1.0  # seconds of work before any progress is shown
LINE_DELAY, LINE_GROWTH = 2.0, 0.2  # seconds between lines, and what of the time so far if longer

TYPED = {  # what the library says in Python, and what is typed
    r"as_relation\(D, symmetrize='mean'\), 'min' or 'max' \(in commands, --symmetrize\)": (
        "--symmetrize mean, min or max"
    ),
    r"\b(symmetrize|similarities)='(\w+)'": r"--\1 \2",
    r"\bresume=False": "--restart",
    r"\bpath=(?=['\"])": "--output ",
    r"\bexponent=(\d)": r"--exponent \1",
    r" Convert \S+ yourself to silence this.*": "",
    r"\buse metric='euclidean'": "relrbf relate computes their distances",
}

ShowProgress: TypeAlias = Callable[..., None]  # of what is being done, how much, of how much


class Console:
    """Prints text for people or, with ``as_json``, one JSON object at the end.

    A quiet one leaves out notes and progress.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self._values: dict[str, Any] = {}
        self._notes: list[str] = []

    @contextmanager
    def session(self) -> Iterator[None]:
        """Show the library's warnings as notes; print the JSON object at the end."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            # columns are matched by name when a file is read; the estimator gets them without names
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            warnings.showwarning = lambda message, *_, **__: self.note(as_typed(str(message)))
            yield
        if self.as_json:
            print(to_json(self._values | {"notes": self._notes}))
        sys.stdout.flush()

    def print(self, text: str = "", /, **values: Any) -> None:
        """Print a part of the result for people; keep values for the JSON object."""
        self._values |= values
        if not self.as_json:
            print(printable(text), flush=True)

    def record(self, **values: Any) -> None:
        """Keep values for the JSON object."""
        self._values |= values

    def note(self, *texts: str) -> None:
        """Say in a line what was assumed or changed, once."""
        for text in (" ".join(text.split()) for text in texts):
            if text not in self._notes:
                self._notes.append(text)
                self.message(f"note: {text}")

    def note_exponent(self, path: Any, exponent: float) -> None:
        """Say what the dissimilarities were taken for."""
        kinds: dict[float, str] = {2: "distances", 1: "squared distances"}
        kind = kinds.get(exponent, "powers of distances")
        self.note(f"{path}: read as {kind} (exponent {exponent:g})")

    def message(self, text: str) -> None:
        """Print a line that is not part of the result."""
        if not self.quiet:
            print(printable(text), file=sys.stderr, flush=True)

    @contextmanager
    def progress(self, description: str) -> Iterator[ShowProgress]:
        """Show a bar on a terminal, or lines elsewhere, if the work takes longer than a second.

        Yields a function of what is being done, how much of it is done, and the total (1).
        """
        if self.quiet:
            yield lambda *_: None
            return
        from rich import console, progress

        terminal = console.Console(stderr=True)
        text = progress.TextColumn("{task.description}", markup=False)
        columns = progress.BarColumn(), progress.TaskProgressColumn(), progress.TimeElapsedColumn()
        bar = progress.Progress(text, *columns, console=terminal, transient=True)
        task = bar.add_task(description, total=None)

        begun = last = monotonic()

        def start() -> None:
            bar.start() if terminal.is_terminal else self.message(f"{description} ...")

        def show(text: str, done: float | None = None, total: float | None = 1) -> None:
            nonlocal last
            known = None if done is None else total
            bar.update(task, description=text, completed=done, total=known)
            now = monotonic()
            if not terminal.is_terminal and now > last + max(
                LINE_DELAY, LINE_GROWTH * (now - begun)
            ):
                last = now
                self.message(f"{text} ..." + (f" {done / known:.0%}" if done and known else ""))

        timer = Timer(PROGRESS_DELAY, start)
        timer.daemon = True
        timer.start()
        try:
            yield show
        finally:
            timer.cancel()
            timer.join()  # where it has just begun to start the bar
            bar.live.stop()  # bar.stop() would print an empty line


def as_typed(text: str) -> str:
    """Return a text of the library with flags in the place of keywords."""
    for pattern, typed in TYPED.items():
        text = re.sub(pattern, typed, text)
    return text


def to_json(value: Any) -> str:
    """Return a result as JSON; a number that is not finite becomes null."""
    text = json.dumps(value, default=_as_basic)
    finite = json.loads(text, parse_constant=lambda _: None)
    return json.dumps(finite, indent=2)  # in ASCII, which steers no terminal


def _as_basic(value: Any) -> Any:
    """Return what JSON knows instead of a value that it does not know."""
    if isinstance(value, Enum):
        return value.name
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        return value.tolist()
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return str(value)
