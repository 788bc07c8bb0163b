"""The Euclidean relation nearest to a given one, with a bound on how much nearer any could be.

A matrix X of squared dissimilarities is Euclidean when its diagonal is zero and it lies in the cone
K of matrices with -J X J positive semidefinite (theory 8). The sum of squared changes is least
where Dykstra's alternating projections between the two sets end; since one of the sets is a
subspace, they are gradient steps in the dual of this problem, and ``l2`` takes Newton's steps
instead (Qi 2013), which need tens of eigendecompositions instead of thousands. The sum of absolute
changes has no such smooth dual; ``l1`` starts from the other's answer and splits the problem in
the same two projections, with a soft threshold (alternating directions, Boyd et al. 2011).

Whatever the steps, the answer is exactly Euclidean, and its distance from the given relation is
within ``tol`` of the least possible: the dual gives the bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from relrbf._typing import Array
from relrbf.embeddings.gram import centred, distances_sq_of, split


class Ending(Enum):
    """How a search for an optimum ended; the value is advice."""

    CONVERGED = "Converged: nothing is better by more than tol."
    MAX_ITER = "Stopped at max_iter. Raise it, or loosen tol."
    STALLED = "Stopped: rounding errors hide any further progress. Loosen tol."
    INTERRUPTED = "Stopped by a callback."


Report = Callable[[float], bool]  # told the relative gap after each iteration; True stops
CHECK_EVERY = 10  # iterations of l1 between two looks at the gap
RELAXATION = 1.6  # of alternating directions, usual between 1.5 and 1.8
RETUNE_EVERY, RETUNE_UNTIL = 50, 2000  # iterations; a penalty that never settles may not converge
MAX_CG = 200
SHORTEST = 1e-6  # part of Newton's step that is worth a try
START_TOL, START_ITER = 1e-6, 50  # of the l2 answer that l1 starts from
SLACK = 32 * float(np.finfo(np.float64).eps)  # of the largest entry: a change may be rounding
SHRINKS = 0.5  # of the gradient, in a step that is taken though the dual is too flat to tell


@dataclass(frozen=True, eq=False)
class Projection:
    """The nearest Euclidean relation that was found.

    ``gap`` bounds, relative to ``distance``, how much nearer another could be.
    """

    gram: Array
    distance: float
    gap: float
    n_iter: int
    ending: Ending

    @property
    def squares(self) -> Array:
        """The squared dissimilarities (n × n), Euclidean."""
        return distances_sq_of(self.gram)


@dataclass
class _Search:
    """The best Euclidean relation and the best bound so far."""

    S: Array
    order: int  # of the norm
    gram: Array
    distance: float = np.inf
    bound: float = 0.0

    @property
    def squares(self) -> Array:
        """The best relation's squared dissimilarities."""
        return distances_sq_of(self.gram)

    def note(self, cone_member: Array, excess: Array) -> None:
        """Take a member of K into account, and the excess over K that was taken off for it."""
        gram = split(-0.5 * centred(cone_member))[2]
        distance = _norm(distances_sq_of(gram) - self.S, self.order)
        if distance < self.distance:
            self.gram, self.distance = gram, distance
        self.bound = max(self.bound, self._bound_from(excess))

    def _bound_from(self, excess: Array) -> float:
        """Return how far every Euclidean relation is from S at least.

        The excess Z is positive semidefinite and centred, so ``<Z, X> <= 0`` for every X in K, and
        ``<Z, S> <= <Z, S - X>``, which is at most the norm of S - X times the dual norm of Z.
        """
        Z = centred(excess)
        others = Z[~np.eye(len(Z), dtype=bool)]
        size = np.linalg.norm(others) / np.sqrt(2) if self.order == 2 else np.abs(others).max()
        return float((Z * centred(self.S)).sum() / 2 / size) if size > 0 else 0.0

    @property
    def slack(self) -> float:
        """A distance of this size may be rounding."""
        return SLACK * float(len(self.S)) ** (3 - self.order)

    @property
    def gap(self) -> float:
        """How far bound and distance may be apart, as a part of the distance."""
        if self.distance <= self.slack:
            return 0.0
        return max(self.distance - self.bound, self.slack) / self.distance

    def has_converged(self, tol: float) -> bool:
        """Tell whether nothing is nearer by more than tol, and rounding."""
        return self.distance - self.bound <= tol * self.distance + self.slack


def nearest_euclidean_sq(
    S: Array,
    norm: str,
    tol: float,
    max_iter: int,
    report: Report = lambda gap: False,
) -> Projection:
    """Return the Euclidean relation nearest to S in the norm ("l2" or "l1").

    ``tol`` is the relative gap to the optimum at which to stop.
    """
    scale = float(S.max(initial=0)) or 1.0
    S = np.asarray(S, dtype=np.float64) / scale
    search = _Search(S, 2 if norm == "l2" else 1, np.zeros_like(S))
    run = _newton if norm == "l2" else _split_directions
    n_iter, ending = run(search, tol, max_iter, report)
    return Projection(scale * search.gram, scale * search.distance, search.gap, n_iter, ending)


def _norm(change: Array, order: int) -> float:
    """Return the norm of a change of pairs; each pair stands in a symmetric matrix twice."""
    if order == 1:
        return float(np.abs(change).sum()) / 2
    return float(np.sqrt(np.square(change).sum() / 2))


