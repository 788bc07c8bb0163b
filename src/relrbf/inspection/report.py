"""What an inspection found, and how far it is."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, TypeAlias, TypeVar

import numpy as np

from relrbf.inspection.text import conclusion_lines, fact_lines
from relrbf.relations.properties import EXPONENTS

Returned = TypeVar("Returned")
OnProgress: TypeAlias = Callable[[str, float], Any]
SECONDS_BETWEEN_REPORTS = 0.5  # while one call computes


def _unknown() -> dict[float, Any]:
    return dict.fromkeys(EXPONENTS)


@dataclass(eq=False)
class RelationInspection:
    """What was found about a matrix; ``print`` it for a text that ends in conclusions.

    What cannot be said, because entries are missing or the inspection was stopped, is None.

    Attributes
    ----------
    n_objects : int
        Number of objects.
    is_symmetric, has_zero_diagonal : bool
        To rounding, √ε of the largest entry, and as far as entries are known.
    n_negative, n_missing, n_infinite : int
        Entries below zero by more than rounding, not finite, and those of these not NaN.
    largest_entry, largest_asymmetry : float
        In size, of the known entries and of the differences ``D[i, j] - D[j, i]``.
    worst_pair : (i, j) or None
        Where that difference is; None where D is symmetric.
    holds_similarities : bool
        Whether the diagonal is constant and every other entry is smaller. Then nothing but the
        entries is looked at.
    can_be_squared : bool
        Whether squares of the largest entry are in the range of the dtype.
    n_duplicate_objects : int
        Objects that have the same dissimilarities as an earlier one.
    triangle_violation_fraction : float
        Of the ordered triples of distinct objects whose dissimilarities are known, the fraction
        with ``D[i, j] > D[i, k] + D[k, j]`` by more than rounding (1e-8 of D[i, j], 64 ε in
        float32).
    triangle_violation_interval : (low, high)
        Wilson's 95 % interval where triples were drawn; where all were looked at, the fraction.
    n_triples, n_violated, triangles_sampled : int, int, bool
        Triples looked at, those of them that are violated, and whether they were drawn.
    worst_triple, worst_excess : (i, j, k) and float, or None
        Where ``D[i, j]`` exceeds ``D[i, k] + D[k, j]`` by the most, and by how much.
    smallest_eigenvalue, largest_eigenvalue : dict of exponent -> float
        Of ``-J S J / 2`` with ``S = D ** exponent`` (J centres), for all objects; smallest is zero
        for exponent 1 where vectors exist under 2, because then they do under 1.
    negative_eigenfraction, negative_eigenfraction_interval : dict of exponent -> float, (low, high)
        Share of the spectrum's absolute sum that is negative, and its 95 % interval where it was
        estimated (``spectrum_sampled``).
    has_vector_dual : dict of exponent -> bool
        Whether vectors with these distances exist. False where D is not symmetric, not zero on the
        diagonal or somewhere negative; the spectrum is then that of ``(D + D') / 2`` with a zero
        diagonal.
    suggested_exponent : int
        2, unless the dissimilarities are clearly closer to squared distances between vectors.
    intrinsic_dimension : float or None
        Levina and Bickel's estimate under the suggested exponent: of the roots of D where that is
        1, which have twice as many dimensions as D itself. None where there are fewer than 50
        distinct objects, or too many are equally far from each other.
    class_counts : dict of label -> int
        Where y was given.
    neighbour_error, neighbour_error_without_duplicates : float or None
        Fraction of the objects whose nearest other object is of another class; also where
        duplicates of an object do not count as its neighbours.
    mean_within, mean_between : float or None
        Mean dissimilarity of objects of the same class, and of different classes.
    ids : ndarray or None
        Names of the objects, where there are any.
    stopped_at : str or None
        What was being done when the inspection was stopped.
    """

    n_objects: int
    ids: np.ndarray | None = field(default=None, repr=False)
    stopped_at: str | None = None
    is_symmetric: bool | None = None
    has_zero_diagonal: bool | None = None
    n_negative: int | None = None
    n_missing: int | None = None
    n_infinite: int | None = None
    largest_entry: float | None = None
    largest_asymmetry: float | None = None
    worst_pair: tuple[int, int] | None = None
    holds_similarities: bool | None = None
    can_be_squared: bool | None = None
    n_duplicate_objects: int | None = None
    triangle_violation_fraction: float | None = None
    triangle_violation_interval: tuple[float, float] | None = None
    n_triples: int | None = None
    n_violated: int | None = None
    triangles_sampled: bool = False
    worst_triple: tuple[int, int, int] | None = None
    worst_excess: float | None = None
    smallest_eigenvalue: dict[float, float | None] = field(default_factory=_unknown)
    largest_eigenvalue: dict[float, float | None] = field(default_factory=_unknown)
    negative_eigenfraction: dict[float, float | None] = field(default_factory=_unknown)
    negative_eigenfraction_interval: dict[float, Any] = field(default_factory=_unknown)
    has_vector_dual: dict[float, bool | None] = field(default_factory=_unknown)
    spectrum_sampled: bool = False
    suggested_exponent: int | None = None
    intrinsic_dimension: float | None = None
    class_counts: dict[Any, int] | None = None
    neighbour_error: float | None = None
    neighbour_error_without_duplicates: float | None = None
    mean_within: float | None = None
    mean_between: float | None = None

    @property
    def is_relation(self) -> bool | None:
        """Whether estimators take D as it is: known, symmetric, not negative, zero to self."""
        if self.is_symmetric is None:
            return None
        sound = self.is_symmetric and self.has_zero_diagonal and self.can_be_squared
        return bool(sound and not (self.n_negative or self.n_missing))

    @property
    def is_metric(self) -> bool | None:
        """Whether D is symmetric, zero on the diagonal, not negative, and obeys every triangle.

        Different objects may be at dissimilarity zero. None where no violation was found, but not
        every triple was looked at.
        """
        if self.is_symmetric is None:
            return None
        sound = self.is_symmetric and self.has_zero_diagonal and not self.n_negative
        if self.n_violated or not sound:
            return False
        return None if self.n_violated is None or self.triangles_sampled or self.n_missing else True

    @property
    def additive_constant(self) -> dict[float, float | None]:
        """What would have to be added to every S[i, j] of different objects for vectors to exist.

        It is ``-2`` times the smallest eigenvalue, zero where vectors exist.
        """
        constants: dict[float, float | None] = {}
        for exponent, smallest in self.smallest_eigenvalue.items():
            needed = None if smallest is None else max(0.0, -2 * smallest)
            constants[exponent] = 0.0 if needed and self.has_vector_dual[exponent] else needed
        return constants

    def name_of(self, position: int) -> str:
        """Return an object's name, or its position where it has none."""
        return str(position if self.ids is None else self.ids[position])

    @property
    def facts(self) -> list[str]:
        """What was found, a line for each kind: ``name: finding`` but for the first."""
        return list(fact_lines(self))

    @property
    def conclusions(self) -> list[str]:
        """What it means for using the matrix, and what to do; a sentence or two each."""
        return list(conclusion_lines(self))

    def __str__(self) -> str:
        return "\n".join([*self.facts, "conclusions:", *(f"- {line}" for line in self.conclusions)])


class StoppedError(Exception):
    """The user's progress callback asked the inspection to stop, at the step that is its text."""


class StepProgress:
    """Tells a callback which step runs and the share of it that is done; stops if it says True."""

    def __init__(self, callback: OnProgress | None) -> None:
        self._callback = callback
        self._step = ""

    def begin(self, step: str) -> None:
        """Tell that a step begins."""
        self._step = step
        self.tell(0.0)

    def tell(self, done: float) -> None:
        """Tell how much of the step is done."""
        if self._callback is not None and self._callback(self._step, done):
            raise StoppedError(self._step)

    def wait_for(self, work: Callable[[], Returned], done: float) -> Returned:
        """Return the result of one long call, telling progress and taking interrupts meanwhile.

        It runs in a thread that cannot be ended: where the inspection stops, its result is dropped.
        """
        future: Future[Returned] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        thread = Thread(target=run, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(SECONDS_BETWEEN_REPORTS)
            self.tell(done)
        return future.result()
