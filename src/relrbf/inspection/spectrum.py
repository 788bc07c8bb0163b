"""How far a relation is from vectors: the spectrum of ``B = -J S J / 2`` under each exponent.

Of equal objects one is kept, with a weight: the spectrum is that of all objects. Of few objects it
is computed whole. Of many, products with S alone give its ends (``scipy.sparse.linalg.eigsh``) and
an estimate of its negative part, by stochastic Lanczos quadrature: a random direction's Lanczos
matrix has nodes and weights that integrate any function over the spectrum (Ubaru, Chen & Saad
2017). These products are in units of the largest entry of S, so that squared norms stay in range.
"""

from typing import TypeAlias

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.inspection.report import RelationInspection, StepProgress
from relrbf.relations.base import Relation
from relrbf.relations.properties import EXPONENTS, NEGLIGIBLE, negative_fraction, weighted_spectrum

N_PROBES = 24  # random directions of the quadrature
N_LANCZOS_STEPS = 60  # in each of them
STUDENT_QUANTILE = 2.07  # standard errors either side of the probes' mean that hold 95 %
KRYLOV_VECTORS = 32  # that eigsh keeps
MAX_RESTARTS = 20  # of eigsh
EIGENVALUE_TOLERANCE = 1e-7  # of the residual, relative to the trace; the error is about its square
SMALLEST_NORM = 1e-30  # of a Lanczos vector in which something is left


# The smallest and the largest eigenvalue, the negative fraction, its interval, and whether vectors
# exist (None where the search for a negative eigenvalue did not converge).
SpectrumSummary: TypeAlias = tuple[float, float | None, float, tuple[float, float], bool | None]


def inspect_spectrum(
    relation: Relation,
    distinct: Indices,
    weights: Array,
    seed: int,
    report: RelationInspection,
    progress: StepProgress,
) -> None:
    """Report the spectrum of all objects under each exponent, from the distinct ones.

    The root of a Euclidean distance is one too (Schoenberg 1938): where vectors exist under
    exponent 2 they do under 1, and no second decomposition is made.
    """
    eps = float(np.finfo(relation.dtype).eps)
    tolerance = max(1e-8, len(distinct) * eps)
    fractions: dict[float, float] = {}
    surely = False  # vectors exist under exponent 2, with no more than rounding below zero
    for exponent in EXPONENTS:
        if surely:
            found: SpectrumSummary = (0.0, None, 0.0, (0.0, 0.0), True)
        else:
            progress.begin(f"computing the spectrum for exponent {exponent}")
            raised = relation.with_exponent(exponent)
            if report.spectrum_sampled:
                scale = (report.largest_entry or 1.0) ** exponent
                with raised.multiplying():
                    found = _estimated(raised, scale, tolerance, seed, progress)
            else:
                found = _computed(raised, distinct, weights, tolerance, progress)
        smallest, largest, fractions[exponent], interval, has_vectors = found
        report.smallest_eigenvalue[exponent] = smallest
        report.largest_eigenvalue[exponent] = largest
        report.negative_eigenfraction[exponent] = fractions[exponent]
        report.negative_eigenfraction_interval[exponent] = interval
        report.has_vector_dual[exponent] = has_vectors if report.is_relation else False
        rounding = len(distinct) * eps * (largest or 0.0)
        surely = bool(report.has_vector_dual[exponent]) and smallest >= -rounding
    # 2, unless 1 is clearly closer to vectors: the rule that a fit follows
    report.suggested_exponent = 2 if fractions[2] <= fractions[1] + NEGLIGIBLE else 1


def _computed(
    relation: Relation, distinct: Indices, weights: Array, tolerance: float, progress: StepProgress
) -> SpectrumSummary:
    S = np.array(relation.block_sq(distinct, distinct), dtype=np.float64)
    eigenvalues = progress.wait_for(lambda: weighted_spectrum(S, weights), 0.5)
    smallest, largest = float(eigenvalues[0]), float(eigenvalues[-1])
    has_vectors = _has_no_negative_part(smallest, largest, tolerance)
    fraction = 0.0 if has_vectors else negative_fraction(eigenvalues)
    return smallest, largest, fraction, (fraction, fraction), has_vectors


def _estimated(
    relation: Relation, scale: float, tolerance: float, seed: int, progress: StepProgress
) -> SpectrumSummary:
    ones = np.ones((1, relation.n_objects), dtype=relation.dtype)
    row_sums = relation.product(ones).astype(np.float64) / scale
    trace = float(row_sums.sum()) / (2 * relation.n_objects)  # of B: the sum of its eigenvalues
    ends = extreme_eigenvalues(relation, scale, trace, seed, progress)
    if ends is not None and _has_no_negative_part(*ends, tolerance):
        return scale * ends[0], scale * ends[1], 0.0, (0.0, 0.0), True
    negative, quadrature_ends = negative_parts(relation, scale, seed, progress)
    smallest, largest = ends or quadrature_ends
    if _has_no_negative_part(smallest, largest, tolerance):
        return scale * smallest, scale * largest, 0.0, (0.0, 0.0), None
    mean = float(negative.mean())
    margin = STUDENT_QUANTILE * float(negative.std(ddof=1) / np.sqrt(len(negative)))
    parts = np.maximum([mean - margin, mean, mean + margin], 0.0)
    total = trace + 2 * parts  # the absolute sum: the sum itself, the trace, is known
    low, fraction, high = np.divide(parts, total, out=np.zeros(3), where=total > 0).tolist()
    return scale * smallest, scale * largest, fraction, (low, high), False


