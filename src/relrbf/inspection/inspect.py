"""Inspecting a matrix of dissimilarities, step by step."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from relrbf._options import check_number
from relrbf._typing import Indices
from relrbf.base import check_classes
from relrbf.exceptions import OptionError
from relrbf.inspection.neighbours import inspect_classes, intrinsic_dimension
from relrbf.inspection.report import OnProgress, RelationInspection, StepProgress, StoppedError
from relrbf.inspection.spectrum import inspect_spectrum
from relrbf.inspection.triangles import inspect_all_triangles, inspect_sampled_triangles
from relrbf.relations.base import Relation
from relrbf.relations.blocks import summarize_tiles
from relrbf.relations.conversion import square_relation
from relrbf.relations.dense import DenseRelation
from relrbf.relations.properties import duplicates_and_means
from relrbf.relations.validation import self_similarity, square_limit
from relrbf.relations.views import SymmetrizedRelation


def inspect_relation(
    D: Any,
    y: Any = None,
    *,
    max_exact: int = 3000,
    random_state: Any = 0,
    progress: OnProgress | None = None,
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
        Called with the step and the share of it that is done. Where it returns True the inspection
        stops, and what was found so far is returned.

    Returns
    -------
    RelationInspection
        Its attributes are the findings; as text it ends in conclusions.

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
    relation = unvalidated_relation(D)
    report = RelationInspection(relation.n_objects, relation.ids)
    labels = None
    if y is not None:
        classes, labels = check_classes(y, relation)
        counts = np.bincount(labels).tolist()
        report.class_counts = dict(zip(classes.tolist(), counts, strict=True))
    try:
        _inspect(relation, labels, max_exact, seed, report, StepProgress(progress))
    except StoppedError as stopped:
        report.stopped_at = str(stopped)
    return report


def unvalidated_relation(D: Any, ids: np.ndarray | None = None) -> Relation:
    """Return what a user calls dissimilarities, its entries not validated."""
    if isinstance(D, Relation):
        return D
    if np.ma.isMaskedArray(D):
        D = np.ma.asarray(D, dtype=np.result_type(D.dtype, np.float32)).filled(np.nan)
    return square_relation(D, ids, "D", finite=False)


def _inspect(
    relation: Relation,
    labels: Indices | None,
    max_exact: int,
    seed: int,
    report: RelationInspection,
    progress: StepProgress,
) -> None:
    """Fill the report, the triangles last because they take longest."""
    inspect_entries(relation, report, progress)
    if report.holds_similarities:
        return
    distinct, counts = np.arange(relation.n_objects), np.ones(relation.n_objects, np.intp)
    if report.n_missing == 0 and report.can_be_squared:
        symmetrized = relation
        if not (report.is_symmetric and report.has_zero_diagonal):
            symmetrized = SymmetrizedRelation(relation, "mean", zero_diagonal=True)
        progress.begin("looking for duplicates")
        duplicates = duplicates_and_means(symmetrized, np.zeros(report.n_objects))[0]
        found, weights = np.unique(duplicates, return_counts=True)
        report.n_duplicate_objects = report.n_objects - len(found)
        report.spectrum_sampled = len(found) > max_exact
        inspect_spectrum(symmetrized, found, weights.astype(float), seed, report, progress)
        if not report.n_negative and (exponent := report.suggested_exponent) is not None:
            dimension = intrinsic_dimension(symmetrized, found, exponent, progress)
            report.intrinsic_dimension = dimension
        if labels is not None:
            inspect_classes(symmetrized, labels, duplicates, report, progress)
        # they stand for each other only where each is at zero from itself and from the other
        distinct, counts = (found, weights) if report.is_relation else (distinct, counts)
    if len(distinct) > max_exact:
        inspect_sampled_triangles(relation, seed, report, progress)
    else:
        inspect_all_triangles(relation, distinct, counts.astype(float), report, progress)


def inspect_entries(relation: Relation, report: RelationInspection, progress: StepProgress) -> None:
    """Read every entry; a second time only where some are negative or may be similarities."""
    progress.begin("reading the entries")
    found = summarize_tiles(relation.block, relation.n_objects, progress.tell, relation.tile)
    size = max(-found.lowest, found.largest)
    eps = float(np.finfo(relation.dtype).eps)
    rounding = float(np.sqrt(eps)) * size
    limit = square_limit(relation.dtype)
    report.is_symmetric = not found.asymmetry > rounding
    report.has_zero_diagonal = not found.largest_diagonal > rounding
    bound = -100 * eps * size
    blocks = map(relation.block, relation.row_blocks()) if found.lowest < bound else ()
    report.n_negative = sum(int(((b < bound) & np.isfinite(b)).sum()) for b in blocks)
    report.n_missing, report.n_infinite = found.n_missing, found.n_infinite
    report.largest_entry = None if np.isnan(size) else size
    report.largest_asymmetry = found.asymmetry
    report.worst_pair = None if report.is_symmetric else found.worst_pair
    report.can_be_squared = bool(size == 0 or 1 / limit <= size <= limit)
    report.holds_similarities = (
        not (report.has_zero_diagonal or found.n_missing)
        and isinstance(relation, DenseRelation)
        and self_similarity(found, rounding) is not None
    )
