"""What is to be repaired, as every repair takes it."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.conversion import relation_of
from relrbf.relations.dense import DenseRelation
from relrbf.relations.validation import check_enough_objects, check_largest


def judged(D: Any, exponent: float | None = None) -> DenseRelation:
    """Return a copy of the relation that D is: every entry known, symmetric to the last digit."""
    relation = check_enough_objects(relation_of(D, exponent))
    block = relation.block()
    check_largest(block.max(axis=1))
    own = getattr(relation, "self_similarity", None)
    matrix = symmetric(block).astype(relation.dtype, copy=False)
    return DenseRelation(matrix, relation.exponent, relation.ids, own)


def symmetric(block: Array) -> Array:
    """Return an exactly symmetric copy in double precision, zero on the diagonal.

    Where the two halves differ, by rounding, their mean is taken; a rounding error below zero is
    zero.
    """
    half = np.asarray(block, dtype=np.float64) / 2
    matrix = np.maximum(half + half.T, 0)
    np.fill_diagonal(matrix, 0)
    return matrix
