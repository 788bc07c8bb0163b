"""What every repair takes and returns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.embeddings.base import SearchStatus
from relrbf.exceptions import OptionError, RelationError
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
)


def check_progress(progress: Any) -> None:
    """Refuse what cannot be called."""
    if progress is not None and not callable(progress):
        raise OptionError(f"progress is {progress!r}; it must be a callable or None.")


def validated_copy(D: Any, exponent: float | None = None) -> DenseRelation:
    """Return a copy of the relation that D is: every entry finite, exactly symmetric.

    Where the two halves differ, by rounding, their mean is taken; a rounding error below zero is
    zero, and so is the diagonal.
    """
    relation = check_enough_objects(relation_of(D, exponent))
    block = relation.block()
    check_largest(block.max(axis=1))
    half = np.asarray(block, dtype=np.float64) / 2
    matrix = np.maximum(half + half.T, 0)
    np.fill_diagonal(matrix, 0)
    own = getattr(relation, "self_similarity", None)
    matrix = matrix.astype(relation.dtype, copy=False)
    return DenseRelation(matrix, relation.exponent, relation.ids, own)


class Extension:
    """The treatment of new objects that matches a repair; a training object gets its own row."""

    def __init__(
        self, given: DenseRelation, matrix: Array, repair_rows: Callable[[Array], Array]
    ) -> None:
        self._exponent = given.exponent
        self._known = KnownObjects(given.block_sq())
        self._matrix = matrix.copy()  # what a user does to the result is not done to new objects
        self._repair_rows = repair_rows

    def __call__(self, rows: Array) -> Array:
        """Return the repaired dissimilarities of objects to the training objects (m × n)."""
        found = self._known.find(to_power(rows, self._exponent))
        repaired = self._matrix[found].astype(np.result_type(rows, self._matrix))
        if (found < 0).any():
            repaired[found < 0] = self._repair_rows(rows[found < 0])
        return repaired.astype(rows.dtype, copy=False)


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
    extension: Extension = field(repr=False)
    gap: float = 0.0
    self_similarity: float | None = None

    @property
    def relation(self) -> Relation:
        """The repaired dissimilarities as a relation, to hand to an estimator."""
        return DenseRelation(self.matrix, self.exponent, self.ids)

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
        return self.extension(check_not_negative(rows, "D_new"))


def make_repair(
    given: DenseRelation, matrix: Array, repair_rows: Callable[[Array], Array], **outcome: Any
) -> Repair:
    """Return the result of repairing a relation; ``outcome`` is how the search for it ended."""
    return Repair(
        matrix=matrix,
        exponent=given.exponent,
        ids=given.ids,
        extension=Extension(given, matrix, repair_rows),
        self_similarity=given.self_similarity,
        **outcome,
    )
