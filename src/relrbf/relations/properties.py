"""Properties of a relation: vector dual and exponent, equal objects, objects that stand for all.

A relation of vectors is one whose ``-J S J / 2`` (J centres) has no negative eigenvalue: it is of
*negative type*. The triangle inequality is not enough (theory 5.3).
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from numbers import Integral
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import NotEuclideanWarning, RelationError, warn
from relrbf.relations.base import Relation
from relrbf.relations.validation import check_largest

EXPONENTS = (2, 1)  # to choose from, the more usual one first
EXPONENT_MEANINGS: dict[float, str] = {2: "distances", 1: "squared distances"}
MAX_INSPECTED = 256  # objects whose spectrum is computed; a sample beyond
NEGLIGIBLE = 0.01  # a negative part of the spectrum below this changes nothing that matters
N_PROJECTIONS = 3
N_ROWS_COMPARED = 64  # at a time
MAX_ULPS = 8  # by which two measurements of one dissimilarity may differ
N_DIGITS = 9  # of a key that count: rounding must not choose
MAX_FULL_SUPPORT = 2500  # objects of which "auto" lets all carry coefficients
AUTO_SUPPORT = 2000  # of more, at most: the cost of a fit then grows as their number
COSTLY_AUTO_SUPPORT = (1000, 500)  # the same two where each dissimilarity is computed
MIN_OBJECTS_PER_SUPPORT = 3  # with fewer, half of all pairs do not cost much more


@dataclass(frozen=True)
class RelationReport:
    """What was found about a relation, under the exponents 2, 1 and the one that was given.

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
    smallest_eigenvalue: dict[float, float]
    negative_eigenfraction: dict[float, float]
    has_vector_dual: dict[float, bool]
    suggested_exponent: int

    @property
    def is_of_sample(self) -> bool:
        """Whether the spectrum is that of a sample of the distinct objects."""
        return self.n_inspected < self.n_objects - self.n_duplicate_objects

    def negative_share(self, exponent: float) -> str:
        """Return the negative share of the spectrum as text; that of a sample is rounded."""
        share = self.negative_eigenfraction[exponent]
        return f"about {share:.0%}" if self.is_of_sample and share >= 0.01 else f"{share:.1%}"

    def __str__(self) -> str:
        kind = "a sample of" if self.is_of_sample else "all the"
        lines = [
            f"{self.n_objects} objects, {self.n_duplicate_objects} of them duplicates of others",
            f"spectrum of {kind} {self.n_inspected} distinct objects:",
        ]
        for exponent, smallest in self.smallest_eigenvalue.items():
            found = (
                "vectors with these distances exist; the network has an exact vector equivalent"
                if self.has_vector_dual[exponent]
                else f"no vectors have these distances; {self.negative_share(exponent)} of the "
                f"spectrum is negative (smallest eigenvalue {smallest:.4g})"
            )
            meaning = EXPONENT_MEANINGS.get(exponent, "powers of distances")
            lines.append(f"read as {meaning} (exponent {exponent:g}): {found}")
        return "\n".join([*lines, f"suggested exponent: {self.suggested_exponent}"])


def describe(
    relation: Relation, objects: Indices, first_equal: Indices, exponent: Any = None
) -> RelationReport:
    """Report on a relation from the spectrum of some of its objects (at most MAX_INSPECTED).

    Each counts as often as it occurs: ``first_equal`` (n) says which objects are equal. An exponent
    that was given, there or with the relation, is reported on as well.
    """
    given = relation.exponent if exponent is None or isinstance(exponent, str) else exponent
    n_duplicates = int(np.count_nonzero(first_equal != np.arange(len(first_equal))))
    counts = np.maximum(np.bincount(first_equal, minlength=len(first_equal))[objects], 1)
    tolerance = max(1e-8, len(objects) * float(np.finfo(relation.dtype).eps))
    smallest: dict[float, float] = {}
    fractions: dict[float, float] = {}
    has_dual: dict[float, bool] = {}
    for power in dict.fromkeys((*EXPONENTS, given)):
        # powers below one of a Euclidean distance are such too (Schoenberg 1938): where vectors
        # exist under exponent 2 they do under 1, and a zero says so without another decomposition
        eigenvalues: Array = np.zeros(1)
        if not (has_dual.get(2) and power <= 2):
            S = relation.with_exponent(power).block_sq(objects, objects)
            if not S.any() and relation.block(objects, objects).any():
                raise RelationError(
                    f"the entries of X to the power of exponent={power:g} are zero in "
                    f"{relation.dtype}. Rescale X, for example by its largest entry."
                )
            eigenvalues = weighted_spectrum(np.array(S), counts.astype(S.dtype))
        smallest[power] = float(eigenvalues[0])
        fractions[power] = negative_fraction(eigenvalues)
        has_dual[power] = bool(eigenvalues[0] >= -tolerance * np.abs(eigenvalues).max())
    suggested = 2 if fractions[2] <= fractions[1] + NEGLIGIBLE else 1
    n = relation.n_objects
    return RelationReport(n, len(objects), n_duplicates, smallest, fractions, has_dual, suggested)


