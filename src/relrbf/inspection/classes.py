"""What labels say about a relation: how well the nearest neighbour knows an object's class."""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Indices
from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation
from relrbf.relations.blocks import for_each_block


@dataclass(frozen=True)
class Classes:
    """How the dissimilarities go with the labels."""

    neighbour_error: float
    neighbour_error_without_twins: float | None
    mean_within: float | None
    mean_between: float | None


def look_at_classes(relation: Relation, labels: Indices, twins: Indices, watch: Watch) -> Classes:
    """Compare every object with its nearest, and objects within classes with those between.

    Of equally near objects the first counts.
    """
    watch.begin("comparing with the labels")
    n = relation.n_objects
    nearest, strangers = np.empty((2, n), dtype=np.intp)
    within, total = np.empty((2, n))

    def look(rows: slice) -> None:
        block = np.array(relation.block(rows))
        same = labels[rows, None] == labels
        within[rows] = np.sum(block, axis=1, where=same, dtype=np.float64)
        total[rows] = np.sum(block, axis=1, dtype=np.float64)
        block[np.arange(len(block)), np.arange(rows.start, rows.stop)] = np.inf
        nearest[rows] = np.argmin(block, axis=1)
        block[twins[rows, None] == twins] = np.inf
        strangers[rows] = np.argmin(block, axis=1)

    for_each_block(look, relation.row_blocks(), watch.tell)
    counts = np.bincount(labels)
    n_within = int((counts * (counts - 1)).sum())
    return Classes(
        neighbour_error=float(np.mean(labels[nearest] != labels)),
        neighbour_error_without_twins=_error_of(strangers, labels, twins),
        mean_within=_mean(within.sum(), n_within),
        mean_between=_mean(total.sum() - within.sum(), n * (n - 1) - n_within),
    )


def _error_of(strangers: Indices, labels: Indices, twins: Indices) -> float | None:
    """Return the error of the nearest objects that are no twins; None where all are."""
    if (twins == twins[0]).all():
        return None
    return float(np.mean(labels[strangers] != labels))


def _mean(total: float, n_pairs: int) -> float | None:
    return float(total) / n_pairs if n_pairs else None
