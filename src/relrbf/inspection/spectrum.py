"""How far a relation is from vectors: the spectrum of ``-J S J / 2`` under each reading.

Values only. Of equal objects one is kept, with a weight: the spectrum is that of all objects.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.inspection.lanczos import extreme_eigenvalues, negative_mass
from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation
from relrbf.relations.properties import EXPONENTS, NEGLIGIBLE

STUDENT = 2.07  # standard errors either side of the mean of the probes that hold 95 %
INTERRUPTIBLE = 500  # objects whose decomposition takes long enough to wait for in another thread


@dataclass(frozen=True)
class Reading:
    """The spectrum under one exponent; the interval is that of a negative part estimated."""

    smallest: float
    largest: float | None
    negative_fraction: float
    interval: tuple[float, float]
    has_vectors: bool | None  # None where the smallest eigenvalue has not settled


def nothing() -> dict[int, Any]:
    """Return a dictionary that says nothing about either reading."""
    return dict.fromkeys(EXPONENTS)


@dataclass
class Spectra:
    """What is known so far about each reading; None where it is not."""

    smallest_eigenvalue: dict[int, float | None] = field(default_factory=nothing)
    largest_eigenvalue: dict[int, float | None] = field(default_factory=nothing)
    negative_eigenfraction: dict[int, float | None] = field(default_factory=nothing)
    negative_eigenfraction_interval: dict[int, tuple[float, float] | None] = field(
        default_factory=nothing
    )
    has_vector_dual: dict[int, bool | None] = field(default_factory=nothing)
    suggested_exponent: int | None = None
    spectrum_sampled: bool = False

    def note(self, exponent: int, reading: Reading) -> None:
        """Keep what was found under one exponent."""
        self.smallest_eigenvalue[exponent] = reading.smallest
        self.largest_eigenvalue[exponent] = reading.largest
        self.negative_eigenfraction[exponent] = reading.negative_fraction
        self.negative_eigenfraction_interval[exponent] = reading.interval
        self.has_vector_dual[exponent] = reading.has_vectors

    def suggest(self) -> None:
        """Suggest 2, unless 1 is clearly closer to vectors: the rule that a fit follows."""
        as_distances, as_squares = (self.negative_eigenfraction[e] for e in EXPONENTS)
        if as_distances is not None and as_squares is not None:
            self.suggested_exponent = 2 if as_distances <= as_squares + NEGLIGIBLE else 1


@dataclass(frozen=True)
class Spectroscope:
    """Computes the spectrum of all objects from the distinct ones and their weights."""

    relation: Relation
    distinct: Indices
    weights: Array
    is_relation: bool
    largest_entry: float
    max_exact: int
    seed: int

    def look(self, spectra: Spectra, watch: Watch) -> None:
        """Note the spectrum under each reading.

        The root of a Euclidean distance is one too (Schoenberg 1938): where vectors exist under
        exponent 2 they do under 1, and no second decomposition is made.
        """
        spectra.spectrum_sampled = len(self.distinct) > self.max_exact
        for exponent in EXPONENTS:
            if exponent == 1 and self._surely_has_vectors(spectra):
                spectra.note(1, Reading(0.0, None, 0.0, (0.0, 0.0), True))
            else:
                watch.begin(f"computing the spectrum for exponent {exponent}")
                reading = self._estimated if spectra.spectrum_sampled else self._computed
                spectra.note(exponent, reading(exponent, watch))
        spectra.suggest()

    def _surely_has_vectors(self, spectra: Spectra) -> bool:
        """Tell whether exponent 2 has a dual with no more than its own rounding in the way."""
        smallest, largest = spectra.smallest_eigenvalue[2], spectra.largest_eigenvalue[2]
        if not (spectra.has_vector_dual[2] and self.is_relation) or smallest is None:
            return False
        eps = float(np.finfo(self.relation.dtype).eps)
        return smallest >= -len(self.distinct) * eps * (largest or 0.0)

    def _computed(self, exponent: int, watch: Watch) -> Reading:
        raised = self.relation.with_exponent(exponent)
        S = np.array(raised.block_sq(self.distinct, self.distinct), dtype=np.float64)
        if len(S) < INTERRUPTIBLE:
            eigenvalues = weighted_spectrum(S, self.weights)
        else:
            eigenvalues = watch.wait_for(lambda: weighted_spectrum(S, self.weights), 0.5)
        smallest, largest = float(eigenvalues[0]), float(eigenvalues[-1])
        if self._has_no_negative_part(smallest, largest):
            return Reading(smallest, largest, 0.0, (0.0, 0.0), True)
        negative = float(np.abs(eigenvalues[eigenvalues < 0]).sum())
        fraction = _fraction(negative, float(eigenvalues.sum()))
        return Reading(smallest, largest, fraction, (fraction, fraction), False)

    def _estimated(self, exponent: int, watch: Watch) -> Reading:
        raised = self.relation.with_exponent(exponent)
        scale = self.largest_entry**exponent
        with raised.multiplying():
            *ends, settled = extreme_eigenvalues(raised, scale, self.seed, watch)
            smallest, largest = (scale * end for end in ends)
            if self._has_no_negative_part(*ends):
                return Reading(smallest, largest, 0.0, (0.0, 0.0), True if settled else None)
            trace, masses = negative_mass(raised, scale, self.seed, watch)
        mean = float(masses.mean())
        margin = STUDENT * float(masses.std(ddof=1) / np.sqrt(len(masses)))
        low, fraction, high = (
            _fraction(max(mass, 0.0), trace) for mass in (mean - margin, mean, mean + margin)
        )
        return Reading(smallest, largest, fraction, (low, high), False)

    def _has_no_negative_part(self, smallest: float, largest: float) -> bool:
        """Tell whether what is negative is rounding, as a fit's own report does."""
        eps = float(np.finfo(self.relation.dtype).eps)
        tolerance = max(1e-8, len(self.distinct) * eps)
        return bool(smallest >= -tolerance * max(abs(smallest), abs(largest)))


def _fraction(negative: float, trace: float) -> float:
    """Return the negative share of the absolute sum, the sum itself (the trace) being known."""
    total = trace + 2 * negative
    return negative / total if total > 0 else 0.0


def weighted_spectrum(S: Array, weights: Array) -> Array:
    """Return the eigenvalues, smallest first, of ``-J S J / 2`` of objects that repeat.

    With each of the m objects of S standing for w equal ones, the nonzero eigenvalues are those of
    ``-W½ J_w S J_w' W½ / 2`` (m × m), where ``J_w = I - 1 w' / Σw``. S is overwritten.
    """
    means = S @ weights / weights.sum()
    S -= means
    S -= (means - weights @ means / weights.sum())[:, None]
    roots = np.sqrt(weights)
    S *= -0.5 * roots
    S *= roots[:, None]
    return np.linalg.eigvalsh(S)  # unlike SciPy's, it lets other threads run meanwhile
