"""What "auto" means: the choices an estimator makes for its user."""

import warnings

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import NotEuclideanWarning, OptionError, RelationWarning
from relrbf.relations.base import Relation
from relrbf.relations.properties import (
    MAX_INSPECTED,
    NEGLIGIBLE,
    RelationReport,
    describe,
)

PROTOTYPES_PER_CLASS = 10
USERS_LINE = 7  # how far above a choice the call of fit is


def inspect(
    relation: Relation, weights: Array, n_duplicates: int, rng: np.random.Generator
) -> RelationReport:
    """Report on the relation among the distinct objects, or a sample of them."""
    objects = np.flatnonzero(weights)
    if len(objects) > MAX_INSPECTED:
        objects = np.sort(rng.choice(objects, MAX_INSPECTED, replace=False))
    return describe(relation, objects, n_duplicates)


def choose_exponent(exponent: float | str, report: RelationReport, without_vectors: str) -> float:
    """Take the user's exponent or the suggested one; warn what follows where no twin is near."""
    chosen = report.suggested_exponent if isinstance(exponent, str) else int(exponent)
    negative = report.negative_eigenfraction[chosen]
    if negative > NEGLIGIBLE:
        warnings.warn(
            f"No vectors have these dissimilarities: with exponent {chosen}, {negative:.1%} of "
            f"the spectrum is negative. {without_vectors} relation_report_ says more.",
            NotEuclideanWarning,
            stacklevel=USERS_LINE,
        )
    return chosen


def choose_n_prototypes(n_prototypes: int | str, weights: Array, n_groups: int) -> int:
    """Return the number of prototypes to start from: ten per class, twenty for regression."""
    n_objects, n_distinct = len(weights), int(np.count_nonzero(weights))
    if isinstance(n_prototypes, str):
        return min(n_distinct, PROTOTYPES_PER_CLASS * max(2, n_groups))
    wanted = n_prototypes
    if wanted > n_objects:
        raise OptionError(
            f"n_prototypes is {wanted} and there are {n_objects} objects; a prototype needs at "
            "least one object of its own. Lower n_prototypes, or use 'auto'."
        )
    if wanted > n_distinct:
        warnings.warn(
            f"n_prototypes is {wanted}, but only {n_distinct} objects are distinct and have a "
            f"positive weight: {n_distinct} prototypes are used.",
            RelationWarning,
            stacklevel=USERS_LINE,
        )
    return min(wanted, n_distinct)
