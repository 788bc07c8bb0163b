"""Whether a relation has a vector dual, and under which exponent.

A relation of vectors is one whose ``-J S J / 2`` (J centres) has no negative eigenvalue: it is of
*negative type*. The triangle inequality is not enough (theory 5.3).
"""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import NotEuclideanWarning, warn
from relrbf.relations.base import Relation
from relrbf.relations.duplicates import duplicates_and_means
from relrbf.relations.sampling import order_by_centrality, spread_over

EXPONENTS = (2, 1)  # the more usual one first
MAX_INSPECTED = 256  # objects whose spectrum is computed; a sample beyond
NEGLIGIBLE = 0.01  # a negative part of the spectrum below this changes nothing that matters


@dataclass(frozen=True)
class RelationReport:
    """What was found about a relation, under each exponent.

    Attributes
    ----------
    n_objects : int
        Number of objects.
    n_inspected : int
        Distinct objects whose spectrum was computed; a random sample where there are more.
    n_duplicate_objects : int
        Objects that have the same dissimilarities as an earlier one; to the support, where only
        those were read.
    smallest_eigenvalue : dict of exponent -> float
        Of ``-J S J / 2``; negative where no vectors have these dissimilarities. Zero for exponent
        1 where they exist under 2, because then they do under 1.
    negative_eigenfraction : dict of exponent -> float
        Share of the spectrum's absolute sum that is negative.
    has_vector_dual : dict of exponent -> bool
        Whether the spectrum has no negative part beyond rounding.
    suggested_exponent : int
        2, unless exponent 1 is clearly closer to vectors.
    """

    n_objects: int
    n_inspected: int
    n_duplicate_objects: int
    smallest_eigenvalue: dict[int, float]
    negative_eigenfraction: dict[int, float]
    has_vector_dual: dict[int, bool]
    suggested_exponent: int

    def __str__(self) -> str:
        n_distinct = self.n_objects - self.n_duplicate_objects
        kind = "all the" if self.n_inspected == n_distinct else "a sample of"
        lines = [
            f"{self.n_objects} objects, {self.n_duplicate_objects} of them duplicates of others",
            f"spectrum of {kind} {self.n_inspected} distinct objects:",
        ]
        for exponent, meaning in ((2, "distances"), (1, "squared distances")):
            lines.append(f"read as {meaning} (exponent {exponent}): {self._conclusion(exponent)}")
        lines.append(f"suggested exponent: {self.suggested_exponent}")
        return "\n".join(lines)

    def _conclusion(self, exponent: int) -> str:
        if self.has_vector_dual[exponent]:
            return "vectors with these distances exist; the network has an exact vector equivalent"
        return (
            f"no vectors have these distances; {self.negative_eigenfraction[exponent]:.2%} of the "
            f"spectrum is negative (smallest eigenvalue {self.smallest_eigenvalue[exponent]:.4g})"
        )


def describe(relation: Relation, objects: Indices, n_duplicates: int) -> RelationReport:
    """Report on a relation from the spectrum of some of its objects (at most MAX_INSPECTED)."""
    tolerance = max(1e-8, len(objects) * float(np.finfo(relation.dtype).eps))
    spectra = _spectra(relation, objects, tolerance)
    fractions = {e: negative_fraction(spectra[e]) for e in EXPONENTS}
    return RelationReport(
        n_objects=relation.n_objects,
        n_inspected=len(objects),
        n_duplicate_objects=n_duplicates,
        smallest_eigenvalue={e: float(spectra[e][0]) for e in EXPONENTS},
        negative_eigenfraction=fractions,
        has_vector_dual={e: _has_no_negative_part(spectra[e], tolerance) for e in EXPONENTS},
        suggested_exponent=2 if fractions[2] <= fractions[1] + NEGLIGIBLE else 1,
    )


def _spectra(relation: Relation, objects: Indices, tolerance: float) -> dict[int, Array]:
    """Return the spectrum under each exponent.

    The root of a Euclidean distance is one too (Schoenberg 1938): where vectors exist under
    exponent 2 they do under 1, and a zero says so without another decomposition.
    """
    found: dict[int, Array] = {}
    for exponent in EXPONENTS:
        if found and _has_no_negative_part(found[2], tolerance):
            found[exponent] = np.zeros(1)
        else:
            block = relation.with_exponent(exponent).block_sq(objects, objects)
            found[exponent] = spectrum(block)
    return found


def _has_no_negative_part(eigenvalues: Array, tolerance: float) -> bool:
    return bool(eigenvalues[0] >= -tolerance * float(np.abs(eigenvalues).max()))


def spectrum(S: Array) -> Array:
    """Return the eigenvalues of ``-J S J / 2`` for a small dense S, smallest first."""
    means = S.mean(axis=0)
    return np.linalg.eigvalsh(-0.5 * (S - means - means[:, None] + means.mean()))


def negative_fraction(eigenvalues: Array) -> float:
    """Return the share of the absolute sum of eigenvalues that is negative."""
    total = np.abs(eigenvalues).sum()
    return float(-eigenvalues[eigenvalues < 0].sum() / total) if total > 0 else 0.0


def candidate_exponents(
    exponent: float | str | None, space: str, relation: Relation, report: RelationReport
) -> tuple[float, ...]:
    """Return the exponents to choose from, the preferred one first.

    One under which vectors exist, or all but exist, needs no evidence: the network is then the
    equivalent of one on those vectors.
    """
    if space == "vector":
        return (2,)
    if exponent is None or (isinstance(exponent, str) and relation.exponent_given):
        exponent = relation.exponent
    if not isinstance(exponent, str):
        return (int(exponent),)
    preferred = report.suggested_exponent
    if min(report.negative_eigenfraction.values()) <= NEGLIGIBLE:
        return (preferred,)
    return (preferred, 3 - preferred)


def warn_without_vectors(chosen: float, report: RelationReport, without_vectors: str) -> None:
    """Say what follows where no vector equivalent is near."""
    negative = report.negative_eigenfraction[int(chosen)]
    if negative > NEGLIGIBLE:
        warn(
            f"No vectors have these dissimilarities: with exponent {chosen}, {negative:.1%} of "
            f"the spectrum is negative. {without_vectors} relation_report_ says more.",
            NotEuclideanWarning,
        )


def report_on(relation: Relation, weights: Array) -> tuple[RelationReport, Array]:
    """Report on a relation whose objects have these weights (summing to one).

    Also return the weights with those of duplicates given to the first of them.
    """
    first_equal, mean_sq = duplicates_and_means(relation, weights)
    merged = np.zeros_like(weights)
    np.add.at(merged, first_equal, weights)
    order = order_by_centrality(
        lambda A: relation.product(A.astype(relation.dtype)),
        merged,
        np.zeros((len(merged), 1)),
        mean_sq,
    )
    inspected = spread_over(order[merged[order] > 0], MAX_INSPECTED)
    n_duplicates = int(np.count_nonzero(first_equal != np.arange(len(first_equal))))
    return describe(relation, inspected, n_duplicates), merged
