"""What "auto" means: the choices an estimator makes for its user."""

import warnings

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import NotEuclideanWarning, OptionError, RelationWarning
from relrbf.relations.base import Relation
from relrbf.relations.properties import (
    MAX_INSPECTED,
    NEGLIGIBLE,
    RelationReport,
    describe,
    find_twins,
)

PROTOTYPES_PER_CLASS = 10


def merge_twins(relation: Relation, weights: Array, Y: Array) -> tuple[Array, Array, int]:
    """Let the first of several equal objects speak for all: their weights add up.

    Returns object weights that sum to one (zero for every later twin), the targets, averaged over
    twins, and the number of later twins. For the squared error nothing changes but a constant;
    leaving an object out now leaves out its twins as well, so that copies do not vouch for each
    other.
    """
    twins = find_twins(relation)
    merged = np.bincount(twins, weights=weights, minlength=len(twins))
    sums = np.zeros(Y.shape)
    np.add.at(sums, twins, weights[:, None] * Y)
    targets = np.divide(sums, merged[:, None], out=np.zeros_like(sums), where=merged[:, None] > 0)
    n_duplicates = len(twins) - len(np.unique(twins))
    return (merged / merged.sum()).astype(Y.dtype), targets.astype(Y.dtype), n_duplicates


def inspect(
    relation: Relation, weights: Array, n_duplicates: int, rng: np.random.Generator
) -> RelationReport:
    """Report on the relation among the distinct objects, or a sample of them."""
    objects = np.flatnonzero(weights)
    if len(objects) > MAX_INSPECTED:
        objects = np.sort(rng.choice(objects, MAX_INSPECTED, replace=False))
    return describe(relation, objects, n_duplicates)


def choose_exponent(exponent: float | str, report: RelationReport) -> float:
    """Take the user's exponent or the suggested one; warn where no vector twin is near."""
    chosen = report.suggested_exponent if exponent == "auto" else int(exponent)
    negative = report.negative_eigenfraction[chosen]
    if negative > NEGLIGIBLE:
        warnings.warn(
            f"No vectors have these dissimilarities: with exponent {chosen}, {negative:.1%} of "
            "the spectrum is negative. The network trains all the same, but it has no vector twin. "
            "relation_report_ says more.",
            NotEuclideanWarning,
            stacklevel=4,
        )
    return chosen


def choose_n_prototypes(n_prototypes: int | str, weights: Array, n_groups: int) -> int:
    """Return the number of prototypes to start from: ten per class, twenty for regression."""
    n_objects, n_distinct = len(weights), int(np.count_nonzero(weights))
    if n_prototypes == "auto":
        return min(n_distinct, PROTOTYPES_PER_CLASS * max(2, n_groups))
    wanted = int(n_prototypes)
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
            stacklevel=4,
        )
    return min(wanted, n_distinct)


def groups_of(indices: Indices | None, n_objects: int) -> Indices:
    """Return the classes of the objects, or one group for all."""
    return np.zeros(n_objects, dtype=np.intp) if indices is None else indices
