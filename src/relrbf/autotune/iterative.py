"""Thousands of objects: the weights of ``leave_one_out`` by conjugate gradients.

Activations K are computed again in every iteration, block by block and one half of them: nothing of
size n × n is held. They cost more than products with them, so two systems are solved at once: one
of all objects, whose weights are kept, and one without the tested objects, whose responses to
these are what leaving them out says.

The preconditioner is Nyström's (Frangella, Tropp and Udell 2023). With K_l the columns of a few
objects, ``K_l |K_ll|^-1 K_l' = U diag(v) U'`` has the large eigenvalues of K; where K is
penalised by its norm, that is ``B = K + alpha I``,

    P^-1 = I + U diag((r + alpha) / (v + r + alpha) - 1) U' ,

with r the mean of the eigenvalues that are left; where the weights are, ``B = K² + alpha I``, r²
and (v + r)² stand for r and v + r.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from relrbf._typing import Array, Indices
from relrbf.autotune.leave_one_out import LeftOut, left_out_error, on_weights, without_sum
from relrbf.autotune.targets import Scale, Targets, TeacherProblem
from relrbf.relations.blocks import for_each_block, on_all_cores, spans
from relrbf.relations.properties import spread_over

N_LANDMARKS = 400
MAX_ITERATIONS = 100
RESIDUAL = 0.05  # of what responses to objects left out leave unexplained: more exact is no better
NEGLIGIBLE_VALUE = 1e-10  # relative: an eigenvalue of rounding
ACTIVATIONS_AT_A_TIME = 2**18  # of K that are computed at a time: they stay in a processor's cache
N_SUMS = 2  # that are added up side by side


@dataclass(frozen=True, eq=False)
class CentredActivations:
    """Products with the activations of prototypes on all objects, centred, and their means (n)."""

    problem: TeacherProblem
    scale: Scale
    objects: Indices
    means: Array
    shares: Array | None

    @classmethod
    def of(cls, problem: TeacherProblem, scale: Scale) -> "CentredActivations":
        """Return those of a scale."""
        objects = problem.objects
        shares = problem.targets.of(objects).shares
        plain = cls(problem, scale, objects, np.zeros(len(objects)), shares)
        counts = np.ones(len(objects)) if shares is None else shares
        return replace(plain, means=(plain @ counts[:, None])[:, 0] / counts.sum())

    @property
    def mean(self) -> float:
        """Mean activation."""
        return float(self.means.mean() if self.shares is None else self.shares @ self.means)

    def __matmul__(self, V: Array) -> Array:
        """Return the product with V (n × k)."""
        sums, size = np.zeros((N_SUMS, *V.shape)), max(1, ACTIVATIONS_AT_A_TIME // len(V))
        blocks, objects = list(spans(len(V), size)), self.objects
        is_every = len(objects) == self.problem.relation.n_objects  # slices are read without a copy

        def add(k: int) -> None:
            for rows in blocks[k::N_SUMS]:  # always in this order, so that rounding is the same
                cols = slice(rows.start, len(V))
                S = self.problem.S(*((rows, cols) if is_every else (objects[rows], objects[cols])))
                K = self.scale.activate(S, self.problem.kernel)
                sums[k, rows] += K @ V[cols]
                sums[k, rows.stop :] += K[:, len(K) :].T @ V[rows]

        for_each_block(add, range(N_SUMS))
        totals = V.sum(axis=0)
        shift = self.mean * totals - self.means @ V
        return sums.sum(axis=0) - np.outer(self.means, totals) + shift

    def columns(self, cols: Indices) -> Array:
        """Return some columns (n × len(cols))."""
        K = self.problem.activations(self.objects, self.objects[cols], self.scale)
        return K - self.means[:, None] - self.means[cols] + self.mean

    def diagonal(self) -> Array:
        """Return the activations of prototypes on the objects themselves (n)."""
        highest = self.scale.activate(np.zeros(1), self.problem.kernel)
        return highest - 2 * self.means + self.mean


def fit_by_iteration(
    problem: TeacherProblem, tested: Indices, scale: Scale, like: LeftOut
) -> LeftOut:
    """Fit a network of one scale to all objects, with the penalty of another fit.

    The responses are those to the tested objects when all of these are left out.
    """
    K, targets = CentredActivations.of(problem, scale), problem.targets.of(problem.objects)
    is_kept = np.stack([np.ones(len(K.objects)), ~np.isin(K.objects, tested)], axis=1)
    shares = targets.w[:, None] * is_kept
    means = shares.T @ targets.Y / shares.sum(axis=0)[:, None]
    roots = np.sqrt(shares)[:, :, None]
    T = roots * (targets.Y[:, None] - means)
    try:
        W = _solve(K, roots, T, like, RESIDUAL * _unexplained(like, targets))
    except np.linalg.LinAlgError:  # K is less definite than that of fewer objects
        return fit_by_iteration(problem, tested, scale, on_weights(like))
    weights = without_sum(roots * W, K.shares)
    own = problem.targets.of(tested)
    of_rest = problem.activations(tested, K.objects, scale) - K.means
    responses = of_rest @ weights[:, 1] + means[1] - own.mean
    error = left_out_error(responses, own.centred, own.w)
    return replace(
        like,
        error=error,
        responses=responses,
        weights=weights[:, 0],
        means=K.means,
        offset=means[0] - own.mean,
    )


def _unexplained(like: LeftOut, targets: Targets) -> float:
    """Return how large left-out residuals are beside the targets, at most as large."""
    total = left_out_error(np.zeros_like(targets.Y), targets.centred, targets.w)
    return float(np.sqrt(min(like.error / total, 1.0))) if total > 0 else 1.0


def _solve(K: CentredActivations, roots: Array, T: Array, like: LeftOut, residual: float) -> Array:
    """Return the weights (n × 2 × g) of both systems; raise LinAlgError where B is indefinite.

    The residual is relative to the targets T.
    """
    alpha, is_squared = like.alpha, like.penalty == "weights"

    def multiply(V: Array) -> Array:
        return roots * (K @ (roots * V).reshape(len(T), -1)).reshape(T.shape)

    def damped(v: Array) -> Array:
        V = v.reshape(T.shape)
        product = multiply(multiply(V)) if is_squared else multiply(V)
        product += alpha * V
        if not is_squared and np.vdot(V, product) <= 0 < np.vdot(V, V):
            raise np.linalg.LinAlgError
        return product.ravel()

    shrunk = _preconditioners(K, roots, alpha, is_squared)

    def precondition(v: Array) -> Array:
        V = v.reshape(T.shape)
        systems = zip(V.swapaxes(0, 1), shrunk, strict=True)
        along = [U @ (shrinkage[:, None] * (U.T @ each)) for each, (U, shrinkage) in systems]
        return (V + np.stack(along, axis=1)).ravel()

    shape = T.size, T.size
    B, P = (LinearOperator(shape, f, dtype=T.dtype) for f in (damped, precondition))
    b = multiply(T) if is_squared else T
    W, _ = cg(B, b.ravel(), rtol=residual, maxiter=MAX_ITERATIONS, M=P)
    return W.reshape(T.shape)


def _preconditioners(
    K: CentredActivations, roots: Array, alpha: float, is_squared: bool
) -> list[tuple[Array, Array]]:
    """Return eigenvectors U and what P^-1 adds along them to the identity, for each system."""
    at = np.searchsorted(K.objects, spread_over(K.problem.order, N_LANDMARKS))
    columns, diagonal = K.columns(at), K.diagonal()
    power = 2 if is_squared else 1

    def precondition(root: Array) -> tuple[Array, Array]:
        own = root * columns * root[at].T
        values, Q = np.linalg.eigh(own[at])
        values, Q = _large(np.abs(values), Q)
        own = own @ (Q / np.sqrt(values))
        values, Q = _large(*np.linalg.eigh(own.T @ own))
        trace = float(np.square(root[:, 0]) @ diagonal)
        rest = max((trace - float(values.sum())) / len(root), float(values[0]))
        shrinkage = (rest**power + alpha) / ((values + rest) ** power + alpha) - 1
        return own @ (Q / np.sqrt(values)), shrinkage

    return on_all_cores(precondition, list(roots.swapaxes(0, 1)))


def _large(values: Array, Q: Array) -> tuple[Array, Array]:
    """Return the eigenvalues that are more than rounding, and their vectors."""
    is_large = values > NEGLIGIBLE_VALUE * values.max(initial=0)
    return values[is_large], Q[:, is_large]
