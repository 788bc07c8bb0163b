"""More objects than one system should have: they are divided into parts, each solved alone.

The mean of the parts' networks is again a network with a prototype on every object. It is nearly
as good as one that solves for all objects together (Zhang, Duchi and Wainwright 2015), at a
fraction of the cost. To an object that is left out, its own part responds as ``leave_one_out``
says, and the other parts have never seen it.
"""

from dataclasses import replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from relrbf._typing import Array, Indices
from relrbf.autotune.leave_one_out import (
    MIN_NORM_PENALTY,
    LeftOut,
    centre,
    left_out_by_weights,
    left_out_error,
    own_weights,
    recentred,
)
from relrbf.autotune.targets import Scale, TeacherProblem

MAX_PART_OBJECTS = 4000


def divide(order: Indices) -> list[Indices]:
    """Divide objects evenly and at random into parts, the same ones however they are numbered."""
    n_parts = -(-len(order) // MAX_PART_OBJECTS)
    shuffled = np.random.default_rng(0).permutation(order)
    return [np.sort(part) for part in np.array_split(shuffled, n_parts)]


def fit_in_parts(problem: TeacherProblem, tested: Indices, scale: Scale, like: LeftOut) -> LeftOut:
    """Fit a network of one scale to all objects, with the penalty of another fit.

    The responses are those to the tested objects when these are left out.
    """
    objects, parts = problem.objects, divide(problem.order)
    weights = np.zeros((len(objects), problem.targets.Y.shape[1]))
    means = np.zeros(len(objects))

    def fit(part: Indices) -> Array:
        is_own = np.isin(tested, part)
        own, left_out, part = _solve_part(problem, part, tested[is_own], scale, like)
        at = np.searchsorted(objects, part)
        weights[at], means[at] = own.weights / len(parts), own.means
        responses = np.empty((len(tested), weights.shape[1]))
        responses[is_own] = left_out
        K = problem.activations(tested[~is_own], part, scale)
        responses[~is_own] = K @ own.weights + own.bias
        return responses

    responses = np.mean([fit(part) for part in parts], axis=0)  # in turn: a part is large
    return _tested(problem, tested, replace(like, weights=weights, means=means), responses)


def fit_part(
    problem: TeacherProblem, part: Indices, tested: Indices, scale: Scale, like: LeftOut
) -> LeftOut:
    """Fit to one part alone; the responses are those to the tested ones of them, left out."""
    fit, left_out, _ = _solve_part(problem, part, tested, scale, like)
    return _tested(problem, tested, fit, left_out)


def _tested(problem: TeacherProblem, tested: Indices, fit: LeftOut, responses: Array) -> LeftOut:
    """Return a fit with its responses to the tested objects, less the mean of their targets."""
    targets = problem.targets.of(tested)
    offset = problem.targets.mean - targets.mean
    error = left_out_error(responses + offset, targets.centred, targets.w)
    return replace(fit, responses=responses + offset, error=error, offset=offset)


def _solve_part(
    problem: TeacherProblem, part: Indices, tested: Indices, scale: Scale, like: LeftOut
) -> tuple[LeftOut, Array, Indices]:
    """Return a part's network, its responses to the tested objects left out, and its objects.

    Those come last: of the inverse that leaving out asks for, only their corner is needed.
    """
    part = np.concatenate([np.setdiff1d(part, tested), tested])
    T, w = problem.targets.centred[part], problem.targets.w[part]
    C, means, targets = centre(problem.activations(part, part, scale), T, w)
    solve = _solve_by_norm if like.penalty == "norm" else _solve_by_weights
    try:
        W, left_out = solve(C, targets, len(tested), like.alpha)
    except np.linalg.LinAlgError:  # K is less definite than that of fewer objects
        return _solve_part(problem, part, tested, scale, on_weights(like))
    root, total = np.sqrt(w)[:, None], float(problem.targets.w[problem.order].sum())
    last = slice(len(part) - len(tested), None)
    fit = replace(like, weights=own_weights(W, root), means=means, offset=0.0)
    return fit, recentred(left_out / root[last], T[last], w[last], total), part


def may_penalise_norm(fit: LeftOut, n_objects: int) -> bool:
    """Tell whether the penalty exceeds the negative part of K also in parts of so many objects."""
    return fit.alpha >= -MIN_NORM_PENALTY * fit.lowest * min(n_objects, MAX_PART_OBJECTS)


def on_weights(fit: LeftOut) -> LeftOut:
    """Return a fit whose penalty is one on the weights, which every relation allows."""
    return replace(fit, penalty="weights", alpha=fit.alpha**2)


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