def centred_product(relation: Relation, rows: Array, scale: float = 1.0) -> Array:
    """Return rows (c × n) times ``-J S J / 2``, in float64 and in units of the scale."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    product = relation.product(centred.astype(relation.dtype)).astype(np.float64) / scale
    return -0.5 * (product - product.mean(axis=1, keepdims=True))


def extreme_eigenvalues(
    relation: Relation, scale: float, trace: float, seed: int, progress: StepProgress
) -> tuple[float, float] | None:
    """Return the smallest and the largest eigenvalue of B, of which zero is one.

    None where they have not converged. ARPACK's accuracy is relative to each eigenvalue, which one
    near zero never reaches: with the trace added to all, it is relative to the trace.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    n = relation.n_objects
    n_vectors = min(KRYLOV_VECTORS, n)
    n_products = 0

    def times(x: Array) -> Array:
        nonlocal n_products
        n_products += 1
        progress.tell(0.5 * min(1.0, n_products / (MAX_RESTARTS * n_vectors)))
        row = np.reshape(x, (1, -1))
        return (centred_product(relation, row, scale) + trace * row)[0]

    operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
    start = np.random.default_rng(seed).standard_normal(n)
    tol = max(EIGENVALUE_TOLERANCE, float(np.finfo(relation.dtype).eps))
    options = {"ncv": n_vectors, "maxiter": MAX_RESTARTS, "tol": tol, "v0": start}
    try:
        low, high = eigsh(operator, 2, which="BE", return_eigenvectors=False, **options) - trace
    except ArpackNoConvergence:
        return None
    return min(float(low), 0.0), max(float(high), 0.0)


def negative_parts(
    relation: Relation, scale: float, seed: int, progress: StepProgress
) -> tuple[Array, tuple[float, float]]:
    """Return each probe's estimate of the sum of the negative eigenvalues, without its sign.

    Probes are random signs, centred: their expected square is that of the trace. The second value
    are the smallest and the largest node of all, which lie within the spectrum.
    """
    probes = np.random.default_rng(seed).choice([-1.0, 1.0], (N_PROBES, relation.n_objects))
    probes -= probes.mean(axis=1, keepdims=True)
    diagonals, off_diagonals = lanczos_matrices(relation, scale, probes, progress)
    parts, ends = [], [0.0]
    for diagonal, off_diagonal in zip(diagonals, off_diagonals, strict=True):
        # the solver for tridiagonal matrices fails now and then in older versions of LAPACK
        nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off_diagonal, -1))
        parts.append(float(-(vectors[0] ** 2)[nodes < 0] @ nodes[nodes < 0]))
        ends += [float(nodes[0]), float(nodes[-1])]
    return np.square(probes).sum(axis=1) * parts, (min(ends), max(ends))


def lanczos_matrices(
    relation: Relation, scale: float, probes: Array, progress: StepProgress
) -> tuple[Array, Array]:
    """Return the diagonals and off-diagonals of the probes' Lanczos matrices, a row for each.

    The vectors are not made orthogonal to all before: the quadrature does not need it (Musco,
    Musco & Sidford 2018).
    """
    n_steps = min(N_LANCZOS_STEPS, relation.n_objects - 1)
    diagonals, sizes = np.empty((2, len(probes), n_steps))
    now = _normalized(probes)
    before, size = np.zeros_like(now), np.zeros((len(now), 1))
    for step in range(n_steps):
        after = centred_product(relation, now, scale) - size * before
        diagonals[:, step] = np.einsum("pn,pn->p", after, now)
        after -= diagonals[:, step, None] * now
        size = np.linalg.norm(after, axis=1, keepdims=True)
        sizes[:, step] = size[:, 0]
        before, now = now, _normalized(after)
        progress.tell(0.5 + 0.5 * (step + 1) / n_steps)
    return diagonals, sizes[:, :-1]


def _normalized(rows: Array) -> Array:
    """Return rows of length one; zero where nothing is left, so that later steps add zeros."""
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(sizes > SMALLEST_NORM, rows / np.maximum(sizes, SMALLEST_NORM), 0.0)


def _has_no_negative_part(smallest: float, largest: float, tolerance: float) -> bool:
    """Tell whether what is negative is rounding, as a fit's own report does."""
    return bool(smallest >= -tolerance * max(abs(smallest), abs(largest)))
