"""A few thousand objects: one scale and penalty of ``leave_one_out``, solved by Cholesky.

An eigendecomposition serves every penalty, and costs twenty times as much. Leaving objects out
asks for entries of an inverse; where only some objects are tested, for a corner of it.
"""

from dataclasses import replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from relrbf._typing import Array, Indices
from relrbf.autotune.leave_one_out import (
    LeftOut,
    centre,
    left_out_by_weights,
    left_out_error,
    on_weights,
    recentred,
    tells_apart,
    without_sum,
)
from relrbf.autotune.targets import Scale, TeacherProblem


def fit_by_cholesky(
    problem: TeacherProblem, objects: Indices, tested: Indices, scale: Scale, like: LeftOut
) -> LeftOut:
    """Fit a network of one scale to objects, in ascending order, with the penalty of another fit.

    The responses are those to the tested ones of them, each left out.
    """
    # these come last: of the inverse, only their corner is needed
    ordered = np.concatenate([np.setdiff1d(objects, tested), tested])
    T, w = problem.targets.centred[ordered], problem.targets.w[ordered]
    shares = problem.targets.of(ordered).shares
    K = problem.activations(ordered, ordered, scale)
    is_told = tells_apart(K)
    C, means, targets = centre(K, T, w, shares)
    solve = _solve_by_norm if like.penalty == "norm" else _solve_by_weights
    try:
        W, left_out = solve(C, targets, len(tested), like.alpha)
    except np.linalg.LinAlgError:  # K is less definite than that of fewer objects
        return fit_by_cholesky(problem, objects, tested, scale, on_weights(like))
    root, total = np.sqrt(w)[:, None], float(problem.targets.w[problem.order].sum())
    last, order = slice(len(objects) - len(tested), None), np.argsort(ordered)
    weights = without_sum(root * W[:, :-1], shares)[order]
    own = problem.targets.of(tested)
    offset = problem.targets.mean - own.mean
    responses = offset + recentred(left_out / root[last], T[last], w[last], total, is_told)
    error = left_out_error(responses, own.centred, own.w)
    return replace(
        like, error=error, responses=responses, weights=weights, means=means[order], offset=offset
    )


def _solve_by_norm(C: Array, targets: Array, k: int, alpha: float) -> tuple[Array, Array]:
    """Return the weights, and the responses to the last k objects left out; C is overwritten."""
    first = len(C) - k
    factor = _factorise(C, alpha)
    W = cho_solve(factor, targets, check_finite=False)
    # the corner of B^-1 is the inverse of what Cholesky leaves of B there
    L = factor[0][first:, first:]
    p = np.square(solve_triangular(L, np.eye(k), lower=True, check_finite=False)).sum(axis=0)
    return W, targets[first:] - W[first:] / p[:, None]


def _solve_by_weights(C: Array, targets: Array, k: int, alpha: float) -> tuple[Array, Array]:
    """Return the same under the penalty on the weights."""
    first, CT = len(C) - k, C @ targets
    factor = _factorise(C @ C, alpha)
    W = cho_solve(factor, CT, check_finite=False)
    inverse = cho_solve(factor, np.eye(len(C), k, -first), check_finite=False)
    last = C[first:]
    p = np.diagonal(inverse[first:])[:, None]
    q = np.einsum("ij,ji->i", last, inverse)[:, None]
    return W, left_out_by_weights(last @ W, W[first:], p, q, alpha, targets[first:])


def _factorise(B: Array, alpha: float) -> tuple[Array, bool]:
    """Return the Cholesky factor of ``B + alpha I``, as ``cho_solve`` takes it; B is overwritten.

    LAPACK works in place on columns: a symmetric matrix is its own transpose.
    """
    B[np.diag_indices_from(B)] += alpha
    return cho_factor(B.T, lower=True, overwrite_a=True, check_finite=False)
