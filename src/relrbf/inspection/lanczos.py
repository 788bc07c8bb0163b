"""The spectrum of many objects, from products with S alone.

The ends come from Lanczos iterations, the negative part from stochastic Lanczos quadrature: a
random direction's Lanczos matrix has nodes and weights that integrate any function over the
spectrum (Ubaru, Chen & Saad 2017). The sum of all eigenvalues is known exactly. Everything is in
units of a scale, the largest entry of S, so that squared norms stay in range.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from relrbf._typing import Array
from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation

N_PROBES = 24
N_STEPS = 60
MANY_STEPS = 400  # for the ends
CHECK_EVERY = 20  # steps
NOTHING_LEFT = 1e-30
PRECISION = 1e-7  # of the ends' directions; an eigenvalue's own error is about its square


def centred_product(relation: Relation, scale: float, rows: Array) -> Array:
    """Return rows (c × n) times ``-J S J / 2``, in float64 and in units of the scale."""
    centred = rows - rows.mean(axis=1, keepdims=True)  # of rounding errors made large, too
    product = relation.product(centred.astype(relation.dtype)).astype(np.float64) / scale
    return -0.5 * (product - product.mean(axis=1, keepdims=True))


def lanczos_steps(
    relation: Relation, scale: float, probes: Array, basis: Array | None = None
) -> Iterator[tuple[Array, Array]]:
    """Yield, step by step, the next entries of each probe's Lanczos matrix.

    They are one of its diagonal and the one beside it. Only where a basis to fill (steps × n) is
    given are the directions of a single probe kept and made orthogonal to all before: the ends of
    the spectrum need it, the quadrature does not (Musco, Musco & Sidford 2018).
    """
    now = _directions(probes - probes.mean(axis=1, keepdims=True))
    before, size = np.zeros_like(now), np.zeros((len(now), 1))
    step = 0
    while True:
        after = centred_product(relation, scale, now) - size * before
        diagonal = np.einsum("pn,pn->p", after, now)
        after -= diagonal[:, None] * now
        if basis is not None:
            basis[step] = now[0]
            for _ in range(2):  # once leaves rounding errors that grow
                after -= (after @ basis[: step + 1].T) @ basis[: step + 1]
        size = np.linalg.norm(after, axis=1, keepdims=True)
        yield diagonal, size[:, 0]
        before, now = now, _directions(after)
        step += 1


def _directions(rows: Array) -> Array:
    """Return rows of length one; zero where nothing is left, so that later steps add zeros."""
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(sizes > NOTHING_LEFT, rows / np.maximum(sizes, NOTHING_LEFT), 0.0)


def extreme_eigenvalues(
    relation: Relation, scale: float, seed: int, watch: Watch
) -> tuple[float, float, bool]:
    """Return the smallest and the largest eigenvalue of ``-J S J / 2``, of which zero is one.

    The last value tells whether both have settled, or there may be smaller and larger ones.
    """
    from scipy.linalg import eigh_tridiagonal

    n_steps = min(MANY_STEPS, relation.n_objects - 1)
    start = np.random.default_rng(seed).standard_normal((1, relation.n_objects))
    basis = np.empty((n_steps, relation.n_objects))
    precision = max(PRECISION, float(np.finfo(relation.dtype).eps))
    alpha, beta = np.empty((2, n_steps))
    nodes, settled = np.zeros(1), False
    steps = islice(lanczos_steps(relation, scale, start, basis), n_steps)
    for step, entries in enumerate(steps, start=1):
        alpha[step - 1], beta[step - 1] = (float(entry[0]) for entry in entries)
        watch.tell(0.5 * step / n_steps)
        if step % CHECK_EVERY == 0 or step == n_steps:
            nodes, vectors = eigh_tridiagonal(alpha[:step], beta[: step - 1])
            residual = beta[step - 1] * np.abs(vectors[-1, [0, -1]]).max()
            settled = bool(residual <= precision * np.abs(nodes).max())
            if settled:
                break
    whole = n_steps == relation.n_objects - 1  # then nothing is left to find
    return min(float(nodes[0]), 0.0), max(float(nodes[-1]), 0.0), settled or whole


def negative_mass(relation: Relation, scale: float, seed: int, watch: Watch) -> tuple[float, Array]:
    """Return the sum of all eigenvalues, and each probe's estimate of the negative ones'.

    Probes are random signs, centred: their expected square is that of the trace.
    """
    n = relation.n_objects
    ones = np.ones((1, n), dtype=relation.dtype)
    trace = float((relation.product(ones).astype(np.float64) / scale).sum()) / (2 * n)
    probes = np.random.default_rng(seed).choice([-1.0, 1.0], (N_PROBES, n))
    probes -= probes.mean(axis=1, keepdims=True)
    n_steps = min(N_STEPS, n - 1)
    entries = []
    for step in islice(lanczos_steps(relation, scale, probes), n_steps):
        entries.append(step)
        watch.tell(0.5 + 0.5 * len(entries) / n_steps)
    alpha, beta = (np.stack(part, axis=1) for part in zip(*entries, strict=True))
    masses = map(_negative_integral, alpha, beta[:, :-1])
    return trace, (probes**2).sum(axis=1) * np.fromiter(masses, dtype=np.float64)


def _negative_integral(alpha: Array, beta: Array) -> float:
    """Return the integral of the negative part over the spectrum that a Lanczos matrix sees."""
    from scipy.linalg import eigh_tridiagonal

    nodes, vectors = eigh_tridiagonal(alpha, beta)
    return float(-(vectors[0] ** 2)[nodes < 0] @ nodes[nodes < 0])
