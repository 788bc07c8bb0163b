"""The nearest relation that obeys every triangle inequality."""

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import squareform

from relrbf._options import check_choice, check_number
from relrbf._typing import Array, Indices
from relrbf.relations.duplicates import KnownObjects
from relrbf.repair.ascent import Ascent, Progress
from relrbf.repair.constraints import AllTriangles, NewObject
from relrbf.repair.finish import nearest
from relrbf.repair.given import judged
from relrbf.repair.objective import NORMS, Objective
from relrbf.repair.result import Extension, Repair, RepairStatus, check_progress

ROUNDING = 1e-12  # of a long side, in float64: by less, a triangle is not broken
ULPS = 8  # the same in coarser precisions, in units of the last place


def nearest_metric(
    D: Any,
    norm: Literal["l2", "l1"] = "l2",
    *,
    tol: float = 1e-6,
    max_iter: int = 200,
    progress: Progress | None = None,
) -> Repair:
    """Return the nearest dissimilarities that obey every triangle inequality.

    Parameters
    ----------
    D : array of shape (n, n), condensed vector, memmap, frame or Relation
        Dissimilarities, as ``as_relation`` takes them.
    norm : {"l2", "l1"}, default="l2"
        What "nearest" means, over the pairs of objects: the sum of squared changes, or the sum of
        absolute changes. L2 spreads small changes over many pairs, and has one solution only. L1
        changes fewer pairs, each by more.
    tol : float, default=1e-06
        Stop when the sum is at most this much above the smallest possible one, relatively, by the
        duality gap.
    max_iter : int, default=200
        Most searches for broken triangles; each is followed by sweeps of projections.
    progress : callable or None, default=None
        Called after each search with its number and the largest violation; if it returns True, the
        repair stops. What is returned is a metric then, too.

    Returns
    -------
    Repair
        ``matrix``, ``n_changed``, ``distance``, ``status``, ``gap``; ``relation`` to hand to an
        estimator, ``extend`` for new objects. Every triangle holds to rounding.

    Notes
    -----
    A relation that obeys every triangle to rounding (1e-12 of the long side; 1e-6 in float32)
    comes back unchanged. Where its two halves differ by rounding, their mean is taken.

    Equal objects (the same dissimilarities to all) are repaired as one, with the weight of all, and
    stay equal: an optimum in which they do always exists.

    The triangles are projected on in turns with a correction (Dykstra's method), only those that
    matter: see Sonthalia and Gilbert, "Project and forget", 2020. Memory is O(n²). With numba
    (``pip install 'relrbf[numba]'``) it is faster, for ``norm="l1"`` much so, and gives the same
    numbers.

    Examples
    --------
    >>> from relrbf.repair import nearest_metric
    >>> D = [[0.0, 5.0, 1.0, 1.0], [5.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0]]
    >>> nearest_metric(D, "l1").matrix.round(6)
    array([[0., 2., 1., 1.],
           [2., 0., 1., 1.],
           [1., 1., 0., 1.],
           [1., 1., 1., 0.]])
    >>> repair = nearest_metric(D, "l2")
    >>> repair.n_changed, round(repair.distance, 6), repair.status.name
    (5, 2.12132, 'CONVERGED')
    """
    check_choice("norm", norm, NORMS)
    check_number("tol", tol, Real, 0)
    check_number("max_iter", max_iter, Integral, 1)
    check_progress(progress)
    relation = judged(D)
    given = relation.matrix.astype(np.float64)
    found = _repaired(given, rounding(relation.dtype), NORMS[norm], tol, max_iter, progress)
    matrix = squareform(found.closed, checks=False).astype(relation.dtype)
    changes = squareform(matrix - given, checks=False)
    distance = float(np.linalg.norm(changes, NORMS[norm].order))
    cost = NORMS[norm].cost_at(distance)
    return Repair(
        matrix=matrix,
        n_changed=int(np.count_nonzero(changes)),
        distance=distance,
        status=found.status,
        n_iter=found.n_iter,
        exponent=relation.exponent,
        ids=relation.ids,
        extension=MetricExtension(given, matrix, NORMS[norm], tol, max_iter),
        gap=max(0.0, 1 - found.bound / cost) if cost > 0 else 0.0,
        self_similarity=relation.self_similarity,
    )


def rounding(*dtypes: np.dtype[Any]) -> float:
    """Return the part of its long side by which a triangle may fail in the coarsest of dtypes."""
    return max(ROUNDING, *(ULPS * float(np.finfo(dtype).eps) for dtype in dtypes))


def _repaired(
    given: Array,
    tolerance: float,
    norm: type[Objective],
    tol: float,
    max_iter: int,
    progress: Progress | None,
) -> Ascent:
    """Return the nearest metric in condensed form; equal objects count as one, with a weight."""
    d = squareform(given, checks=False)
    if not AllTriangles(len(given), tolerance).violated(d):
        return Ascent(d, d, 0.0, RepairStatus.UNCHANGED, 0)
    first, group, counts = _distinct(given)
    distinct = squareform(given[np.ix_(first, first)], checks=False)
    inverse = 1 / squareform(np.outer(counts, counts), checks=False)
    constraints = AllTriangles(len(first))
    objective = norm(distinct, inverse, constraints)
    found = nearest(objective, constraints, tol, max_iter, progress)
    expanded = squareform(found.closed, checks=False)[np.ix_(group, group)]
    return replace(found, closed=squareform(expanded, checks=False))


def _distinct(matrix: Array) -> tuple[Indices, Indices, Indices]:
    """Return the first of every group of equal objects, each object's group, and their sizes."""
    _, first, group, counts = np.unique(
        matrix, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return first, group.ravel(), counts


class MetricExtension(Extension):
    """New objects: the nearest row that obeys every triangle with two training objects.

    Parameters
    ----------
    given : ndarray of shape (n, n)
        The training objects' dissimilarities before the repair, to recognise them by.
    matrix : ndarray of shape (n, n)
        The repaired ones, which stay as they are.
    norm : subclass of Objective
        What nearest means.
    tol, max_iter : float, int
        As in the repair.
    """

    def __init__(
        self, given: Array, matrix: Array, norm: type[Objective], tol: float, max_iter: int
    ) -> None:
        self._known = KnownObjects(np.square(given))
        self._matrix = matrix.copy()  # what a user does to the result is not done to new objects
        self._norm = norm
        self._tol = tol
        self._max_iter = max_iter

    def extend(self, rows: Array) -> Array:
        """Return the rows of known objects from the matrix, the others mended one by one."""
        tolerance = rounding(rows.dtype, self._matrix.dtype)
        metric = self._matrix.astype(np.float64)
        extended = np.empty(rows.shape)
        for new, (known, row) in enumerate(
            zip(self._known.find(np.square(rows.astype(np.float64))), rows, strict=True)
        ):
            extended[new] = row if known < 0 else metric[known]
            if known < 0:
                self._mend(extended[new], metric, tolerance)
        return extended

    def _mend(self, row: Array, metric: Array, tolerance: float) -> None:
        constraints = NewObject(metric)
        whole = np.zeros((constraints.n_objects, constraints.n_objects))
        whole[:-1, :-1], whole[-1, :-1], whole[:-1, -1] = metric, row, row
        d = squareform(whole, checks=False)
        if not NewObject(metric, tolerance).violated(d):
            return
        inverse = np.zeros_like(d)
        inverse[constraints.own] = 1
        objective = self._norm(d, inverse, constraints)
        found = nearest(objective, constraints, self._tol, self._max_iter)
        row[:] = found.closed[constraints.own]
