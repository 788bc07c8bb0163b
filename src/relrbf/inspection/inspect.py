"""The public door: what a matrix is like, and whether it is fit for use."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from relrbf._options import check_number
from relrbf.exceptions import OptionError
from relrbf.inspection.inspector import Inspector
from relrbf.inspection.report import RelationInspection
from relrbf.inspection.watch import Watch
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.conversion import unvalidated_matrix
from relrbf.relations.dense import DenseRelation
from relrbf.relations.on_disk import is_on_disk, open_relation
from relrbf.relations.validation import refuse_shape
from relrbf.targets import check_classes


def inspect_relation(
    D: Any,
    y: Any = None,
    *,
    max_exact: int = 3000,
    random_state: Any = 0,
    progress: Callable[[str, float], Any] | None = None,
) -> RelationInspection:
    """Say what a matrix of dissimilarities is like, and whether vectors with them exist.

    Matrices that are not fit for use are described, not refused: what is missing, negative, not
    symmetric, or not a metric, and what to do about it. Nothing is changed.

    Parameters
    ----------
    D : array of shape (n, n), condensed vector, memmap, frame or Relation
        Dissimilarities.
    y : sequence of n labels or None, default=None
        Classes, to be compared with the dissimilarities.
    max_exact : int, default=3000
        Number of distinct objects up to which every triangle is looked at and the whole spectrum
        is computed. Beyond it, triangles are drawn and the spectrum comes from products with D:
        its ends by Lanczos iterations, its negative share as an estimate, both with an interval.
    random_state : int, RandomState or None, default=0
        For what is drawn.
    progress : callable or None, default=None
        Called with what is being done and the share of it that is. Where it returns True the
        inspection stops, and what was found so far is returned.

    Returns
    -------
    RelationInspection
        Its attributes are the findings; as text it ends in a verdict.

    Notes
    -----
    Facts about entries and triangles are of the matrix as it is. With missing entries, triangles
    are those of known dissimilarities; duplicates, spectrum, vectors, dimension and neighbours
    cannot be said (None). Where D is not symmetric or not zero on the diagonal, they are those of
    ``(D + D') / 2`` with a zero diagonal, and no vectors have the dissimilarities as they are;
    neither have they where some are negative. Of similarities only the entries are described.

    Examples
    --------
    Shortest paths in the complete bipartite graph K(2,3) are a metric, and yet not distances
    between vectors.

    >>> import numpy as np
    >>> from relrbf import inspect_relation
    >>> D = np.array([[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 2], [1, 1, 2, 0, 2],
    ...               [1, 1, 2, 2, 0]])
    >>> report = inspect_relation(D)
    >>> report.is_metric, report.has_vector_dual
    (True, {2: False, 1: False})
    >>> {exponent: round(value, 6) for exponent, value in report.smallest_eigenvalue.items()}
    {2: -1.6, 1: -0.2}
    """
    check_number("max_exact", max_exact, Integral, 2)
    if progress is not None and not callable(progress):
        raise OptionError(f"progress is {progress!r}; it must be a function of (what, share done).")
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    relation = as_given(D)
    classes, labels = (None, None) if y is None else check_classes(y, relation)
    inspector = Inspector(relation, labels, max_exact, seed, Watch(progress))
    inspector.run()
    counts = None
    if classes is not None and labels is not None:
        counts = dict(zip(classes.tolist(), np.bincount(labels).tolist(), strict=True))
    return RelationInspection(
        n_objects=relation.n_objects, ids=relation.ids, class_counts=counts, **inspector.found
    )


def as_given(D: Any, ids: np.ndarray | None = None) -> Relation:
    """Return what a user calls dissimilarities, its entries not judged."""
    if isinstance(D, Relation):
        return D
    if isinstance(D, CrossRelation):
        refuse_shape(D.shape, "D")
    if np.ma.isMaskedArray(D):
        D = np.ma.asarray(D, dtype=np.result_type(D.dtype, np.float32)).filled(np.nan)
    if is_on_disk(D):
        return open_relation(D, ids, "D")
    matrix, names = unvalidated_matrix(D, ids, "D", finite=False)
    if matrix.shape[0] != matrix.shape[1]:
        refuse_shape(matrix.shape, "D")
    return DenseRelation(matrix, 2, names)