def _newton(search: _Search, tol: float, max_iter: int, report: Report) -> tuple[int, Ending]:
    """Minimise the dual, ``|P_K(S + diag y)|^2 / 2`` over y, whose gradient is P_K's diagonal."""
    point = _DualPoint(search.S, np.zeros(len(search.S)))
    for iteration in range(1, max_iter + 1):
        search.note(point.member, point.excess)
        if search.has_converged(tol):
            return iteration, Ending.CONVERGED
        if report(search.gap):
            return iteration, Ending.INTERRUPTED
        ahead = _down_from(point)
        if ahead is None:
            return iteration, Ending.STALLED
        point = ahead
    return max_iter, Ending.MAX_ITER


def _down_from(point: "_DualPoint") -> "_DualPoint | None":
    """Return a point that is lower, or where the gradient is much smaller; None if none is seen.

    Where S is nearly Euclidean the dual hardly varies: its gradient has twice the digits.
    """
    step = point.newton_step()
    slope, length = float(step @ point.gradient), 1.0
    while length > SHORTEST:
        ahead = _DualPoint(point.S, point.y + length * step)
        is_lower = ahead.value < point.value + 1e-4 * length * slope
        if is_lower or ahead.steepness <= SHRINKS * point.steepness:
            return ahead
        length /= 4
    return None


class _DualPoint:
    """The dual and its derivatives at one y."""

    def __init__(self, S: Array, y: Array) -> None:
        self.S, self.y = S, y
        matrix = S + np.diag(y)
        self.eigenvalues, vectors, self.excess = split(centred(matrix))
        self.vectors = vectors - vectors.mean(axis=0)
        self.member = matrix - self.excess  # the projection on K
        self.gradient = np.diagonal(self.member)
        self.steepness = float(np.linalg.norm(self.gradient))
        self.value = float(np.square(self.member).sum()) / 2

    def newton_step(self) -> Array:
        """Solve for the step that makes the diagonal zero to first order."""
        from scipy.sparse.linalg import LinearOperator, cg

        n = len(self.gradient)
        slopes = self._slopes()

        def times(h: Array) -> Array:
            inner = self.vectors.T @ (np.reshape(h, (-1, 1)) * self.vectors)
            change = ((self.vectors @ (slopes * inner)) * self.vectors).sum(axis=1)
            return np.ravel(h) * (1 + 1e-12) - change

        operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
        rtol = min(0.01, self.steepness)
        return cg(operator, -self.gradient, rtol=rtol, maxiter=MAX_CG)[0]

    def _slopes(self) -> Array:
        """Return the divided differences of max(x, 0) at pairs of eigenvalues."""
        positive = np.maximum(self.eigenvalues, 0)
        gaps = self.eigenvalues[:, None] - self.eigenvalues
        rises = positive[:, None] - positive
        both = (self.eigenvalues > 0).astype(np.float64)
        same = gaps == 0
        return np.where(same, both, rises / np.where(same, 1, gaps))


def _split_directions(
    search: _Search, tol: float, max_iter: int, report: Report
) -> tuple[int, Ending]:
    """Alternate between K and the soft threshold; the excess over K is the dual's variable."""
    S, start = search.S, replace(search, order=2)
    ending = _newton(start, START_TOL, START_ITER, report)[1]
    thresholded, dual = start.squares, np.zeros_like(S)
    search.note(thresholded, np.zeros_like(S))
    if ending is Ending.INTERRUPTED or search.has_converged(tol):
        return 0, ending
    penalty = 1 / max(float(np.abs(thresholded - S).mean()), SLACK)
    for iteration in range(1, max_iter + 1):
        excess = split(centred(thresholded - dual))[2]
        member = thresholded - dual - excess
        relaxed = RELAXATION * member + (1 - RELAXATION) * thresholded + dual
        before, thresholded = thresholded, _thresholded(relaxed - S, 1 / penalty) + S
        dual = relaxed - thresholded
        if iteration % CHECK_EVERY == 0 or iteration == max_iter:
            search.note(member, excess)
            if search.has_converged(tol):
                return iteration, Ending.CONVERGED
            if report(search.gap):
                return iteration, Ending.INTERRUPTED
        if iteration % RETUNE_EVERY == 0 and iteration <= RETUNE_UNTIL:
            factor = _retuned(member - thresholded, thresholded - before, member - S, dual)
            penalty, dual = penalty * factor, dual / factor
    return max_iter, Ending.MAX_ITER


def _thresholded(change: Array, threshold: float) -> Array:
    shrunk = np.sign(change) * np.maximum(np.abs(change) - threshold, 0)
    np.fill_diagonal(shrunk, 0)
    return shrunk


def _retuned(primal: Array, drift: Array, change: Array, dual: Array) -> float:
    """Return by what to multiply the penalty, so that both residuals shrink alike."""
    sizes = [float(np.linalg.norm(part)) for part in (primal, drift, change, dual)]
    apart, moving = sizes[0] * sizes[3], sizes[1] * sizes[2]
    return 2.0 if apart > 2 * moving else 0.5 if moving > 2 * apart else 1.0
