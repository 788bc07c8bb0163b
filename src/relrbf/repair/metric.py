"""The nearest relation that obeys every triangle inequality."""

from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import squareform

from relrbf._typing import Array
from relrbf.embeddings.base import SearchStatus
from relrbf.repair.dykstra import OBJECTIVES, LeastSquares, OnSearch, Projection, project
from relrbf.repair.result import Repair, check_search, make_repair, validated_copy
from relrbf.repair.triangles import AllTriangles, NewObjectTriangles

DOUBLE_ROUNDING = 1e-12  # of a long side, in float64: by less, a triangle is not violated
ROUNDING_ULPS = 8  # the same in coarser precisions, in units of the last place


def nearest_metric(
    D: Any,
    norm: Literal["l2", "l1"] = "l2",
    *,
    tol: float = 1e-6,
    max_iter: int = 200,
    progress: OnSearch | None = None,
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
        Most searches for violated triangles; each is followed by sweeps of projections.
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
    comes back unchanged. Equal objects are repaired as one, with the weight of all, and stay equal.
    The triangles are projected on in turn with a correction (Dykstra's method), only those that
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
    check_search(norm, tol, max_iter, progress)
    relation, objective = validated_copy(D), OBJECTIVES[norm]
    given = relation.matrix.astype(np.float64)
    limits = {"tol": tol, "max_iter": max_iter, "on_search": progress}
    found = _nearest(given, rounding_of(relation.dtype), objective, **limits)
    matrix = squareform(found.closed, checks=False).astype(relation.dtype)
    changes = squareform(matrix - given, checks=False)
    distance = float(np.linalg.norm(changes, objective.order))
    cost = distance**objective.order / objective.order
    return make_repair(
        relation,
        matrix,
        partial(_repair_rows, matrix.copy(), objective, tol, max_iter),
        n_changed=int(np.count_nonzero(changes)),
        distance=distance,
        status=found.status,
        n_iter=found.n_iter,
        gap=max(0.0, 1 - found.bound / cost) if cost > 0 else 0.0,
    )


def rounding_of(*dtypes: np.dtype[Any]) -> float:
    """Return the part of its long side by which a triangle may fail in the coarsest of dtypes."""
    return max(DOUBLE_ROUNDING, *(ROUNDING_ULPS * float(np.finfo(dtype).eps) for dtype in dtypes))


def _nearest(given: Array, rounding: float, norm: type[LeastSquares], **limits: Any) -> Projection:
    """Return the nearest metric in condensed form; equal objects count as one, with a weight."""
    d = squareform(given, checks=False)
    if not len(AllTriangles(len(given), rounding).violated(d)[0]):
        return Projection(d, d, 0.0, SearchStatus.UNCHANGED, 0)
    _, first, group, counts = np.unique(
        given, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    distinct = squareform(given[np.ix_(first, first)], checks=False)
    inverse = 1 / squareform(np.outer(counts, counts), checks=False)
    found = project(norm(distinct, inverse, AllTriangles(len(first))), **limits)
    expanded = squareform(found.closed, checks=False)[np.ix_(group.ravel(), group.ravel())]
    return found._replace(closed=squareform(expanded, checks=False))


def _repair_rows(
    matrix: Array, norm: type[LeastSquares], tol: float, max_iter: int, rows: Array
) -> Array:
    """Return the nearest rows that obey every triangle with two training objects."""
    rounding = rounding_of(rows.dtype, matrix.dtype)
    metric = matrix.astype(np.float64)
    constraints = NewObjectTriangles(metric)
    d = squareform(np.pad(metric, (0, 1)), checks=False)
    inverse = np.zeros_like(d)
    inverse[constraints.own] = 1
    repaired = rows.astype(np.float64)
    for row in repaired:
        d[constraints.own] = row
        if len(NewObjectTriangles(metric, rounding).violated(d)[0]):
            found = project(norm(d.copy(), inverse, constraints), tol, max_iter)
            row[:] = found.closed[constraints.own]
    return repaired
