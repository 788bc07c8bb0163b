"""What a repair returns: the mended dissimilarities, how it ended, and how to treat new objects."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.dense import DenseRelation
from relrbf.relations.inputs import check_not_negative, check_same_ids
from relrbf.relations.validation import as_matrix, distances_from


class RepairStatus(Enum):
    """How a repair ended; the value is advice."""

    CONVERGED = "Converged: no relation that obeys the constraints is nearer, to within tol."
    UNCHANGED = "Nothing to repair: the dissimilarities obey the constraints as they are."
    STALLED = (
        "Stopped: rounding errors hide any further progress. The result obeys the constraints; "
        "loosen tol."
    )
    MAX_ITER = (
        "Stopped at max_iter. The result obeys the constraints, but a nearer one may exist: raise "
        "max_iter, or loosen tol."
    )
    STOPPED = (
        "Stopped by progress. The result obeys the constraints, but a nearer one may exist: let it "
        "run longer."
    )


class Extension(ABC):
    """The treatment of new objects that matches a repair."""

    @abstractmethod
    def extend(self, rows: Array) -> Array:
        """Return the mended dissimilarities of new objects to the training objects (m × n)."""


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
        How far the result is from what was given, over the pairs i < j: the root of the sum of
        squared changes (``norm="l2"``, and where there is none to choose), or the sum of absolute
        changes (``norm="l1"``). Changes are those of the dissimilarities, and of their squares in a
        Euclidean repair.
    status : RepairStatus
        How it ended; ``status.value`` is advice.
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
    status: RepairStatus
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
        return self.extension.extend(check_not_negative(rows, "D_new")).astype(
            rows.dtype, copy=False
        )


def check_progress(progress: Any) -> None:
    """Refuse what cannot be called."""
    if progress is not None and not callable(progress):
        raise OptionError(f"progress is {progress!r}; it must be a callable or None.")
