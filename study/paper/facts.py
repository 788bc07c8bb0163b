"""Facts about a relation that explain what models do with it."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from relrbf.inspection import inspect_relation
from study.design import Cell
from study.sets import ORIGINAL, PAPER
from study.splits import split
from study.variants import Related, loaded, relate

SPLITS = 100  # from which the share of copies is counted


@dataclass(frozen=True)
class Facts:
    """Numbers of a relation, S as the study reads it.

    ``copies`` is the share of test objects with a copy among those with known labels;
    ``negative`` of the spectrum; ``violated`` of the triangles; ``constant`` what PMDS adds to
    every S of two different objects; ``contrast`` the mean S between classes over that within,
    before and after PMDS; ``changed`` the largest change of S by CMDS, over the largest S.
    """

    n_objects: int
    n_distinct: int
    copies: float
    negative: float
    violated: float
    constant: float
    contrast: tuple[float, float]
    changed: float


@lru_cache(maxsize=8)
def facts_of(name: str) -> Facts:
    """Inspect the relation of one of the paper's data sets."""
    data = next(data for data in PAPER if data.name == name)
    given = loaded(data)
    S = given.D**given.exponent
    found = inspect_relation(S, y=given.y)
    within, between = float(found.mean_within or 0), float(found.mean_between or 0)
    constant = float(found.additive_constant[1] or 0)
    everyone = np.arange(len(S))
    after = relate(data, "classical", everyone, 0)
    return Facts(
        n_objects=len(S),
        n_distinct=len(S) - int(found.n_duplicate_objects or 0),
        copies=_copies(given, [Cell(data, ORIGINAL, "graph", r).split_seed for r in range(SPLITS)]),
        negative=float(found.negative_eigenfraction[1] or 0),
        violated=float(inspect_relation(given.D).triangle_violation_fraction or 0),
        constant=constant,
        contrast=(between / within, (between + constant) / (within + constant)),
        changed=float(np.abs(after.D**after.exponent - S).max() / S.max()),
    )


def _copies(given: Related, seeds: list[int]) -> float:
    """Return the mean share of test objects at no distance from a known one."""
    parts = [split(given.y, given.groups, seed) for seed in seeds]
    has_copy = [(given.D[np.ix_(p.test, p.known)] == 0).any(axis=1) for p in parts]
    return float(np.concatenate(has_copy).mean())