def spectrum(S: Array) -> Array:
    """Return the eigenvalues of ``-J S J / 2`` for a small dense S, smallest first."""
    means = S.mean(axis=0)
    return np.linalg.eigvalsh(-0.5 * (S - means - means[:, None] + means.mean()))


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


def negative_fraction(eigenvalues: Array) -> float:
    """Return the share of the absolute sum of eigenvalues that is negative."""
    total = np.abs(eigenvalues).sum()
    return float(-eigenvalues[eigenvalues < 0].sum() / total) if total > 0 else 0.0


def choose_exponent(
    exponent: float | str | None, space: str, relation: Relation, report: RelationReport
) -> float:
    """Return the exponent: the given one, or that under which vectors are closest."""
    if space == "vector":
        return 2
    if exponent is None or (isinstance(exponent, str) and relation.exponent_given):
        exponent = relation.exponent
    if isinstance(exponent, str):
        return report.suggested_exponent
    return int(exponent) if exponent in EXPONENTS else float(exponent)


def warn_without_vectors(chosen: float, report: RelationReport, without_vectors: str) -> None:
    """Say what follows where no vector equivalent is near."""
    if report.negative_eigenfraction[chosen] > NEGLIGIBLE:
        share = report.negative_share(chosen)
        warn(
            f"No vectors have these dissimilarities: with exponent {chosen:g}, {share} of the "
            f"spectrum is negative. {without_vectors} relation_report_ says more.",
            NotEuclideanWarning,
        )


def report_on(
    relation: Relation, weights: Array, exponent: Any = None
) -> tuple[RelationReport, Array]:
    """Report on a relation whose objects have these weights (summing to one).

    Also return the weights with those of duplicates given to the first of them.
    """
    first_equal, mean_sq = duplicates_and_means(relation, weights)
    merged = np.zeros_like(weights)
    np.add.at(merged, first_equal, weights)

    def multiply(A: Array) -> Array:
        return relation.product(A.astype(relation.dtype))

    order = order_by_centrality(multiply, merged, np.zeros((len(merged), 1)), mean_sq)
    inspected = spread_over(order[merged[order] > 0], MAX_INSPECTED)
    return describe(relation, inspected, first_equal, exponent), merged


def duplicates_and_means(relation: Relation, weights: Array) -> tuple[Indices, Array]:
    """Return each object's first equal and its weighted mean of S (n), in one pass over S.

    Equal objects have the same dissimilarities to all.
    """
    directions = np.random.default_rng(0).standard_normal((N_PROJECTIONS, relation.n_objects))
    products = relation.product(np.vstack([directions, weights]).astype(relation.dtype))
    return find_duplicates(products[:-1].T, relation.block), products[-1]


def find_duplicates(projections: Array, read: Callable[[Indices], Array]) -> Indices:
    """Return for each object the first that is equal to it.

    Equal objects have random projections of their rows (n × 3) that agree to rounding; the rows of
    such, which ``read`` returns, are also compared entry by entry, to about half the digits.
    """
    rounding = 64 * np.finfo(projections.dtype).eps * np.abs(projections).max()
    order = np.argsort(projections[:, 0], kind="stable")
    agrees = np.abs(np.diff(projections[order], axis=0)).max(axis=1) <= rounding
    groups = np.append(0, np.cumsum(~agrees))[np.argsort(order)]
    possible = np.flatnonzero(np.bincount(groups)[groups] > 1)
    first_equal = np.arange(len(projections))
    seen: dict[tuple[int, bytes], int] = {}
    for start in range(0, len(possible), N_ROWS_COMPARED):
        some = possible[start : start + N_ROWS_COMPARED]
        for i, row in zip(some, read(some), strict=True):
            first_equal[i] = seen.setdefault((groups[i], _digest(row)), i)
    return first_equal


def _digest(row: Array) -> bytes:
    """Return a hash of a row's leading digits; what may be a zero's rounding error is zero."""
    noise, digits = (6e-8, 24) if row.dtype == np.float64 else (1e-4, 18)  # binary digits
    mantissas, exponents = np.frexp(np.where(row > noise * np.median(row), row, 0))
    leading = np.ldexp(np.round(np.ldexp(mantissas, digits)), exponents)
    return blake2b(leading.tobytes(), digest_size=16).digest()


