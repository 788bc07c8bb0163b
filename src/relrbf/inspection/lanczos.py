"""The spectrum of many objects, from products with S alone.

The ends come from Lanczos iterations, the negative part from stochastic Lanczos quadrature: a
random direction's Lanczos matrix has nodes and weights that integrate any function over the
spectrum (Ubaru, Chen & Saad 2017). The sum of all eigenvalues is known exactly.
"""

import numpy as np

from relrbf._typing import Array
from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation

N_PROBES = 24
N_STEPS = 60
PRECISION = 1e-7  # of the ends, relative to the largest eigenvalue; their error is its square
MAX_RESTARTS = 30
MANY_STEPS = 300


def centred_product(relation: Relation, rows: Array) -> Array:
    """Return rows (c × n) times ``-J S J / 2``, in float64."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    product = relation.product(centred.astype(relation.dtype)).astype(np.float64)
    return -0.5 * (product - product.mean(axis=1, keepdims=True))


def extreme_eigenvalues(relation: Relation, seed: int, watch: Watch) -> tuple[float, float]:
    """Return the smallest and the largest eigenvalue of ``-J S J / 2``."""
    from scipy.sparse.linalg import ArpackNoConvergence

    start = np.random.default_rng(seed).standard_normal(relation.n_objects)
    try:
        far = _farthest(relation, 0.0, start, watch)
        # seen from one end of the spectrum, the other end is the farthest from zero
        near = _farthest(relation, far, start, watch) + far
    except ArpackNoConvergence:
        far, near = _ends(relation, start, watch)
    return min(far, near), max(far, near)


def _farthest(relation: Relation, shift: float, start: Array, watch: Watch) -> float:
    """Return the eigenvalue of ``-J S J / 2 - shift`` that is largest in size."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = relation.n_objects

    def multiply(vector: Array) -> Array:
        watch.tell(0.25)
        row = vector.reshape(1, n)
        return (centred_product(relation, row) - shift * row)[0]

    operator = LinearOperator((n, n), matvec=multiply, dtype=np.float64)
    precision = max(PRECISION, float(np.finfo(relation.dtype).eps))
    found = eigsh(
        operator,
        k=1,
        v0=start,
        ncv=min(n - 1, 40),
        tol=precision,
        maxiter=MAX_RESTARTS,
        return_eigenvectors=False,
    )
    return float(found[0])


def _ends(relation: Relation, start: Array, watch: Watch) -> tuple[float, float]:
    """Return the ends as far as many steps find them: never farther out than they are."""
    from scipy.linalg import eigvalsh_tridiagonal

    alpha, beta = _tridiagonal(relation, start[None] - start.mean(), MANY_STEPS, watch)
    nodes = eigvalsh_tridiagonal(alpha[0], beta[0])
    return float(nodes[0]), float(nodes[-1])


def negative_mass(relation: Relation, seed: int, watch: Watch) -> tuple[float, Array]:
    """Return the sum of all eigenvalues, and each probe's estimate of the negative ones'.

    Probes are random signs, centred: their expected square is that of the trace.
    """
    n = relation.n_objects
    ones = np.ones((1, n))
    trace = float(relation.product(ones.astype(relation.dtype)).sum(dtype=np.float64)) / (2 * n)
    probes = np.random.default_rng(seed).choice([-1.0, 1.0], (N_PROBES, n))
    probes -= probes.mean(axis=1, keepdims=True)
    scales = (probes**2).sum(axis=1)
    matrices = _tridiagonal(relation, probes, N_STEPS, watch)
    masses = map(_negative_integral, *matrices)
    return trace, scales * np.fromiter(masses, dtype=np.float64)


def _negative_integral(alpha: Array, beta: Array) -> float:
    from scipy.linalg import eigh_tridiagonal

    nodes, vectors = eigh_tridiagonal(alpha, beta)
    return float(-(vectors[0] ** 2)[nodes < 0] @ nodes[nodes < 0])


def _tridiagonal(
    relation: Relation, probes: Array, n_steps: int, watch: Watch
) -> tuple[Array, Array]:
    """Return the Lanczos matrix of each probe: diagonals (p × m) and the ones beside (p × m-1).

    Directions are not made orthogonal again to all before: the quadrature does not need it
    (Musco, Musco & Sidford 2018), and memory stays at a few vectors per probe.
    """
    n_steps = min(n_steps, relation.n_objects - 1)
    alpha, beta = np.zeros((2, len(probes), n_steps))
    before, size = np.zeros_like(probes), np.zeros((len(probes), 1))
    now = probes / np.linalg.norm(probes, axis=1, keepdims=True)
    for step in range(n_steps):
        after = centred_product(relation, now) - size * before
        alpha[:, step] = np.einsum("pn,pn->p", after, now)
        after -= alpha[:, step, None] * now
        size = np.linalg.norm(after, axis=1, keepdims=True)
        beta[:, step] = size[:, 0]
        before, now = now, after / np.maximum(size, np.finfo(float).tiny)
        watch.tell(0.5 + 0.5 * (step + 1) / n_steps)
    return alpha, beta[:, :-1]
