"""Saying how far the work is."""

from collections.abc import Callable

from relrbf.report.case import Progress


class Steps:
    """Counts steps, and tells whoever listens."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._text = ""

    def begin(self, text: str) -> None:
        """Say that something begins."""
        self._text = text
        self.tell(0.0)

    def done(self) -> None:
        """Say that a step is done."""
        self._done += 1
        self.tell(0.0)

    def tell(self, part: float) -> None:
        """Say how much of a step is done."""
        if self._progress is not None:
            self._progress(self._text, self._done + part, self._total)

    def within(self) -> Callable[[str, float], None]:
        """Return what hears of the parts of one step: the stages of an inspection."""
        stages: list[str] = []

        def hear(text: str, part: float) -> None:
            if text not in stages:
                stages.append(text)
            self._text = text
            passed = len(stages) - 1 + min(part, 1.0)
            self.tell(passed / (passed + 2))  # how many stages there will be is not known

        return hear
