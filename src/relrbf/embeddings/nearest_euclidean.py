"""Scaling of the nearest Euclidean relation, and the search for it.

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

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from relrbf._options import check_choice
from relrbf._typing import Array
from relrbf._utils import filled
from relrbf.base import progress
from relrbf.embeddings.base import (
    EMBEDDING_PARAMETERS,
    SEARCH_ATTRIBUTES,
    OnIteration,
    SearchingEmbedding,
    SearchStatus,
)
from relrbf.embeddings.spectrum import (
    centred,
    dense_sq,
    distances_sq_of,
    place_nearest,
    positive_part,
    principal_axes,
    whole_spectrum,
)
from relrbf.relations.base import Relation
from relrbf.relations.properties import KnownObjects

NORM_ORDERS = {"l2": 2, "l1": 1}
CHECK_GAP_EVERY = 10  # iterations of l1
RELAXATION = 1.6  # of alternating directions, usual between 1.5 and 1.8
RETUNE_EVERY, RETUNE_UNTIL = 50, 2000  # iterations; a penalty that always changes may not converge
MAX_CG_ITERATIONS = 200
MIN_STEP_FRACTION = 1e-6  # of Newton's step that is worth a try
L1_START_TOL, L1_START_ITER = 1e-6, 50  # of the l2 answer that l1 starts from
DISTANCE_ROUNDING = 32 * float(np.finfo(np.float64).eps)  # of the largest entry
GRADIENT_REDUCTION = 0.5  # in a step that is taken though the dual is too flat to tell


@filled(parameters=EMBEDDING_PARAMETERS, attributes=SEARCH_ATTRIBUTES)
@dataclass(eq=False, repr=False, kw_only=True)
class NearestEuclideanMDS(SearchingEmbedding):
    """Multidimensional scaling of the Euclidean relation nearest to the given one.

    Classical scaling drops what no vectors can show, and so changes the dissimilarities more than
    need be. Here the squared dissimilarities are changed as little as possible, in the sense of
    least squares (what Dykstra's alternating projections find) or of least absolute changes, and
    with all its dimensions the result is realised exactly. Where vectors exist it is classical
    scaling. A new object is placed where the sum of squared changes that it would need is least; a
    row that is a training object's, where that one is.

    Parameters
    ----------
    {parameters}
    norm : {"l2", "l1"}, default="l2"
        What is least: the sum of squared changes, or of absolute ones, which leaves more of the
        dissimilarities as they are and takes much longer.
    tol : float, default=1e-07
        How far, relative to the least possible, the change may be from it.
    max_iter : int, default=5000
        Most iterations, an eigendecomposition each; "l2" needs about ten.
    verbose : int, default=0
        1 prints ten lines per fit, 2 one per iteration reported.

    Attributes
    ----------
    {attributes}
    distance_ : float
        How far the nearest Euclidean relation is: over all pairs of objects, the root of the sum
        of squared changes of squared dissimilarities ("l2"), or the sum of absolute ones ("l1").
    gap_ : float
        Bound on how much nearer another could be, relative to ``distance_``.

    Examples
    --------
    >>> from relrbf.embeddings import NearestEuclideanMDS
    >>> mds = NearestEuclideanMDS().fit([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> round(mds.distance_, 4), mds.status_.name
    (1.633, 'CONVERGED')
    """

    norm: str = "l2"
    tol: float = 1e-7
    max_iter: int = 5000
    verbose: int = 0

    def _check_options(self) -> None:
        super()._check_options()
        check_choice("norm", self.norm, NORM_ORDERS)

    def _embed(self, relation: Relation, X: Any) -> Array:
        S = dense_sq(relation)
        with progress(self, X, "iteration", "relative gap") as on_step:
            found = nearest_euclidean_sq(S, self.norm, self.tol, self.max_iter, on_step)
        # where vectors exist S itself has more digits than what was found
        spectrum = whole_spectrum(S if found.gap == 0 else found.distances_sq)
        kept = spectrum.largest(None)
        self._whole, self._coordinates = principal_axes(spectrum, kept, len(kept))
        self.distance_, self.gap_ = found.distance, found.gap
        self._known = KnownObjects(S)
        nearer = f"another may be nearer by up to {found.gap:.1e} of its distance"
        self._end(found.n_iter, found.status, f" The relation found is Euclidean, but {nearer}.")
        return self._keep_axes(spectrum, kept[: self.n_components])

    def _place(self, S_new: Array) -> Array:
        """Place new objects in all dimensions, and show as many as the embedding has."""
        places = place_nearest(self._whole, self._coordinates, S_new)[0]
        width = self.embedding_.shape[1]
        return np.pad(places, ((0, 0), (0, max(width - places.shape[1], 0))))[:, :width]


class NearestEuclidean(NamedTuple):
    """What was found; gap bounds, relative to the distance, how much nearer another could be."""

    distances_sq: Array
    distance: float
    gap: float
    n_iter: int
    status: SearchStatus


def nearest_euclidean_sq(
    S: Array, norm: str, tol: float, max_iter: int, on_iteration: OnIteration = lambda gap: False
) -> NearestEuclidean:
    """Return the Euclidean relation nearest to S in the norm, to a relative gap of tol."""
    scale = float(S.max(initial=0)) or 1.0
    S = np.asarray(S, dtype=np.float64) / scale
    best = _BestSoFar(S, NORM_ORDERS[norm], np.zeros_like(S))
    search = _newton if norm == "l2" else _alternating_directions
    n_iter, status = search(best, tol, max_iter, on_iteration)
    distances_sq = distances_sq_of(scale * best.gram)
    return NearestEuclidean(distances_sq, scale * best.distance, best.gap, n_iter, status)


@dataclass
class _BestSoFar:
    """The best Euclidean relation and the best bound so far."""

    S: Array
    order: int  # of the norm
    gram: Array
    distance: float = np.inf
    bound: float = 0.0

    def update(self, cone_member: Array, excess: Array) -> None:
        """Take a member of K into account, and the excess over K that was taken off for it."""
        gram = positive_part(-0.5 * centred(cone_member))[2]
        # each pair stands in a symmetric matrix twice
        change = distances_sq_of(gram) - self.S
        if self.order == 1:
            distance = float(np.abs(change).sum()) / 2
        else:
            distance = float(np.sqrt(np.square(change).sum() / 2))
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
    def rounding(self) -> float:
        """A distance of this size may be rounding."""
        return DISTANCE_ROUNDING * float(len(self.S)) ** (3 - self.order)

    @property
    def gap(self) -> float:
        """How far bound and distance may be apart, as a part of the distance."""
        if self.distance <= self.rounding:
            return 0.0
        return max(self.distance - self.bound, self.rounding) / self.distance

    def has_converged(self, tol: float) -> bool:
        """Tell whether nothing is nearer by more than tol, and rounding."""
        return self.distance - self.bound <= tol * self.distance + self.rounding


def _newton(
    best: _BestSoFar, tol: float, max_iter: int, on_iteration: OnIteration
) -> tuple[int, SearchStatus]:
    """Minimise the dual, ``|P_K(S + diag y)|^2 / 2`` over y, whose gradient is P_K's diagonal."""
    point = _DualPoint(best.S, np.zeros(len(best.S)))
    for iteration in range(1, max_iter + 1):
        best.update(point.member, point.excess)
        if best.has_converged(tol):
            return iteration, SearchStatus.CONVERGED
        if on_iteration(best.gap):
            return iteration, SearchStatus.STOPPED
        following = _line_search(point)
        if following is None:
            return iteration, SearchStatus.STALLED
        point = following
    return max_iter, SearchStatus.MAX_ITER


def _line_search(point: "_DualPoint") -> "_DualPoint | None":
    """Return a point that is lower, or where the gradient is much smaller; None if none is seen.

    Where S is nearly Euclidean the dual hardly varies: its gradient has twice the digits.
    """
    direction = point.newton_direction()
    derivative, fraction = float(direction @ point.gradient), 1.0
    while fraction > MIN_STEP_FRACTION:
        candidate = _DualPoint(point.S, point.y + fraction * direction)
        is_lower = candidate.value < point.value + 1e-4 * fraction * derivative
        if is_lower or candidate.gradient_norm <= GRADIENT_REDUCTION * point.gradient_norm:
            return candidate
        fraction /= 4
    return None


class _DualPoint:
    """The dual and its derivatives at one y."""

    def __init__(self, S: Array, y: Array) -> None:
        self.S, self.y = S, y
        matrix = S + np.diag(y)
        self.eigenvalues, vectors, self.excess = positive_part(centred(matrix))
        self.vectors = vectors - vectors.mean(axis=0)
        self.member = matrix - self.excess  # the projection on K
        self.gradient = np.diagonal(self.member)
        self.gradient_norm = float(np.linalg.norm(self.gradient))
        self.value = float(np.square(self.member).sum()) / 2

    def newton_direction(self) -> Array:
        """Solve for the step that makes the diagonal zero to first order."""
        from scipy.sparse.linalg import LinearOperator, cg

        n = len(self.gradient)
        # divided differences of max(x, 0) at pairs of eigenvalues
        positive = np.maximum(self.eigenvalues, 0)
        gaps = self.eigenvalues[:, None] - self.eigenvalues
        same = gaps == 0
        both = (self.eigenvalues > 0).astype(np.float64)
        rises = positive[:, None] - positive
        differences = np.where(same, both, rises / np.where(same, 1, gaps))

        def times(h: Array) -> Array:
            inner = self.vectors.T @ (np.reshape(h, (-1, 1)) * self.vectors)
            change = ((self.vectors @ (differences * inner)) * self.vectors).sum(axis=1)
            return np.ravel(h) * (1 + 1e-12) - change

        operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
        rtol = min(0.01, self.gradient_norm)
        return cg(operator, -self.gradient, rtol=rtol, maxiter=MAX_CG_ITERATIONS)[0]


def _alternating_directions(
    best: _BestSoFar, tol: float, max_iter: int, on_iteration: OnIteration
) -> tuple[int, SearchStatus]:
    """Alternate between K and the soft threshold; the excess over K is the dual's variable."""
    S, least_squares = best.S, replace(best, order=2)
    status = _newton(least_squares, L1_START_TOL, L1_START_ITER, on_iteration)[1]
    thresholded, dual = distances_sq_of(least_squares.gram), np.zeros_like(S)
    best.update(thresholded, np.zeros_like(S))
    if status is SearchStatus.STOPPED or best.has_converged(tol):
        return 0, status
    penalty = 1 / max(float(np.abs(thresholded - S).mean()), DISTANCE_ROUNDING)
    for iteration in range(1, max_iter + 1):
        excess = positive_part(centred(thresholded - dual))[2]
        member = thresholded - dual - excess
        relaxed = RELAXATION * member + (1 - RELAXATION) * thresholded + dual
        before, thresholded = thresholded, soft(relaxed - S, 1 / penalty) + S
        np.fill_diagonal(thresholded, 0)
        dual = relaxed - thresholded
        if iteration % CHECK_GAP_EVERY == 0 or iteration == max_iter:
            best.update(member, excess)
            if best.has_converged(tol):
                return iteration, SearchStatus.CONVERGED
            if on_iteration(best.gap):
                return iteration, SearchStatus.STOPPED
        if iteration % RETUNE_EVERY == 0 and iteration <= RETUNE_UNTIL:
            factor = _penalty_factor(member - thresholded, thresholded - before, member - S, dual)
            penalty, dual = penalty * factor, dual / factor
    return max_iter, SearchStatus.MAX_ITER


def soft(u: Array, threshold: float) -> Array:
    """Take the threshold off the size of u; what is smaller becomes zero."""
    if threshold == 0:
        return u
    return np.where(u > threshold, u - threshold, np.where(u < -threshold, u + threshold, 0.0))


def _penalty_factor(primal: Array, drift: Array, change: Array, dual: Array) -> float:
    """Return by what to multiply the penalty, so that both residuals shrink alike."""
    sizes = [float(np.linalg.norm(part)) for part in (primal, drift, change, dual)]
    apart, moving = sizes[0] * sizes[3], sizes[1] * sizes[2]
    return 2.0 if apart > 2 * moving else 0.5 if moving > 2 * apart else 1.0
