"""How far a computation is, and how long it will take."""

import time
from dataclasses import dataclass, field

from relrbf.relations.measure_evaluation import Tile


@dataclass(frozen=True)
class Progress:
    """How far ``relate`` is.

    Attributes
    ----------
    n_done, n_pairs : int
        Pairs computed so far, by an earlier run too, and in all.
    seconds : float
        Since this run began.
    remaining : float
        Seconds that are left, if the rest takes as long per pair as this run did.
    """

    n_done: int
    n_pairs: int
    seconds: float
    remaining: float

    def __str__(self) -> str:
        share = self.n_done / self.n_pairs if self.n_pairs else 1.0
        return (
            f"{share:4.0%} of {self.n_pairs:,} pairs, {_clock(self.seconds)} so far, "
            f"{_clock(self.remaining)} to go"
        )


@dataclass
class Watch:
    """Counts pairs; what an earlier run did says nothing about this one's speed."""

    n_pairs: int
    n_before: int
    n_now: int = 0
    began: float = field(default_factory=time.perf_counter)

    def count(self, tile: Tile) -> Progress:
        """Count a tile that is done, and return how far all is."""
        self.n_now += tile.n_pairs
        n_done = self.n_before + self.n_now
        seconds = time.perf_counter() - self.began
        each = seconds / max(self.n_now, 1)
        return Progress(n_done, self.n_pairs, seconds, each * (self.n_pairs - n_done))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
