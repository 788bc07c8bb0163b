"""Sugeno's λ-measure: what a set of terms weighs, from what each term weighs alone.

Symbols
-------
g   densities: the measure of each single term, in [0, 1]
λ   how terms combine, ``g(A ∪ B) = g(A) + g(B) + λ g(A) g(B)`` for disjoint A, B; it follows from
    the measure of the whole set being 1: ``prod(1 + λ g) = 1 + λ``
u   ``log(1 + λ)``: in u the equation is convex, and Newton's steps cannot miss the root
"""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError

SMALLEST = 1e-100  # 1 + λ is at most the density to the power -2, and has to be a number
NOTHING = -800.0  # stands for log(0): exp of it is 0, and products with 0 are 0, not NaN
MAX_STEPS = 200


def sugeno_lambda(densities: Any) -> float:
    """Return the λ for which the measure of the whole set is 1.

    It is the one root of ``prod(1 + λ g) = 1 + λ`` above -1 other than 0: negative where the
    densities add up to more than 1 (terms repeat each other), positive where to less, and 0 where
    they add up to 1 (the measure is additive).

    Parameters
    ----------
    densities : sequence of numbers in [0, 1]
        The measure of each single term. A density of 0 changes nothing. One of 1 gives λ = -1, the
        limit of the root. Fewer than two positive densities leave nothing to combine: λ is 0, and
        the measure of the whole set is that one density.

    Returns
    -------
    float
        At least -1.

    Examples
    --------
    >>> from relrbf.measures import sugeno_lambda
    >>> round(sugeno_lambda([0.2, 0.3, 0.1]), 4)
    3.1091
    >>> sugeno_lambda([0.5, 0.5])
    0.0
    """
    return float(lambdas(as_densities(densities)[None])[0])


def fuzzy_measure(densities: Any, lam: Any) -> float:
    """Return the λ-measure of the set of terms that have these densities.

    Parameters
    ----------
    densities : sequence of numbers in [0, 1]
        The measure of each single term of the set; of no term at all, the measure is 0.
    lam : float, at least -1
        λ of the whole to which the set belongs, from ``sugeno_lambda``.

    Returns
    -------
    float
        ``(prod(1 + λ g) - 1) / λ``, or for λ = 0 the sum of the densities.

    Examples
    --------
    >>> from relrbf.measures import fuzzy_measure, sugeno_lambda
    >>> densities = [0.2, 0.3, 0.1]
    >>> lam = sugeno_lambda(densities)
    >>> round(fuzzy_measure(densities, lam), 12)
    1.0
    >>> round(fuzzy_measure(densities[:2], lam), 4)  # more than 0.2 + 0.3
    0.6865
    """
    if isinstance(lam, bool) or not isinstance(lam, int | float | np.number) or not lam >= -1:
        raise OptionError(f"lam is {lam!r}; it must be a number, at least -1 (see sugeno_lambda).")
    given = as_densities(densities)[None]
    lam_row = np.array([float(lam)])
    return float(measures(log_growth(given, lam_row).sum(axis=1), given.sum(axis=1), lam_row)[0])


def as_densities(values: Any) -> Array:
    """Return densities as a flat array, or say which is not one."""
    densities = np.asarray(values)
    if densities.ndim != 1 or (densities.size and densities.dtype.kind not in "iuf"):
        raise OptionError(
            f"densities must be a flat sequence of numbers; {values!r:.80} came. Give one number "
            "in [0, 1] per term."
        )
    densities = densities.astype(float)
    bad = ~((densities == 0) | ((densities >= SMALLEST) & (densities <= 1)))  # NaN is bad, too
    if bad.any():
        where = int(np.argmax(bad))
        raise OptionError(
            f"densities[{where}] is {densities[where]:.6g}; a density must be 0, or between "
            f"{SMALLEST:g} and 1. Divide weights by the largest possible one first."
        )
    return densities


def lambdas(g: Array) -> Array:
    """Return λ for each row of densities, in which absent terms are 0."""
    total, count = g.sum(axis=1), np.count_nonzero(g, axis=1)
    additive = np.abs(total - 1) <= 4 * np.finfo(float).eps * count
    u = np.zeros(len(g))
    certain = (g == 1).any(axis=1)
    u[certain] = -np.inf
    open_rows = ~certain & ~additive & (count > 1)
    u[open_rows] = _roots(g[open_rows])
    return np.expm1(u)


def _roots(g: Array) -> Array:
    """Return the root u ≠ 0 of ``sum(log(1 - g + g e^u)) = u``, row by row.

    The left side is convex in u (a sum of cumulant functions), 0 at u = 0, above its two
    asymptotes; Newton's steps from where an asymptote meets the line approach the root from the
    outer side and never pass it.
    """
    u = _outside(g)
    for _ in range(MAX_STEPS):
        e = np.expm1(u)[:, None]
        excess = np.log1p(g * e).sum(axis=1) - u
        slope = (g * (1 + e) / (1 + g * e)).sum(axis=1) - 1
        step = excess / slope
        u = u - step
        if (np.abs(step) <= 4 * np.finfo(float).eps * (1 + np.abs(u))).all():
            break
    return u


def _outside(g: Array) -> Array:
    """Return where the asymptote, for u → -∞ or for u → ∞, meets the line."""
    present = g > 0
    logs = np.log(g, where=present, out=np.zeros_like(g)).sum(axis=1)
    above = -logs / (np.count_nonzero(present, axis=1) - 1)
    return np.where(g.sum(axis=1) > 1, np.log1p(-g).sum(axis=1), above)


def log_growth(g: Array, lam: Array) -> Array:
    """Return log(1 + λ g), term by term; where that is log(0), a number that stands for it."""
    growth = 1 + lam[:, None] * g
    return np.where(growth > 0, np.log1p(np.where(growth > 0, lam[:, None] * g, 0)), NOTHING)


def measures(log_products: Array, sums: Array, lam: Array) -> Array:
    """Return the measures of sets, from their sums of log(1 + λ g) and of g, and their λ."""
    divisor = np.where(lam == 0, 1, lam)
    return np.where(lam == 0, sums, np.expm1(log_products) / divisor)
