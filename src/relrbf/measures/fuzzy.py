"""Fuzzy-measure similarity of term sets (Popescu, Keller and Mitchell 2006).

What two objects share, A ∩ B, is weighed twice: as a part of A and as a part of B, each time by
Sugeno's λ-measure of that set, in which the whole set weighs 1.

Symbols
-------
g   densities: the measure of each single term, in [0, 1]
λ   how terms combine, ``g(A ∪ B) = g(A) + g(B) + λ g(A) g(B)`` for disjoint A, B; it follows from
    the measure of the whole set being 1: ``prod(1 + λ g) = 1 + λ``
u   ``log(1 + λ)``: in u the equation is convex, and Newton's steps cannot miss the root
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.measures.terms import (
    Densities,
    Ontology,
    TermSet,
    all_terms,
    as_densities,
    as_term_set,
    as_term_sets,
    check_densities,
    densities_of,
    information_content,
    membership,
)

LOG_ZERO = -800.0  # stands for log(0): exp of it is 0, and products with 0 are 0, not NaN
MAX_NEWTON_STEPS = 200


def sugeno_lambda(densities: Any) -> float:
    """Return the λ for which the measure of the whole set is 1.

    It is the one root of ``prod(1 + λ g) = 1 + λ`` above -1 other than 0: negative where the
    densities add up to more than 1 (terms repeat each other), positive where to less, 0 where to 1.

    Parameters
    ----------
    densities : sequence of numbers in [0, 1]
        The measure of each single term. One of 1 gives λ = -1, the limit of the root; fewer than
        two positive ones leave nothing to combine, and λ is 0.

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
    return float(_lambdas(as_densities(densities)[None])[0])


