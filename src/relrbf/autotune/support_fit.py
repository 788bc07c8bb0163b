"""Many objects: a network with prototypes on a support, whose size and scale a held-out part tells.

With Phi (n × m) the activations of prototypes on m of n objects, the weights of ``|T - Phi W|² +
alpha |W|²`` follow from the normal equations, which are summed over blocks of objects. A quarter of
the objects outside the support is held out: it decides the bandwidth, the penalty, and whether
twice the support is worth its cost. In the end all objects are learned from.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from relrbf._typing import Array, Indices
from relrbf.autotune.leave_one_out import LeftOut
from relrbf.autotune.targets import Scale, TeacherProblem
from relrbf.relations.blocks import for_each_block, spans

FIRST_SUPPORT = 500  # objects on which bandwidths are compared
SUPPORT_GAIN = 0.98  # twice the support must bring the error below this share
SUPPORT_ALPHAS = np.logspace(-9, -3, 7)  # relative to the trace of the normal equations
LATER_ALPHAS = np.array([0.1, 1.0])  # relative to the best of a smaller support
SUPPORT_WIDTH_STEPS = (-1, -2, 1)  # tried after the width that few objects found: many see finer
HELD_OUT_OBJECT_STEP = 4  # one of so many objects is held out
N_SUMS = 2  # that are added up side by side
BLOCK_ENTRIES = 2**20  # of Phi that are computed at a time


@dataclass(frozen=True, eq=False)
class SupportFit:
    """A network on a support (m objects), and what the held-out objects say of it.

    ``normal`` (m × m) and ``moments`` (m × g) are the sums over the objects it learned from.
    """

    support: Indices
    scale: Scale
    held_out: Indices
    left_out: LeftOut
    normal: Array
    moments: Array


def fit_on_support(problem: TeacherProblem, support: Indices, scale: Scale) -> SupportFit:
    """Fit on a growing part of the support, given in an order whose first part is well spread."""
    others = problem.order[~np.isin(problem.order, support)]
    held_out = np.sort(others[::HELD_OUT_OBJECT_STEP])
    size = min(FIRST_SUPPORT, len(support))
    best = _fit(problem, support[:size], scale, held_out, SUPPORT_ALPHAS)
    for step in SUPPORT_WIDTH_STEPS:
        width = scale.width + step
        other = _fit(problem, support[:size], replace(scale, width=width), held_out, SUPPORT_ALPHAS)
        best = min(best, other, key=lambda fit: fit.left_out.error)
    while size < len(support):
        size = min(2 * size, len(support))
        alpha = best.left_out.alpha / np.trace(best.normal)
        larger = _fit(problem, support[:size], best.scale, held_out, alpha * LATER_ALPHAS)
        if not larger.left_out.error < SUPPORT_GAIN * best.left_out.error:
            break
        best = larger
    return _with_held_out(problem, best)


def _fit(
    problem: TeacherProblem, support: Indices, scale: Scale, held_out: Indices, alphas: Array
) -> SupportFit:
    """Fit to all but the held-out objects, with the penalty that suits those best."""
    learned = np.setdiff1d(problem.objects, held_out)
    normal, moments = _sums(problem, learned, support, scale)
    Phi, w = _activations(problem, held_out, support, scale), problem.targets.w[held_out]
    T = problem.targets.centred[held_out]
    found: list[LeftOut] = []
    given = problem.alpha
    for alpha in alphas * np.trace(normal) if given is None else [given]:
        W = _solve(normal, moments, alpha)
        responses = Phi @ W
        error = float(w @ np.square(T - responses).sum(axis=1) / w.sum())
        found.append(LeftOut(error, responses, W, float(alpha), np.zeros(len(W))))
    best = min(found, key=lambda fit: fit.error)
    return SupportFit(support, scale, held_out, best, normal, moments)


def _with_held_out(problem: TeacherProblem, fit: SupportFit) -> SupportFit:
    """Learn from the held-out objects as well; the support is in ascending order then."""
    normal, moments = _sums(problem, fit.held_out, fit.support, fit.scale)
    weights = _solve(fit.normal + normal, fit.moments + moments, fit.left_out.alpha)
    order = np.argsort(fit.support)
    offset = problem.targets.mean - problem.targets.of(fit.held_out).mean
    responses = fit.left_out.responses + offset
    left_out = replace(fit.left_out, responses=responses, weights=weights[order], offset=offset)
    return replace(fit, support=fit.support[order], left_out=left_out)


def _sums(
    problem: TeacherProblem, objects: Indices, support: Indices, scale: Scale
) -> tuple[Array, Array]:
    """Return ``Phi' w Phi``, its lower half, and ``Phi' w T`` over some objects, block by block."""
    T, w, m = problem.targets.centred, problem.targets.w, len(support)
    blocks = list(spans(len(objects), max(1, BLOCK_ENTRIES // m)))
    shape = N_SUMS, m
    normals, moments = np.zeros((*shape, m)), np.zeros((*shape, T.shape[1]))

    def add(k: int) -> None:
        for block in blocks[k::N_SUMS]:  # always in this order, so that rounding is the same
            some = objects[block]
            Phi, root = _activations(problem, some, support, scale), np.sqrt(w[some])[:, None]
            Phi *= root
            normals[k] += dsyrk(1.0, Phi.T, lower=1)  # half of the symmetric product is enough
            moments[k] += Phi.T @ (root * T[some])

    for_each_block(add, range(N_SUMS))
    return normals.sum(axis=0), moments.sum(axis=0)


def _activations(
    problem: TeacherProblem, objects: Indices, support: Indices, scale: Scale
) -> Array:
    """Return Phi of some objects."""
    return scale.activate(problem.S(support, objects).T, problem.kernel)


def _solve(normal: Array, moments: Array, alpha: float) -> Array:
    damped = normal.copy()
    damped[np.diag_indices_from(damped)] += alpha
    return cho_solve(cho_factor(damped, lower=True, overwrite_a=True, check_finite=False), moments)