class KnownObjects:
    """The objects of a square matrix, to be recognised by their rows.

    A row belongs to a known object when its dissimilarity to it is zero and all the others are that
    object's, to rounding; three random projections of the row tell, so that the matrix need not
    be kept. Each column counts in units of its own median: one object that is far from all does
    not hide the others. In S (n × n), a zero measured with a rounding error is still one.
    """

    def __init__(self, S: Array) -> None:
        self._dtype: np.dtype[Any] = S.dtype
        self._scale = float(S.max(initial=0)) or 1.0
        scaled = S.astype(np.float64) / self._scale
        np.fill_diagonal(scaled, 0)
        usual = np.median(scaled, axis=0)
        self._units = np.where(usual > 0, usual, 1.0)
        self._directions = np.random.default_rng(0).standard_normal((len(S), N_PROJECTIONS))
        self._projections = scaled / self._units @ self._directions

    def find(self, rows: Array) -> Indices:
        """Return the position of the known object that each row of S (m × n) is, or -1.

        Of several known objects with the same row, the one at the row's own position is meant, and
        where that is none of them, the first.
        """
        eps = max(float(np.finfo(dtype).eps) for dtype in (rows.dtype, self._dtype))
        rows = rows.astype(np.float64) / self._scale / self._units
        found = np.full(len(rows), -1, dtype=np.intp)
        projections = rows @ self._directions
        largest = rows.max(axis=1, keepdims=True)
        largest[largest == 0] = 1  # whose square need not be in range
        spread = largest * np.sqrt(np.square(rows / largest) @ np.square(self._directions))
        at_zero = rows <= np.sqrt(eps)
        for i in np.flatnonzero(at_zero.any(axis=1)):
            near = np.flatnonzero(at_zero[i])
            # its own entry apart: a zero that was measured has the largest rounding error
            others = projections[i] - rows[i, near, None] * self._directions[near]
            gaps = np.abs(self._projections[near] - others)
            if (gaps <= MAX_ULPS * eps * spread[i]).all(axis=1).any():
                best = near[gaps.max(axis=1) == gaps.max(axis=1).min()]
                found[i] = i if i in best else best[0]
        return found


def order_by_centrality(
    multiply: Callable[[Array], Array], weights: Array, Y: Array, mean_sq: Array
) -> Indices:
    """Return the objects in an order from the centre to the rim, however they are numbered.

    ``mean_sq`` holds each object's weighted mean of S. Objects that are equally far out are told
    apart by how far they are from the others far out, and from those with large targets: by
    products with S, of which ``multiply`` returns as much as was read.
    """
    distances = _rounded(mean_sq)
    order = np.argsort(distances)
    if (np.diff(distances[order]) > 0).all():
        return order
    scale = float(np.abs(mean_sq).max()) or 1.0
    mixed = Y @ np.random.default_rng(0).standard_normal(Y.shape[1])
    others = multiply(weights * np.vstack([np.square(mean_sq / scale), mixed, np.square(mixed)]))
    return np.lexsort([*map(_rounded, others[::-1]), distances])


def spread_over(order: Indices, size: int) -> Indices:
    """Return ``size`` of the ordered objects, evenly spread, in ascending order."""
    if size >= len(order):
        return np.sort(order)
    return np.sort(order[np.linspace(0, len(order) - 1, size).astype(np.intp)])


def spread_along(key: Array, size: int) -> Indices:
    """Return ``size`` positions, evenly spread from the smallest key to the largest."""
    return spread_over(np.argsort(_rounded(key), kind="stable"), size)


def farthest_first(
    relation: Relation, size: int, first: int, rows: Array | None = None
) -> tuple[Indices, Indices]:
    """Return objects each of which is farthest from all before, and whose nearest they are.

    The second value says for every object which of them is nearest, the first of equals. There are
    fewer than ``size`` where every object equals one of them. One row each is read, and kept
    in ``rows`` (size × n) where that is given.
    """
    n = relation.n_objects
    reach, groups = np.full(n, np.inf, dtype=relation.dtype), np.zeros(n, dtype=np.intp)
    chosen = [first]
    while True:
        row = relation.block(slice(chosen[-1], chosen[-1] + 1))[0]
        if rows is not None:
            rows[len(chosen) - 1] = row
        check_largest(row.max())
        closer = np.flatnonzero((row < reach) & (reach > 0))  # rounding moves no chosen one
        reach[closer], groups[closer] = row[closer], len(chosen) - 1
        reach[chosen[-1]], groups[chosen[-1]] = 0, len(chosen) - 1
        farthest = int(reach.argmax())
        if len(chosen) == size or reach[farthest] <= 0:
            return np.array(chosen), groups
        chosen.append(farthest)


def _rounded(key: Array) -> Array:
    return np.round(key / (float(np.abs(key).max()) or 1.0), N_DIGITS)


def support_size(n_support: Any, n_objects: int, is_costly: bool = False) -> int:
    """Return how many objects an option asks for; fewer where dissimilarities are costly."""
    if n_support is None:
        return n_objects
    if isinstance(n_support, str):
        limit, size = COSTLY_AUTO_SUPPORT if is_costly else (MAX_FULL_SUPPORT, AUTO_SUPPORT)
        return n_objects if n_objects <= limit else size
    if isinstance(n_support, Integral):
        return min(n_objects, int(n_support))
    return max(1, round(float(n_support) * n_objects))


def is_small_support(size: int, n_objects: int) -> bool:
    """Tell whether so small a support is drawn first, and only its rows are read."""
    return MIN_OBJECTS_PER_SUPPORT * size < n_objects
