"""Saying how far an inspection is, and stopping it."""

from collections.abc import Callable
from threading import Thread
from typing import Any, TypeAlias

Progress: TypeAlias = Callable[[str, float], Any]
TICK = 0.5  # seconds between two words while one call computes


class StoppedError(Exception):
    """Whoever watches the inspection asked it to stop."""


class Watch:
    """Tells what is being done and the share of it that is; stops where the answer is True."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self.doing = ""

    def begin(self, doing: str) -> None:
        """Say that a step begins."""
        self.doing = doing
        self.tell(0.0)

    def tell(self, done: float) -> None:
        """Say how much of the step is done."""
        if self._progress is not None and self._progress(self.doing, done):
            raise StoppedError(self.doing)

    def wait_for(self, work: Callable[[], Any], done: float) -> Any:
        """Return what one long call returns; meanwhile keep telling, and hear an interrupt.

        The call runs in a thread that cannot be ended: where the inspection stops, it finishes
        unheard.
        """
        outcome: list[Any] = []
        failure: list[BaseException] = []

        def run() -> None:
            try:
                outcome.append(work())
            except BaseException as error:
                failure.append(error)

        thread = Thread(target=run, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(TICK)
            self.tell(done)
        if failure:
            raise failure[0]
        return outcome[0]
