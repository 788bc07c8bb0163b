"""HG-194: which densities the published matrix was made with, found by fitting them to it."""

from itertools import chain, combinations

import numpy as np
from scipy.optimize import least_squares

from benchmarks.measures.terms import (
    AMENDED,
    OTHER_TEK,
    STORED,
    Published,
    TermSets,
    amended,
    distinct,
)
from relrbf.measures import fuzzy_measure_dissimilarities


def fitted_densities(
    R: np.ndarray, sets: TermSets, objects: list[int], max_nfev: int = 200
) -> dict[str, float]:
    """Return the densities whose dissimilarities are nearest to the published ones."""
    chosen = [sets[i] for i in objects]
    terms = sorted(set().union(*chosen))
    above = np.triu_indices(len(chosen), 1)
    target = R[np.ix_(objects, objects)][above]

    def residuals(g: np.ndarray) -> np.ndarray:
        found = fuzzy_measure_dissimilarities(chosen, dict(zip(terms, g, strict=True)))
        return found[above] - target

    start = np.random.default_rng(0).uniform(0.3, 0.8, len(terms))
    fit = least_squares(
        residuals,
        start,
        jac="3-point",
        bounds=(1e-3, 1),
        x_scale="jac",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        max_nfev=max_nfev,
    )
    return dict(zip(terms, map(float, fit.x), strict=True))


def fitting_part(
    R: np.ndarray, sets: TermSets, densities: dict[str, float], i: int, whole: frozenset[str]
) -> tuple[float, frozenset[str]]:
    """Return which part of a set of terms explains object i's row best, and how well."""
    others = distinct(sets, AMENDED)
    terms = sorted(whole)
    parts = [
        frozenset(p)
        for p in chain.from_iterable(combinations(terms, k) for k in range(1, len(terms) + 1))
    ]
    D = fuzzy_measure_dissimilarities(parts, densities, against=[sets[j] for j in others])
    gaps = np.abs(D - R[i, others]).max(axis=1)
    return float(gaps.min()), parts[int(gaps.argmin())]


def recover(data: Published) -> None:
    """Fit the densities anew and store them; three fits, about four minutes."""
    R, sets, _ = data
    first = fitted_densities(R, sets, distinct(sets, AMENDED))
    trusted = [i for i in range(len(sets)) if i not in AMENDED]
    show_gap("fit without the two objects", R, sets, first, trusted)
    gap, part = fitting_part(R, sets, first, 106, sets[OTHER_TEK])
    print(f"object 107 by terms of the other TEK: {gap:.2g} off with {' '.join(sorted(part))}")
    changed = amended(sets)
    densities = fitted_densities(R, changed, distinct(changed))
    show_gap("fit with their terms amended", R, changed, densities, list(range(len(sets))))
    show_control(changed)
    lines = [f"{term},{densities[term]:.9f}" for term in sorted(densities)]
    STORED.write_text("\n".join(["term,density", *lines]) + "\n")


def show_control(sets: TermSets) -> None:
    """Fit the densities to another measure of the same sets, which they must not explain."""
    objects = distinct(sets)
    other = np.array([[1 - len(a & b) / len(a | b) for b in sets] for a in sets])
    inside = np.triu((other > 0) & (other < 1))[np.ix_(objects, objects)].sum()
    densities = fitted_densities(other, sets, objects, max_nfev=25)
    print(f"{inside} pairs of {len(objects)} different sets lie between 0 and 1")
    show_gap("fit to 1 - Jaccard instead", other, sets, densities, list(range(len(sets))))


def show_gap(
    name: str, R: np.ndarray, sets: TermSets, g: dict[str, float], objects: list[int]
) -> None:
    D = fuzzy_measure_dissimilarities([sets[i] for i in objects], g)
    gap = np.abs(D - R[np.ix_(objects, objects)]).max()
    print(f"{name}: {len(objects)} objects, largest gap {gap:.2g}")