def fuzzy_measure(densities: Any, lam: Any) -> float:
    """Return the λ-measure of the set of terms that have these densities.

    Parameters
    ----------
    densities : sequence of numbers in [0, 1]
        The measure of each single term of the set, which may be empty.
    lam : float, at least -1
        λ of the whole set, from ``sugeno_lambda``.

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
    return float(_measures(_log_growth(given, lam_row).sum(axis=1), given.sum(axis=1), lam_row)[0])


def fuzzy_measure_similarity(
    terms_a: Any, terms_b: Any, densities: Any, *, parents: Any = None
) -> float:
    """Return how similar two sets of terms are, from 0 (nothing shared) to 1.

    ``(g_A(A ∩ B) + g_B(A ∩ B)) / 2``, with g_A Sugeno's λ-measure on the terms of A. With parents,
    the nearest common ancestor of every term of A and every term of B joins both sets first.

    Parameters
    ----------
    terms_a, terms_b : sets of terms
        Neither may be empty. The only informative term of a set has density 1 there.
    densities : mapping from a term to a number in [0, 1]
        How much each term says by itself, as ``information_content`` returns it.
    parents : mapping from a term to its parents or None, default=None
        An ontology. Of several common ancestors the one of largest density is nearest.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from relrbf.measures import fuzzy_measure_similarity
    >>> densities = {"kinase": 0.4, "muscle": 0.7, "bone": 0.7, "tissue": 0.2}
    >>> round(fuzzy_measure_similarity({"kinase", "muscle"}, {"kinase", "bone"}, densities), 3)
    0.4
    >>> fuzzy_measure_similarity({"muscle"}, {"bone"}, densities)
    0.0
    >>> parents = {"muscle": ["tissue"], "bone": ["tissue"]}
    >>> round(fuzzy_measure_similarity({"muscle"}, {"bone"}, densities, parents=parents), 3)
    0.2
    """
    a, b = as_term_set(terms_a, "terms_a"), as_term_set(terms_b, "terms_b")
    return float(1 - _dissimilarities([a], [b], check_densities(densities), parents)[0, 0])


def fuzzy_measure_dissimilarities(
    term_sets: Any, densities: Any = None, *, against: Any = None, parents: Any = None
) -> Array:
    """Return 1 - fuzzy-measure similarity between all objects.

    Equal sets are at 0, sets without a common term at 1 (unless parents gives them an ancestor).
    In general triangle inequalities are violated: two sets that share nothing may both be near a
    third.

    Parameters
    ----------
    term_sets : sequence of n sets of terms
        One set per object, none empty.
    densities : mapping from a term to a number in [0, 1], or None, default=None
        How much each term says by itself. None takes ``information_content`` of the training
        objects.
    against : sequence of m sets of terms or None, default=None
        The training objects, where term_sets are new ones. None compares term_sets with each
        other.
    parents : mapping from a term to its parents or None, default=None
        An ontology, as in ``fuzzy_measure_similarity``.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)
        In [0, 1]; new objects in rows, training objects in columns.

    Examples
    --------
    >>> from relrbf.measures import fuzzy_measure_dissimilarities
    >>> sets = [{"kinase", "muscle"}, {"kinase", "bone"}, {"collagen", "bone"}]
    >>> densities = {"kinase": 0.4, "muscle": 0.7, "bone": 0.7, "collagen": 0.5}
    >>> fuzzy_measure_dissimilarities(sets, densities).round(3)
    array([[0. , 0.6, 1. ],
           [0.6, 0. , 0.3],
           [1. , 0.3, 0. ]])
    """
    rows = as_term_sets(term_sets)
    columns = rows if against is None else as_term_sets(against, "against")
    if densities is None:
        densities = information_content(columns, parents=parents)
    row_sets, which_row = _distinct(rows)
    column_sets, which_column = _distinct(columns)
    distinct = _dissimilarities(row_sets, column_sets, check_densities(densities), parents)
    return distinct[np.ix_(which_row, which_column)]


def _distinct(sets: Sequence[TermSet]) -> tuple[list[TermSet], Indices]:
    """Return the different sets, and which of them each object has: many objects share theirs."""
    numbers: dict[TermSet, int] = {}
    which = [numbers.setdefault(terms, len(numbers)) for terms in sets]
    return list(numbers), np.array(which, dtype=np.intp)


def _dissimilarities(
    a: Sequence[TermSet], b: Sequence[TermSet], densities: Densities, parents: Any
) -> Array:
    sets = [*a, *b]
    terms = all_terms(sets)
    uninformative = np.flatnonzero(membership(sets, terms) @ densities_of(terms, densities) == 0)
    if len(uninformative):
        first = sorted(map(str, sets[uninformative[0]]))
        raise RelationError(
            f"every term of the set {first} has the density 0, so nothing in it can be weighed. "
            "Give one of its terms a density above 0; information_content with smoothing does."
        )
    if parents is None:
        return _crossed(a, b, densities)
    ontology = Ontology(parents)
    result = np.empty((len(a), len(b)))
    for (i, s), (j, t) in product(enumerate(a), enumerate(b)):
        shared = ontology.common_ancestors(s, t, densities)
        result[i, j] = _crossed([s | shared], [t | shared], densities)[0, 0]
    return result


def _crossed(a: Sequence[TermSet], b: Sequence[TermSet], densities: Densities) -> Array:
    """Return the dissimilarity of each set in a to each in b."""
    terms = all_terms([*a, *b])
    g = densities_of(terms, densities)
    A, B = membership(a, terms), membership(b, terms)
    similarities = (_shared_measures(A, B, g) + _shared_measures(B, A, g).T) / 2
    # measures grow with the set, so only rounding can lead out of [0, 1], or off 0 for equals
    dissimilarities = np.clip(1 - similarities, 0, 1)
    shared = A @ B.T
    dissimilarities[(shared == A.sum(axis=1)[:, None]) & (shared == B.sum(axis=1))] = 0
    return dissimilarities


def _shared_measures(own: Array, other: Array, g: Array) -> Array:
    """Return what each set (row) weighs of its own that it shares with each other (column)."""
    weights = own * g
    # the only informative term of a set weighs 1: no λ could make the whole set weigh 1
    lone = np.count_nonzero(weights, axis=1) == 1
    weights[lone] = weights[lone] > 0
    lam = _lambdas(weights)
    logs = _log_growth(weights, lam)
    return _measures(logs @ other.T, weights @ other.T, lam[:, None])


def _lambdas(g: Array) -> Array:
    """Return λ for each row of densities, in which absent terms are 0."""
    total, count = g.sum(axis=1), np.count_nonzero(g, axis=1)
    additive = np.abs(total - 1) <= 4 * np.finfo(float).eps * count
    u = np.zeros(len(g))
    certain = (g == 1).any(axis=1)
    u[certain] = -np.inf
    unsolved = ~certain & ~additive & (count > 1)
    u[unsolved] = _roots(g[unsolved])
    return np.expm1(u)


def _roots(g: Array) -> Array:
    """Return the root u ≠ 0 of ``sum(log(1 - g + g e^u)) = u``, row by row.

    The left side is convex in u (a sum of cumulant functions), 0 at u = 0, above its two
    asymptotes; Newton's steps from where an asymptote meets the line approach the root from the
    outer side and never pass it.
    """
    present = g > 0
    logs = np.log(g, where=present, out=np.zeros_like(g)).sum(axis=1)
    above = -logs / (np.count_nonzero(present, axis=1) - 1)
    u = np.where(g.sum(axis=1) > 1, np.log1p(-g).sum(axis=1), above)
    for _ in range(MAX_NEWTON_STEPS):
        e = np.expm1(u)[:, None]
        excess = np.log1p(g * e).sum(axis=1) - u
        derivative = (g * (1 + e) / (1 + g * e)).sum(axis=1) - 1
        step = excess / derivative
        u = u - step
        if (np.abs(step) <= 4 * np.finfo(float).eps * (1 + np.abs(u))).all():
            break
    return u


def _log_growth(g: Array, lam: Array) -> Array:
    """Return log(1 + λ g), term by term; where that is log(0), a number that stands for it."""
    growth = 1 + lam[:, None] * g
    return np.where(growth > 0, np.log1p(np.where(growth > 0, lam[:, None] * g, 0)), LOG_ZERO)


def _measures(log_products: Array, sums: Array, lam: Array) -> Array:
    """Return the measures of sets, from their sums of log(1 + λ g) and of g, and their λ."""
    divisor = np.where(lam == 0, 1, lam)
    return np.where(lam == 0, sums, np.expm1(log_products) / divisor)
