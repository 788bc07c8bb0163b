"""What nearest neighbours tell: whether they share an object's class, and the dimension."""

import numpy as np

from relrbf._typing import Indices
from relrbf.inspection.report import RelationInspection, StepProgress
from relrbf.relations.base import Relation
from relrbf.relations.blocks import for_each_block, row_blocks

FIRST_NEIGHBOUR, LAST_NEIGHBOUR = 10, 20  # numbers of neighbours that are averaged over
MIN_OBJECTS_FOR_DIMENSION = 50  # distinct ones
MAX_TIED_FRACTION = 0.6  # of neighbours as far as the one before; rounded measurements tie fewer


def inspect_classes(
    relation: Relation,
    labels: Indices,
    duplicates: Indices,
    report: RelationInspection,
    progress: StepProgress,
) -> None:
    """Compare every object with its nearest, and objects within classes with those between.

    Of equally near objects the first counts.
    """
    progress.begin("comparing with the labels")
    n = relation.n_objects
    nearest, nearest_distinct = np.empty((2, n), dtype=np.intp)
    within, total = np.empty((2, n))

    def compare(rows: slice) -> None:
        block = np.array(relation.block(rows))
        same = labels[rows, None] == labels
        within[rows] = np.sum(block, axis=1, where=same, dtype=np.float64)
        total[rows] = np.sum(block, axis=1, dtype=np.float64)
        block[np.arange(len(block)), np.arange(rows.start, rows.stop)] = np.inf
        nearest[rows] = np.argmin(block, axis=1)
        block[duplicates[rows, None] == duplicates] = np.inf
        nearest_distinct[rows] = np.argmin(block, axis=1)

    for_each_block(compare, relation.row_blocks(), progress.tell)
    counts = np.bincount(labels)
    n_within = int((counts * (counts - 1)).sum())
    n_between = n * (n - 1) - n_within
    report.neighbour_error = float(np.mean(labels[nearest] != labels))
    if (duplicates != duplicates[0]).any():
        errors = labels[nearest_distinct] != labels
        report.neighbour_error_without_duplicates = float(np.mean(errors))
    if n_within:
        report.mean_within = float(within.sum()) / n_within
    if n_between:
        report.mean_between = float(total.sum() - within.sum()) / n_between


def intrinsic_dimension(
    relation: Relation, distinct: Indices, exponent: int, progress: StepProgress
) -> float | None:
    """Return the dimension of distances ``sqrt(S)`` under an exponent, or None.

    Levina & Bickel's maximum likelihood (2004): around an object of a d-dimensional cloud, the
    number of others within a distance grows as its d-th power. The inverses are averaged over the
    objects, as MacKay and Ghahramani corrected it, and the result over the numbers of neighbours.
    None where there are too few distinct objects, or so many are equally far that the distances
    are counts (of steps, edits, disagreements), which no cloud of points has.
    """
    progress.begin("measuring the dimension")
    if len(distinct) < MIN_OBJECTS_FOR_DIMENSION:
        return None
    n, k = len(distinct), LAST_NEIGHBOUR
    nearest = np.empty((n, k))  # smallest positive dissimilarities to others; inf where few

    def read(rows: slice) -> None:
        block = np.array(relation.block(distinct[rows], distinct))
        np.fill_diagonal(block[:, rows], np.inf)  # itself, even at a rounding error's distance
        block[block <= 0] = np.inf  # what cannot be told from it
        nearest[rows] = np.sort(np.partition(block, k - 1, axis=1)[:, :k], axis=1)

    for_each_block(read, row_blocks(n, n * relation.dtype.itemsize), progress.tell)
    nearest = nearest[np.isfinite(nearest).all(axis=1)]
    ties = nearest[:, 1:] <= nearest[:, :-1] * (1 + 1e-6)
    if not len(nearest) or ties.mean() > MAX_TIED_FRACTION:
        return None
    logs = np.log(nearest)
    inverses = [
        np.mean(logs[:, k - 1, None] - logs[:, : k - 1])
        for k in range(FIRST_NEIGHBOUR, LAST_NEIGHBOUR + 1)
    ]
    # r = sqrt(S) ** (2 / exponent): the logarithms differ by that factor alone
    return 2 / exponent * float(np.mean(1 / np.array(inverses)))
