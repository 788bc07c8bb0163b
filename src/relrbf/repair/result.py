"""What every repair takes and returns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from relrbf._options import check_choice, check_number, require
from relrbf._typing import Array
from relrbf.embeddings.base import SearchStatus
from relrbf.exceptions import RelationError
from relrbf.relations.base import CrossRelation, Relation, to_power
from relrbf.relations.conversion import relation_of
from relrbf.relations.dense import DenseRelation
from relrbf.relations.properties import KnownObjects
from relrbf.relations.queries import check_not_negative, check_same_ids
from relrbf.relations.validation import (
    as_matrix,
    check_enough_objects,
    check_largest,
    distances_from,
    within_range,
)


def check_search(norm: Any, tol: Any, max_iter: Any, progress: Any) -> None:
    """Validate the options of a search for the nearest relation."""
    check_choice("norm", norm, ("l2", "l1"))
    check_number("tol", tol, Real, 0)
    check_number("max_iter", max_iter, Integral, 1)
    require(progress is None or callable(progress), "progress", progress, "a callable or None")


def validated_copy(D: Any, exponent: float | None = None) -> DenseRelation:
    """Return a copy of the relation that D is: every entry finite, exactly symmetric.

    Where the two halves differ, by rounding, their mean is taken; a rounding error below zero is
    zero, and so is the diagonal.
    """
    relation = check_enough_objects(relation_of(D, exponent))
    block = relation.block()
    check_largest(block.max(axis=1))
    half = np.asarray(block, dtype=np.float64) / 2
    matrix = np.maximum(half + half.T, 0).astype(relation.dtype, copy=False)
    np.fill_diagonal(matrix, 0)
    own = getattr(relation, "self_similarity", None)
    return DenseRelation(matrix, relation.exponent, relation.ids, own)


@dataclass(frozen=True, eq=False)
class Repair:
    """Dissimilarities after a repair.

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        The repaired dissimilarities: symmetric, zero on the diagonal, in the given precision.
    n_changed : int
        Pairs of objects whose dissimilarity is not the given one; of a Euclidean repair, whose
        square changed by more than a millionth of the largest.
    distance : float
        Over the pairs i < j, the root of the sum of squared changes, or with ``norm="l1"`` the sum
        of absolute ones; in a Euclidean repair, of the squared dissimilarities.
    status : SearchStatus
        How it ended; ``status.value`` is advice. The result obeys the constraints in any case.
    n_iter : int
        Iterations.
    exponent : float
        That of the given relation.
    ids : ndarray of shape (n,) or None
        Names of the objects, where they had any.
    gap : float
        What the optimum could be better than this, at most, as a fraction of what is minimised: the
        distance, and the squared distance for the nearest metric with ``norm="l2"``.
    self_similarity : float or None
        Where similarities were given: an object's similarity to itself.
    """

    matrix: Array
    n_changed: int
    distance: float
    status: SearchStatus
    n_iter: int
    exponent: float
    ids: np.ndarray | None
    self_similarity: float | None
    known: KnownObjects = field(repr=False)
    known_rows: Array = field(repr=False)
    repair_rows: Callable[[Array], Array] = field(repr=False)
    gap: float = 0.0

    @property
    def relation(self) -> Relation:
        """The repaired dissimilarities as a relation, to hand to an estimator."""
        return DenseRelation(self.matrix, self.exponent, self.ids)

    @within_range()
    def extend(self, D_new: Any) -> Array:
        """Treat new objects as the training objects were treated.

        Parameters
        ----------
        D_new : array, frame or CrossRelation of shape (m, n)
            Dissimilarities of new objects (rows) to the training objects (columns), as measured.

        Returns
        -------
        ndarray of shape (m, n)
            Dissimilarities that fit the repaired matrix, to hand to ``predict``. A row that
            belongs to a training object becomes that object's row of the repaired matrix.
        """
        measured = D_new.block() if isinstance(D_new, Relation | CrossRelation) else D_new
        rows = as_matrix(measured, "D_new")
        n = len(self.matrix)
        if rows.shape[1] != n:
            raise RelationError(
                f"D_new has shape {rows.shape}; it must have one row per new object and one column "
                f"for each of the {n} training objects."
            )
        check_same_ids(D_new, self.ids)
        if self.self_similarity is not None and measured is D_new:
            rows = distances_from(rows, self.self_similarity, "D_new")
        rows = check_not_negative(rows, "D_new")
        found = self.known.find(to_power(rows, self.exponent))
        repaired = self.known_rows[found].astype(np.result_type(rows, self.known_rows))
        if (found < 0).any():
            repaired[found < 0] = self.repair_rows(rows[found < 0])
        if not np.isfinite(repaired).all():  # compiled code, as of distances, does not raise
            raise FloatingPointError("overflow")
        return repaired.astype(rows.dtype, copy=False)


def make_repair(
    given: DenseRelation, matrix: Array, repair_rows: Callable[[Array], Array], **outcome: Any
) -> Repair:
    """Return the result of repairing a relation; ``outcome`` is how the search for it ended."""
    return Repair(
        matrix=matrix,
        exponent=given.exponent,
        ids=given.ids,
        self_similarity=given.self_similarity,
        known=KnownObjects(given.block_sq()),
        known_rows=matrix.copy(),  # what a user does to the matrix is not done to new objects
        repair_rows=repair_rows,
        **outcome,
    )
