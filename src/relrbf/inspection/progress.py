"""Telling how far an inspection is, and stopping it."""

from collections.abc import Callable
from threading import Thread
from typing import Any, TypeAlias, TypeVar

Returned = TypeVar("Returned")
OnProgress: TypeAlias = Callable[[str, float], Any]
SECONDS_BETWEEN_REPORTS = 0.5  # while one call computes


class StoppedError(Exception):
    """The user's progress callback asked the inspection to stop."""


class StepProgress:
    """Tells a callback which step runs and the share of it that is done; stops if it says True."""

    def __init__(self, callback: OnProgress | None) -> None:
        self._callback = callback
        self.step = ""

    def begin(self, step: str) -> None:
        """Tell that a step begins."""
        self.step = step
        self.tell(0.0)

    def tell(self, done: float) -> None:
        """Tell how much of the step is done."""
        if self._callback is not None and self._callback(self.step, done):
            raise StoppedError(self.step)

    def wait_for(self, work: Callable[[], Returned], done: float) -> Returned:
        """Return the result of one long call, telling progress and taking interrupts meanwhile.

        The call runs in a thread that cannot be ended: where the inspection stops, its result is
        dropped.
        """
        results: list[Returned] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(work())
            except BaseException as error:
                errors.append(error)

        thread = Thread(target=run, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(SECONDS_BETWEEN_REPORTS)
            self.tell(done)
        if errors:
            raise errors[0]
        return results[0]
